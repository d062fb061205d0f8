"""Warn about labels that are probably misspelled or missing."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

__all__ = ["warn_about_labels"]

_MISSING_VALUES = {"na", "n/a", "nan", "none", "null", "<na>", "?", "-", "unknown"}
_GROUPS_SHOWN = 5


def warn_about_labels(labels: Iterable[Any]) -> None:
    """Warn if labels differ only in case or spaces, or if a label looks like a missing value.

    Labels are never changed: 'Sports' and 'sports ' remain two classes.
    """
    counts = Counter(label for label in labels if isinstance(label, str))
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for label in counts:
        spellings[" ".join(label.split()).casefold()].append(label)
    similar = [sorted(group) for group in spellings.values() if len(group) > 1]
    if similar:
        shown = "; ".join(_with_counts(group, counts) for group in sorted(similar)[:_GROUPS_SHOWN])
        n_hidden = len(similar) - _GROUPS_SHOWN
        more = f"; and {n_hidden} more" if n_hidden > 0 else ""
        warnings.warn(
            f"Labels that differ only in case or spaces are separate classes: {shown}{more}. If "
            "they mean the same class, spell them alike.",
            stacklevel=3,
        )
    missing = sorted(label for label in counts if label.strip().casefold() in _MISSING_VALUES)
    if missing:
        warnings.warn(
            f"{_with_counts(missing, counts)}: this is used as a class. If it means that the label "
            "is missing, use None instead (in a file, an empty cell).",
            stacklevel=3,
        )


def _with_counts(labels: Iterable[str], counts: Counter[str]) -> str:
    return ", ".join(f"{label!r} ({counts[label]:,})" for label in labels)
