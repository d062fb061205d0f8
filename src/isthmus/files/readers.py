"""Recognise the format of a user's file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from isthmus.files.decoding import encoding_of, text_of_head
from isthmus.files.delimited import Delimited
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.folder import Folder
from isthmus.files.json_lines import JsonLines
from isthmus.files.kinds import PARQUET_MAGIC, PARQUET_SUFFIXES, check_text, text_format
from isthmus.files.parquet import ParquetTable
from isthmus.files.source import ByteSource, FileSource, byte_source, standard_input, unreadable

__all__ = ["Reader", "find_reader"]

STANDARD_INPUT = "-"


class Reader(Protocol):
    """What a format has to offer."""

    @property
    def name(self) -> str:
        """The file as messages call it."""

    @property
    def format(self) -> str:
        """Its format in one word."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns in order."""

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Read place and values of every record; every call starts anew."""


def find_reader(path: Path, encoding: str | None, quotes: bool) -> tuple[Reader, ByteSource | None]:
    """The reader of a file or folder, and the stream that it reads from, if it is one."""
    if str(path) == STANDARD_INPUT:
        source: ByteSource = standard_input()
    else:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            raise unreadable(f"'{path}'", error) from error
        except ValueError as error:
            raise DocumentFileError(
                f"The name {str(path)!r} is no file's: name another."
            ) from error
        if stat.S_ISDIR(mode):
            return Folder(path, encoding), None
        source = byte_source(path, mode)
        if isinstance(source, FileSource) and source.suffix in PARQUET_SUFFIXES:
            return ParquetTable(path), None
    head = source.head()
    if not head:
        raise DocumentFileError(f"{subject(source.name)} is empty: name one that holds documents.")
    if isinstance(source, FileSource) and source.starts_with(PARQUET_MAGIC):
        return ParquetTable(path), None
    chosen = encoding_of(head, encoding)
    check_text(head, chosen, source.suffix, source.name)
    format = text_format(text_of_head(head, chosen), source.suffix, source.name)
    if format == "jsonl":
        return JsonLines(source, chosen), source
    return Delimited(source, chosen, "\t" if format == "tsv" else None, quotes), source
