"""PJNMF: topics of pivots that all domains share beside topics of their own (Zhou et al. 2016).

Minimises, over nonnegative factors, rows being documents,

``sum_d lambda_d ||X_d - H_d U_0' - L_d U_d'||^2 + sum_d alpha_d ||U_0'U_d||^2
+ gamma sum_{d<e} ||U_d'U_e||^2``  with ``lambda_d = 1 / ||X_d||^2``  (eq. 3, 4),

for any number of domains; the paper has two, with ``alpha_s = alpha`` and ``alpha_t = beta``.
Equation 9 prints ``H_t`` where the derivation needs ``L_t``, which is what stands here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.progress import Callback, Monitor, Stopping

# The least start of a number: from zero it would never move.
_LEAST = 0.01


@dataclass(frozen=True)
class Penalties:
    """How much it costs that topics overlap."""

    shared: Sequence[float]
    """``alpha_d``: the shared topics with those of each domain."""
    between: float
    """``gamma``: those of two domains."""


@dataclass(frozen=True)
class JointTopics:
    """Factors and the curve of the objective."""

    shared: Array
    """``U_0``: a row a term."""
    own: list[Array]
    """``U_d``, one array a domain."""
    coefficients: list[Array]
    """``V_d = [H_d L_d]``: a row a document, shared topics first."""
    objective: list[float]
    n_iter: int
    converged: bool
    interrupted: bool


def random_factors(
    documents: Sequence[Documents],
    n_shared: int,
    n_domain_components: int,
    generator: np.random.Generator,
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Random ``U_0`` and ``U_d``, drawn term by term: the order of the documents plays no part."""
    n_terms, dtype = documents[0].shape[1], documents[0].dtype

    def drawn(n_topics: int) -> NDArray[Any]:
        return (generator.random((n_terms, n_topics)) + _LEAST).astype(dtype)

    return drawn(n_shared), [drawn(n_domain_components) for _ in documents]


def without_pivots(own: Sequence[NDArray[Any]], pivots: NDArray[np.intp]) -> list[NDArray[Any]]:
    """Topics of domains that leave the pivots to the shared ones: zeros of a start stay."""
    found = [factor.copy() for factor in own]
    for factor in found:
        factor[pivots] = 0
    return found


def first_coefficients(documents: Documents, topics: Array, engine: Engine) -> Array:
    """``X U`` scaled so that the reconstruction has the size of the documents."""
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
    """Fit the factors by multiplicative updates; zeros of the start stay zero.

    Every iteration reads the documents of a domain twice, each time with as many columns as it has
    topics.
    """
    widths = [factor.shape[1] for factor in own]
    spare = [-(shared.shape[1] + width) % _lanes(shared) for width in widths]
    solver = _Solver(
        documents,
        engine.own_copy(shared),
        [_wider(engine, factor, more) for factor, more in zip(own, spare, strict=True)],
        [_wider(engine, factor, more) for factor, more in zip(coefficients, spare, strict=True)],
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
        [V[:, : V.shape[1] - more] for V, more in zip(solver.coefficients, spare, strict=True)],
        monitor.objective,
        monitor.n_iter,
        monitor.converged,
        monitor.interrupted,
    )


def _lanes(factor: Array) -> int:
    """Numbers in 64 bytes: products with a multiple of so many columns are quicker by half."""
    return int(64 // factor.dtype.itemsize)


def _wider(engine: Engine, factor: Array, more: int) -> Array:
    """A copy with topics of zeros, which stay so and take no part, to fill up."""
    nothing = engine.xp.zeros((factor.shape[0], more), dtype=factor.dtype)
    return engine.xp.concatenate([factor, nothing], axis=1)


class _Solver:
    """The factors of an iteration, with the small products that both sides need."""

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
        # One product serves both sides of [U_0 U_d].
        used = [
            block.transposed_times(V)
            for block, V in zip(self.documents, self.coefficients, strict=True)
        ]
        grams = [
            weight * gram for weight, gram in zip(self._weights, self._document_grams, strict=True)
        ]
        leaks = [
            gram[k:, :k] + self._overlap(alpha, U, self.shared)
            for gram, alpha, U in zip(grams, self._penalties.shared, self.own, strict=True)
        ]
        step(
            self.shared,
            [(Q[:, :k], weight) for Q, weight in zip(used, self._weights, strict=True)],
            [
                (self.shared, sum(gram[:k, :k] for gram in grams)),
                *zip(self.own, leaks, strict=True),
            ],
        )
        for d, U in enumerate(self.own):
            alpha, gamma = self._penalties.shared[d], self._penalties.between
            leak = grams[d][:k, k:] + self._overlap(alpha, self.shared, U)
            others = [other for e, other in enumerate(self.own) if e != d and gamma > 0]
            step(
                U,
                [(used[d][:, k:], self._weights[d])],
                [
                    (U, grams[d][k:, k:]),
                    (self.shared, leak),
                    *((other, self._overlap(gamma, other, U)) for other in others),
                ],
            )

    def document_steps(self) -> list[Array]:
        """Every ``V_d`` (eq. 10); gives back ``X_d [U_0 U_d]``."""
        found = []
        for d, V in enumerate(self.coefficients):
            topics = self._topics(d)
            products = self.documents[d].times(topics)
            self._topic_grams[d] = self.engine.gram(topics, topics)
            self.engine.quotient_step(V, [(products, 1.0)], [(V, self._topic_grams[d])])
            self._document_grams[d] = self.engine.gram(V, V)
            found.append(products)
        return found

    def objective(self, products: Sequence[Array]) -> float:
        """The value at the factors as they are, given ``X_d [U_0 U_d]``."""
        k, total = self._n_shared, 0.0
        for d, V in enumerate(self.coefficients):
            topic_gram = self._topic_grams[d].astype(np.float64)
            overlap = np.einsum("ij,ij->", V, products[d], dtype=np.float64)
            size = (self._document_grams[d].astype(np.float64) * topic_gram).sum()
            total += self._weights[d] * (self._norms[d] - 2 * float(overlap) + float(size))
            total += self._penalties.shared[d] * float((topic_gram[:k, k:] ** 2).sum())
            for other in self.own[:d] if self._penalties.between > 0 else ():
                leak = self.engine.gram(other, self.own[d]).astype(np.float64)
                total += self._penalties.between * float((leak**2).sum())
        return total

    def _topics(self, d: int) -> Array:
        return self.engine.xp.concatenate([self.shared, self.own[d]], axis=1)

    def _overlap(self, penalty: float, left: Array, right: Array) -> Any:
        return penalty * self.engine.gram(left, right) if penalty > 0 else 0.0


def fold_in_coefficients(
    documents: Documents, topics: Array, engine: Engine, *, n_steps: int = 100
) -> Array:
    """``V`` of new documents under topics that stay: the document step alone.

    A fixed number of steps, so that a document's answer does not depend on its company.
    """
    products = documents.times(topics)
    gram = engine.gram(topics, topics)
    coefficients = engine.own_copy(products)
    for _ in range(n_steps):
        engine.quotient_step(coefficients, [(products, 1.0)], [(coefficients, gram)])
    return coefficients
