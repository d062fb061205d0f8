"""Spectral and subspace methods: growth with the documents, and ways to find eigenvectors."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, lobpcg

from isthmus.bench.speed.contestants import Iteration
from isthmus.bench.speed.corpus import Corpus, make_documents, weighted
from isthmus.bench.speed.memory import FitCost, measure_fit
from isthmus.bench.speed.tables import Sizes, Table
from isthmus.bench.speed.timing import in_turn
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.affinity import CosineAffinity
from isthmus.numerics.eigen import start_vector
from isthmus.solvers.spectral.cdsc import System, cdsc, cdsc_system

_COUNTS = (1_000, 10_000, 100_000)
_EIGENVECTORS = (6, 30)
# What a fit may grow by: twice the matrix and so many bytes a document and eigenvector.
_ALLOWED = (2, 200)
# The default's must-links, and the paper's beta of 15 on 1,000 documents in the same unit.
_BETAS = {"beta 0.01": 0.01, "beta 150 (the paper's 15)": 150.0}
_LAMBDA = 0.025
_TOLERANCE = 1e-4


def spectral_fits(sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """Whole fits of CDSC on growing problems, each in a process of its own."""
    table = Table(
        f"Whole fits of CDSC, float32, {sizes.terms:,} terms, {sizes.words} words a document",
        (
            *("documents", "eigenvectors", "non-zeros", "seconds", "ns a non-zero and eigenvector"),
            *("CSR, MB", "growth, MB", "x what is allowed"),
        ),
    )
    for count in sorted(
        {n for n in _COUNTS if n < sizes.largest} | {min(_COUNTS[-1], sizes.largest)}
    ):
        for k in _EIGENVECTORS:
            tell(f"fitting CDSC on {count:,} documents, {k} eigenvectors")
            settings = {"n_eigenvectors": k}
            cost = measure_fit("cdsc", settings, count, sizes.terms, sizes.words, weights=True)
            work = cost.nonzeros * k
            matrix, vector = _ALLOWED
            allowed = matrix * cost.matrix_bytes + vector * count * k
            table.rows.append(
                (
                    f"{count:,}",
                    str(k),
                    f"{cost.nonzeros:,}",
                    f"{cost.seconds:.2f}",
                    f"{1e9 * cost.seconds / work:.0f}",
                    f"{cost.matrix_bytes / 1e6:.1f}",
                    *_growth(cost, allowed),
                )
            )
    table.notes.append(
        f"Allowed are {_ALLOWED[0]} times the matrix and {_ALLOWED[1]} bytes a document and "
        "eigenvector. The documents have two classes, so that from the second eigenvector on there "
        "is noise alone, the hardest case for any search: its eigenvalues lie closer together the "
        "more documents there are."
    )
    return table


def subspace_fits(sizes: Sizes, tell: Callable[[str], None]) -> Table:
    """A whole fit of LSSTTC on as many documents as its growth is told for."""
    table = Table(
        f"Whole fits of LSSTTC, float32, {sizes.terms:,} terms, {sizes.words} words a document",
        (
            "documents",
            "non-zeros",
            "seconds",
            "of these to start",
            "CSR, MB",
            "growth, MB",
            "x CSR",
        ),
    )
    for count in sorted(
        {n for n in _COUNTS[1:] if n < sizes.largest} | {min(_COUNTS[-1], sizes.largest)}
    ):
        tell(f"fitting LSSTTC on {count:,} documents")
        settings = {"random_state": 0}
        cost = measure_fit("lssttc", settings, count, sizes.terms, sizes.words, weights=True)
        table.rows.append(
            (
                f"{count:,}",
                f"{cost.nonzeros:,}",
                f"{cost.seconds:.1f}",
                f"{cost.seconds_to_first_iteration:.1f}",
                f"{cost.matrix_bytes / 1e6:.0f}",
                *_growth(cost, cost.matrix_bytes),
            )
        )
    table.notes.append("The start is one truncated SVD and the first classifier.")
    return table


def _growth(cost: FitCost, unit: float) -> tuple[str, str]:
    if cost.growth is None:
        return ("not told by this system", "-")
    return (f"{cost.growth / 1e6:.0f}", f"{cost.growth / unit:.2f}")


def eigensolvers(sizes: Sizes, tell: Callable[[str], None]) -> Iterator[Table]:
    """The same eigenvectors by several ways, in turn: against the dense matrix, and among us."""
    for count in (_COUNTS[0], min(_COUNTS[1], sizes.largest)):
        corpus = weighted(make_documents(count, sizes.terms, sizes.words, "float64"))
        columns = ["way", "eigenvectors"]
        columns += [f"{unit}, {name}" for unit in ("ms", "x ours") for name in _BETAS]
        table = Table(f"Eigenvectors of CDSC, {count:,} documents, float64", tuple(columns))
        for k in _EIGENVECTORS:
            found = [
                in_turn(_ways(corpus, beta, k, dense=count == _COUNTS[0]), sizes.rounds, tell)
                for beta in _BETAS.values()
            ]
            ours = [seconds["isthmus (ARPACK)"].median for seconds in found]
            for way in found[0]:
                medians = [seconds[way].median for seconds in found]
                ratios = [f"{m / o:.1f}" for m, o in zip(medians, ours, strict=True)]
                table.rows.append((way, str(k), *(f"{1e3 * m:.0f}" for m in medians), *ratios))
        table.notes.append(
            f"To a tolerance of {_TOLERANCE}; the dense decomposition forms the cosines and takes "
            "the eigenvectors wanted alone. The preconditioner inverts the diagonal and the "
            "must-links, which is cheap. PRIMME is measured where it is installed."
        )
        yield table


def _ways(corpus: Corpus, beta: float, k: int, *, dense: bool) -> dict[str, Iteration]:
    half = corpus.n_source
    blocks = [as_documents(corpus.X, slice(0, half)), as_documents(corpus.X, slice(half, None))]
    affinity = CosineAffinity.of(blocks)
    start = start_vector(affinity.blocks)

    def system() -> System:
        return cdsc_system(
            affinity, corpus.y, [False, True], beta=beta, lam=_LAMBDA, relative_beta=True
        )

    ways: dict[str, Iteration] = {
        "isthmus (ARPACK)": _timed(lambda: cdsc(system(), k, start, tol=_TOLERANCE)),
        "LOBPCG": _timed(lambda: _lobpcg(system(), affinity, k, None)),
        "LOBPCG, preconditioned": _timed(lambda: _lobpcg(system(), affinity, k, inverse_links)),
    }
    if find_spec("primme") is not None:
        ways["PRIMME, preconditioned"] = _timed(lambda: _primme(system(), affinity, k))
    if dense:
        ways["dense, LAPACK"] = _timed(lambda: dense_eigenvectors(corpus, beta, k))
    return ways


def _timed(run: Callable[[], Any]) -> Iteration:
    def iterate() -> float:
        with one_thread():  # one thread for all, as LAPACK's own would be another contest
            begin = time.perf_counter()
            run()
            return time.perf_counter() - begin

    return iterate


def _lobpcg(system: System, affinity: CosineAffinity, k: int, inverse: Any) -> Any:
    by_term = np.random.default_rng(0).standard_normal((affinity.blocks[0].shape[1], k))
    start = np.concatenate([block.times(by_term) for block in affinity.blocks])
    precondition = None if inverse is None else (lambda columns: inverse(system, columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says when it has not converged; the time tells enough
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
    """The inverse of what is left of the matrix without its similarities, times columns.

    A diagonal and, for every class, a matrix of rank one: Sherman and Morrison's formula.
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


def dense_eigenvectors(corpus: Corpus, beta: float, k: int) -> NDArray[Any]:
    """The paper's formulas with the whole matrix, and LAPACK for the eigenvectors wanted."""
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
