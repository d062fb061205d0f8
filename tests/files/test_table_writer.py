"""Tables of results: formats by name, values by format, whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from isthmus.files import DocumentFileError, check_table_path, open_documents, open_table_writer

ROWS = [
    {"text": 'a "b", c\n', "score": 0.5, "label": None},
    {"text": "", "score": 1, "label": "x", "left out": 1},
    {"text": " blank ", "score": [1, True, {"k": None}]},
]


def write(path, rows=ROWS, columns=("text", "score", "label"), **options):
    with open_table_writer(path, columns, **options) as writer:
        for row in rows:
            writer.write(row)


def test_csv(tmp_path):
    write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").split("\n") == [
        "text,score,label",
        '"a ""b"", c',
        '",0.5,',
        ",1,x",
        '" blank ","[1, true, {""k"": null}]",',
        "",
    ]


@pytest.mark.parametrize("name", ["a.tsv", "a.tab", "a.TSV.gz"])
def test_tsv(tmp_path, name):
    write(tmp_path / name, [{"text": "a,b\tc", "score": 1}])
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith("gz") else content
    assert content == b'text\tscore\tlabel\n"a,b\tc"\t1\t\n'


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.b.jsonl.gz"])
def test_json_lines(tmp_path, name):
    write(tmp_path / name, [*ROWS, {"text": "é\u2028"}])
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith("gz") else content
    lines = content.decode().split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [
        {key: value for key, value in row.items() if key != "left out"}
        for row in [*ROWS, {"text": "é\u2028"}]
    ]
    assert "é" in lines[3]


def test_numbers_of_numpy(tmp_path):
    row = {"text": np.str_("a"), "score": np.float32(0.5), "label": np.array([1, 2])}
    write(tmp_path / "a.jsonl", [row, {"score": np.int64(3), "label": np.bool_(True)}])
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines == ['{"text": "a", "score": 0.5, "label": [1, 2]}', '{"score": 3, "label": true}']
    write(tmp_path / "a.csv", [row])
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()[1] == 'a,0.5,"[1, 2]"'


def test_packed_tables_are_the_same_bytes_every_time(tmp_path):
    write(tmp_path / "a.csv.gz")
    write(tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.gz", "a.txt.gz", "a.parquet.gz", ".csv.", "a."])
def test_unknown_formats(tmp_path, name):
    for call in (check_table_path, write):
        with pytest.raises(
            DocumentFileError, match=r"unknown: end its name in \.csv, \.tsv, \.jsonl"
        ):
            call(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_early_checks(tmp_path):
    for name in ("a.csv", "a.tsv.gz", "a.jsonl"):
        check_table_path(tmp_path / name)
    check_table_path("-")
    with pytest.raises(ValueError, match="is a folder"):
        check_table_path(tmp_path)
    with pytest.raises(ValueError, match="does not exist"):
        check_table_path(tmp_path / "missing" / "a.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("columns", [[], ["a", "b", "a"]])
def test_bad_columns(tmp_path, columns):
    with pytest.raises(DocumentFileError, match="give every column its own name"):
        write(tmp_path / "a.csv", [], columns)


def test_a_table_without_rows_has_its_header(tmp_path):
    write(tmp_path / "a.csv", [])
    assert (tmp_path / "a.csv").read_bytes() == b"text,score,label\n"


def test_other_encodings(tmp_path):
    path = tmp_path / "a.csv"
    write(path, [{"text": "ä"}], encoding="utf-16")
    assert list(open_documents(path).texts()) == ["ä"]
    with pytest.raises(DocumentFileError, match=r"Row 1 .*U\+20AC.*utf-8"):
        write(path, [{"text": "€"}], encoding="latin-1")
    with pytest.raises(DocumentFileError, match="no text encoding"):
        write(path, encoding="klingon")
    assert list(open_documents(path).texts()) == ["ä"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.csv.gz"])
def test_lone_surrogates_do_not_stop_the_writing(tmp_path, name):
    write(tmp_path / name, [{"text": "a\udcff"}, {"text": "b"}], ["text"])
    assert list(open_documents(tmp_path / name).texts()) == ["a\ufffd", "b"]


def test_values_that_nest_too_deeply(tmp_path):
    value: list = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(DocumentFileError, match=r"Row 1 .*too deeply"):
        write(tmp_path / "a.jsonl", [{"text": value}])
    while value:
        value = value.pop()


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl"])
def test_an_error_keeps_the_old_file(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"old")

    def rows():
        yield {"a": "x" * 100_000}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(path, rows(), ["a"])
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl"])
def test_a_full_disk(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"old")
    code = (
        "import os, resource, signal, sys\n"
        "from isthmus.files import open_table_writer\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "try:\n"
        "    with open_table_writer(sys.argv[1], ['a']) as writer:\n"
        "        for _ in range(100): writer.write({'a': os.urandom(1000).hex()})\n"
        "except OSError as error: print(error.filename)\n"
    )
    command = [sys.executable, "-X", "dev", "-c", code, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == f"{path}\n"
    assert run.stderr == ""
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_standard_output(capfdbinary):
    print("before")
    write("-", [{"text": "é, x", "score": 1}])
    print("after")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == 'before\ntext,score,label\n"é, x",1,\nafter\n'.encode()


def test_a_text_stream_in_the_place_of_standard_output():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        write("-", [{"text": "é"}])
    assert out.getvalue() == "text,score,label\né,,\n"


def test_rows_come_before_the_end():
    code = (
        "import sys; from isthmus.files import open_table_writer, table_writer\n"
        "table_writer.FLUSH_SECONDS = -1\n"
        "with open_table_writer('-', ['a']) as writer:\n"
        "    writer.write({'a': 1}); writer.write({'a': 2})\n"
        "    sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(3)] == [b"a\n", b"1\n", b"2\n"]


def test_a_reader_that_goes_ends_the_writing_quietly():
    code = (
        "import sys; from isthmus.files import open_table_writer\n"
        "with open_table_writer('-', ['a']) as writer:\n"
        "    for i in range(1_000_000): writer.write({'a': i})\n"
        "sys.stderr.write('done')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"a\n"
        process.stdout.close()
        assert process.stderr.read() == b"done"
    assert process.returncode == 0


def test_another_pipe_that_breaks_is_an_error(capfd):
    reading_end, writing_end = os.pipe()
    os.close(reading_end)
    try:
        with pytest.raises(BrokenPipeError), open_table_writer("-", ["a"]):
            os.write(writing_end, b"x")
    finally:
        os.close(writing_end)
    capfd.readouterr()
