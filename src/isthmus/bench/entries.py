"""Entries: the methods of a suite, checked against the registry and its estimators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isthmus.bench.fields import only, optional, require
from isthmus.bench.scoring import SCORERS
from isthmus.estimators.registry import METHODS
from isthmus.text.weighting import WEIGHTINGS

__all__ = ["Entry", "read_entry"]

_SET_BY_THE_RUNNER = ("random_state", "missing_label")


@dataclass(frozen=True)
class Entry:
    """A row of the report: a method with its parameters and the weighting of its input."""

    id: str
    label: str
    method: str
    weighting: str
    preset: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    paper: str | None = None


def read_entry(data: Mapping[str, Any], where: str) -> Entry:
    """Read one table of ``entries``; ``where`` names the suite."""
    name = require(data, "id", str, f"an entry of {where}")
    place = f"entry '{name}' of {where}"
    only(data, ("id", "label", "method", "weighting", "preset", "params", "paper"), f"the {place}")
    entry = Entry(
        id=name,
        label=require(data, "label", str, place),
        method=require(data, "method", str, place),
        weighting=require(data, "weighting", str, place),
        preset=optional(data, "preset", str, place),
        params=optional(data, "params", dict, place) or {},
        paper=optional(data, "paper", str, place),
    )
    _check_method(entry, place)
    if entry.weighting not in WEIGHTINGS:
        raise ValueError(
            f"weighting={entry.weighting!r} in {place} is unknown: choose among "
            f"{', '.join(WEIGHTINGS)}."
        )
    return entry


def _check_method(entry: Entry, place: str) -> None:
    scored = [name for name, method in METHODS.items() if method.kind in SCORERS]
    if entry.method not in METHODS:
        raise ValueError(
            f"method={entry.method!r} in {place} is unknown: choose among {', '.join(scored)}."
        )
    method = METHODS[entry.method]
    if method.kind not in SCORERS:
        raise ValueError(
            f"method={entry.method!r} in {place} is a {method.kind} and cannot be scored: choose "
            f"among {', '.join(scored)}."
        )
    if entry.preset is not None and entry.preset not in method.presets:
        raise ValueError(
            f"preset={entry.preset!r} in {place} is unknown: '{entry.method}' has "
            f"{', '.join(method.presets) or 'no preset'}."
        )
    _check_params(entry, place)


def _check_params(entry: Entry, place: str) -> None:
    # A result is kept by its seed, not by random_state; rows are marked with the default mark.
    taken = [name for name in _SET_BY_THE_RUNNER if name in entry.params]
    if taken:
        raise ValueError(
            f"The field 'params' in {place} must not hold '{taken[0]}': the runner sets it."
        )
    known = METHODS[entry.method].estimator_class().get_params(deep=False)
    unknown = [name for name in entry.params if name not in known]
    if unknown:
        allowed = [name for name in known if name not in _SET_BY_THE_RUNNER]
        raise ValueError(
            f"The field 'params' in {place} has the parameter '{unknown[0]}' that "
            f"'{entry.method}' does not have: it has {', '.join(allowed)}."
        )
