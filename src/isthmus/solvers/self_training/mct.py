"""Consensus of several classifiers, and the documents with the most certain consensus.

The log memberships of every classifier are shifted by one number per class, so that its own labels
match the class prior. The classifiers agree on a document if their most probable classes are the
same. The certainty is the difference of the two largest means of these log memberships.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.class_probabilities import log_memberships, select_by_quota, shift_to_prior


@dataclass(frozen=True)
class Consensus:
    """The combined labels of all classifiers for every document."""

    labels: NDArray[np.intp]
    """Classes with the largest mean log membership."""
    certainty: NDArray[np.float64]
    """Difference of the two largest means."""
    known: NDArray[np.bool_]
    """Whether all classifiers know something about the document."""
    agreed: NDArray[np.bool_]
    """Whether all classifiers give the same label."""


@dataclass(frozen=True)
class Agreement:
    """Documents on which the classifiers agree, and their classes."""

    rows: NDArray[np.intp]
    labels: NDArray[np.intp]
    disagreement: float
    """Proportion of different documents on which the classifiers do not agree."""


def consensus(
    memberships: Sequence[NDArray[Any]], class_prior: NDArray[np.float64] | None
) -> Consensus:
    """The consensus, from one array of memberships per classifier; no shift without a prior."""
    scores = np.stack([_prior_matched(member, class_prior) for member in memberships])
    labels = scores.argmax(axis=2)
    known = np.all([member.any(axis=1) for member in memberships], axis=0)
    mean = scores.mean(axis=0)
    ordered = np.sort(mean, axis=1)
    return Consensus(
        labels=mean.argmax(axis=1),
        certainty=ordered[:, -1] - ordered[:, -2],
        known=known,
        agreed=(labels == labels[0]).all(axis=0) & known,
    )


def agreed_labels(
    memberships: Sequence[NDArray[Any]],
    class_prior: NDArray[np.float64] | None,
    n_rows: int,
    groups: NDArray[np.intp],
) -> Agreement:
    """The ``n_rows`` most certain documents on which all classifiers agree, with their classes.

    No class gets more than its prior proportion of them. Documents of one group are copies of each
    other: they count as one, and all of them are returned.
    """
    _, representatives, group_of = np.unique(groups, return_index=True, return_inverse=True)
    result = consensus([member[representatives] for member in memberships], class_prior)
    candidates = np.where(result.agreed, result.labels, -1)
    best = select_by_quota(candidates, result.certainty, class_prior, n_rows)
    chosen = np.full(len(representatives), -1)
    chosen[best] = result.labels[best]
    label_of_row = chosen[group_of]
    rows = np.flatnonzero(label_of_row >= 0)
    disagreement = 1 - float(result.agreed.sum()) / max(1, int(result.known.sum()))
    return Agreement(rows, label_of_row[rows], disagreement)


def _prior_matched(
    memberships: NDArray[Any], class_prior: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    scores = log_memberships(memberships)
    return scores if class_prior is None else scores + shift_to_prior(memberships, class_prior)
