"""What one of two views knows and the other does not: the documents from which the other learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.prior_shift import filled_quotas, largest, logarithms, shift_to_shares

__all__ = ["Lessons", "Stance", "expansion", "lessons", "stance"]


@dataclass(frozen=True)
class Stance:
    """What a view says of documents."""

    labels: NDArray[np.intp]
    margins: NDArray[np.float64]
    """How far the next class is from the likeliest, in log memberships."""
    confident: NDArray[np.bool_]


@dataclass(frozen=True)
class Lessons:
    """Documents to be learnt."""

    rows: NDArray[np.intp]
    labels: NDArray[np.intp]
    expansion: float
    """How far the two views were expanding, see :func:`expansion`."""


def stance(
    memberships: NDArray[Any], shares: NDArray[np.float64] | None, confident_share: float
) -> Stance:
    """What a view says, its labels held to class shares, and where it is confident.

    It is confident about the given share of the documents of every class: those furthest from the
    next class. Documents of which it knows nothing (a row of zeros) are none of them.
    """
    known = memberships.any(axis=1)
    scores = logarithms(memberships)
    if shares is not None:
        scores += shift_to_shares(memberships, shares)
    labels = np.where(known, scores.argmax(axis=1), -1)
    ordered = np.sort(scores, axis=1)
    margins = np.where(known, ordered[:, -1] - ordered[:, -2], 0.0)
    confident = np.zeros(len(labels), bool)
    for label in range(memberships.shape[1]):
        own = np.flatnonzero(labels == label)
        count = max(1, round(confident_share * len(own)))
        confident[largest(margins, own, count)] = True
    return Stance(labels, margins, confident)


def expansion(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """The epsilon for which two views are just epsilon-expanding (Balcan et al. 2004).

    The share of documents about which exactly one view is confident, over the lesser of the shares
    about which both and neither are; infinite if that is none. Views without documents that only
    one of them knows have nothing to teach each other: 0.
    """
    one = float(np.mean(first ^ second)) if len(first) else 0.0
    least = min(float(np.mean(first & second)), float(np.mean(~first & ~second))) if one else 1.0
    return one / least if least > 0 else np.inf


def lessons(
    views: Sequence[NDArray[Any]],
    shares: NDArray[np.float64] | None,
    n_rows: int,
    confident_share: float,
    groups: NDArray[np.intp],
) -> Lessons:
    """Documents about which exactly one of two views is confident, with the class that it says.

    The most certain ``n_rows`` of them, of which no class gets more than its share (without shares,
    its share of such documents); one that ties with the last comes along. Documents of one of the
    ``groups`` are copies of each other: they take one place together, and all of them are returned.
    """
    _, first_ones, group_of = np.unique(groups, return_index=True, return_inverse=True)
    one, other = (stance(view[first_ones], shares, confident_share) for view in views)
    candidates = one.confident ^ other.confident
    said = np.where(one.confident, one.labels, other.labels)
    margins = np.where(one.confident, one.margins, other.margins)
    if shares is None:  # every class as the views say, not the one that they say the loudest
        said_by = np.bincount(said[candidates], minlength=views[0].shape[1])
        shares = said_by / max(1, said_by.sum())
    found = np.full(len(first_ones), -1)
    if candidates.any():
        best = filled_quotas(np.where(candidates, said, -1), margins, shares, n_rows)
        found[best] = said[best]
    labels = found[group_of]
    rows = np.flatnonzero(labels >= 0)
    return Lessons(rows, labels[rows], expansion(one.confident, other.confident))
