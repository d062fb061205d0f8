"""PJNMF: topics that all domains share, next to topics of each domain (Zhou et al. 2016).

Minimizes, over nonnegative factors (rows are documents),

``sum_d lambda_d ||X_d - H_d U_0' - L_d U_d'||^2 + sum_d alpha_d ||U_0'U_d||^2
+ gamma sum_{d<e} ||U_d'U_e||^2``  with ``lambda_d = 1 / ||X_d||^2``  (eq. 3, 4),

for any number of domains; the paper has two, with ``alpha_s = alpha`` and ``alpha_t = beta``.
Equation 9 prints ``H_t`` where the derivation needs ``L_t``; this code uses ``L_t``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.progress import Callback, Monitor, Stopping

# Lower bound of initial values: multiplicative updates never change zeros.
_LEAST = 0.01
# Number of documents whose part of a sum is computed at once, in float64.
_ROWS = 8192


@dataclass(frozen=True)
class Penalties:
    """Weights of the overlap of topics."""

    shared: Sequence[float]
    """``alpha_d``: overlap of the shared topics with those of each domain."""
    between: float
    """``gamma``: overlap of the topics of two domains."""


@dataclass(frozen=True)
class JointTopics:
    """Factors and the values of the objective."""

    shared: Array
    """``U_0``: one row per term."""
    own: list[Array]
    """``U_d``, one array per domain."""
    coefficients: list[Array]
    """``V_d = [H_d L_d]``: one row per document, shared topics first."""
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def random_factors(
    documents: Sequence[Documents],
    n_shared: int,
    n_domain_components: int,
    generator: np.random.Generator,
    terms: NDArray[np.intp] | None = None,
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Random ``U_0`` and ``U_d``; they do not depend on the order of the documents.

    All terms but ``terms`` get zeros, which the updates keep.
    """
    n_terms, dtype = documents[0].shape[1], documents[0].dtype
    rows = slice(None) if terms is None else terms
    n_drawn = n_terms if terms is None else len(terms)

    def drawn(n_topics: int) -> NDArray[Any]:
        factor = np.zeros((n_terms, n_topics), dtype)
        factor[rows] = generator.random((n_drawn, n_topics)) + _LEAST
        return factor

    return drawn(n_shared), [drawn(n_domain_components) for _ in documents]


def without_pivots(own: Sequence[NDArray[Any]], pivots: NDArray[np.intp]) -> list[NDArray[Any]]:
    """Initial topics of the domains with zeros for the pivots; updates keep the zeros."""
    factors = [factor.copy() for factor in own]
    for factor in factors:
        factor[pivots] = 0
    return factors


def first_coefficients(documents: Documents, topics: Array, engine: Engine) -> Array:
    """Initial coefficients: ``X U``, scaled so that the reconstruction fits the documents best."""
    products = documents.times(topics)
    gram = engine.gram(topics, topics)
    overlap = float((products**2).sum(dtype=np.float64))
    size = float((engine.gram(products, products) * gram).sum(dtype=np.float64))
    return products * documents.dtype.type(overlap / size if size > 0 else 0.0)


