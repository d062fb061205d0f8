"""Shards of a file have the documents, places and errors of the file."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import pickle
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from common import examples
from isthmus.files import DocumentFileError, open_documents
from isthmus.files.record_ranges import record_ranges

FIELDS = st.one_of(
    st.sampled_from(
        ["", "a", "é", '""', '"a"', '"a,b"', '"a\tb"', '"a\nb"', '"a\r\nb"', '"""a"""', " ", '"\n"']
    ),
    st.text(st.sampled_from("ab é\ufeff"), max_size=5),
    st.text(st.sampled_from('a "'), max_size=3),
)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\n \n", "\r\n\r\n"])
RARE_LINE_ENDS = st.sampled_from(["\n"] * 20 + ["\r"])
VALUES = st.sampled_from(['"a"', '"é\\n"', '"\\ud800"', "1", "null", "[1]", '"a\u2028b"'])
OBJECTS = st.one_of(
    VALUES.map('{{"text": {}}}'.format),
    VALUES.map('{{"label": {}, "text": "x"}}'.format),
    st.sampled_from(["", " ", "{", "[]", '{"label": "y"}', '{"text": "x"} ']),
)


@st.composite
def tables(draw):
    """A CSV file: mostly right, with line ends of both kinds and a quote here and there."""
    delimiter = draw(st.sampled_from([",", "\t"]))
    rows = draw(st.lists(st.tuples(FIELDS, FIELDS, LINE_ENDS | RARE_LINE_ENDS), max_size=12))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    blank = draw(st.sampled_from(["", "", "\n", " \r\n"]))
    header = draw(st.sampled_from(["text{}label", '"text"{}"la\nbel"', '"text"{}label']))
    body = "".join(f"{first}{delimiter}{second}{end}" for first, second, end in rows)
    cut = draw(st.integers(0, 3))
    body = body[: len(body) - cut]
    return f"{mark}{blank}{header.format(delimiter)}\n{body}"


JSON_LINES = st.lists(st.tuples(OBJECTS, LINE_ENDS | RARE_LINE_ENDS), max_size=12).map(
    lambda lines: "".join(line + end for line, end in lines)
)


def documents(blocks):
    """All documents that blocks give, and the message of the error that ends them."""
    rows = []
    try:
        for block in blocks:
            for row in block.rows():
                rows.append(row[1:])
    except DocumentFileError as error:
        return rows, str(error)
    return rows, None


def by_shards(file, max_bytes):
    rows = []
    for shard in file.shards(max_bytes):
        more, message = documents(pickle.loads(pickle.dumps(shard)).blocks())
        rows += more
        if message is not None:
            return rows, message
    return rows, None


def check(name, content, max_bytes, chunk_bytes, **options):
    # Bytes that cannot be decoded hide the other errors of their chunk.
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch("isthmus.files.limits.CHUNK_BYTES", chunk_bytes),
        mock.patch("isthmus.files.record_ranges.CHUNK_BYTES", max(chunk_bytes, 2)),
    ):
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            file = open_documents(path, text_col="text", **options)
        except DocumentFileError:
            assume(False)
        with file:
            assert sum(shard.n_bytes for shard in file.shards(max_bytes)) == len(content)
            assert by_shards(file, max_bytes) == documents(file.blocks())


@pytest.mark.parametrize("quotes", [True, False])
@examples(300)
@given(content=tables(), max_bytes=st.integers(1, 200), chunk_bytes=st.integers(1, 60))
@example(content='text,label\na,1\n"b\nc",2\n5" x,3\n"d\n",4\n', max_bytes=1, chunk_bytes=9)
@example(content='text,label\na5","\nc"\nd,2\n', max_bytes=1, chunk_bytes=60)
@example(content='\ufeff"text",b\n\ufeffa,1\n\ufeff"b",2\n', max_bytes=1, chunk_bytes=9)
@example(content='text,label\na,1\n"b"c,2\nd,"\n"\n', max_bytes=1, chunk_bytes=60)
@example(content="text,label\na,1\rb,2\nc,3\n", max_bytes=1, chunk_bytes=60)
@example(content="\n\ntext,label\n\n\na,1\n\n", max_bytes=1, chunk_bytes=60)
def test_tables(quotes, content, max_bytes, chunk_bytes):
    name = "a.tsv" if "\t" in content.partition("\n")[0] else "a.csv"
    check(name, content.encode(), max_bytes, chunk_bytes, quotes=quotes)


@examples(300)
@given(content=JSON_LINES, max_bytes=st.integers(1, 200), chunk_bytes=st.integers(1, 60))
def test_json_lines(content, max_bytes, chunk_bytes):
    check("a.jsonl", content.encode(), max_bytes, chunk_bytes)


@examples(100)
@given(content=tables(), place=st.floats(0, 1), max_bytes=st.integers(1, 200))
def test_wrong_bytes(content, place, max_bytes):
    # A carriage return before the wrong byte may still be held back when it is found.
    header, row, body = content.replace("\r", "").encode().partition(b"\n")
    body = b"a,1\n" + body
    place = 4 + int(place * (len(body) - 4))
    data = header + row + body[:place] + b"\xff" + body[place:]
    check("a.csv", data, max_bytes, chunk_bytes=1)


@pytest.mark.parametrize(
    ("encoding", "is_cut"),
    [("latin-1", True), ("cp1252", True), ("utf-8-sig", True), ("utf-16", False), ("sjis", False)],
)
def test_encodings(tmp_path, encoding, is_cut):
    path = tmp_path / "a.csv"
    path.write_bytes(("text,label\n" + "a kettle,p\n" * 50).encode(encoding))
    file = open_documents(path, encoding=encoding)
    assert (len(list(file.shards(100))) > 1) == is_cut
    assert by_shards(file, 100) == documents(file.blocks())


def test_sizes_and_first_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + '"a kettle, red",p\n' * 1000, encoding="utf-8")
    shards = list(open_documents(path).shards(1000))
    assert {shard.path for shard in shards} == {path}
    assert all(1000 <= shard.n_bytes < 1020 for shard in shards[:-1])
    assert len(pickle.dumps(shards[3])) < 2000
    places = [next(shard.blocks()).records.places()[0] for shard in shards[:3]]
    assert places == ["line 2", "line 57", "line 113"]
    assert [next(shard.blocks()).number for shard in shards[:3]] == [1, 1, 1]


def test_a_shard_is_given_before_the_file_is_scanned(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "a kettle,p\n" * 500_000, encoding="utf-8")
    with path.open("rb") as stream:
        ranges = record_ranges(stream, path.stat().st_size, 1000, ",")
        assert next(ranges).end < 1100
        assert stream.tell() < 3_000_000


def test_a_line_without_end_is_not_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("isthmus.files.record_ranges.LONGEST_LINE", 1000)
    monkeypatch.setattr("isthmus.files.record_ranges.CHUNK_BYTES", 100)
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "x" * 5000 + "\na\nb\n", encoding="utf-8")
    file = open_documents(path)
    assert [shard.n_bytes for shard in file.shards(2)] == [5, 5005]
    assert by_shards(file, 2) == documents(file.blocks())


def test_a_record_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("isthmus.files.limits.MAX_CHARACTERS", 300)
    path = tmp_path / "a.csv"
    path.write_text('text,label\na,1\n"b' + "\n" * 400 + '",2\nc,3\n', encoding="utf-8")
    file = open_documents(path)
    rows, message = by_shards(file, 1)
    assert "Line 3" in message
    assert (rows, message) == documents(file.blocks())


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv"])
def test_small_and_packed_files_are_one_shard(tmp_path, name):
    data = b"text,label\n" + b"a kettle,p\n" * 100
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    file = open_documents(path)
    [shard] = file.shards(1 if name.endswith("gz") else 10_000)
    assert shard.n_bytes == path.stat().st_size
    assert documents(shard.blocks()) == documents(file.blocks())


def test_row_groups(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"text": [f"kettle {i}" for i in range(100)], "label": ["p", "n"] * 50})
    parquet.write_table(table, path, row_group_size=7)
    file = open_documents(path)
    assert len(list(file.shards(1))) == 15
    assert 1 < len(list(file.shards(500))) < 15
    assert len(list(file.shards(10**9))) == 1
    for max_bytes in (1, 500, 10**9):
        assert by_shards(file, max_bytes) == documents(file.blocks())


def test_folders_of_text_files(tmp_path):
    for i in range(10):
        (tmp_path / "docs" / "ab"[i % 2]).mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / "ab"[i % 2] / f"{i}.txt").write_text(f"kettle {i}", encoding="utf-8")
    file = open_documents(tmp_path / "docs")
    assert len(list(file.shards(30))) == 3
    assert by_shards(file, 30) == documents(file.blocks())


def test_a_pipe_has_no_shards(tmp_path):
    read, write = os.pipe()
    os.write(write, b"text,label\na,1\n")
    os.close(write)
    with open_documents(f"/dev/fd/{read}") as file:
        assert file.shards(100) is None
    os.close(read)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_file_that_changed(tmp_path, name):
    path = tmp_path / name
    rows = [{"text": f"kettle {i}"} for i in range(100)]
    if name == "a.parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif name == "a.jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        path.write_text("text\n" + "".join(row["text"] + "\n" for row in rows), encoding="utf-8")
    shards = list(open_documents(path).shards(200))
    os.utime(path, (1, 1))
    for shard in shards:
        _, message = documents(shard.blocks())
        assert message.startswith(f"The file '{path}' changed while it was read")


def test_max_bytes_is_positive(tmp_path):
    (tmp_path / "a.csv").write_text("text\na\n", encoding="utf-8")
    with pytest.raises(ValueError, match="max_bytes"):
        open_documents(tmp_path / "a.csv").shards(0)


def n_documents(shard):
    return sum(len(block) for block in shard.blocks())


def test_other_processes_read_shards(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "a kettle,p\n" * 1000, encoding="utf-8")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        counts = pool.map(n_documents, open_documents(path).shards(5000))
    assert len(counts) == 3
    assert sum(counts) == 1000
