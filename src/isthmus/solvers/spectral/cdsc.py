"""CDSC: eigenvectors of the cut of all documents, the must-links and the cut of the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Engine
from isthmus.numerics.affinity import Affinity, degrees_of, inverse_sqrt_degrees, large_components
from isthmus.numerics.eigen import largest_eigenpairs

# With this many source (or target) documents, similarities between them get half the weight.
_HALF_WEIGHT_SIZE = 10


@dataclass(frozen=True)
class Spectrum:
    """Eigenvectors of a graph of documents."""

    eigenvalues: NDArray[np.float64]
    """In increasing order."""
    embedding: Array
    """``D^-1/2`` times the eigenvectors; zeros for documents that are left out."""
    degrees: Array
    unit: float = 1.0
    """The number that all degrees were divided by, if there is one."""


@dataclass(frozen=True)
class MustLinks:
    """Rows of the same class that are linked, with one weight per class."""

    rows: Sequence[Array]
    """Positions of the rows of every class."""
    weights: Sequence[float]
    """The paper's ``beta``, one value per class."""
    xp: Any = np
    """The array namespace of the columns."""

    def times(self, columns: Array) -> Array:
        """``beta U' @ columns`` (Section 3.3): n_c times a row minus the sum of its class."""
        product = self.xp.zeros(columns.shape)
        for rows, weight in zip(self.rows, self.weights, strict=True):
            members = columns[rows]
            product[rows] = weight * (len(rows) * members - members.sum(axis=0))
        return product


def must_links(
    labels: NDArray[np.intp],
    degrees: NDArray[Any],
    beta: float,
    *,
    relative: bool,
    engine: Engine | None = None,
) -> MustLinks:
    """Must-links of every class between rows with a positive degree.

    With ``relative``, ``beta`` is ``b`` in ``beta_c n_c = b * mean degree``. Degrees grow with the
    number of documents, and an absolute ``beta`` would have to grow with them. Labels and degrees
    are NumPy arrays. The links are for columns of the engine, NumPy arrays by default.
    """
    linked = degrees > 0
    mean = float(degrees[linked].mean()) if linked.any() else 0.0
    # A class with a single document has no pair to link.
    classes = [np.flatnonzero((labels == c) & linked) for c in range(int(labels.max()) + 1)]
    classes = [rows for rows in classes if len(rows) > 1]
    weights = [beta * mean / len(rows) if relative else beta for rows in classes]
    if engine is None:
        return MustLinks(classes, weights)
    return MustLinks([engine.asarray(rows) for rows in classes], weights, engine.xp)


def target_boost(is_target: Sequence[bool], lam: float) -> NDArray[np.float64]:
    """Weights of pairs of blocks in ``W + lambda W_s``, where ``W_s`` is ``W`` between targets."""
    target = np.asarray(is_target, float)
    return 1 + lam * np.outer(target, target)


def balance(
    affinity: Affinity, sizes: Sequence[int], is_target: Sequence[bool], share: float
) -> NDArray[np.float64]:
    """Weights of pairs of blocks that fix the proportion of similarity across domains.

    ``share`` is the proportion of the degrees of the sources that comes from targets, and of the
    degrees of the targets that comes from sources. Documents of one domain are more similar than
    documents of two, whatever their class, so the first cut of a spectrum is often the one between
    the domains. Smaller weights for pairs within the sources and within the targets prevent it. The
    proportion is larger if there are few source (or target) documents, because the similarities
    between a handful of documents are mostly random.
    """
    target, engine = np.asarray(is_target, bool), affinity.engine
    counts = np.asarray(sizes, float)
    in_target = np.repeat(target, sizes)
    indicators = engine.asarray(np.column_stack([~in_target, in_target]).astype(float))
    sums = engine.gram(indicators, affinity.times(indicators))
    across = float(sums[0, 1])
    weights = np.ones((len(sizes), len(sizes)))
    if across <= 0:  # no sources, no targets, or no common term
        return weights
    for blocks, sum_within in ((~target, sums[0, 0]), (target, sums[1, 1])):
        if sum_within > 0:
            size = float(counts[blocks].sum())
            within = (1 - share) * size / (size + _HALF_WEIGHT_SIZE)
            weights[np.ix_(blocks, blocks)] = across * within / ((1 - within) * sum_within)
    return weights


@dataclass(frozen=True)
class System:
    """``D^-1/2 T D^-1/2`` (eq. 12) with ``T = (D - W) + beta U' + lambda (D_s - W_s)``."""

    boosted: Affinity
    """``W + lambda W_s``."""
    links: MustLinks
    degrees: Array
    """The diagonal of ``D``; zero for documents that are connected to few others or none."""
    diagonal: Array
    """The diagonal of ``D^-1 (D + lambda D_s)``."""

    @cached_property
    def scale(self) -> Array:
        """``D^-1/2``, zero for documents that are left out."""
        linked = self.degrees > 0
        return inverse_sqrt_degrees(self.degrees, linked, self.boosted.engine.xp)

    def shifted(self, columns: Array) -> Array:
        """``(2 I - D^-1/2 T D^-1/2) @ columns``, whose largest eigenvalues are needed.

        They lie between 1 and 2, so a relative tolerance means the same for all of them.
        """
        scaled = columns * self.scale[:, None]
        products = self.boosted.times(scaled) - self.links.times(scaled)
        return (2 - self.diagonal)[:, None] * columns + products * self.scale[:, None]


def cdsc_system(
    affinity: Affinity,
    labels: NDArray[np.intp],
    is_target: Sequence[bool],
    *,
    beta: float,
    lam: float,
    relative_beta: bool,
) -> System:
    """The matrix whose eigenvectors CDSC uses.

    ``labels`` has the class of every row (-1 if unlabeled). ``is_target`` says of every block of
    ``affinity`` whether it belongs to a target.
    """
    engine, boosted = affinity.engine, affinity.reweighted(target_boost(is_target, lam))
    xp = engine.xp
    degrees, boosted_degrees = degrees_of(affinity), degrees_of(boosted)
    known = engine.asarray(labels >= 0)
    degrees = xp.where(large_components(affinity, degrees, known), degrees, 0.0)
    links = must_links(labels, engine.to_host(degrees), beta, relative=relative_beta, engine=engine)
    # Documents that are left out have no degree. The value 1 is inside the spectrum.
    linked = degrees > 0
    diagonal = xp.where(linked, boosted_degrees / xp.where(linked, degrees, 1), 1.0)
    return System(boosted, links, degrees, diagonal)


def cdsc(
    system: System,
    n_eigenvectors: int,
    start: Array,
    *,
    tol: float = 1e-8,
    without_constant: bool = False,
) -> Spectrum:
    """The eigenvectors with the smallest eigenvalues, mapped back by ``D^-1/2`` (Algorithm 2).

    The first one is known: ``T 1 = 0``, so it is constant after mapping back. With
    ``without_constant`` it is removed from the matrix (deflation).
    """
    engine = system.boosted.engine
    first = engine.xp.sqrt(engine.xp.maximum(system.degrees, 0))[:, None]
    first /= max(float(engine.xp.linalg.norm(first)), np.finfo(float).tiny)

    def deflated(columns: Array) -> Array:
        return system.shifted(columns) - 2 * first * (first.T @ columns)

    product = deflated if without_constant else system.shifted
    pairs = largest_eigenpairs(product, start, n_eigenvectors, tol=tol, engine=engine)
    return Spectrum(2 - pairs.values, pairs.vectors * system.scale[:, None], system.degrees)
