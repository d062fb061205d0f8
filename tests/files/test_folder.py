"""Folders of text files."""

from __future__ import annotations

import gzip
import os

import pytest

from isthmus.files import DocumentFileError, open_documents


@pytest.fixture
def folder(tmp_path):
    def make(files: dict[str, str | bytes]):
        for name, content in files.items():
            path = tmp_path / "docs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "docs"

    return make


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path, **options).rows())
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_sub_folders_are_labels_and_the_order_is_sorted(folder):
    path = folder(
        {
            "pos/b.txt": "b",
            "neg/deep/er/c": "c\r\nd",
            "pos/a.txt": "a",
            "top.md": "top",
            "neg/z.txt": "",
        }
    )
    file = open_documents(path)
    assert (file.format, file.columns) == ("folder", ("file", "text", "label"))
    assert (file.text_col, file.label_col) == ("text", "label")
    assert not file.text_guessed
    assert not file.label_guessed
    rows = list(file.rows())
    assert [(row.place, row.text, row.label) for row in rows] == [
        ("file top.md", "top", None),
        ("file neg/z.txt", "", "neg"),
        ("file neg/deep/er/c", "c\r\nd", "neg"),
        ("file pos/a.txt", "a", "pos"),
        ("file pos/b.txt", "b", "pos"),
    ]
    assert rows[3].values == {"file": "pos/a.txt", "text": "a", "label": "pos"}
    assert [row.number for row in rows] == [1, 2, 3, 4, 5]
    assert file.labels() == [None, "neg", "neg", "pos", "pos"]


def test_a_folder_without_sub_folders_has_no_labels(folder):
    path = folder({"a": "x", "b": "y"})
    file = open_documents(path)
    assert (file.columns, file.label_col) == (("file", "text"), None)
    assert file.labels() == [None, None]
    message = refused(path, need_label=True)
    assert "no labels" in message
    assert "sub-folder" in message


def test_files_in_sub_folders_alone_are_fine_without_labels(folder):
    assert list(open_documents(folder({"a/1": "x", "b/2": "y"})).texts()) == ["x", "y"]


def test_hidden_files_and_folders_are_passed_over(folder):
    path = folder({".hidden": "no", ".git/config": "no", "a/.DS_Store": b"\0", "a/x": "yes"})
    assert list(open_documents(path).texts()) == ["yes"]


def test_gzip_and_marks_in_single_files(folder):
    path = folder({"a/1.txt.gz": gzip.compress("é".encode()), "a/2": "ü".encode("utf-16")})
    assert list(open_documents(path).texts()) == ["é", "ü"]


def test_a_folder_without_files(folder, tmp_path):
    (tmp_path / "docs" / "empty").mkdir(parents=True)
    message = refused(folder({".hidden": "x"}))
    assert "no files" in message


def test_a_binary_file_is_named(folder):
    path = folder({"a/1": "text", "a/2.pdf": b"%PDF-1.4 ..."})
    assert "a/2.pdf' is a PDF file" in refused(path)
    assert "zero byte" in refused(folder({"a/2.pdf": b"\x00\x01\x02"}))


def test_wrong_bytes_are_named_with_file_and_line(folder):
    path = folder({"a/1": b"one\ntwo\ncaf\xe9"})
    message = refused(path)
    assert message.startswith(f"Line 3 of '{path}/a/1'")
    assert list(open_documents(path, encoding="latin-1").texts()) == ["one\ntwo\ncafé"]


def test_a_file_beyond_the_limit(folder, monkeypatch):
    monkeypatch.setattr("isthmus.files.limits.MAX_CHARACTERS", 100_000)
    message = refused(folder({"a/1": gzip.compress(b"x" * 5_000_000)}))
    assert "a/1" in message
    assert "100000 characters" in message


def test_a_wrong_column_of_a_folder(folder):
    path = folder({"a/1": "x"})
    assert "'file', 'text', 'label'" in refused(path, text_col="body")
    assert open_documents(path, text_col="text", label_col="label").label_col == "label"


def test_a_link_to_a_file_in_the_folder_is_followed(folder):
    path = folder({"a/1": "x"})
    (path / "b").mkdir()
    (path / "b" / "2").symlink_to(path / "a" / "1")
    assert open_documents(path).labels() == ["a", "b"]


@pytest.mark.parametrize("target", ["outside", "outside/file", "nowhere", "docs/a"])
def test_other_links_are_refused(folder, tmp_path, target):
    path = folder({"a/1": "x"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("secret", encoding="utf-8")
    (path / "a" / "link").symlink_to(tmp_path / target)
    message = refused(path)
    assert "link 'a/link'" in message
    assert "copy" in message


def test_the_folder_itself_may_be_a_link(folder, tmp_path):
    folder({"a/1": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "docs")
    assert open_documents(tmp_path / "link").labels() == ["a"]


def test_pipes_in_a_folder_are_passed_over(folder):
    path = folder({"a/1": "x"})
    os.mkfifo(path / "a" / "pipe")
    assert list(open_documents(path).texts()) == ["x"]


def test_names_that_are_no_text_can_be_written_again(folder):
    path = folder({"a/1": "x"})
    os.rename(path / "a", os.fsencode(path) + b"/caf\xe9")
    [row] = open_documents(path).rows()
    assert row.label == "caf\ufffd"
    row.place.encode("utf-8")
    row.values["file"].encode("utf-8")
