"""Pseudo-labels of co-training: documents about which exactly one of two views is confident."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.class_probabilities import (
    largest,
    log_memberships,
    select_by_quota,
    shift_to_prior,
)


@dataclass(frozen=True)
class ViewPrediction:
    """Labels of documents by one view."""

    labels: NDArray[np.intp]
    """Most probable classes; -1 for documents about which the view knows nothing."""
    margins: NDArray[np.float64]
    """Difference of the two largest log memberships."""
    confident: NDArray[np.bool_]


@dataclass(frozen=True)
class PseudoLabels:
    """Documents that are added to the training set, and their classes."""

    rows: NDArray[np.intp]
    labels: NDArray[np.intp]
    expansion: float
    """Expansion of the two views, see :func:`expansion`."""


def predict_view(
    memberships: NDArray[Any], class_prior: NDArray[np.float64] | None, confident_share: float
) -> ViewPrediction:
    """Labels of a view, matched to the class prior, and where the view is confident.

    It is confident about the given proportion of the documents of every class: those with the
    largest margins. A row of zeros means that the view knows nothing about a document.
    """
    known = memberships.any(axis=1)
    scores = log_memberships(memberships)
    if class_prior is not None:
        scores += shift_to_prior(memberships, class_prior)
    labels = np.where(known, scores.argmax(axis=1), -1)
    ordered = np.sort(scores, axis=1)
    margins = np.where(known, ordered[:, -1] - ordered[:, -2], 0.0)
    confident = np.zeros(len(labels), bool)
    for label in range(memberships.shape[1]):
        rows = np.flatnonzero(labels == label)
        count = max(1, round(confident_share * len(rows)))
        confident[largest(margins, rows, count)] = True
    return ViewPrediction(labels, margins, confident)


def expansion(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """The largest epsilon for which two views are epsilon-expanding (Balcan et al. 2004).

    The proportion of documents about which exactly one view is confident, divided by the smaller of
    the proportions about which both are and about which neither is; infinite if the latter is 0.
    0 if there is no document about which exactly one view is confident.
    """
    one = float(np.mean(first ^ second)) if len(first) else 0.0
    least = min(float(np.mean(first & second)), float(np.mean(~first & ~second))) if one else 1.0
    return one / least if least > 0 else np.inf


def co_training_labels(
    views: Sequence[NDArray[Any]],
    class_prior: NDArray[np.float64] | None,
    n_rows: int,
    confident_share: float,
    groups: NDArray[np.intp],
) -> PseudoLabels:
    """Documents about which exactly one of two views is confident, with the class of that view.

    The ``n_rows`` documents with the largest margins are returned, with at most the prior
    proportion of every class (without a prior, the proportion of the class among all such
    documents). Documents that tie with the last one are returned too. Documents of one group are
    copies of each other: they count as one, and all of them are returned.
    """
    _, representatives, group_of = np.unique(groups, return_index=True, return_inverse=True)
    first, second = (
        predict_view(view[representatives], class_prior, confident_share) for view in views
    )
    is_candidate = first.confident ^ second.confident
    labels = np.where(first.confident, first.labels, second.labels)
    margins = np.where(first.confident, first.margins, second.margins)
    if class_prior is None:  # or else the class with the largest margins could fill all places
        counts = np.bincount(labels[is_candidate], minlength=views[0].shape[1])
        class_prior = counts / max(1, counts.sum())
    chosen = np.full(len(representatives), -1)
    if is_candidate.any():
        best = select_by_quota(np.where(is_candidate, labels, -1), margins, class_prior, n_rows)
        chosen[best] = labels[best]
    label_of_row = chosen[group_of]
    rows = np.flatnonzero(label_of_row >= 0)
    return PseudoLabels(rows, label_of_row[rows], expansion(first.confident, second.confident))
