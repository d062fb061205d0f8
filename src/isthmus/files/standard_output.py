"""Write a table of results to standard output, for the next command of a pipe."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from isthmus.files.printable import escape_control_characters, spreadsheet_safe_cell
from isthmus.files.text_tables import DelimitedWriter, RowEncoder

__all__ = ["standard_output"]

# A reader at the other end of the pipe gets new rows at least this often.
FLUSH_SECONDS = 0.2


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
