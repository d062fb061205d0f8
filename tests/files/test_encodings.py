"""Encodings: marks decide, UTF-8 is the rule, wrong bytes are named."""

from __future__ import annotations

import codecs

import pytest

from isthmus.files import DocumentFileError, open_documents

TABLE = "text,label\nnaïve \u2013 \u2018quote\u2019 \U0001f600,ä\n"
MARKED = {
    "utf-8-sig": codecs.BOM_UTF8 + TABLE.encode(),
    "utf-16-le": codecs.BOM_UTF16_LE + TABLE.encode("utf-16-le"),
    "utf-16-be": codecs.BOM_UTF16_BE + TABLE.encode("utf-16-be"),
    "utf-32-le": codecs.BOM_UTF32_LE + TABLE.encode("utf-32-le"),
    "utf-32-be": codecs.BOM_UTF32_BE + TABLE.encode("utf-32-be"),
}


def read(path, **options):
    return [(row.text, row.label) for row in open_documents(path, **options).rows()]


@pytest.mark.parametrize("content", MARKED.values(), ids=MARKED)
def test_a_byte_order_mark_decides(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert read(path) == [("naïve \u2013 \u2018quote\u2019 \U0001f600", "ä")]


def test_json_lines_in_utf_16(tmp_path):
    path = tmp_path / "a"
    path.write_text('{"text": "ä"}\n', encoding="utf-16")
    assert read(path) == [("ä", None)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "UTF_32", "utf-8-sig"])
def test_a_chosen_encoding(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text(TABLE, encoding=encoding)
    assert read(path, encoding=encoding)[0][1] == "ä"


def test_a_chosen_encoding_meets_the_mark_of_the_same(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE, encoding="utf-8-sig")
    assert open_documents(path, encoding="utf-8").columns == ("text", "label")


def test_wrong_bytes_are_named_with_their_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\nfine,1\n\r\ncafé,2\n".encode("latin-1"))
    with pytest.raises(DocumentFileError) as caught:
        list(open_documents(path).rows())
    message = str(caught.value)
    assert message.startswith(f"Line 4 of '{path}'")
    assert "0xe9" in message
    assert "--encoding" in message
    assert "--target-encoding" in message
    assert "latin-1 or cp1252" in message
    assert read(path, encoding="latin-1") == [("fine", "1"), ("café", "2")]


@pytest.mark.parametrize("lines", [10, 5_000, 50_000])
def test_the_line_of_wrong_bytes_is_right_in_long_files(tmp_path, lines):
    path = tmp_path / "a.csv"
    path.write_bytes(
        b"text,label\n" + "wörter,1\n".encode() * lines + b"caf\xe9,2\n" + b"x,1\n" * 9
    )
    with pytest.raises(DocumentFileError, match=f"Line {lines + 2} of"):
        list(open_documents(path).rows())


def test_a_file_that_ends_within_a_character(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\nfine,1\nx,ä".encode()[:-1])
    with pytest.raises(DocumentFileError, match=r"Line 3 of .*0xc3"):
        list(open_documents(path).rows())


@pytest.mark.parametrize("encoding", ["klingon", "base64", "", "a\0b", "rot13", "locale"])
def test_unknown_encodings(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text(TABLE, encoding="utf-8")
    with pytest.raises(DocumentFileError, match=r"no text encoding .*utf-8, utf-16, latin-1"):
        open_documents(path, encoding=encoding)


@pytest.mark.parametrize("encoding", ["undefined", "idna"])
def test_odd_encodings_end_in_our_error(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text(TABLE * 3, encoding="utf-8")
    with pytest.raises(DocumentFileError, match=r"a\.csv"):
        open_documents(path, encoding=encoding)
