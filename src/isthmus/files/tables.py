"""Write a table of results; its name says in which format."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

from isthmus.files.decoding import check_encoding
from isthmus.files.errors import DocumentFileError
from isthmus.files.parquet import import_pyarrow
from isthmus.files.standard_output import standard_output
from isthmus.files.text_tables import DelimitedWriter, JsonLinesWriter
from isthmus.files.whole import check_writable, whole_file

__all__ = ["TableWriter", "check_table_path", "open_table_writer"]

STANDARD_OUTPUT = "-"
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
DELIMITERS = {"csv": ",", "tsv": "\t"}


class TableWriter(Protocol):
    """Takes the rows of a table."""

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; what is not among the columns is left out."""


def check_table_path(path: str | os.PathLike[str]) -> None:
    """Find out before the work whether a table can be written to this path.

    Parameters
    ----------
    path : path
        The output; ``-`` is standard output.

    Raises
    ------
    ValueError
        If its format is unknown or needs a package that is not there, or if the file cannot be
        written.
    """
    if os.fspath(path) == STANDARD_OUTPUT:
        return
    # That it is a folder says more than that its name has no suffix.
    if not os.path.isdir(path):
        format, _ = _format_of(Path(path))
        if format == "parquet":
            import_pyarrow(f"'{path}'")
    check_writable(path)


@contextlib.contextmanager
def open_table_writer(
    path: str | os.PathLike[str], columns: Sequence[str], *, encoding: str = "utf-8"
) -> Iterator[TableWriter]:
    """Open a table for writing; the file is there only when all was written.

    Parameters
    ----------
    path : path
        The output. The suffix decides: ``.csv``, ``.tsv``, ``.jsonl`` (all three also with
        ``.gz``) or ``.parquet``; ``-`` writes CSV to standard output, row by row.
    columns : sequence of str
        The columns in order.
    encoding : str
        The encoding of text files.

    Yields
    ------
    TableWriter
        Its ``write`` takes the values of one row by column. In CSV and TSV a missing value is
        an empty field and anything but text is written as JSON.

    Raises
    ------
    ValueError
        If the format is unknown, two columns have one name, or a value cannot be written.
    OSError
        If writing fails; it names the output, and an old file of the name is kept.
    """
    encoding = check_encoding(encoding)
    columns = tuple(columns)
    _check_columns(columns)
    if os.fspath(path) == STANDARD_OUTPUT:
        with standard_output(columns, encoding) as writer:
            yield writer
        return
    path = Path(path)
    name = f"'{path}'"
    format, packed = _format_of(path)
    if format == "parquet":
        # Without pyarrow nothing is begun.
        import_pyarrow(name)
    with whole_file(path, binary=True) as raw:
        if format == "parquet":
            with _parquet(raw, columns, name) as writer:
                yield writer
        else:
            with _text(raw, packed, encoding) as stream:
                yield _text_writer(stream, columns, format, name)


def _format_of(path: Path) -> tuple[str, bool]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    format = FORMATS.get(suffixes[-2 if packed else -1]) if len(suffixes) > packed else None
    if format is None or (packed and format == "parquet"):
        raise DocumentFileError(
            f"The format of the output '{path}' is unknown: end its name in .csv, .tsv, .jsonl, "
            "one of these and .gz, or .parquet."
        )
    return format, packed


def _check_columns(columns: tuple[str, ...]) -> None:
    repeated = next((column for column in columns if columns.count(column) > 1), None)
    if repeated is not None or not columns:
        problem = "needs a column" if repeated is None else f"has two columns '{repeated}'"
        raise DocumentFileError(f"The table to write {problem}: give every column its own name.")


def _text_writer(stream: TextIO, columns: tuple[str, ...], format: str, name: str) -> TableWriter:
    if format == "jsonl":
        return JsonLinesWriter(stream, columns, name)
    return DelimitedWriter(stream, columns, DELIMITERS[format], name)


@contextlib.contextmanager
def _text(raw: BinaryIO, packed: bool, encoding: str) -> Iterator[TextIO]:
    sink = raw
    if packed:
        # No time stamp: the same table makes the same file.
        sink = cast(BinaryIO, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0))
    stream = io.TextIOWrapper(sink, encoding=encoding, newline="")
    try:
        yield stream
        stream.flush()
    except BaseException:
        with contextlib.suppress(OSError, ValueError):
            stream.close()
        raise
    # The file below belongs to the caller.
    stream.detach()
    if packed:
        sink.close()


@contextlib.contextmanager
def _parquet(raw: BinaryIO, columns: tuple[str, ...], name: str) -> Iterator[TableWriter]:
    from isthmus.files.parquet_writer import ParquetWriter

    writer = ParquetWriter(raw, columns, name)
    try:
        yield writer
        writer.finish()
    except BaseException:
        with contextlib.suppress(Exception):
            writer.abandon()
        raise
