"""Generated documents of two classes and two domains, made by all cores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.matrices.threads import run_all
from isthmus_bench.speed.corpus import SpeedCorpus, weighted

__all__ = ["MIXED", "PLAIN", "Mixture", "load_problem", "make_counts", "stored_problem"]

_BLOCK = 20_000
_SEED = 24
# 102 drawn words are about 100 different ones.
_WORDS = 102
# The probability of the word of rank r is proportional to 1 / (r + _OFFSET).
_OFFSET = 20.0
_ARRAYS = ("data", "indices", "indptr", "labels", "shape")


@dataclass(frozen=True)
class Mixture:
    """Parts of the words that follow an order of the vocabulary of their own.

    The order belongs to the domain, to the class in both domains, or to the class in the domain.
    All other words follow an order that all documents share.
    """

    domain: float
    of_class: float
    class_in_domain: float


PLAIN = Mixture(0.0, 0.0, 0.0)
"""All documents are alike: for the speed of single passes."""
MIXED = Mixture(0.3, 0.04, 0.05)
"""Labels can be learned from the other domain, but not without mistakes."""


def make_counts(n_documents: int, n_terms: int, mixture: Mixture) -> SpeedCorpus:
    """Draw the words of all documents; the first half is the source, the second the target.

    Words follow the law of Zipf and Mandelbrot. The result does not depend on the threads.
    """
    generator = np.random.default_rng(_SEED)
    labels = generator.integers(0, 2, n_documents)
    orders = np.stack([generator.permutation(n_terms) for _ in range(9)]).astype(np.int32)
    domains = (np.arange(n_documents) >= n_documents // 2).astype(np.int64)
    starts = range(0, n_documents, _BLOCK)
    seeds = np.random.SeedSequence(_SEED).spawn(len(starts))

    def draw(number: int) -> tuple[NDArray[Any], ...]:
        rows = slice(starts[number], starts[number] + _BLOCK)
        columns = _draw_columns(
            labels[rows], domains[rows], orders, mixture, np.random.default_rng(seeds[number])
        )
        return _count(columns)

    blocks = run_all(draw, range(len(starts)))
    data, indices, lengths = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    if pointers[-1] < 2**31:
        pointers = pointers.astype(np.int32)
    X = sparse.csr_array((n_documents, n_terms), dtype=np.float32)
    # The constructor would copy the indices if they and the pointers differ in type.
    X.data, X.indices, X.indptr = data, indices, pointers
    X.has_canonical_format = True
    return SpeedCorpus(X, labels)


def _draw_columns(
    labels: NDArray[np.int64],
    domains: NDArray[np.int64],
    orders: NDArray[np.int32],
    mixture: Mixture,
    generator: np.random.Generator,
) -> NDArray[np.int32]:
    """The terms of some documents, one row per document, sorted."""
    shape, n_terms = (len(labels), _WORDS), orders.shape[1]
    draws = generator.random(shape, np.float32)
    ratio = np.float32(np.log((n_terms + _OFFSET) / _OFFSET))
    ranks = (np.float32(_OFFSET) * np.expm1(ratio * draws)).astype(np.int32)
    np.minimum(ranks, n_terms - 1, out=ranks)
    kinds = generator.random(shape, np.float32)
    # Rows of `orders`: all documents, 2 domains, 2 classes, 4 classes in domains.
    chosen = np.zeros(shape, np.int32)
    limit = 0.0
    for share, row in (
        (mixture.domain, 1 + domains),
        (mixture.of_class, 3 + labels),
        (mixture.class_in_domain, 5 + 2 * domains + labels),
    ):
        inside = (kinds >= limit) & (kinds < limit + share)
        limit += share
        np.copyto(chosen, row.astype(np.int32)[:, None], where=inside)
    columns: NDArray[np.int32] = orders.ravel()[chosen * np.int32(n_terms) + ranks]
    columns.sort(axis=1)
    return columns


def _count(columns: NDArray[np.int32]) -> tuple[NDArray[Any], ...]:
    """Counts, columns and the number of entries per row of sorted columns."""
    is_new = np.ones(columns.shape, np.bool_)
    np.not_equal(columns[:, 1:], columns[:, :-1], out=is_new[:, 1:])
    places = np.flatnonzero(is_new)
    counts = np.diff(places, append=is_new.size).astype(np.float32)
    return counts, columns.ravel()[places], is_new.sum(axis=1)


def stored_problem(folder: Path, n_documents: int, n_terms: int) -> Path:
    """Return the folder of a problem with log-tfidf weights; it is made if it is not there."""
    path = folder / f"documents-{n_documents}-{n_terms}"
    if not (path / "shape.npy").exists():
        corpus = weighted(make_counts(n_documents, n_terms, MIXED))
        path.mkdir(parents=True, exist_ok=True)
        X = corpus.X
        # The shape is written last: its file tells that the others are complete.
        values = (X.data, X.indices, X.indptr, corpus.labels, np.array(X.shape))
        for name, value in zip(_ARRAYS, values, strict=True):
            np.save(path / f"{name}.npy", value)
    return path


def load_problem(path: Path, dtype: str) -> SpeedCorpus:
    """Read a problem into memory."""
    data, indices, pointers, labels, shape = (np.load(path / f"{name}.npy") for name in _ARRAYS)
    X = sparse.csr_array(tuple(shape.tolist()), dtype=dtype)
    X.data, X.indices, X.indptr = data.astype(dtype, copy=False), indices, pointers
    return SpeedCorpus(X, labels)
