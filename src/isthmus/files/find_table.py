"""Recognize the format of a user's file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from isthmus.files.blocks import Table
from isthmus.files.decoding import check_encoding, encoding_of, text_of_head
from isthmus.files.delimited import delimited_table
from isthmus.files.errors import DocumentFileError, NoDocumentsError, subject, unreadable
from isthmus.files.folder import Folder
from isthmus.files.json_lines import json_table
from isthmus.files.kinds import PARQUET_MAGIC, PARQUET_SUFFIXES, check_text, text_format
from isthmus.files.parquet import ParquetTable
from isthmus.files.parts import Parts, part_files
from isthmus.files.source import (
    FileSource,
    Source,
    find_source,
    standard_input,
)

__all__ = ["find_table"]

STANDARD_INPUT = "-"


def find_table(
    path: str | os.PathLike[str], encoding: str | None, quotes: bool
) -> tuple[Table, str | None]:
    """Return the table of a file, folder or pattern, and the usual name of the encoding.

    A text file is still being inspected: call ``settle`` before all of it is read, or ``close``.
    """
    if encoding is not None:
        encoding = check_encoding(encoding)
    if not os.fspath(path):
        raise DocumentFileError("The name of the file is empty: name a file or a folder.")
    path = Path(path)
    files = None if str(path) == STANDARD_INPUT else part_files(path)
    if files is not None:
        return Parts(path, files, lambda file: _table_of(file, encoding, quotes)), encoding
    return _table_of(path, encoding, quotes), encoding


def _table_of(path: Path, encoding: str | None, quotes: bool) -> Table:
    if str(path) == STANDARD_INPUT:
        source: Source = standard_input()
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
            return Folder(path, encoding)
        source = find_source(path, mode)
        if isinstance(source, FileSource) and source.suffix in PARQUET_SUFFIXES:
            return ParquetTable(path)
    try:
        table = _text_table(source, path, encoding, quotes)
    except BaseException:
        source.close()
        raise
    if isinstance(table, ParquetTable):
        source.close()
    return table


def _text_table(source: Source, path: Path, encoding: str | None, quotes: bool) -> Table:
    """Return the table of a text file, or of a Parquet file whatever its name."""
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
        return json_table(source, chosen)
    return delimited_table(source, chosen, "\t" if format == "tsv" else None, quotes)
