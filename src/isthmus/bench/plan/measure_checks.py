"""Whether a method can have the measures that its entry asks for, told before any fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from isthmus.bench.plan.contestants import CONTESTANTS

if TYPE_CHECKING:
    from isthmus.bench.plan.entries import Entry

__all__ = ["check_measures", "documents_attribute"]


def check_measures(entry: Entry, place: str) -> None:
    """Raise ValueError if a measure of an entry would fail after every fit."""
    for measure in entry.measures:
        reason = _LACKS[measure](entry) if measure in _LACKS else None
        if reason is not None:
            raise ValueError(
                f"The measure '{measure}' in {place} is not for '{entry.method}': {reason}. "
                "Leave it out."
            )


def documents_attribute(estimator_class: Any, name: str) -> bool:
    """Whether the docstring of an estimator names a fitted attribute.

    An attribute that appears in a fit leaves no other trace in its class. Where docstrings are
    stripped nothing is known, and the answer is True.
    """
    told = estimator_class.__doc__
    return told is None or re.search(rf"\b{re.escape(name)}(?!\w)", told) is not None


def _lacks_objective(entry: Entry) -> str | None:
    keeps = documents_attribute(CONTESTANTS[entry.method].estimator_class, "objective_")
    return None if keeps else "it keeps no objective"


def _lacks_topics(entry: Entry) -> str | None:
    built = CONTESTANTS[entry.method].build(entry.preset, **entry.params)
    return None if getattr(built, "init", None) == "plsa" else "it does not have init='plsa'"


def _lacks_source(entry: Entry) -> str | None:
    is_clusterer = CONTESTANTS[entry.method].kind == "clusterer"
    return "problems of a clusterer have no source" if is_clusterer else None


_LACKS: dict[str, Callable[[Entry], str | None]] = {
    "convergence": _lacks_objective,
    "word overlap": _lacks_topics,
    "proxy A-distance": _lacks_source,
}
