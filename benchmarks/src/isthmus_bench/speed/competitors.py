"""The implementations that are compared: one call is one iteration and returns its seconds."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.kernels.dispatch import COMPILE_SETTING
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Progress, Stopping
from isthmus.solvers.pivots.pjnmf import Penalties, first_coefficients, pjnmf, random_factors
from isthmus.solvers.tri_factorization._base import DomainFactors, factorize
from isthmus.solvers.tri_factorization.plsa import plsa, random_topics
from isthmus_bench.speed.corpus import SpeedCorpus

__all__ = [
    "Factors", "Iteration", "compiling", "isthmus_mtrick", "isthmus_pjnmf", "isthmus_plsa",
    "paper_iteration", "paper_mtrick", "pjnmf_ranks", "sklearn_nmf",
]  # fmt: skip

Iteration = Callable[[], float]
_BETA = 1.5
_N_CLASSES = 2
# Iterations per call; the first one is not timed.
_AT_ONCE = 5


class Factors:
    """Random initial factors of MTrick for a corpus."""

    def __init__(self, corpus: SpeedCorpus, n_clusters: int, dtype: Any) -> None:
        generator = np.random.default_rng(0)
        n_rows, n_terms = corpus.X.shape
        X = sparse.csr_array(corpus.X, dtype=dtype, copy=True)
        X.data /= corpus.X.data.sum(dtype=np.float64)
        self.source, self.target = X[: corpus.n_source], X[corpus.n_source :]
        self.F = _normalized(generator.random((n_terms, n_clusters)) + 0.1).astype(dtype)
        self.S = _normalized(generator.random((n_clusters, _N_CLASSES)) + 1).astype(dtype)
        self.Gs = np.eye(_N_CLASSES, dtype=dtype)[corpus.labels[: corpus.n_source]]
        guesses = generator.random((n_rows - corpus.n_source, _N_CLASSES)) + 0.1
        self.Gt = _normalized(guesses).astype(dtype)

    def domains(self) -> list[DomainFactors]:
        hard = np.ones(self.source.shape[0], np.bool_)
        return [
            DomainFactors(as_documents(self.source), self.F, self.Gs, fixed=hard),
            DomainFactors(as_documents(self.target), self.F, self.Gt, weight=_BETA, is_target=True),
        ]


def _normalized(factor: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(factor / factor.sum(axis=1, keepdims=True))


def isthmus_mtrick(factors: Factors, compiled: str = "always") -> Iteration:
    """MTrick of this package; with ``compiled="never"`` its NumPy and SciPy form."""
    domains = factors.domains()

    def fit(callback: Callable[[Progress], None]) -> None:
        stopping = Stopping(_AT_ONCE + 1, 0.0)
        factorize(domains, factors.S, engine=HostEngine(), stopping=stopping, callback=callback)

    return _timed(fit, compiled)


def paper_mtrick(factors: Factors) -> Iteration:
    """The paper's formulas in NumPy and SciPy, from left to right.

    Where that order would form a matrix of documents by words, the small products come first.
    """
    state = [factors.F, factors.F, factors.Gs, factors.Gt, factors.S]

    def fit(callback: Callable[[Any], None]) -> None:
        callback(None)
        for _ in range(3):
            state[:] = paper_iteration(factors.source, factors.target, *state)
            callback(None)

    return _timed(fit, "always")


def paper_iteration(
    Xs: Any, Xt: Any, Fs: Any, Ft: Any, Gs: Any, Gt: Any, S: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """One iteration of Algorithm 1 (Zhuang et al. 2010), documents as rows."""
    tiny = np.finfo(S.dtype).tiny

    def normalized(factor: Any) -> Any:
        return factor / np.maximum(factor.sum(axis=1, keepdims=True), tiny)

    def words(X: Any, F: Any, G: Any) -> Any:
        return normalized(F * np.sqrt((X.T @ (G @ S.T)) / (F @ (S @ G.T @ G @ S.T) + tiny)))

    def documents(X: Any, F: Any, G: Any) -> Any:
        return normalized(G * np.sqrt((X @ F @ S) / (G @ (S.T @ F.T @ F @ S) + tiny)))

    Fs, Ft = words(Xs, Fs, Gs), words(Xt, Ft, Gt)
    Gs, Gt = documents(Xs, Fs, Gs), documents(Xt, Ft, Gt)
    numerator = Fs.T @ (Xs.T @ Gs) + _BETA * (Ft.T @ (Xt.T @ Gt))
    denominator = Fs.T @ Fs @ S @ Gs.T @ Gs + _BETA * (Ft.T @ Ft @ S @ Gt.T @ Gt)
    return Fs, Ft, Gs, Gt, S * np.sqrt(numerator / denominator)


def isthmus_plsa(corpus: SpeedCorpus, n_topics: int, dtype: Any) -> Iteration:
    """PLSA of all documents, with its log-likelihood at every step."""
    documents = [as_documents(corpus.X.astype(dtype))]
    start = random_topics(corpus.X.shape[1], n_topics, np.random.default_rng(0), dtype)

    def fit(callback: Callable[[Progress], None]) -> None:
        stopping = Stopping(_AT_ONCE + 2, 0.0)
        plsa(documents, start, engine=HostEngine(), stopping=stopping, callback=callback)

    return _timed(fit, "always")


def pjnmf_ranks(total: int) -> tuple[int, int]:
    """Shared topics, and topics of each of the two domains, of a total rank."""
    of_domain = max(1, total // 10)
    return total - 2 * of_domain, of_domain


def isthmus_pjnmf(corpus: SpeedCorpus, total: int, dtype: Any) -> Iteration:
    """PJNMF of source and target, with its objective at every step."""
    X, engine = corpus.X.astype(dtype), HostEngine()
    blocks = [as_documents(X[: corpus.n_source]), as_documents(X[corpus.n_source :])]
    shared, own = random_factors(blocks, *pjnmf_ranks(total), np.random.default_rng(0))
    start = [
        first_coefficients(block, np.hstack([shared, factor]), engine)
        for block, factor in zip(blocks, own, strict=True)
    ]

    def fit(callback: Callable[[Progress], None]) -> None:
        penalties, stopping = Penalties([0.0, 0.0], 0.0), Stopping(_AT_ONCE + 1, 0.0)
        pjnmf(blocks, shared, own, start, penalties=penalties, engine=engine, stopping=stopping,
              callback=callback)  # fmt: skip

    return _timed(fit, "always")


def sklearn_nmf(corpora: list[SpeedCorpus], rank: int, dtype: Any, loss: str) -> Iteration:
    """scikit-learn's multiplicative updates of one or more corpora, without the setup of a fit."""
    from sklearn.decomposition import NMF

    matrices = [corpus.X.astype(dtype) for corpus in corpora]

    def seconds(n_iter: int) -> float:
        settings = {"init": "random", "solver": "mu", "beta_loss": loss, "random_state": 0}
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for X in matrices:
                NMF(rank, max_iter=n_iter, tol=0, **settings).fit(X)
        return time.perf_counter() - begin

    def iterate() -> float:
        one = seconds(1)
        return max(1e-9, (seconds(1 + _AT_ONCE) - one) / _AT_ONCE)

    return iterate


def _timed(fit: Callable[[Callable[[Any], None]], None], compiled: str) -> Iteration:
    """The median seconds between the calls of the callback of a fit."""

    def iterate() -> float:
        times: list[float] = []
        with compiling(compiled):
            fit(lambda _: times.append(time.perf_counter()))
        return float(np.median(np.diff(times)))

    return iterate


@contextmanager
def compiling(setting: str) -> Iterator[None]:
    before = os.environ.get(COMPILE_SETTING)
    os.environ[COMPILE_SETTING] = setting
    try:
        yield
    finally:
        if before is None:
            del os.environ[COMPILE_SETTING]
        else:
            os.environ[COMPILE_SETTING] = before
