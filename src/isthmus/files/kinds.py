"""Recognize the type of a file, and refuse types that contain no documents."""

from __future__ import annotations

import re

from isthmus.files.errors import NAME_ENCODING, DocumentFileError, subject

__all__ = [
    "JSON_SUFFIXES",
    "PARQUET_MAGIC",
    "PARQUET_SUFFIXES",
    "TAB_SUFFIXES",
    "check_text",
    "text_format",
]

PARQUET_MAGIC = b"PAR1"
PARQUET_SUFFIXES = {".parquet", ".pq"}
TAB_SUFFIXES = {".tsv", ".tab"}
JSON_SUFFIXES = {".jsonl", ".ndjson"}

UNPACK = "unpack it first"
EXPORT = "save the table as CSV"
PLAIN = "save its text as CSV, JSON Lines or plain text files"

# First bytes of the file, its type, what to do.
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF-", "a PDF file", PLAIN),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file", EXPORT),
    (b"BZh", "a bzip2 file", UNPACK),
    (b"\xfd7zXZ\x00", "an xz file", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"\x1f\x8b", "a gzip file packed twice", UNPACK),
    (b"SQLite format 3\x00", "an SQLite database", EXPORT),
    (b"ARROW1\x00\x00", "an Arrow file", "save the table as CSV or Parquet"),
)
ZIP_MAGIC = b"PK\x03\x04"
TAR_MAGIC, TAR_PLACE = b"ustar", 257


def check_text(head: bytes, encoding: str, suffix: str, name: str) -> None:
    """Raise DocumentFileError if a file cannot be read as text."""
    known_type = _known_type(head, suffix)
    if known_type is not None:
        kind, remedy = known_type
        raise DocumentFileError(f"{subject(name)} is {kind}: {remedy}.")
    if _is_binary(head, encoding):
        raise DocumentFileError(
            f"{subject(name)} is binary, it contains a zero byte near its beginning: {PLAIN}; if "
            f"it is UTF-16 text, {NAME_ENCODING}."
        )


def text_format(head: str, suffix: str, name: str) -> str:
    """Return ``"jsonl"``, ``"tsv"`` or ``"csv"``.

    The suffix decides; if it is not a known one, a file that begins with a brace is JSON Lines.
    """
    if suffix in TAB_SUFFIXES:
        return "tsv"
    if suffix == ".csv":
        return "csv"
    start = head.lstrip()
    is_json = suffix in JSON_SUFFIXES or suffix == ".json"
    if re.match(r"\[\s*(\{|$)", start) or (is_json and start.startswith("[")):
        raise DocumentFileError(
            f"{subject(name)} contains one JSON array: write it as JSON Lines, one object per line "
            "without the brackets and the commas between them."
        )
    return "jsonl" if is_json or start.startswith("{") else "csv"


def _known_type(head: bytes, suffix: str) -> tuple[str, str] | None:
    if head.startswith(ZIP_MAGIC):
        if suffix in {".xlsx", ".xlsm", ".ods"}:
            return "an Excel or other spreadsheet", EXPORT
        if suffix in {".docx", ".odt"}:
            return "a word processor's document", PLAIN
        return "a zip archive or an Excel workbook", f"{UNPACK}, or {EXPORT}"
    for magic, kind, remedy in MAGIC:
        # "BZh" alone might begin a text.
        if head.startswith(magic) and (magic != b"BZh" or head[4:10] == b"1AY&SY"):
            return kind, remedy
    if head.startswith(PARQUET_MAGIC):
        return "a Parquet file", "give it without gzip and not through a pipe"
    if head[TAR_PLACE : TAR_PLACE + len(TAR_MAGIC)] == TAR_MAGIC:
        return "a tar archive", UNPACK
    return None


def _is_binary(head: bytes, encoding: str) -> bool:
    """Return whether a file is binary; a text may contain a zero character too, but rarely does."""
    if encoding.startswith(("utf-16", "utf-32")) or b"\x00" not in head:
        return False
    if b"\x00" in head.partition(b"\n")[0]:
        return True
    try:
        head.decode(encoding)
    except UnicodeDecodeError as error:
        # The head may end within a character.
        return error.end < len(head)
    return False
