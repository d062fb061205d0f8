"""Recognize the format of a user's file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from isthmus.files.decoding import check_encoding, encoding_of, text_of_head
from isthmus.files.delimited import Delimited
from isthmus.files.errors import DocumentFileError, NoDocumentsError, subject, unreadable
from isthmus.files.folder import Folder
from isthmus.files.json_lines import JsonTable
from isthmus.files.kinds import PARQUET_MAGIC, PARQUET_SUFFIXES, check_text, text_format
from isthmus.files.parquet import ParquetTable
from isthmus.files.part_names import part_files
from isthmus.files.parts import Parts
from isthmus.files.reader import Reader
from isthmus.files.source import (
    ByteSource,
    FileSource,
    Opened,
    byte_source,
    standard_input,
)

__all__ = ["Reader", "find_reader"]

STANDARD_INPUT = "-"


def find_reader(
    path: str | os.PathLike[str], encoding: str | None, quotes: bool
) -> tuple[Reader, Opened | None, str | None]:
    """Return the reader of a file, folder or pattern, what it reads, and the encoding's name.

    Nothing is open for a folder of texts or a Parquet file. Otherwise the file is still being
    inspected: call ``settle`` before the whole file is read, or ``close``.
    """
    if encoding is not None:
        encoding = check_encoding(encoding)
    if not os.fspath(path):
        raise DocumentFileError("The name of the file is empty: name a file or a folder.")
    path = Path(path)
    files = None if str(path) == STANDARD_INPUT else part_files(path)
    if files is not None:
        parts = Parts(path, files, lambda file: _reader_of(file, encoding, quotes))
        return parts, parts, encoding
    reader, source = _reader_of(path, encoding, quotes)
    return reader, source, encoding


def _reader_of(path: Path, encoding: str | None, quotes: bool) -> tuple[Reader, ByteSource | None]:
    if str(path) == STANDARD_INPUT:
        source: ByteSource = standard_input()
    else:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            raise unreadable(f"'{path}'", error) from error
        except ValueError as error:
            raise DocumentFileError(
                f"{str(path)!r} is not a valid file name: name another."
            ) from error
        if stat.S_ISDIR(mode):
            return Folder(path, encoding), None
        source = byte_source(path, mode)
        if isinstance(source, FileSource) and source.suffix in PARQUET_SUFFIXES:
            return ParquetTable(path), None
    try:
        reader = _text_reader(source, path, encoding, quotes)
    except BaseException:
        source.close()
        raise
    if isinstance(reader, ParquetTable):
        source.close()
        return reader, None
    return reader, source


def _text_reader(source: ByteSource, path: Path, encoding: str | None, quotes: bool) -> Reader:
    """Return the reader of a text file, or of a Parquet file whatever its name."""
    source.look_ahead()
    head = source.head()
    if not head:
        raise NoDocumentsError(f"{subject(source.name)} is empty: name one that holds documents.")
    # A gzip file of Parquet data is reported below.
    if (
        isinstance(source, FileSource)
        and head.startswith(PARQUET_MAGIC)
        and source.starts_with(PARQUET_MAGIC)
    ):
        return ParquetTable(path)
    chosen = encoding_of(head, encoding)
    check_text(head, chosen, source.suffix, source.name)
    format = text_format(text_of_head(head, chosen), source.suffix, source.name)
    if format == "jsonl":
        return JsonTable(source, chosen)
    return Delimited(source, chosen, "\t" if format == "tsv" else None, quotes)
