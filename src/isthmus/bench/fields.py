"""Read the fields of a suite file, with an error that names the field and the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

__all__ = ["names", "only", "require", "table"]

T = TypeVar("T")


def require(values: Mapping[str, Any], key: str, kind: type[T], where: str) -> T:
    """Return a field that has to be there and to be of a type."""
    if key not in values:
        raise ValueError(f"The field '{key}' is missing in {where}.")
    value = values[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(
            f"The field '{key}' in {where} must be of type {kind.__name__}, "
            f"not {type(value).__name__}."
        )
    return value


def table(values: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """Return a required sub-table."""
    return require(values, key, dict, where)


def names(values: Mapping[str, Any], key: str, where: str) -> list[str]:
    """Return a required list of one or more different strings."""
    found = require(values, key, list, where)
    if not found or not all(isinstance(name, str) for name in found):
        raise ValueError(f"The field '{key}' in {where} must be a list of one or more strings.")
    if len(set(found)) < len(found):
        raise ValueError(f"The field '{key}' in {where} names something twice.")
    return found


def only(values: Mapping[str, Any], allowed: tuple[str, ...], where: str) -> None:
    """Refuse fields that nobody would read: most often a misspelt name."""
    unknown = sorted(set(values).difference(allowed))
    if unknown:
        raise ValueError(
            f"{where} has an unknown field '{unknown[0]}': known are {', '.join(allowed)}."
        )
