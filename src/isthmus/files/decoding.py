"""Decode bytes to lines of text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator

from isthmus.files import limits
from isthmus.files.errors import NAME_ENCODING, DocumentFileError

__all__ = ["check_encoding", "decoded", "encoding_of", "lines_of", "text_of_head"]

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BYTE_ORDER_MARK = "\ufeff"


def check_encoding(encoding: str) -> str:
    """Return the usual name of an encoding, or raise an error if it does not exist."""
    try:
        # base64 and similar codecs are not for text: the stream refuses them.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise DocumentFileError(
            f"There is no text encoding {encoding!r}: use a name such as utf-8, utf-16, latin-1 "
            "or cp1252."
        ) from error


def encoding_of(head: bytes, chosen: str | None) -> str:
    """Return the encoding of the byte order mark, or else the chosen one, or else UTF-8.

    A byte order mark is unambiguous, while the chosen encoding may be meant for other files.
    """
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding
    return chosen or "utf-8"


def text_of_head(head: bytes, encoding: str) -> str:
    """Decode the beginning of a file; errors are ignored here and reported when it is read."""
    try:
        return head.decode(encoding, "replace").removeprefix(BYTE_ORDER_MARK)
    except UnicodeError:
        return ""


def lines_of(chunks: Iterable[bytes], encoding: str, name: str) -> Iterator[str]:
    r"""Split a stream of bytes into lines that keep their line ends.

    A line ends with ``\n``, ``\r\n`` or ``\r``. The line separators of Unicode do not end a line.

    Parameters
    ----------
    chunks : iterable of bytes
        The file.
    encoding : str
        Its encoding; a byte order mark at the beginning is dropped.
    name : str
        The file as messages call it.

    Yields
    ------
    str
        The lines in order.

    Raises
    ------
    DocumentFileError
        If bytes are not valid in the encoding or a line exceeds the limit.
    """
    number = 0
    unfinished: list[str] = []
    unfinished_size = 0
    for text in decoded(chunks, encoding, name):
        lines = io.StringIO(text, newline="").readlines()
        if unfinished:
            unfinished.append(lines[0])
            unfinished_size += len(lines[0])
            if unfinished_size > limits.MAX_CHARACTERS:
                raise _too_long(name, number + 1)
            if len(lines) == 1 and not _is_whole(lines[0]):
                continue
            lines[0] = "".join(unfinished)
            unfinished = []
        if not _is_whole(lines[-1]):
            unfinished = [lines.pop()]
            unfinished_size = len(unfinished[0])
        number += len(lines)
        yield from lines
    if unfinished:
        yield "".join(unfinished)


def decoded(chunks: Iterable[bytes], encoding: str, name: str) -> Iterator[str]:
    r"""Decode a stream of bytes in pieces; no piece is empty or splits a ``\r\n``."""
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(encoding)("strict"), translate=False
    )
    lines_before = 0
    at_start = True
    try:
        for chunk in _with_end(chunks):
            text = decoder.decode(chunk, final=not chunk)
            if not text:
                continue
            if at_start:
                at_start = False
                text = text.removeprefix(BYTE_ORDER_MARK)
            lines_before += _line_ends(text)
            if text:
                yield text
    except UnicodeError as error:
        raise _wrong_bytes(error, encoding, name, lines_before) from error


def _with_end(chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from chunks
    yield b""


def _is_whole(line: str) -> bool:
    return line.endswith(("\n", "\r"))


def _line_ends(text: str) -> int:
    if "\r" not in text:
        return text.count("\n")
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _wrong_bytes(
    error: UnicodeError, encoding: str, name: str, lines_before: int
) -> DocumentFileError:
    byte = ""
    number = lines_before + 1
    if isinstance(error, UnicodeDecodeError):
        valid = text_of_head(error.object[: error.start], encoding)
        number += _line_ends(valid)
        byte = f" (byte 0x{error.object[error.start]:02x})"
    return DocumentFileError(
        f"Line {number} of {name} is not valid {encoding}{byte}: {NAME_ENCODING}, often latin-1 or "
        "cp1252."
    )


def _too_long(name: str, number: int) -> DocumentFileError:
    return DocumentFileError(
        f"Line {number} of {name} is longer than {limits.MAX_CHARACTERS} characters: no document "
        "is that long, check the file."
    )
