"""The rest: all contestants that a suite does not name, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from isthmus.bench.peers.registry import PEERS
from isthmus.bench.plan.contestants import CONTESTANTS
from isthmus.bench.plan.entries import Entry, check_entry, read_limits
from isthmus.bench.plan.fields import names, only, require

__all__ = ["read_rest"]


def read_rest(data: Mapping[str, Any], entries: Sequence[Entry], where: str) -> tuple[Entry, ...]:
    """Entries for every classifier that has none with its defaults yet.

    Parameters
    ----------
    data : mapping
        The table ``rest`` of a suite: the weighting, and what entries may say of their problems
        and their time. ``without`` names contestants to leave out.
    entries : sequence of Entry
        Those that the suite spells out.
    where : str
        The suite, for errors.

    Returns
    -------
    tuple of Entry
        Methods in the order of the registry, then peers.
    """
    place = f"the table 'rest' of {where}"
    only(data, ("weighting", "problems", "time_limit", "without"), place)
    weighting = require(data, "weighting", str, place)
    without = names(data, "without", place) if "without" in data else []
    classifiers = [name for name, method in CONTESTANTS.items() if method.kind == "classifier"]
    unknown = [name for name in without if name not in classifiers]
    if unknown:
        raise ValueError(
            f"The field 'without' in {place} names the unknown method '{unknown[0]}': known are "
            f"{', '.join(classifiers)}."
        )
    there = {entry.method for entry in entries if entry.is_default}
    taken = {entry.id for entry in entries}
    common = Entry("", "", "", weighting, **read_limits(data, place))
    found = []
    for name in classifiers:
        if name in there or name in without:
            continue
        entry = replace(
            common,
            id=f"{name}-default" if name in taken else name,
            label=CONTESTANTS[name].short,
            method=name,
            weighting=PEERS[name].input or weighting if name in PEERS else weighting,
        )
        check_entry(entry, place)
        found.append(entry)
    return tuple(found)
