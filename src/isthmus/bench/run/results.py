"""Results as JSON Lines: one run a line, appended as it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from isthmus.bench.run.record_checks import check_record

__all__ = ["Record", "ResultFile", "record_key"]

Record = dict[str, Any]

_KEY = (
    "method",
    "params",
    "revision",
    "suite",
    "task",
    "corpus",
    "sources",
    "targets",
    "seed",
    "weighting",
    "text",
    "dtype",
)
# Fields of later suites: absent where they have their default, so that older keys still hold.
_OPTIONAL_KEY = (
    "labelled", "vocabulary", "keep_target", "sample", "scored", "pools", "folds", "new_documents",
    "sample_source", "measures",
)  # fmt: skip
_LONGEST_LINE = 2**20
_MOST_BYTES = 2**30


def record_key(record: Mapping[str, Any]) -> str:
    """Return what tells a run from all others, as canonical JSON."""
    parts = [record[name] for name in _KEY]
    parts += [{name: record[name]} for name in _OPTIONAL_KEY if name in record]
    return json.dumps(parts, sort_keys=True)


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
        self._check_size(self.path.stat().st_size)
        found: dict[str, Record] = {}
        with self.path.open("rb") as stream:
            read_line = partial(stream.readline, _LONGEST_LINE + 1)
            for number, line in enumerate(iter(read_line, b""), start=1):
                self._check_line(line, f"Line {number} of")
                if line.strip() and line.endswith(b"\n"):
                    record = self._parse(line, number)
                    found[record_key(record)] = record
        return found

    def append(self, records: Iterable[Record]) -> None:
        """Add records, each written whole and at once."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_torn_line()
        with self.path.open("ab", buffering=0) as stream:
            for record in records:
                line = json.dumps(record, sort_keys=True).encode() + b"\n"
                # What could not be read again is not written.
                self._check_line(line, "The new result for")
                self._check_size(stream.tell() + len(line))
                stream.write(line)

    def _drop_torn_line(self) -> None:
        if not self.path.exists():
            return
        size = self.path.stat().st_size
        with self.path.open("rb") as stream:
            stream.seek(max(0, size - _LONGEST_LINE - 1))
            tail = stream.read()
        if not tail.endswith(b"\n"):
            self._check_line(tail[tail.rfind(b"\n") + 1 :], "The last line of")
            os.truncate(self.path, size - len(tail) + tail.rfind(b"\n") + 1)

    def _check_size(self, size: int) -> None:
        if size > _MOST_BYTES:
            raise ValueError(
                f"The result file '{self.path}' is larger than 1 GiB: move it away and run again."
            )

    def _check_line(self, line: bytes, what: str) -> None:
        if len(line) > _LONGEST_LINE:
            raise ValueError(f"{what} '{self.path}' is longer than 1 MiB: no result is so long.")

    def _parse(self, line: bytes, number: int) -> Record:
        try:
            record = json.loads(line)
            record_key(record)
            check_record(record)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(
                f"Line {number} of '{self.path}' is not a result: delete the line and run again."
            ) from error
        return dict(record)
