"""Write a table of results in the format that its name states."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

from isthmus.files.decoding import check_encoding
from isthmus.files.errors import DocumentFileError
from isthmus.files.parquet import import_pyarrow
from isthmus.files.printable import escape_control_characters, spreadsheet_safe_cell
from isthmus.files.text_writers import DelimitedWriter, RowEncoder
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
# A reader at the other end of the pipe gets new rows at least this often.
FLUSH_SECONDS = 0.2


class TableWriter(Protocol):
    """Writes the rows of a table, one by one or encoded by another process."""

    @property
    def encoder(self) -> RowEncoder | None:
        """Encodes rows for :meth:`write_encoded`; None if the table takes no encoded rows."""

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""

    def write_encoded(self, data: bytes, n_rows: int) -> None:
        """Write ``n_rows`` rows that the ``encoder`` has encoded.

        The file is the same as if :meth:`write` had written them.
        """


def check_table_path(path: str | os.PathLike[str], *, spreadsheet_safe: bool = False) -> None:
    """Raise ValueError if a table cannot be written to this path; for use before long work.

    Parameters
    ----------
    path : path
        The output; ``-`` is standard output.
    spreadsheet_safe : bool
        Whether the table is for spreadsheets, so that it must be CSV or TSV.

    Raises
    ------
    ValueError
        If its format is unknown or needs a package that is not installed, or if the file cannot be
        written.
    """
    if os.fspath(path) == STANDARD_OUTPUT:
        return
    # For a folder, check_writable has the better message.
    if not os.path.isdir(path):
        format, _ = _format_of(Path(path))
        if format == "parquet":
            import_pyarrow(f"'{path}'")
        if spreadsheet_safe and format not in DELIMITERS:
            raise DocumentFileError(
                f"spreadsheet_safe (--spreadsheet-safe) applies to CSV and TSV: end the name of "
                f"the output '{path}' in .csv or .tsv, or leave the option out."
            )
    check_writable(path)


@contextlib.contextmanager
def open_table_writer(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    *,
    encoding: str = "utf-8",
    spreadsheet_safe: bool = False,
) -> Iterator[TableWriter]:
    """Open a table for writing; the file gets its name only after everything was written.

    Cells are written unchanged, so that they can be matched with the input, with two exceptions:
    control characters are escaped if standard output is a terminal, and ``spreadsheet_safe``
    changes cells that a spreadsheet would take for a formula.

    Parameters
    ----------
    path : path
        The output. Its suffix states the format: ``.csv``, ``.tsv``, ``.jsonl`` (all three also
        with ``.gz``) or ``.parquet``; ``-`` writes CSV to standard output, row by row.
    columns : sequence of str
        The columns in order.
    encoding : str
        The encoding of text files.
    spreadsheet_safe : bool
        Whether to put an apostrophe before text that begins with ``=``, ``+``, ``-`` or ``@`` and
        is not a number, and to escape control characters. For CSV and TSV.

    Yields
    ------
    TableWriter
        Its ``write`` takes the values of one row by column. In CSV and TSV a missing value is an
        empty field, and everything but text is written as JSON. Rows can also be encoded in
        another process by its ``encoder``, and then written with ``write_encoded``; Parquet tables
        and encodings such as UTF-16 have no encoder.

    Raises
    ------
    ValueError
        If the format is unknown, two columns have the same name, or a value cannot be written.
    OSError
        If writing fails; it names the output, and an existing file of the name is kept.
    """
    encoding = check_encoding(encoding)
    columns = tuple(columns)
    _check_columns(columns)
    if os.fspath(path) == STANDARD_OUTPUT:
        with standard_output(columns, encoding, spreadsheet_safe) as writer:
            yield writer
        return
    path = Path(path)
    name = f"'{path}'"
    format, packed = _format_of(path)
    if format == "parquet":
        # Fail before a file is created.
        import_pyarrow(name)
    with whole_file(path, binary=True) as raw:
        if format == "parquet":
            with _parquet(raw, columns, name) as writer:
                yield writer
        else:
            with _text(raw, packed, encoding) as stream:
                convert = spreadsheet_safe_cell if spreadsheet_safe else None
                delimiter = DELIMITERS.get(format)
                encoder = RowEncoder(
                    columns, delimiter, encoding, name, convert if delimiter else None
                )
                text_writer = encoder.open(stream)
                if isinstance(text_writer, DelimitedWriter):
                    text_writer.write_header()
                yield text_writer


def _format_of(path: Path) -> tuple[str, bool]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    format = FORMATS.get(suffixes[-2 if packed else -1]) if len(suffixes) > packed else None
    if format is None or (packed and format == "parquet"):
        raise DocumentFileError(
            f"The format of the output '{path}' is unknown: end its name in .csv, .tsv, .jsonl, "
            "one of these with .gz, or .parquet."
        )
    return format, packed


def _check_columns(columns: tuple[str, ...]) -> None:
    repeated = next((column for column in columns if columns.count(column) > 1), None)
    if repeated is not None or not columns:
        problem = "needs a column" if repeated is None else f"has two columns '{repeated}'"
        raise DocumentFileError(f"The table to write {problem}: give every column its own name.")


@contextlib.contextmanager
def _text(raw: BinaryIO, packed: bool, encoding: str) -> Iterator[TextIO]:
    sink = raw
    if packed:
        # No time stamp, so that the same table gives the same file.
        sink = cast(BinaryIO, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0))
    stream = io.TextIOWrapper(sink, encoding=encoding, newline="")
    try:
        yield stream
        stream.flush()
    except BaseException:
        with contextlib.suppress(OSError, ValueError):
            stream.close()
        raise
    # The caller closes the underlying file.
    stream.detach()
    if packed:
        sink.close()


@contextlib.contextmanager
def _parquet(raw: BinaryIO, columns: tuple[str, ...], name: str) -> Iterator[TableWriter]:
    from isthmus.files.parquet import ParquetWriter

    writer = ParquetWriter(raw, columns, name)
    try:
        yield writer
        writer.finish()
    except BaseException:
        with contextlib.suppress(Exception):
            writer.abandon()
        raise


class FlushingWriter:
    """Writes CSV to a pipe and records whether its reader has closed it."""

    def __init__(
        self,
        stream: TextIO,
        columns: tuple[str, ...],
        encoding: str,
        convert: Callable[[str], str] | None,
    ) -> None:
        self.reader_gone = False
        self._stream = stream
        self._flushed = time.monotonic()
        encoder = RowEncoder(columns, ",", encoding, "standard output", convert)
        self._writer = DelimitedWriter(stream, encoder)
        self._writer.write_header()
        self.encoder = self._writer.encoder

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; values that are not among the columns are left out."""
        try:
            self._writer.write(values)
            if time.monotonic() - self._flushed > FLUSH_SECONDS:
                self.flush()
        except BrokenPipeError:
            self.reader_gone = True
            raise

    def write_encoded(self, data: bytes, n_rows: int) -> None:
        """Write ``n_rows`` rows that the ``encoder`` has encoded."""
        try:
            self._writer.write_encoded(data, n_rows)
            self.flush()
        except BrokenPipeError:
            self.reader_gone = True
            raise

    def flush(self) -> None:
        """Send the rows written so far."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self.reader_gone = True
            raise
        self._flushed = time.monotonic()


@contextlib.contextmanager
def standard_output(
    columns: tuple[str, ...], encoding: str, spreadsheet_safe: bool = False
) -> Iterator[FlushingWriter]:
    """Open a writer of CSV to standard output; ends without an error if its reader has gone."""
    sys.stdout.flush()
    convert: Callable[[str], str] | None = None
    if spreadsheet_safe:
        convert = spreadsheet_safe_cell
    elif sys.stdout.isatty():
        # A document must not change colors, clear the screen or rename the window.
        convert = escape_control_characters
    buffer = getattr(sys.stdout, "buffer", None)
    # Standard output may have been replaced by a stream that takes text only.
    encoded = None if buffer is None else io.TextIOWrapper(buffer, encoding, newline="")
    writer = FlushingWriter(encoded or sys.stdout, columns, encoding, convert)
    try:
        yield writer
        writer.flush()
    except BrokenPipeError:
        # "isthmus … --output - | head" has read enough; a failure of another pipe is an error.
        if not writer.reader_gone:
            raise
        _silence_standard_output()
    finally:
        if encoded is not None:
            with contextlib.suppress(OSError):
                encoded.detach()


def _silence_standard_output() -> None:
    """Prevent the interpreter's message about a broken pipe when it exits."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
