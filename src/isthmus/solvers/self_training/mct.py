"""What several classifiers agree on, and which of it is certain enough to be learnt.

A document's memberships in the classes are seen as logarithms, each member's shifted by one number
a class until its own labels have the class shares that are expected. The members agree where their
likeliest classes are the same one; how certain they are is the distance, in the mean of their
logarithms, from that class to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.prior_shift import filled_quotas, logarithms, shift_to_shares

__all__ = ["Consensus", "agreed_lessons", "consensus"]


@dataclass(frozen=True)
class Consensus:
    """What the members say of every document, taken together."""

    labels: NDArray[np.intp]
    """The likeliest class of the mean."""
    certainty: NDArray[np.float64]
    """How far the next class is from it."""
    known: NDArray[np.bool_]
    """Whether every member says anything."""
    agreed: NDArray[np.bool_]
    """Whether every member says the same."""


def consensus(memberships: Sequence[NDArray[Any]], shares: NDArray[np.float64] | None) -> Consensus:
    """Taken together, a member an array; no member is shifted if nobody says the shares."""
    scores = np.stack([_held_to(shares, member) for member in memberships])
    said = scores.argmax(axis=2)
    known = np.all([member.any(axis=1) for member in memberships], axis=0)
    mean = scores.mean(axis=0)
    ordered = np.sort(mean, axis=1)
    return Consensus(
        labels=mean.argmax(axis=1),
        certainty=ordered[:, -1] - ordered[:, -2],
        known=known,
        agreed=(said == said[0]).all(axis=0) & known,
    )


def agreed_lessons(
    memberships: Sequence[NDArray[Any]],
    shares: NDArray[np.float64] | None,
    n_rows: int,
    groups: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.intp], float]:
    """Rows to be learnt and their classes: the most certain ``n_rows`` that members agree on.

    No class gets more than its share of them. Documents of one of the ``groups`` are copies of
    each other: they take one place together, and all of them are returned. The third is the share
    of different documents on which members do not agree.
    """
    _, first, group_of = np.unique(groups, return_index=True, return_inverse=True)
    found = consensus([member[first] for member in memberships], shares)
    taught = np.full(len(first), -1)
    best = filled_quotas(np.where(found.agreed, found.labels, -1), found.certainty, shares, n_rows)
    taught[best] = found.labels[best]
    labels = taught[group_of]
    rows = np.flatnonzero(labels >= 0)
    doubt = 1 - float(found.agreed.sum()) / max(1, int(found.known.sum()))
    return rows, labels[rows], doubt


def _held_to(shares: NDArray[np.float64] | None, member: NDArray[Any]) -> NDArray[np.float64]:
    scores = logarithms(member)
    return scores if shares is None else scores + shift_to_shares(member, shares)
