"""Records of JSON Lines files."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import closing
from typing import Any

from isthmus.files import limits
from isthmus.files.decoding import lines_of
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.source import ByteSource

__all__ = ["JsonLines", "without_surrogates"]

SURROGATE = re.compile("[\ud800-\udfff]")
ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonLines:
    """A file with one JSON object per line.

    Its columns are the keys of the first objects, in the order in which they appear.
    """

    format = "jsonl"

    def __init__(self, source: ByteSource, encoding: str) -> None:
        self.name = source.name
        self._source = source
        self._encoding = encoding
        rows = limits.first_rows(self.records())
        if not rows:
            raise DocumentFileError(
                f"{subject(self.name)} contains only blank lines: write one JSON object per line, "
                'such as {"text": "...", "label": "..."}.'
            )
        self.columns = tuple(dict.fromkeys(key for values in rows for key in values))

    def records(self) -> Generator[tuple[str, dict[str, Any]]]:
        """Read the objects; every call starts from the beginning."""
        with closing(self._source.chunks()) as chunks:
            for number, line in enumerate(lines_of(chunks, self._encoding, self.name), 1):
                if not line.isspace():
                    yield f"line {number}", self._parse(line, number)

    def _parse(self, line: str, number: int) -> dict[str, Any]:
        where = f"Line {number} of {self.name}"
        try:
            value = json.loads(line)
            # A lone surrogate cannot be encoded when the results are written.
            if ESCAPED_SURROGATE.search(line):
                value = without_surrogates(value)
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
