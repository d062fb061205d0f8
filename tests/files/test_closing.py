"""Files are closed as soon as they are not needed, also after an error."""

from __future__ import annotations

import builtins
import gc
from typing import Any

import pytest

from isthmus.files import DocumentFileError, open_documents
from isthmus.files.table_reader import open_table

GOOD = b"text,label\ngood kettle,p\nbad kettle,n\n"
MANY = b"text,label\n" + b"a document about the kettle,p\n" * 9000


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The files that were opened."""
    opened = []
    original = builtins.open

    def recording_open(*args: Any, **kwargs: Any) -> Any:
        opened.append(original(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(builtins, "open", recording_open)
    return opened


def file_of(tmp_path: Any, content: bytes, streams: list[Any], name: str = "a.csv") -> Any:
    path = tmp_path / name
    path.write_bytes(content)
    streams.clear()
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b""),
        ("a.csv", b"text,label\n"),
        ("a.csv", b"%PDF-1.4"),
        ("a.csv", b"a,b\n1,2\n"),
        ("a.jsonl", b"{\n"),
        ("a.jsonl", b'[{"text": "a"}]'),
    ],
)
def test_a_file_that_cannot_be_opened(tmp_path, streams, name, content):
    path = file_of(tmp_path, content, streams, name)
    # The error, which is kept here, refers to the frames of the reader.
    with pytest.raises(DocumentFileError) as error:
        open_documents(path, need_label=True)
    assert len(streams) == 1
    assert streams[0].closed
    assert str(error.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", MANY + b"too,many,fields\n"),
        ("a.csv", MANY + b"\xff,p\n"),
        ("a.csv", MANY + b'"open,p\n'),
        ("a.jsonl", b'{"text": "a"}\n' * 200 + b'{"text": ["a"]}\n'),
        ("a.jsonl", b'{"text": "a"}\n' * 200 + b'{"message": "a"}\n'),
    ],
)
def test_a_row_that_cannot_be_read(tmp_path, streams, name, content):
    file = open_documents(file_of(tmp_path, content, streams, name))
    with pytest.raises(DocumentFileError) as error:
        list(file.rows())
    assert [stream.closed for stream in streams] == [True]
    assert str(error.value)


@pytest.mark.parametrize("method", ["rows", "texts"])
def test_a_pass_that_is_closed(tmp_path, streams, method):
    file = open_documents(file_of(tmp_path, MANY, streams))
    for _ in range(2):
        rows = getattr(file, method)()
        next(rows)
        assert not streams[-1].closed
        rows.close()
        assert streams[-1].closed
    assert len(streams) == 2


def test_a_file_in_a_with_statement(tmp_path, streams):
    path = file_of(tmp_path, MANY, streams)
    with open_documents(path) as file:
        assert not streams[0].closed
    assert streams[0].closed
    with open_documents(path) as file:
        rows, others = file.rows(), file.rows()
        next(rows), next(others)
    assert [stream.closed for stream in streams] == [True] * 3
    assert len(file.labels()) == 9000


def test_a_table_in_a_with_statement(tmp_path, streams):
    with open_table(file_of(tmp_path, GOOD, streams)) as table:
        pass
    assert streams[0].closed
    assert table.read(["label"])["label"].values == ["p", "n"]


def test_a_file_in_a_folder(tmp_path, streams):
    (tmp_path / "a.txt").write_bytes(b"%PDF-1.4" + b"x" * 100_000)
    with pytest.raises(DocumentFileError, match="PDF") as error:
        open_documents(tmp_path).labels()
    assert all(stream.closed for stream in streams)
    assert str(error.value)


@pytest.mark.parametrize("is_begun", [False, True])
def test_a_file_that_is_dropped(tmp_path, streams, is_begun):
    """The file is closed at once, not when reference cycles are collected."""
    file = open_documents(file_of(tmp_path, MANY, streams))
    rows = file.rows()
    if is_begun:
        next(rows)
    gc.disable()
    try:
        del file, rows
        assert streams[0].closed
    finally:
        gc.enable()
