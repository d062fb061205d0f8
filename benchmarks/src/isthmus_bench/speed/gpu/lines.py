"""The file of results: one JSON object per line, appended as soon as it is measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["RESULT_FILE", "Line", "LineFile", "identity"]

RESULT_FILE = "gpu.jsonl"
"""Its name in the folder of results."""
Line = dict[str, Any]

# What identifies a measurement; all other fields are its result.
_IDENTITY = (
    "part", "name", "method", "parameters", "documents", "terms", "dtype", "width", "engine",
    "start",
)  # fmt: skip


def identity(line: Mapping[str, Any]) -> str:
    """What a line measures, as text; a later line with the same identity replaces it."""
    return json.dumps({key: line[key] for key in _IDENTITY if key in line}, sort_keys=True)


class LineFile:
    """The results; the file need not exist."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, line: Line) -> None:
        """Add a line in one write."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")

    def read(self) -> dict[str, Line]:
        """The latest line of every measurement, by identity."""
        return {identity(line): line for line in self._lines()}

    def _lines(self) -> Iterator[Line]:
        if not self.path.exists():
            return
        text = self.path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(keepends=True), start=1):
            if not line.endswith("\n"):
                return  # not written completely
            try:
                value = json.loads(line)
                value["part"]
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"Line {number} of '{self.path}' is not a result: delete this line."
                ) from error
            yield value
