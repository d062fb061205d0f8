"""Results as JSON Lines: one run a line, appended as it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Record", "ResultFile", "record_key"]

Record = dict[str, Any]

_KEY = ("method", "params", "revision", "suite", "task", "seed", "weighting", "text", "dtype")


def record_key(record: Mapping[str, Any]) -> str:
    """Return what tells a run from all others, as canonical JSON."""
    return json.dumps([record[name] for name in _KEY], sort_keys=True)


class ResultFile:
    """The results of one suite.

    Parameters
    ----------
    path : path
        The file; it need not exist.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def read(self) -> dict[str, Record]:
        """Return the latest record of every run, by key.

        A last line without its line end was torn by a kill and is passed over.
        """
        if not self.path.exists():
            return {}
        found: dict[str, Record] = {}
        lines = self.path.read_bytes().split(b"\n")
        for number, line in enumerate(lines[:-1], start=1):
            if line.strip():
                record = self._parse(line, number)
                found[record_key(record)] = record
        return found

    def append(self, records: Iterable[Record]) -> None:
        """Add records, each written whole and at once."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_torn_line()
        with self.path.open("ab", buffering=0) as stream:
            for record in records:
                stream.write(json.dumps(record, sort_keys=True).encode() + b"\n")

    def _drop_torn_line(self) -> None:
        if not self.path.exists() or not self.path.stat().st_size:
            return
        with self.path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            torn = stream.read(1) != b"\n"
        if torn:
            os.truncate(self.path, self.path.read_bytes().rfind(b"\n") + 1)

    def _parse(self, line: bytes, number: int) -> Record:
        try:
            record = json.loads(line)
            record_key(record)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"Line {number} of '{self.path}' is not a result: delete the line and run again."
            ) from error
        return dict(record)
