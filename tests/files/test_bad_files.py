"""Files that contain no documents: the message says what they are and what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile

import pytest

from isthmus.files import DocumentFileError, open_documents


def refused(path, **options) -> str:
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path, **options).rows())
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert message.endswith(".")
    return message


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.csv", "text,label\na,b\n")
    return stream.getvalue()


def tarred() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.csv"), io.BytesIO())
    return stream.getvalue()


def packed(content):
    """Packed without the time, which would give the test another name in every process."""
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize(
    ("name", "content", "essentials"),
    [
        ("a.csv", b"", ["is empty"]),
        ("a.csv.gz", packed(b""), ["is empty"]),
        ("a.csv", b"\n \n\r\n", ["only blank lines", "text,label"]),
        ("a.csv", b"\xef\xbb\xbf", ["only blank lines"]),
        ("a.xlsx", zipped(), ["Excel", "save the table as CSV"]),
        ("a.docx", zipped(), ["word processor"]),
        ("a.csv", zipped(), ["zip archive or an Excel workbook", "unpack it first"]),
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3", ["a PDF file", "plain text"]),
        ("a.xls", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(100), ["old Excel", "as CSV"]),
        ("a.csv.bz2", bz2.compress(b"text\na\n"), ["bzip2", "unpack it first"]),
        ("a.csv.xz", lzma.compress(b"text\na\n"), ["xz", "unpack it first"]),
        ("a.csv.zst", bytes.fromhex("28b52ffd") + b"abc", ["zstd", "unpack it first"]),
        ("a.tgz", packed(tarred()), ["tar archive", "unpack it first"]),
        ("a.csv.gz", packed(packed(b"text\na\n")), ["packed twice"]),
        ("a.gz", packed(b"PAR1abc"), ["Parquet", "without gzip"]),
        ("a.csv", b"\x7fELF\x02\x01\x00\x00", ["binary", "zero byte"]),
        ("a.csv", b"text,label\n\x93NUMPY\x00\x01", ["binary", "zero byte"]),
        ("a.csv", "text,label\na,b\n".encode("utf-16-le"), ["binary", "UTF-16", "--encoding"]),
    ],
)
def test_what_is_no_table(tmp_path, name, content, essentials):
    path = tmp_path / name
    path.write_bytes(content)
    message = refused(path)
    for essential in essentials:
        assert essential in message


def test_text_that_begins_like_bzip2_is_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("BZh,text\n1,a\n", encoding="utf-8")
    assert list(open_documents(path).texts()) == ["a"]


@pytest.mark.parametrize("left", [3, 15, -4, -200])
def test_gzip_cut_off(tmp_path, left):
    packed = gzip.compress(b"text,label\n" + os.urandom(3000).hex().encode() + b",1\n")
    path = tmp_path / "a.csv.gz"
    path.write_bytes(packed[:left])
    message = refused(path)
    assert "damaged" in message
    assert "copy it again" in message


def test_gzip_damaged_in_the_middle(tmp_path):
    packed = bytearray(gzip.compress(b"text,label\n" + b"some words,1\n" * 100_000))
    packed[len(packed) // 2] ^= 0xFF
    packed[-8] ^= 0xFF
    path = tmp_path / "a.csv.gz"
    path.write_bytes(packed)
    assert "damaged" in refused(path)


def test_a_file_that_is_not_there(tmp_path):
    message = refused(tmp_path / "nothing.csv")
    assert "There is no file or folder" in message
    assert "check the name" in message


def test_an_empty_name_and_an_impossible_one():
    with pytest.raises(DocumentFileError, match="name of the file is empty"):
        open_documents("")
    with pytest.raises(DocumentFileError, match="name another"):
        open_documents("a\0b")


def test_a_file_below_a_file(tmp_path):
    (tmp_path / "a.csv").write_text("text\na\n", encoding="utf-8")
    assert "Cannot read" in refused(tmp_path / "a.csv" / "b.csv")


def test_no_permission(tmp_path, as_nobody):
    path = tmp_path / "a.csv"
    path.write_text("text,label\na,b\n", encoding="utf-8")
    path.chmod(0)
    with as_nobody(tmp_path):
        message = refused(path)
    assert "Permission denied" in message
    assert "permissions" in message


def test_a_folder_without_permission(tmp_path, as_nobody):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("a", encoding="utf-8")
    folder.chmod(0)
    with as_nobody(tmp_path):
        assert "Permission denied" in refused(folder)


def test_a_device_without_end():
    with pytest.raises(DocumentFileError, match="binary"):
        open_documents("/dev/zero")


def test_the_error_is_a_value_error():
    assert issubclass(DocumentFileError, ValueError)
