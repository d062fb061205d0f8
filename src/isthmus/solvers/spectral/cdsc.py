"""CDSC: the cut of all documents, their must-links and the cut of the target, in one spectrum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.numerics.affinity import Affinity, inverse_roots
from isthmus.numerics.connected_components import large_parts
from isthmus.numerics.eigen import largest_eigenpairs

# Documents of a side that count half of what its share says.
_FEW = 10


@dataclass(frozen=True)
class Spectrum:
    """Eigenvectors of a graph of documents."""

    eigenvalues: NDArray[np.float64]
    """In rising order."""
    embedding: NDArray[np.float64]
    """``D^-1/2`` times the eigenvectors: a row a document, zeros for one that is left out."""
    degrees: NDArray[np.float64]
    unit: float = 1.0
    """What degrees were divided by, if by one number for all documents."""


@dataclass(frozen=True)
class MustLinks:
    """Rows that belong together, class by class, and the weight of that for each class."""

    rows: Sequence[NDArray[np.intp]]
    weights: Sequence[float]
    """The paper's ``beta``, a class."""

    def times(self, columns: NDArray[Any]) -> NDArray[np.float64]:
        """``beta U' @ columns`` (Section 3.3): n_c times a row, less the sum of its class."""
        product = np.zeros(columns.shape)
        for rows, weight in zip(self.rows, self.weights, strict=True):
            own = columns[rows]
            product[rows] = weight * (len(rows) * own - own.sum(axis=0))
        return product


def must_links(
    labels: NDArray[np.intp], degrees: NDArray[Any], beta: float, *, relative: bool
) -> MustLinks:
    """The rows of every class, but for those without a degree.

    ``relative`` makes ``beta`` a share of the mean degree for a whole class, that is ``b`` in
    ``beta_c n_c = b * mean degree``: degrees grow with the number of documents, and with them
    would the beta that has the same effect.
    """
    linked = degrees > 0
    mean = float(degrees[linked].mean()) if linked.any() else 0.0
    # A class with a single document has nothing to link.
    classes = [np.flatnonzero((labels == c) & linked) for c in range(int(labels.max()) + 1)]
    classes = [rows for rows in classes if len(rows) > 1]
    weights = [beta * mean / len(rows) if relative else beta for rows in classes]
    return MustLinks(classes, weights)


def target_boost(is_target: Sequence[bool], lam: float) -> NDArray[np.float64]:
    """Weights of pairs of blocks for ``W + lambda W_s``, ``W_s`` being ``W`` between targets."""
    target = np.asarray(is_target, float)
    return 1 + lam * np.outer(target, target)


def balance(
    affinity: Affinity, sizes: Sequence[int], is_target: Sequence[bool], share: float
) -> NDArray[np.float64]:
    """Weights of pairs of blocks that give either side a share of its degrees in the other.

    Documents of one domain are more alike than those of two, whatever their class, so that the
    first cut a spectrum finds is often the one between the domains. Less weight for the pairs
    within the sources and within the targets takes that cut away. A side of few documents gets
    more than the share in the other: what two or three have to say of each other is chance.
    """
    block_of_row = np.repeat(np.arange(len(sizes)), sizes)
    target = np.asarray(is_target, bool)
    counts = np.asarray(sizes, float)
    on_side = np.column_stack([~target[block_of_row], target[block_of_row]]).astype(float)
    sums = on_side.T @ affinity.times(on_side)
    across = float(sums[0, 1])
    weights = np.ones((len(sizes), len(sizes)))
    if across <= 0:  # one side alone, or no word in common
        return weights
    for side, own_sum in ((~target, sums[0, 0]), (target, sums[1, 1])):
        if own_sum > 0:
            size = float(counts[side].sum())
            within = (1 - share) * size / (size + _FEW)
            weights[np.ix_(side, side)] = across * within / ((1 - within) * own_sum)
    return weights


@dataclass(frozen=True)
class System:
    """``D^-1/2 T D^-1/2`` (eq. 12) with ``T = (D - W) + beta U' + lambda (D_s - W_s)``."""

    boosted: Affinity
    """``W + lambda W_s``."""
    links: MustLinks
    degrees: NDArray[np.float64]
    """The diagonal of ``D``; zero for documents that hang together with few or no others."""
    diagonal: NDArray[np.float64]
    """That of ``D^-1 (D + lambda D_s)``."""

    @property
    def scale(self) -> NDArray[np.float64]:
        """``D^-1/2``, zero for documents that are left out."""
        linked = self.degrees > 0
        return inverse_roots(self.degrees, linked)

    def shifted(self, columns: NDArray[Any]) -> NDArray[Any]:
        """``(2 I - D^-1/2 T D^-1/2) @ columns``: the eigenvalues wanted are the largest.

        They lie about 1 and 2, so that a relative tolerance means the same for all of them.
        """
        inner = columns * self.scale[:, None]
        pulled = self.boosted.times(inner) - self.links.times(inner)
        return (2 - self.diagonal)[:, None] * columns + pulled * self.scale[:, None]


def cdsc_system(
    affinity: Affinity,
    labels: NDArray[np.intp],
    is_target: Sequence[bool],
    *,
    beta: float,
    lam: float,
    relative_beta: bool,
) -> System:
    """The matrix whose eigenvectors CDSC takes.

    ``labels`` has the class of every row (-1 if it is not known), ``is_target`` the kind of every
    block of ``affinity``.
    """
    ones = np.ones((affinity.n_rows, 1))
    boosted = affinity.reweighted(target_boost(is_target, lam))
    degrees, boosted_degrees = affinity.times(ones)[:, 0], boosted.times(ones)[:, 0]
    degrees = np.where(large_parts(affinity, degrees, labels >= 0), degrees, 0.0)
    links = must_links(labels, degrees, beta, relative=relative_beta)
    # A document that is left out has no degree to divide by: 1 keeps it away from both ends.
    linked = degrees > 0
    diagonal = np.where(linked, boosted_degrees / np.where(linked, degrees, 1), 1.0)
    return System(boosted, links, degrees, diagonal)


def cdsc(
    system: System,
    n_eigenvectors: int,
    start: NDArray[Any],
    *,
    tol: float = 1e-8,
    without_constant: bool = False,
) -> Spectrum:
    """The eigenvectors with the smallest eigenvalues, mapped back by ``D^-1/2`` (Algorithm 2).

    The very first is known: ``T 1 = 0``, so it is constant once mapped back. ``without_constant``
    takes it out of the matrix before the search.
    """
    first = np.sqrt(np.maximum(system.degrees, 0))[:, None]
    first /= max(float(np.linalg.norm(first)), np.finfo(float).tiny)

    def deflated(columns: NDArray[Any]) -> NDArray[Any]:
        return system.shifted(columns) - 2 * first * (first.T @ columns)

    product = deflated if without_constant else system.shifted
    pairs = largest_eigenpairs(product, start, n_eigenvectors, tol=tol)
    return Spectrum(2 - pairs.values, pairs.vectors * system.scale[:, None], system.degrees)
