"""A table of results on standard output, for the next command of a pipe."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from isthmus.files.text_tables import DelimitedWriter

__all__ = ["standard_output"]

# A reader at the other end of the pipe sees rows at least this often, if there are any.
FLUSH_SECONDS = 0.2


class FlushingWriter:
    """Writes CSV to a pipe and notes when its reader has gone."""

    def __init__(self, stream: TextIO, columns: tuple[str, ...]) -> None:
        self.reader_gone = False
        self._stream = stream
        self._flushed = time.monotonic()
        self._writer = DelimitedWriter(stream, columns, ",", "standard output")

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row; what is not among the columns is left out."""
        try:
            self._writer.write(values)
            if time.monotonic() - self._flushed > FLUSH_SECONDS:
                self.flush()
        except BrokenPipeError:
            self.reader_gone = True
            raise

    def flush(self) -> None:
        """Send what was written on its way."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self.reader_gone = True
            raise
        self._flushed = time.monotonic()


@contextlib.contextmanager
def standard_output(columns: tuple[str, ...], encoding: str) -> Iterator[FlushingWriter]:
    """Give a writer of CSV to standard output; ends quietly if nobody reads any more."""
    sys.stdout.flush()
    below = getattr(sys.stdout, "buffer", None)
    # Who has put a text stream in its place wants text.
    encoded = None if below is None else io.TextIOWrapper(below, encoding, newline="")
    writer = FlushingWriter(encoded or sys.stdout, columns)
    try:
        yield writer
        writer.flush()
    except BrokenPipeError:
        # "isthmus … --output - | head" has all it wants; another pipe's end is another matter.
        if not writer.reader_gone:
            raise
        _silence_standard_output()
    finally:
        if encoded is not None:
            with contextlib.suppress(OSError):
                encoded.detach()


def _silence_standard_output() -> None:
    """Keep the interpreter from complaining at its end that nobody reads."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
