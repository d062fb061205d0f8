"""Whether a record has what reports and progress read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.run.right import unpack_right

__all__ = ["check_record"]


def check_record(record: Mapping[str, Any]) -> None:
    """Raise KeyError, TypeError or ValueError if a field is missing or of a wrong type."""
    if record.get("error") is not None:
        _check(record["error"], str)
        _check(record.get("time_limit", 0), int, float)
        return
    _check(record["entry"], str)
    for name in ("accuracy", "seconds"):
        _check(record[name], int, float)
    # Older results do not have the others, and some platforms tell no memory.
    _check(record.get("cpu_seconds", 0), int, float)
    _check(record.get("memory"), int, float, None)
    for metric in METRICS.values():
        _check(record.get(metric.field, 0), int, float)
    _check(record["versions"], dict)
    for step, value in _list(record.get("objective", [])):
        _check(step, int)
        _check(value, int, float)
    if "right" in record:
        _check(record["n_scored"], int)
        unpack_right(record["right"], record["n_scored"])


def _check(value: Any, *kinds: type | None) -> None:
    """Raise TypeError unless a value is of one of the kinds; true and false are no numbers."""
    if (None if value is None else type(value)) not in kinds:
        raise TypeError(f"{value!r} is of a wrong type")


def _list(value: Any) -> list[Any]:
    _check(value, list)
    return list(value)
