"""A made corpus of counts with pools, and suites on it, small enough for tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from isthmus_bench.documents.corpora import Corpus, CorpusDocuments, DataHome
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.run import inputs

GROUPS = ["s.x", "s.y", "t.x", "t.y"]
SIZE = 10
"""Rows of each of the groups, which come in this order; then six rows of each pool."""
POOL_SIZE = 6
POOL_TERMS = 5
N_TERMS = 9

SUITE = """
name = "made"
title = "Made"
citation = "Nobody"
seeds = [0, 1]
dtype = "float64"
[text]
min_df = 1
[tasks]
kind = "listed"
corpus = "made"
[[sets]]
name = "a"
[[sets.problems]]
name = "s to t"
split = "evidence"
source = { x = ["s.x"], y = ["s.y"] }
target = { x = ["t.x"], y = ["t.y"] }
source_pool = ["s.pool"]
target_pool = ["t.pool"]
[[entries]]
id = "svm"
label = "SVM"
method = "svm"
weighting = "tfidf"
"""


def made_counts() -> np.ndarray:
    """Forty documents of four groups with nine terms, twelve of two pools with the first five.

    The first term is that of class x, the second that of y; no two rows are the same.
    """
    rng = np.random.default_rng(5)
    n_rows = len(GROUPS) * SIZE + 2 * POOL_SIZE
    counts = rng.poisson(1.0, (n_rows, N_TERMS)).astype(np.float32)
    # A number of its own in base 3 makes every row differ within the terms of the pools.
    counts[:, 2:5] = np.array([[n // 9 % 9, n // 3 % 3, n % 3] for n in range(n_rows)]) + 1
    for group in range(4):
        rows = slice(group * SIZE, (group + 1) * SIZE)
        counts[rows, :2] = [4, 0] if GROUPS[group].endswith("x") else [0, 4]
    counts[len(GROUPS) * SIZE :, POOL_TERMS:] = 0
    return counts


def made_corpus(counts: np.ndarray | None = None) -> Corpus:
    """The corpus of these counts."""
    names = [group for group in GROUPS for _ in range(SIZE)]
    names += [f"{side}.pool" for side in "st" for _ in range(POOL_SIZE)]
    matrix = sparse.csr_matrix(made_counts() if counts is None else counts)
    terms = tuple(f"term{number}" for number in range(N_TERMS))
    return Corpus(
        _reader(CorpusDocuments(names, counts=matrix, terms=terms)), pool_terms=POOL_TERMS
    )


def forget() -> None:
    """Have counts and problems made anew: another test may have changed the corpus."""
    for cache in (count_corpus, inputs._problem, inputs._vectors):
        cache.cache_clear()


def _reader(documents: CorpusDocuments) -> Callable[[DataHome, tuple[str, ...]], CorpusDocuments]:
    def read(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
        return documents

    return read
