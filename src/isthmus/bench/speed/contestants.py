"""The sides of the comparisons: one call is one iteration, and gives its seconds."""

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

from isthmus.bench.speed.corpus import Corpus
from isthmus.kernels.compile_setting import COMPILE_SETTING
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Progress, Stopping
from isthmus.solvers.tri_factorization._base import DomainFactors, factorize
from isthmus.solvers.tri_factorization.plsa import plsa, random_topics

Iteration = Callable[[], float]

_BETA = 1.5
_N_CLASSES = 2
# Iterations timed at a call; the first of a run is left out.
AT_ONCE = 5
_PRINTED_AT_ONCE = 3


class Factors:
    """Random starting factors of MTrick for a corpus."""

    def __init__(self, corpus: Corpus, n_clusters: int, dtype: Any) -> None:
        generator = np.random.default_rng(0)
        n_rows, n_terms = corpus.X.shape
        n_source = corpus.n_source
        total = corpus.X.data.sum(dtype=np.float64)
        X = sparse.csr_array(corpus.X, dtype=dtype, copy=True)
        X.data /= total
        self.source, self.target = X[:n_source], X[n_source:]
        self.F = _shares(generator.random((n_terms, n_clusters)) + 0.1).astype(dtype)
        self.S = _shares(generator.random((n_clusters, _N_CLASSES)) + 1).astype(dtype)
        self.Gs = np.eye(_N_CLASSES, dtype=dtype)[corpus.labels[:n_source]]
        guesses = generator.random((n_rows - n_source, _N_CLASSES)) + 0.1
        self.Gt = _shares(guesses).astype(dtype)

    def sides(self) -> list[DomainFactors]:
        hard = np.ones(self.source.shape[0], np.bool_)
        return [
            DomainFactors(as_documents(self.source), self.F, self.Gs, fixed=hard),
            DomainFactors(as_documents(self.target), self.F, self.Gt, weight=_BETA, is_target=True),
        ]


def _shares(factor: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(factor / factor.sum(axis=1, keepdims=True))


def mtrick_here(factors: Factors, setting: str = "always") -> Iteration:
    """MTrick as this package solves it; with ``never`` its plain NumPy and SciPy form."""
    sides = factors.sides()

    def iterate() -> float:
        ticks = Ticks()
        with compiling(setting):
            factorize(
                sides,
                factors.S,
                engine=HostEngine(),
                stopping=Stopping(AT_ONCE + 1, 0.0),
                callback=ticks,
            )
        return ticks.seconds

    return iterate


def mtrick_as_printed(factors: Factors) -> Iteration:
    """The paper's formulas in NumPy and SciPy, from left to right.

    Where that order would form a matrix with a row a document and a column a word, the small
    products come first; nobody could run it otherwise.
    """
    state = [factors.F, factors.F, factors.Gs, factors.Gt, factors.S]

    def iterate() -> float:
        ticks = Ticks()
        ticks.tick()
        for _ in range(_PRINTED_AT_ONCE):
            state[:] = paper_iteration(factors.source, factors.target, *state)
            ticks.tick()
        return ticks.seconds

    return iterate


def paper_iteration(
    Xs: Any, Xt: Any, Fs: Any, Ft: Any, Gs: Any, Gt: Any, S: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """One iteration of Algorithm 1 (Zhuang et al. 2010), documents as rows."""
    tiny = np.finfo(S.dtype).tiny

    def normalised(factor: Any) -> Any:
        return factor / np.maximum(factor.sum(axis=1, keepdims=True), tiny)

    def words(X: Any, F: Any, G: Any) -> Any:
        return normalised(F * np.sqrt((X.T @ (G @ S.T)) / (F @ (S @ G.T @ G @ S.T) + tiny)))

    def documents(X: Any, F: Any, G: Any) -> Any:
        return normalised(G * np.sqrt((X @ F @ S) / (G @ (S.T @ F.T @ F @ S) + tiny)))

    Fs, Ft = words(Xs, Fs, Gs), words(Xt, Ft, Gt)
    Gs, Gt = documents(Xs, Fs, Gs), documents(Xt, Ft, Gt)
    numerator = Fs.T @ (Xs.T @ Gs) + _BETA * (Ft.T @ (Xt.T @ Gt))
    denominator = Fs.T @ Fs @ S @ Gs.T @ Gs + _BETA * (Ft.T @ Ft @ S @ Gt.T @ Gt)
    return Fs, Ft, Gs, Gt, S * np.sqrt(numerator / denominator)


def plsa_here(corpus: Corpus, n_topics: int, dtype: Any) -> Iteration:
    """PLSA on all documents, with its log-likelihood at every step."""
    documents = as_documents(corpus.X.astype(dtype))
    start = random_topics(corpus.X.shape[1], n_topics, np.random.default_rng(0), dtype)

    def iterate() -> float:
        ticks = Ticks()
        with compiling("always"):
            plsa(
                [documents],
                start,
                engine=HostEngine(),
                stopping=Stopping(AT_ONCE + 2, 0.0),
                callback=ticks,
            )
        return ticks.seconds

    return iterate


def sklearn_nmf(corpus: Corpus, rank: int, dtype: Any, loss: str) -> Iteration:
    """scikit-learn's multiplicative updates of all documents; what a fit adds is taken off."""
    from sklearn.decomposition import NMF

    X = corpus.X.astype(dtype)

    def seconds(n_iter: int) -> float:
        model = NMF(
            rank, init="random", solver="mu", beta_loss=loss, max_iter=n_iter, tol=0, random_state=0
        )
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
        return time.perf_counter() - begin

    def iterate() -> float:
        one = seconds(1)
        return max(1e-9, (seconds(1 + AT_ONCE) - one) / AT_ONCE)

    return iterate


class Ticks:
    """A callback that keeps the time."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def tick(self) -> None:
        self._times.append(time.perf_counter())

    def __call__(self, progress: Progress) -> None:
        self.tick()

    @property
    def seconds(self) -> float:
        return float(np.median(np.diff(self._times)))


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
