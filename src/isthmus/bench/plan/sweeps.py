"""Sweeps: one entry of a suite file that becomes an entry for every value of a parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from isthmus.bench.plan.entries import Entry, SweepPoint, check_entry, own_parameters, read_entry
from isthmus.bench.plan.fields import only, require, table

__all__ = ["read_entries", "value_text"]


def read_entries(data: Mapping[str, Any], where: str) -> tuple[Entry, ...]:
    """Read one table of ``entries``: one entry, or with ``sweep`` one a value of its list.

    Parameters
    ----------
    data : mapping
        The table.
    where : str
        The suite, for errors.

    Returns
    -------
    tuple of Entry
        Those of a sweep have ids such as ``cdsc@lam=0.05`` and say so in their labels.
    """
    entry = read_entry(data, where)
    if "sweep" not in data:
        return (entry,)
    place = f"entry '{entry.id}' of {where}"
    sweep = table(data, "sweep", place)
    place = f"'sweep' of {place}"
    only(sweep, ("parameter", "values"), f"the table {place}")
    parameter = _parameter(sweep, entry, place)
    found = tuple(_point(entry, parameter, value) for value in _values(sweep, place))
    for point in found:
        check_entry(point, place)
    return found


def value_text(value: float) -> str:
    """A number with all its digits, so that no two share a text; a whole one without ``.0``."""
    return repr(value).removesuffix(".0")


def _point(entry: Entry, parameter: str, value: float) -> Entry:
    return replace(
        entry,
        id=f"{entry.id}@{parameter}={value_text(value)}",
        label=f"{entry.label}, {parameter} {value_text(value)}",
        params={**entry.params, parameter: value},
        sweep=SweepPoint(entry.id, entry.label, parameter, value),
    )


def _parameter(sweep: Mapping[str, Any], entry: Entry, place: str) -> str:
    parameter = require(sweep, "parameter", str, place)
    known = own_parameters(entry.method)
    if parameter not in known:
        raise ValueError(
            f"parameter={parameter!r} in {place} is not one of '{entry.method}', which has "
            f"{', '.join(known)}."
        )
    if parameter in entry.params:
        raise ValueError(
            f"The parameter '{parameter}' stands in 'params' and in {place}: leave one out."
        )
    return parameter


def _values(sweep: Mapping[str, Any], place: str) -> list[float]:
    values = require(sweep, "values", list, place)
    # Whole numbers stay whole: many parameters are counts.
    if not values or not all(type(v) in (int, float) and math.isfinite(v) for v in values):
        raise ValueError(f"The field 'values' in {place} must be a list of one or more numbers.")
    if len(set(values)) < len(values):
        raise ValueError(f"The field 'values' in {place} holds a value twice.")
    return values