def pjnmf(
    documents: Sequence[Documents],
    shared: Array,
    own: Sequence[Array],
    coefficients: Sequence[Array],
    *,
    penalties: Penalties,
    engine: Engine,
    stopping: Stopping,
    callback: Callback | None = None,
) -> JointTopics:
    """Fit the factors by multiplicative updates; initial zeros stay zero.

    Every iteration multiplies the documents of a domain twice with a matrix of as many columns as
    the domain has topics.
    """
    widths = [factor.shape[1] for factor in own]
    padding = [-(shared.shape[1] + width) % _lanes(shared) for width in widths]
    solver = _Solver(
        documents,
        engine.own_copy(shared),
        [_padded(engine, factor, more) for factor, more in zip(own, padding, strict=True)],
        [_padded(engine, factor, more) for factor, more in zip(coefficients, padding, strict=True)],
        penalties,
        engine,
    )
    monitor = Monitor(stopping, callback)
    monitor.begin(solver.objective(solver.products()))
    for _ in range(stopping.max_iter):
        solver.word_steps()
        if monitor.finished(solver.objective(solver.document_steps()), float("nan")):
            break
    return JointTopics(
        solver.shared,
        [U[:, :width] for U, width in zip(solver.own, widths, strict=True)],
        [V[:, : V.shape[1] - more] for V, more in zip(solver.coefficients, padding, strict=True)],
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def _lanes(factor: Array) -> int:
    """Numbers in 64 bytes: products are faster if the columns are a multiple of this."""
    return int(64 // factor.dtype.itemsize)


def _padded(engine: Engine, factor: Array, more: int) -> Array:
    """A copy with further topics of zeros, which the updates do not change."""
    zeros = engine.xp.zeros((factor.shape[0], more), dtype=factor.dtype)
    return engine.xp.concatenate([factor, zeros], axis=1)


class _Solver:
    """The factors, with the small matrix products that both kinds of steps need."""

    def __init__(
        self,
        documents: Sequence[Documents],
        shared: Array,
        own: list[Array],
        coefficients: list[Array],
        penalties: Penalties,
        engine: Engine,
    ) -> None:
        self.documents, self.engine = documents, engine
        self.shared, self.own, self.coefficients = shared, own, coefficients
        self._penalties = penalties
        self._norms = [block.squared_norm() for block in documents]
        self._weights = [1 / norm if norm > 0 else 0.0 for norm in self._norms]  # lambda_d
        self._n_shared = shared.shape[1]
        # V'V of the documents and U'U of the terms, of every domain.
        self._document_grams = [engine.gram(V, V) for V in coefficients]
        self._topic_grams = [engine.gram(U, U) for U in map(self._topics, range(len(documents)))]

    def products(self) -> list[Array]:
        """``X_d [U_0 U_d]`` of every domain."""
        return [block.times(self._topics(d)) for d, block in enumerate(self.documents)]

    def word_steps(self) -> None:
        """``U_0``, then every ``U_d`` (eq. 7, 8, 9)."""
        k, step = self._n_shared, self.engine.quotient_step
        # One product serves both parts of [U_0 U_d].
        products = [
            block.transposed_times(V)
            for block, V in zip(self.documents, self.coefficients, strict=True)
        ]
        grams = [
            weight * gram for weight, gram in zip(self._weights, self._document_grams, strict=True)
        ]
        overlaps = [
            gram[k:, :k] + self._overlap(alpha, U, self.shared)
            for gram, alpha, U in zip(grams, self._penalties.shared, self.own, strict=True)
        ]
        step(
            self.shared,
            [(Q[:, :k], weight) for Q, weight in zip(products, self._weights, strict=True)],
            [
                (self.shared, np.sum([gram[:k, :k] for gram in grams], axis=0)),
                *zip(self.own, overlaps, strict=True),
            ],
        )
        for d, U in enumerate(self.own):
            alpha, gamma = self._penalties.shared[d], self._penalties.between
            overlap = grams[d][:k, k:] + self._overlap(alpha, self.shared, U)
            others = [other for e, other in enumerate(self.own) if e != d and gamma > 0]
            step(
                U,
                [(products[d][:, k:], self._weights[d])],
                [
                    (U, grams[d][k:, k:]),
                    (self.shared, overlap),
                    *((other, self._overlap(gamma, other, U)) for other in others),
                ],
            )

    def document_steps(self) -> list[Array]:
        """Every ``V_d`` (eq. 10); returns ``X_d [U_0 U_d]``."""
        all_products = []
        for d, V in enumerate(self.coefficients):
            topics = self._topics(d)
            products = self.documents[d].times(topics)
            self._topic_grams[d] = self.engine.gram(topics, topics)
            self.engine.quotient_step(V, [(products, 1.0)], [(V, self._topic_grams[d])])
            self._document_grams[d] = self.engine.gram(V, V)
            all_products.append(products)
        return all_products

    def objective(self, products: Sequence[Array]) -> float:
        """The objective at the current factors, given ``X_d [U_0 U_d]``."""
        k, total = self._n_shared, 0.0
        for d, V in enumerate(self.coefficients):
            topic_gram = self._topic_grams[d].astype(np.float64)
            overlap = self._dot(V, products[d])
            size = (self._document_grams[d].astype(np.float64) * topic_gram).sum()
            total += self._weights[d] * (self._norms[d] - 2 * overlap + float(size))
            total += self._penalties.shared[d] * float((topic_gram[:k, k:] ** 2).sum())
            for other in self.own[:d] if self._penalties.between > 0 else ():
                common = self.engine.gram(other, self.own[d]).astype(np.float64)
                total += self._penalties.between * float((common**2).sum())
        return total

    def _topics(self, d: int) -> Array:
        return self.engine.xp.concatenate([self.shared, self.own[d]], axis=1)

    def _dot(self, left: Array, right: Array) -> float:
        """``sum(left * right)``, in float64."""
        total = self.engine.xp.zeros(())
        # In blocks of rows, because the values of a block in float64 are a copy.
        for start in range(0, len(left), _ROWS):
            rows = slice(start, start + _ROWS)
            total += (left[rows].astype(np.float64) * right[rows]).sum()
        return float(total)

    def _overlap(self, penalty: float, left: Array, right: Array) -> Any:
        return penalty * self.engine.gram(left, right) if penalty > 0 else 0.0


def fold_in_coefficients(
    documents: Documents, topics: Array, engine: Engine, *, n_steps: int = 100
) -> Array:
    """``V`` of new documents with fixed topics: the document step only.

    The number of steps is fixed, so that the result of a document does not depend on the others.
    """
    products = documents.times(topics)
    gram = engine.gram(topics, topics)
    coefficients = engine.own_copy(products)
    for _ in range(n_steps):
        engine.quotient_step(coefficients, [(products, 1.0)], [(coefficients, gram)])
    return coefficients
