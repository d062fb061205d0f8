"""Read the fields of a suite file, with an error that names the field and the place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

__all__ = [
    "names", "number", "only", "optional", "positive", "require", "seeds", "share", "table",
    "tables",
]  # fmt: skip

T = TypeVar("T")
_TYPE_NAMES = {dict: "table"}


def require(values: Mapping[str, Any], key: str, kind: type[T], where: str) -> T:
    """Return a field that has to be there and to be of a type."""
    if key not in values:
        raise ValueError(f"The field '{key}' is missing in {where}.")
    value = values[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(
            f"The field '{key}' in {where} must be of type {_type_name(kind)}, "
            f"not {_type_name(type(value))}."
        )
    return value


def optional(values: Mapping[str, Any], key: str, kind: type[T], where: str) -> T | None:
    """Return a field of a type, None if it is not there."""
    return require(values, key, kind, where) if key in values else None


def positive(values: Mapping[str, Any], key: str, where: str) -> int | None:
    """Return a whole number of 1 or more, None if it is not there."""
    value = optional(values, key, int, where)
    if value is not None and value < 1:
        raise ValueError(f"{key}={value} in {where} must be at least 1.")
    return value


def seeds(values: Mapping[str, Any], where: str) -> tuple[int, ...]:
    """Return the required list ``seeds``, each seed once."""
    found = require(values, "seeds", list, where)
    if not found or not all(type(seed) is int and seed >= 0 for seed in found):
        raise ValueError(f"'seeds' in {where} must be a list of one or more integers >= 0.")
    return tuple(dict.fromkeys(found))


def number(values: Mapping[str, Any], key: str, where: str) -> float:
    """Return a required finite number, whole or not."""
    value = require(values, key, object, where)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"The field '{key}' in {where} must be a number, not {value!r}.")
    return float(value)


def share(values: Mapping[str, Any], key: str, where: str) -> float:
    """Return a required number above 0 and at most 1."""
    value = number(values, key, where)
    if not 0 < value <= 1:
        raise ValueError(
            f"The field '{key}' in {where} must be above 0 and at most 1, not {value:g}."
        )
    return value


def table(values: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """Return a required sub-table."""
    return require(values, key, dict, where)


def tables(values: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """Return a required list of one or more tables."""
    found = require(values, key, list, where)
    if not found or not all(isinstance(item, dict) for item in found):
        raise ValueError(f"The field '{key}' in {where} must be a list of one or more tables.")
    return found


def names(values: Mapping[str, Any], key: str, where: str) -> list[str]:
    """Return a required list of one or more different strings."""
    found = require(values, key, list, where)
    if not found or not all(isinstance(name, str) for name in found):
        raise ValueError(f"The field '{key}' in {where} must be a list of one or more strings.")
    twice = [name for place, name in enumerate(found) if name in found[:place]]
    if twice:
        raise ValueError(f"The field '{key}' in {where} names '{twice[0]}' twice.")
    return found


def only(values: Mapping[str, Any], allowed: tuple[str, ...], where: str) -> None:
    """Refuse fields that nobody would read: most often a misspelt name."""
    unknown = sorted(set(values).difference(allowed))
    if unknown:
        raise ValueError(
            f"{where[0].upper()}{where[1:]} has an unknown field '{unknown[0]}': known are "
            f"{', '.join(allowed)}."
        )


def _type_name(kind: type[Any]) -> str:
    return _TYPE_NAMES.get(kind, kind.__name__)
