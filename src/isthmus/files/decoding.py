"""From bytes to lines of text."""

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
    """Return the encoding's usual name, or say that there is none of this name."""
    try:
        # base64 and the like are codecs too, but not of text: the stream refuses them.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise DocumentFileError(
            f"There is no text encoding {encoding!r}: use a name such as utf-8, utf-16, latin-1 "
            "or cp1252."
        ) from error


def encoding_of(head: bytes, chosen: str | None) -> str:
    """Return the encoding: what the byte order mark says, or the chosen one, or UTF-8.

    A mark leaves no doubt, and one choice may stand for several files.
    """
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding
    return chosen or "utf-8"


def text_of_head(head: bytes, encoding: str) -> str:
    """Decode the beginning of a file as far as it goes; reading it will tell what is wrong."""
    try:
        return head.decode(encoding, "replace").removeprefix(BYTE_ORDER_MARK)
    except UnicodeError:
        return ""


def lines_of(chunks: Iterable[bytes], encoding: str, name: str) -> Iterator[str]:
    r"""Cut a stream of bytes into lines that keep their ends.

    A line ends with ``\n``, ``\r\n`` or ``\r`` and with nothing else: a line separator of
    Unicode inside a document is part of it.

    Parameters
    ----------
    chunks : iterable of bytes
        The file.
    encoding : str
        How to decode it; a byte order mark at the beginning is dropped.
    name : str
        The file as messages call it.

    Yields
    ------
    str
        The lines in order.

    Raises
    ------
    DocumentFileError
        If bytes do not fit the encoding or a line is beyond the limit.
    """
    number = 0
    begun: list[str] = []
    begun_size = 0
    for text in decoded(chunks, encoding, name):
        lines = io.StringIO(text, newline="").readlines()
        if begun:
            begun.append(lines[0])
            begun_size += len(lines[0])
            if begun_size > limits.MAX_CHARACTERS:
                raise _too_long(name, number + 1)
            if len(lines) == 1 and not _is_whole(lines[0]):
                continue
            lines[0] = "".join(begun)
            begun = []
        if not _is_whole(lines[-1]):
            begun = [lines.pop()]
            begun_size = len(begun[0])
        number += len(lines)
        yield from lines
    if begun:
        yield "".join(begun)


def decoded(chunks: Iterable[bytes], encoding: str, name: str) -> Iterator[str]:
    r"""Decode a stream of bytes piece by piece; no piece is empty or parts a ``\r\n``."""
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
        good = text_of_head(error.object[: error.start], encoding)
        number += _line_ends(good)
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
