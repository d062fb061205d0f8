"""Eigenvectors of CDSC by several solvers: ARPACK (used by the package), LOBPCG, PRIMME, LAPACK.

Run ``python benchmarks/studies/eigensolvers.py``. All solvers run on one thread and take turns, to
the same tolerance; the dense solver forms the matrix of cosines. The preconditioner inverts the
diagonal and the must-links. PRIMME is measured where it is installed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, lobpcg

from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.affinity import CosineAffinity
from isthmus.numerics.eigen import start_vector
from isthmus.solvers.spectral.cdsc import System, cdsc, cdsc_system
from isthmus_bench.report.blocks import table
from isthmus_bench.speed.competitors import Iteration
from isthmus_bench.speed.corpus import SpeedCorpus, make_documents, weighted
from isthmus_bench.speed.measuring import in_turn

_COUNTS = (1_000, 10_000)
_EIGENVECTORS = (6, 30)
# The default weight of must-links, and the paper's beta of 15 on 1,000 documents in the same unit.
_BETAS = {"beta 0.01": 0.01, "beta 150 (the paper's 15)": 150.0}
_LAMBDA = 0.025
_TOLERANCE = 1e-4
_ROUNDS = 3


def main() -> None:
    for count in _COUNTS:
        corpus = weighted(make_documents(count, 50_000, 100, "float64"))
        rows = []
        for k in _EIGENVECTORS:
            by_beta = [
                in_turn(_solvers(corpus, beta, k, dense=count == _COUNTS[0]), _ROUNDS, print)
                for beta in _BETAS.values()
            ]
            arpack = [median(seconds["isthmus (ARPACK)"]) for seconds in by_beta]
            for name in by_beta[0]:
                medians = [median(seconds[name]) for seconds in by_beta]
                ratios = [f"{m / a:.1f}" for m, a in zip(medians, arpack, strict=True)]
                rows.append([name, str(k), *(f"{1e3 * m:.0f}" for m in medians), *ratios])
        units = [f"{unit}, {name}" for unit in ("ms", "x ARPACK") for name in _BETAS]
        print(f"\n## Eigenvectors of CDSC, {count:,} documents, float64\n")
        print(table(["solver", "eigenvectors", *units], rows))


def _solvers(corpus: SpeedCorpus, beta: float, k: int, *, dense: bool) -> dict[str, Iteration]:
    half = corpus.n_source
    blocks = [as_documents(corpus.X, slice(0, half)), as_documents(corpus.X, slice(half, None))]
    affinity = CosineAffinity.of(blocks)
    start = start_vector(affinity.blocks)

    def system() -> System:
        return cdsc_system(
            affinity, corpus.y, [False, True], beta=beta, lam=_LAMBDA, relative_beta=True
        )

    solvers: dict[str, Iteration] = {
        "isthmus (ARPACK)": _timed(lambda: cdsc(system(), k, start, tol=_TOLERANCE)),
        "LOBPCG": _timed(lambda: _lobpcg(system(), affinity, k, None)),
        "LOBPCG, preconditioned": _timed(lambda: _lobpcg(system(), affinity, k, inverse_links)),
    }
    if find_spec("primme") is not None:
        solvers["PRIMME, preconditioned"] = _timed(lambda: _primme(system(), affinity, k))
    if dense:
        solvers["dense, LAPACK"] = _timed(lambda: dense_eigenvectors(corpus, beta, k))
    return solvers


def _timed(run: Callable[[], Any]) -> Iteration:
    def iterate() -> float:
        with one_thread():  # one thread for all solvers
            begin = time.perf_counter()
            run()
            return time.perf_counter() - begin

    return iterate


def _lobpcg(system: System, affinity: CosineAffinity, k: int, inverse: Any) -> Any:
    by_term = np.random.default_rng(0).standard_normal((affinity.blocks[0].shape[1], k))
    start = np.concatenate([block.times(by_term) for block in affinity.blocks])
    precondition = None if inverse is None else (lambda columns: inverse(system, columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may not converge
        return lobpcg(
            lambda columns: 2 * columns - system.shifted(columns),
            start,
            M=precondition,
            largest=False,
            tol=_TOLERANCE,
            maxiter=200,
        )


def _primme(system: System, affinity: CosineAffinity, k: int) -> Any:
    import primme

    shape = (affinity.n_rows, affinity.n_rows)
    matrix, inverse = (
        LinearOperator(shape, matvec=product, matmat=product, dtype=float)
        for product in (
            lambda columns: 2 * columns - system.shifted(columns.reshape(shape[0], -1)),
            lambda columns: inverse_links(system, columns.reshape(shape[0], -1)),
        )
    )
    return primme.eigsh(matrix, k, which="SA", tol=_TOLERANCE, OPinv=inverse)


def inverse_links(system: System, columns: NDArray[Any]) -> NDArray[Any]:
    """The inverse of the matrix without its similarities, times columns.

    It is a diagonal plus a matrix of rank one per class (Sherman-Morrison formula).
    """
    product = columns / system.diagonal[:, None]
    scale = system.scale
    for rows, weight in zip(system.links.rows, system.links.weights, strict=True):
        r = scale[rows]
        diagonal = system.diagonal[rows] + weight * len(rows) * r**2
        plain = columns[rows] / diagonal[:, None]
        u = r / diagonal
        product[rows] = plain + np.outer(u, r @ plain) * weight / (1 - weight * (r @ u))
    return product


def dense_eigenvectors(corpus: SpeedCorpus, beta: float, k: int) -> NDArray[Any]:
    """The paper's formulas with the whole matrix, and LAPACK for the eigenvectors."""
    X, half = corpus.X, corpus.n_source
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    unit = X.multiply(1 / np.where(lengths > 0, lengths, 1)[:, None]).tocsr()
    W = (unit @ unit.T).toarray()
    degrees = W.sum(axis=1)
    T = np.diag(degrees) - W
    T[half:, half:] += _LAMBDA * (np.diag(W[half:, half:].sum(axis=1)) - W[half:, half:])
    for code in (0, 1):
        rows = np.flatnonzero(corpus.y == code)
        T[np.ix_(rows, rows)] -= beta * degrees.mean() / len(rows)
        T[rows, rows] += beta * degrees.mean()
    scale = 1 / np.sqrt(degrees)
    values: NDArray[Any] = eigh(T * scale[:, None] * scale, subset_by_index=[0, k - 1])[0]
    return values


if __name__ == "__main__":
    main()
