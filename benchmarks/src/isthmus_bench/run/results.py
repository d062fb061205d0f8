"""Results of a suite: a file of JSON lines, one per run, with repeated values written once.

A line ``{"shared": value}`` defines a value; the definitions are numbered from 0. In the line of a
result, the fields ``problem``, ``setup``, ``sizes`` and ``versions`` hold the number of their
value. Lines are only ever appended: a run can be stopped at any time.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from isthmus_bench.plan.measures import Embedded, Pattern
from isthmus_bench.plan.metrics import METRICS
from isthmus_bench.plan.trust import TRUST_FIELDS

__all__ = ["Record", "ResultFile", "pack_mask", "record_key", "unpack_mask"]

Record = dict[str, Any]
_Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
_SHARED = ("problem", "setup", "sizes", "versions")


def record_key(record: Mapping[str, Any]) -> str:
    """What identifies a run: its problem, the setup of its method and the seed, as JSON."""
    return json.dumps([record[name] for name in ("problem", "setup", "seed")], sort_keys=True)


def pack_mask(mask: np.ndarray) -> str:
    """Booleans as text: eight per byte, compressed, in base 85."""
    packed = np.packbits(np.asarray(mask, bool)).tobytes()
    return base64.b85encode(zlib.compress(packed, 9)).decode("ascii")


def unpack_mask(text: str, size: int) -> np.ndarray:
    """The booleans of :func:`pack_mask`."""
    try:
        packed = zlib.decompress(base64.b85decode(text))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError("The field 'correct_mask' of a result is damaged.") from error
    if len(packed) != -(-size // 8):
        raise ValueError(f"The field 'correct_mask' of a result is not for {size} documents.")
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=size).astype(bool)


class _CheckedRecord(BaseModel):
    """The fields of a record that reports read."""

    model_config = ConfigDict(strict=True)

    entry: str
    problem: dict[str, Any]
    setup: dict[str, Any]
    seed: int | None
    versions: dict[str, str]
    error: str | None = None
    time_limit: float | None = None
    seconds: float | None = None
    cpu_seconds: float = 0.0
    memory: float | None = None
    verdict: Literal["use", "check first", "do not use"] | None = None
    objective: list[Annotated[list[float], Field(min_length=2, max_length=2)]] = Field(
        default_factory=list
    )
    embedding: list[Embedded] = Field(default_factory=list)
    similarity: Pattern | None = None


def _check(record: Record) -> None:
    """Raise an error if a field that reports read is missing or has a wrong type."""
    _CheckedRecord.model_validate(record)
    if record.get("error") is None:
        fields = {metric.field for metric in METRICS.values()}
        fields |= {name for name in TRUST_FIELDS if name != "verdict"}
        for name in ("accuracy", *fields.intersection(record)):
            math.isfinite(record[name])
    if "correct_mask" in record:
        unpack_mask(record["correct_mask"], record["sizes"]["n_scored"])


class ResultFile:
    """The results of one suite; the file need not exist."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._numbers: dict[str, int] | None = None

    def read(self) -> dict[str, Record]:
        """Return the latest record of every run, by key.

        A last line without a line end was not written completely and is ignored.
        """
        records: dict[str, Record] = {}
        shared: list[Any] = []
        for number, line in enumerate(self._lines(), start=1):
            try:
                data = json.loads(line)
                if "shared" in data:
                    shared.append(data["shared"])
                    continue
                record = {n: shared[v] if n in _SHARED else v for n, v in data.items()}
                _check(record)
            except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
                raise ValueError(
                    f"Line {number} of '{self.path}' is not a result: delete it and all after it, "
                    "and run again."
                ) from error
            records[record_key(record)] = {"error": None, **record}
        self._numbers = {_compact(value): place for place, value in enumerate(shared)}
        return records

    def append(self, record: Record) -> None:
        """Add a record in one write."""
        if self._numbers is None:
            self.read()
        numbers = self._numbers = self._numbers or {}
        lines: list[str] = []
        data: Record = {}
        for name, value in record.items():
            if value is None and name == "error":
                continue
            if name in _SHARED:
                text = _compact(value)
                if text not in numbers:
                    numbers[text] = len(numbers)
                    lines.append(f'{{"shared":{text}}}')
                value = numbers[text]
            data[name] = value
        lines.append(_compact(data))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as stream:
            # An incomplete last line is removed.
            stream.truncate(sum(map(len, self._lines())))
            stream.write("".join(f"{line}\n" for line in lines).encode())

    def _lines(self) -> list[bytes]:
        """The complete lines of the file."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().splitlines(keepends=True)
        return lines if not lines or lines[-1].endswith(b"\n") else lines[:-1]


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
