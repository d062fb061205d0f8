"""Entries: the methods of a suite, checked against the registry and its estimators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isthmus.bench.plan.contestants import CONTESTANTS, is_peer
from isthmus.bench.plan.fields import names, number, only, optional, require, seeds
from isthmus.bench.plan.measure_checks import check_measures
from isthmus.bench.plan.measures import MEASURES
from isthmus.bench.plan.scoring import SCORERS
from isthmus.text.weighting import WEIGHTINGS

__all__ = [
    "EMBEDDINGS", "Entry", "SweepPoint", "check_entry", "own_parameters", "read_entry",
    "read_limits",
]  # fmt: skip

EMBEDDINGS = "sentence-embeddings"
"""What an entry names instead of a weighting for vectors of whole texts."""
PEER_TIME_LIMIT = 300.0
LONGEST_LIMIT = 86400.0

_SET_BY_THE_RUNNER = ("random_state", "missing_label")


@dataclass(frozen=True)
class SweepPoint:
    """Which value of which parameter an entry has, and the swept entry that it came from."""

    entry: str
    label: str
    parameter: str
    value: float


@dataclass(frozen=True)
class Entry:
    """A row of the report: a method with its parameters and the weighting of its input.

    With ``known_shares`` the runner gives the method the true class shares of the documents to
    score as ``class_prior``. That is an oracle, and its label says so. ``named`` entries run on
    the named problems of their suite alone, and those with ``sets`` on the problems of these. A
    fit that takes more than ``time_limit`` seconds is given up. Of the seeds of a problem it has
    those in ``seeds``, or all if that is empty. ``measures`` are taken of the fitted estimator, see
    :mod:`isthmus.bench.plan.measures`.
    """

    id: str
    label: str
    method: str
    weighting: str
    preset: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    paper: str | None = None
    known_shares: bool = False
    named: bool = False
    time_limit: float | None = None
    seeds: tuple[int, ...] = ()
    ranked: bool = False
    sets: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    sweep: SweepPoint | None = None

    @property
    def chosen_by(self) -> tuple[str, ...]:
        """What calls for it among the entries: its id, or that of all values of its sweep."""
        return (self.id,) if self.sweep is None else (self.id, self.sweep.entry)

    @property
    def stands_for_method(self) -> bool:
        """Whether methods are ranked by it: as the package has them, or where a suite says so."""
        return self.is_default or self.ranked

    @property
    def is_default(self) -> bool:
        """Whether it is its method as the package has it."""
        return self.preset is None and not self.params and not self.known_shares

    @property
    def names(self) -> tuple[str, ...]:
        """What calls for it: its id, that of its sweep, or its method."""
        return (*self.chosen_by, self.method)

    @property
    def is_peer(self) -> bool:
        """Whether it comes from another library."""
        return is_peer(self.method)

    @property
    def seconds_allowed(self) -> float | None:
        """The time limit of a fit; peers have one in any case."""
        return PEER_TIME_LIMIT if self.time_limit is None and self.is_peer else self.time_limit


def read_entry(data: Mapping[str, Any], where: str) -> Entry:
    """Read one table of ``entries``; ``where`` names the suite.

    Its field ``sweep`` is for :func:`isthmus.bench.plan.sweeps.read_entries`.
    """
    name = require(data, "id", str, f"an entry of {where}")
    place = f"entry '{name}' of {where}"
    only(
        data,
        ("id", "label", "method", "weighting", "preset", "params", "paper", "known_shares",
         "problems", "time_limit", "seeds", "sets", "measures", "sweep",
         "ranked"),
        f"the {place}",
    )  # fmt: skip
    known_shares = optional(data, "known_shares", bool, place) or False
    entry = Entry(
        id=name,
        label=require(data, "label", str, place) + (" (oracle)" if known_shares else ""),
        method=require(data, "method", str, place),
        weighting=require(data, "weighting", str, place),
        preset=optional(data, "preset", str, place),
        params=optional(data, "params", dict, place) or {},
        paper=optional(data, "paper", str, place),
        known_shares=known_shares,
        seeds=seeds(data, place) if "seeds" in data else (),
        ranked=optional(data, "ranked", bool, place) or False,
        sets=tuple(names(data, "sets", place)) if "sets" in data else (),
        measures=_measures(data, place),
        **read_limits(data, place),
    )
    check_entry(entry, place)
    return entry


def read_limits(data: Mapping[str, Any], place: str) -> dict[str, Any]:
    """On which problems an entry runs, and how long."""
    problems = optional(data, "problems", str, place) or "all"
    if problems not in ("all", "named"):
        raise ValueError(f"problems={problems!r} in {place} must be 'all' or 'named'.")
    limit = number(data, "time_limit", place) if "time_limit" in data else None
    if limit is not None and not 0 < limit <= LONGEST_LIMIT:
        raise ValueError(
            f"time_limit={limit:g} in {place} must be above 0 and at most {LONGEST_LIMIT:g}: "
            "seconds a fit."
        )
    return {"named": problems == "named", "time_limit": limit}


def _measures(data: Mapping[str, Any], place: str) -> tuple[str, ...]:
    found = names(data, "measures", place) if "measures" in data else []
    unknown = [name for name in found if name not in MEASURES]
    if unknown:
        raise ValueError(
            f"There is no measure '{unknown[0]}' ({place}): choose among {', '.join(MEASURES)}."
        )
    return tuple(found)


def own_parameters(method: str) -> list[str]:
    """The parameters of a method that a suite may set."""
    known = CONTESTANTS[method].estimator_class().get_params(deep=False)
    return [name for name in known if name not in _SET_BY_THE_RUNNER]


def check_entry(entry: Entry, place: str) -> None:
    """Raise ValueError if the method, the weighting or a measure of an entry cannot be."""
    _check_method(entry, place)
    if entry.weighting not in (*WEIGHTINGS, EMBEDDINGS):
        raise ValueError(
            f"weighting={entry.weighting!r} in {place} is unknown: choose among "
            f"{', '.join((*WEIGHTINGS, EMBEDDINGS))}."
        )
    wanted = getattr(CONTESTANTS[entry.method], "input", None)
    if wanted not in (None, entry.weighting):
        raise ValueError(
            f"weighting={entry.weighting!r} in {place} must be '{wanted}' for '{entry.method}'."
        )
    check_measures(entry, place)


def _check_method(entry: Entry, place: str) -> None:
    scored = [name for name, method in CONTESTANTS.items() if method.kind in SCORERS]
    if entry.method not in CONTESTANTS:
        raise ValueError(
            f"method={entry.method!r} in {place} is unknown: choose among {', '.join(scored)}."
        )
    method = CONTESTANTS[entry.method]
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
    known = own_parameters(entry.method)
    unknown = [name for name in entry.params if name not in known]
    if unknown:
        raise ValueError(
            f"The field 'params' in {place} has the parameter '{unknown[0]}' that "
            f"'{entry.method}' does not have: it has {', '.join(known)}."
        )
    if entry.known_shares:
        _check_known_shares(entry, known, place)


def _check_known_shares(entry: Entry, known: list[str], place: str) -> None:
    if "class_prior" not in known:
        raise ValueError(
            f"The field 'known_shares' in {place} is for methods with the parameter "
            f"'class_prior', which '{entry.method}' does not have."
        )
    if "class_prior" in entry.params:
        raise ValueError(
            f"Both 'known_shares' and the parameter 'class_prior' stand in {place}: leave one out."
        )
