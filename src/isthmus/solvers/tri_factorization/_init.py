"""Where a tri-factorization begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Documents, Engine


@dataclass(frozen=True)
class InitialFactors:
    """Starting factors; ``memberships`` holds one array a domain."""

    clusters: Array
    """``F``, the same for every domain."""
    memberships: list[Array]
    associations: Array


def smoothed_labels(n_classes: int, smoothing: float) -> NDArray[np.float64]:
    """Row c is the label c with ``smoothing`` of its weight given to the other classes."""
    off = smoothing / max(1, n_classes - 1)
    return (1 - smoothing - off) * np.eye(n_classes) + off


def start_memberships(
    domains: Sequence[Domain], guesses: Sequence[Array], smoothing: float, engine: Engine
) -> list[Array]:
    """``G`` from the labels where they are known and from a classifier's guesses elsewhere.

    With ``smoothing`` above 0 a source label gives up that much of its weight to the other
    classes; labels of target rows are kept hard.
    """
    xp = engine.xp
    memberships = []
    for domain, guess in zip(domains, guesses, strict=True):
        n_classes = guess.shape[1]
        smooth = smoothed_labels(n_classes, 0.0 if domain.is_target else smoothing)
        rows = np.array(guess, dtype=domain.documents.dtype)
        rows[domain.labelled] = smooth[domain.labels[domain.labelled]]
        memberships.append(xp.asarray(rows))
    return memberships


def equal_associations(n_clusters: int, n_classes: int, engine: Engine, dtype: object) -> Array:
    """A constant ``S`` whose rows sum to 1: the paper's start."""
    return engine.xp.full((n_clusters, n_classes), 1 / n_classes, dtype=dtype)


def class_conditional(
    documents: Sequence[Documents], memberships: Sequence[Array], engine: Engine
) -> InitialFactors:
    """One word cluster a class, from the words that each class uses in every domain.

    ``F`` holds the rows of ``sum_d X_d' G_d / (1' G_d)`` scaled to sum 1 and ``S = I + 0.01``.
    """
    xp = engine.xp
    dtype = documents[0].dtype
    words = xp.zeros((documents[0].shape[1], memberships[0].shape[1]), dtype=dtype)
    for block, G in zip(documents, memberships, strict=True):
        mass = xp.maximum(G.sum(axis=0), np.finfo(dtype).tiny)
        words = words + block.transposed_times(G) / mass
    # A zero would stay one for ever; this is far below any word that occurs.
    words = words + 1e-9 * max(float(words.mean()), float(np.finfo(dtype).tiny) * 1e12)
    n_classes = memberships[0].shape[1]
    associations = xp.eye(n_classes, dtype=dtype) + xp.asarray(0.01, dtype=dtype)
    return InitialFactors(engine.normalised_rows(words), list(memberships), associations)
