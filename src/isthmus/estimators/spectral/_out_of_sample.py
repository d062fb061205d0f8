"""Linear maps that new documents need: to the space of the eigenvectors, or to the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.linear_models import fit_logistic_to_memberships
from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.affinity import CosineAffinity, OutOfSampleMap

# C of the logistic regression on the labels of the method.
_C_FOR_LABELS = 1.0


def joined(parts: Sequence[OutOfSampleMap], dtype: Any) -> OutOfSampleMap:
    """One map with the outputs of several maps."""
    words = np.hstack([part.words for part in parts], dtype=dtype)
    return OutOfSampleMap(words, np.concatenate([part.offset for part in parts]))


def map_fields(problem: Problem, maps: Sequence[OutOfSampleMap]) -> dict[str, Any]:
    """Fields of a model from one map per domain, or one map for all domains."""
    maps = maps if len(maps) > 1 else [*maps] * len(problem.domains)
    by_domain = dict(zip((domain.number for domain in problem.domains), maps, strict=True))
    return {
        "out_of_sample_weights": {number: part.words for number, part in by_domain.items()},
        "out_of_sample_offset": {number: part.offset for number, part in by_domain.items()},
    }


def similarity_maps(
    affinity: CosineAffinity,
    boost: NDArray[Any],
    coordinates: Array,
    linked: Array,
) -> list[OutOfSampleMap]:
    """The maps of the Nyström extension, one per block (see ``solvers/spectral/_coordinates.py``).

    ``boost`` weights the pairs of blocks in ``T``, in addition to the weights of ``affinity``.
    ``linked`` marks the documents that have coordinates. The maps are NumPy arrays.
    """
    weights = [tuple(row) for row in np.hstack([affinity.weights * boost, affinity.weights])]
    distinct = list(dict.fromkeys(weights))  # all sources often have the same weights
    n_blocks = len(affinity.blocks)
    engine, ones = affinity.engine, linked[:, None].astype(float)
    rows, columns = np.array(distinct), engine.xp.hstack([coordinates, ones])
    boosted = affinity.out_of_sample_maps(rows[:, :n_blocks], columns)
    plain = affinity.out_of_sample_maps(rows[:, n_blocks:], ones)
    dtype = affinity.blocks[0].dtype
    maps = [
        joined([_on_host(part, engine) for part in parts], dtype)
        for parts in zip(boosted, plain, strict=True)
    ]
    return [maps[distinct.index(row)] for row in weights]


def _on_host(part: OutOfSampleMap, engine: Engine) -> OutOfSampleMap:
    return OutOfSampleMap(engine.to_host(part.words), part.offset)


def label_map(problem: Problem, X: Any, memberships: Sequence[NDArray[Any]]) -> OutOfSampleMap:
    """A logistic regression on the labels of the method, for graphs of nearest neighbors.

    The neighbors of a new document cannot be found without all fitted documents.
    """
    targets = problem.gather(memberships)
    known = problem.labels >= 0
    targets[known] = np.eye(problem.n_classes)[problem.labels[known]]
    coef, intercept = fit_logistic_to_memberships(X, targets, _C_FOR_LABELS, problem)
    return OutOfSampleMap(coef.T.astype(X.dtype), intercept)
