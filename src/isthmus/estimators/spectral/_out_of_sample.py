"""What leads a new document to the space in which the fitted ones were classified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.linear_models import learn_found_labels
from isthmus.numerics.affinity import CosineAffinity, OutOfSampleMap

_C = 1.0  # of the logistic regression where the space itself cannot be reached


def joined(parts: Sequence[OutOfSampleMap], dtype: Any) -> OutOfSampleMap:
    """``W v`` and the diagonals of ``T`` and ``D`` side by side, as new documents see them."""
    words = np.hstack([part.words for part in parts], dtype=dtype)
    return OutOfSampleMap(words, np.concatenate([part.offset for part in parts]))


def through_similarities(
    affinity: CosineAffinity,
    boost: NDArray[Any],
    coordinates: NDArray[Any],
    linked: NDArray[np.bool_],
) -> list[OutOfSampleMap]:
    """For every block, the map of the Nyström extension (see ``solvers/spectral/_nystrom.py``).

    ``boost`` weighs the pairs of blocks in ``T``, on top of the weights that they have anyway;
    ``linked`` are the documents that have coordinates.
    """
    weights = [tuple(row) for row in np.hstack([affinity.weights * boost, affinity.weights])]
    distinct = list(dict.fromkeys(weights))  # those of all sources are often the same
    n_blocks = len(affinity.blocks)
    ones = linked[:, None].astype(float)
    rows = np.array(distinct)
    boosted = affinity.seen_by(rows[:, :n_blocks], np.hstack([coordinates, ones]))
    plain = affinity.seen_by(rows[:, n_blocks:], ones)
    dtype = affinity.blocks[0].dtype
    ways = [joined(parts, dtype) for parts in zip(boosted, plain, strict=True)]
    return [ways[distinct.index(row)] for row in weights]


def through_labels(problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]) -> OutOfSampleMap:
    """A logistic regression on the labels found, for where neighbours make the space.

    The neighbours of a new document are not known without all of the fitted ones.
    """
    found = problem.gather(memberships)
    known = problem.labels >= 0
    found[known] = np.eye(problem.n_classes)[problem.labels[known]]
    coef, intercept = learn_found_labels(X, found, _C)
    return OutOfSampleMap(coef.T.astype(X.dtype), intercept)
