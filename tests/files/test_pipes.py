"""Standard input and named pipes can be read once."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading

import pytest

from isthmus.files import DocumentFileError, open_documents

TABLE = b"text,label\na,1\nb,2\n"


@pytest.fixture
def standard_input(monkeypatch):
    def put(content: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (TABLE, "csv"),
        (TABLE.replace(b",", b"\t"), "tsv"),
        (b'{"text": "a", "label": 1}\n{"text": "b", "label": 2}\n', "jsonl"),
        (gzip.compress(TABLE, mtime=0), "csv"),
        (TABLE.decode().encode("utf-16"), "csv"),
    ],
)
def test_standard_input(standard_input, content, format):
    standard_input(content)
    file = open_documents("-")
    assert (str(file.path), file.format) == ("-", format)
    assert [(row.text, row.label) for row in file.rows()] == [("a", "1"), ("b", "2")]


def test_a_second_pass_is_refused(standard_input):
    standard_input(TABLE)
    file = open_documents("-")
    assert file.labels() == ["1", "2"]
    with pytest.raises(DocumentFileError, match=r"Standard input can be read only once.*file"):
        next(file.texts())


def test_the_first_look_loses_nothing(standard_input):
    sentence = b"number %d has words enough to be taken for a document by its length"
    lines = [b"%d,%s" % (i, sentence % i) for i in range(20_000)]
    standard_input(b"\n".join([b"first,second", *lines]))
    file = open_documents("-")
    assert file.text_col == "second"
    assert [row.values["first"] for row in file.rows()] == [str(i) for i in range(20_000)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "Standard input is empty"),
        (b"PAR1...", "Standard input is a Parquet file.*pipe"),
        (b"text,label\n\xff,1\n", "Line 2 of standard input is not valid utf-8"),
        (b"text,label\na\n", "Line 2 of standard input has 1 field"),
        (gzip.compress(TABLE, mtime=0)[:-9], "Standard input is damaged"),
    ],
)
def test_bad_input(standard_input, content, problem):
    standard_input(content)
    with pytest.raises(DocumentFileError, match=problem):
        list(open_documents("-").rows())


def test_no_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DocumentFileError, match="no standard input"):
        open_documents("-")


def test_a_named_pipe(tmp_path):
    path = tmp_path / "pipe.tsv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"text\tlabel\na,b\t1\n",))
    writer.start()
    file = open_documents(path)
    assert list(file.texts()) == ["a,b"]
    writer.join()
    with pytest.raises(DocumentFileError, match=r"The pipe '.*pipe\.tsv' can be read only once"):
        file.labels()


def test_rows_come_while_the_other_end_still_writes():
    code = (
        "from isthmus.files import open_documents\n"
        "for row in open_documents('-').rows(): print(row.text, flush=True)"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"text,label\nfirst,1\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"first"
        process.stdin.write(b"second,1\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"second"
        process.stdin.close()
