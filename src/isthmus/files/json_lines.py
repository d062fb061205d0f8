"""JSON Lines files as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

from isthmus.files.blocks import Block, JsonBlock, first_rows
from isthmus.files.decoding import WholeLines, split_lines, split_plain_lines
from isthmus.files.errors import DocumentFileError, NoDocumentsError, subject
from isthmus.files.source import Source
from isthmus.files.text_table import TextTable

__all__ = ["json_table", "without_surrogates"]

SURROGATE = re.compile("[\ud800-\udfff]")
ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# What JSON allows around a value.
_BLANKS = " \t\r\n"
# json.loads without the search for blanks before and after a value, which takes half of its time.
raw_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True)
class JsonParser:
    """Reads the lines of a file of JSON objects.

    Attributes
    ----------
    name : str
        The file name used in messages.
    encoding : str
        Its encoding.
    """

    name: str
    encoding: str
    format: ClassVar[str] = "jsonl"
    enclosing_delimiter: ClassVar[str | None] = None
    n_header_lines: ClassVar[int] = 0

    def blocks(self, chunks: Generator[bytes], first_line: int = 1) -> Generator[Block]:
        """Read the objects of a file, or of what follows one of its line ends."""
        lines = WholeLines(chunks, self.encoding, self.name, first_line)
        with closing(chunks):
            for text in lines.pieces():
                parsed = _parse_all(text)
                if parsed is None:
                    yield from self._line_by_line(text, lines)
                    continue
                n_lines, numbers, objects = parsed
                if objects:
                    numbers = [lines.count + number for number in numbers]
                    yield JsonBlock("line", numbers, objects)
                lines.count += n_lines

    def _line_by_line(self, text: str, lines: WholeLines) -> Iterator[Block]:
        for line in split_lines(text):
            lines.count += 1
            if not line.isspace():
                yield JsonBlock("line", [lines.count], [self._parse(line, lines.count)])

    def _parse(self, line: str, number: int) -> dict[str, Any]:
        where = f"Line {number} of {self.name}"
        try:
            value = _clean(json.loads(line), line)
        except json.JSONDecodeError as error:
            raise DocumentFileError(
                f"{where} is not valid JSON ({error.msg}, column {error.colno}): write one whole "
                "object per line."
            ) from error
        except ValueError as error:
            raise DocumentFileError(
                f"{where} contains a number of too many digits: write it as text, in double quotes."
            ) from error
        except RecursionError as error:
            raise DocumentFileError(
                f"{where} nests lists or objects too deeply: make it flatter."
            ) from error
        if not isinstance(value, dict):
            raise DocumentFileError(
                f"{where} contains a JSON {_kind(value)}, not an object: write one object per "
                'line, such as {"text": "...", "label": "..."}.'
            )
        return value


def json_table(source: Source, encoding: str) -> TextTable:
    """Return a file with one JSON object per line as a table.

    Its columns are the keys of the first objects, in the order in which they appear.
    """
    parser = JsonParser(source.name, encoding)
    rows = first_rows(TextTable(source, parser, ()).blocks())
    if not rows:
        raise NoDocumentsError(
            f"{subject(source.name)} contains only blank lines: write one JSON object per line, "
            'such as {"text": "...", "label": "..."}.'
        )
    return TextTable(source, parser, tuple(dict.fromkeys(key for row in rows for key in row)))


def _parse_all(text: str) -> tuple[int, Sequence[int], list[dict[str, Any]]] | None:
    """Parse all lines of a text.

    Returns the number of lines, the numbers of those that are not empty, and their objects; None if
    a line has to be looked at alone, because it is not exactly one object.
    """
    lines = split_plain_lines(text)
    if lines is None:
        return None
    lines = [line.strip(_BLANKS) for line in lines]
    numbers: Sequence[int] = range(1, len(lines) + 1)
    n_lines = len(lines)
    if not all(lines):
        numbers = [number for number, line in zip(numbers, lines, strict=True) if line]
        lines = [line for line in lines if line]
    try:
        parsed = list(map(raw_decode, lines))
        objects = [value for value, _ in parsed]
        if [end for _, end in parsed] != list(map(len, lines)) or set(map(type, objects)) - {dict}:
            return None
        if "\\" in text and ESCAPED_SURROGATE.search(text):
            objects = [_clean(value, line) for value, line in zip(objects, lines, strict=True)]
    except (ValueError, RecursionError):
        return None
    return n_lines, numbers, objects


def _clean(value: Any, line: str) -> Any:
    """Return the value of a line without lone surrogates: they cannot be written as UTF-8."""
    return without_surrogates(value) if ESCAPED_SURROGATE.search(line) else value


def without_surrogates(value: Any) -> Any:
    """Replace lone surrogates by U+FFFD in all strings of a JSON value."""
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    return "boolean" if isinstance(value, bool) else "number"
