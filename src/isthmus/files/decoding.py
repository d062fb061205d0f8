"""Decode bytes to lines of text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from itertools import chain

from isthmus.files import limits
from isthmus.files.errors import NAME_ENCODING, DocumentFileError

__all__ = [
    "WholeLines",
    "check_encoding",
    "decoded",
    "encoding_of",
    "is_ascii_compatible",
    "line_ends",
    "lines_of",
    "split_lines",
    "split_plain_lines",
    "text_of_head",
]

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BYTE_ORDER_MARK = "\ufeff"
ASCII_COMPATIBLE = {"ascii", "utf-8", "koi8-r", "koi8-u"}


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


def is_ascii_compatible(encoding: str) -> bool:
    """Return whether every ASCII byte is that character, wherever a text is cut.

    ``encoding`` is a name as :func:`check_encoding` returns it.
    """
    return encoding in ASCII_COMPATIBLE or encoding.startswith(("iso8859-", "cp125"))


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
        The file name used in messages.

    Yields
    ------
    str
        The lines in order.

    Raises
    ------
    DocumentFileError
        If bytes are not valid in the encoding or a line exceeds the limit.
    """
    whole_lines = WholeLines(chunks, encoding, name)
    for text in whole_lines.pieces():
        lines = split_lines(text)
        whole_lines.count += len(lines)
        yield from lines


def split_lines(text: str) -> list[str]:
    """Split a text into lines that keep their line ends; see :func:`lines_of`."""
    return io.StringIO(text, newline="").readlines()


def split_plain_lines(text: str) -> list[str] | None:
    r"""Split a text into lines without their ends; None if some end in ``\n``, some in ``\r``."""
    if "\r" not in text:
        lines = text.split("\n")
    else:
        lines = text.split("\r\n")
        if not text.count("\r") == text.count("\n") == len(lines) - 1:
            return None
    if not lines[-1]:
        lines.pop()
    return lines


class WholeLines:
    """Decodes a stream of bytes to pieces of text that consist of whole lines.

    Parameters
    ----------
    chunks : iterable of bytes
        The file, or what follows a line end of it.
    encoding : str
        Its encoding; a byte order mark at the beginning of the file is dropped.
    name : str
        The file name used in messages.
    first_line : int
        The number of the first line of the stream in the file.

    Attributes
    ----------
    count : int
        The number of lines up to the end of the last piece, for messages. The caller adds
        those of a piece before it takes the next one: it splits the piece anyway, which is faster
        than counting.
    """

    def __init__(
        self, chunks: Iterable[bytes], encoding: str, name: str, first_line: int = 1
    ) -> None:
        self.count = first_line - 1
        self._at_start = first_line == 1
        self._chunks = chunks
        self._encoding = encoding
        self._name = name

    def pieces(self) -> Iterator[str]:
        """Yield the pieces; see :func:`lines_of` for errors."""
        unfinished: list[str] = []
        size = 0
        decode = _Decoder(self._encoding, self._at_start)
        try:
            for chunk in chain(self._chunks, [b""]):
                text = decode(chunk)
                if not text:
                    continue
                if unfinished and size + _first_line_size(text, size) > limits.MAX_CHARACTERS:
                    raise _too_long(self._name, self.count + 1)
                end = _end_of_last_line(text)
                if end == 0:
                    unfinished.append(text)
                    size += len(text)
                    continue
                piece = "".join([*unfinished, text[:end]])
                unfinished = [text[end:]] if end < len(text) else []
                size = len(text) - end
                yield piece
        except UnicodeError as error:
            raise _wrong_bytes(error, self._encoding, self._name, self.count) from error
        if unfinished:
            yield "".join(unfinished)


def _end_of_last_line(text: str) -> int:
    """Return the position after the last line end, 0 if there is none."""
    end = text.rfind("\n")
    return 1 + (max(end, text.rfind("\r")) if "\r" in text else end)


def _first_line_size(text: str, size_before: int) -> int:
    """Return the size of the first line; only an upper bound if it is far from the limit."""
    if size_before + len(text) <= limits.MAX_CHARACTERS:
        return len(text)
    return len(io.StringIO(text, newline="").readline())


def decoded(chunks: Iterable[bytes], encoding: str, name: str) -> Iterator[str]:
    r"""Decode a stream of bytes in pieces; no piece is empty or splits a ``\r\n``."""
    lines_before = 0
    decode = _Decoder(encoding)
    try:
        for chunk in chain(chunks, [b""]):
            if text := decode(chunk):
                lines_before += line_ends(text)
                yield text
    except UnicodeError as error:
        raise _wrong_bytes(error, encoding, name, lines_before) from error


class _Decoder:
    """Decodes a stream of bytes, chunk by chunk; an empty chunk is its end.

    The result may be empty, and never splits a line end of two characters.
    """

    def __init__(self, encoding: str, at_start: bool = True) -> None:
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=False)
        self._at_start = at_start

    def __call__(self, chunk: bytes) -> str:
        text = self._decoder.decode(chunk, final=not chunk)
        if self._at_start and text:
            self._at_start = False
            text = text.removeprefix(BYTE_ORDER_MARK)
        return text


def line_ends(text: str) -> int:
    """Return the number of line ends in a text."""
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
        number += line_ends(valid)
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
