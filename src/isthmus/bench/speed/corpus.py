"""Generated documents with the word frequencies of real text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["SpeedCorpus", "make_documents", "weighted"]

_BLOCK = 20_000
_CLASS_WORDS = 0.3
_SEED = 20101


@dataclass(frozen=True)
class SpeedCorpus:
    """Documents of two classes; the first half is the source, the second half the target."""

    X: sparse.csr_array
    labels: NDArray[np.int64]

    @property
    def n_source(self) -> int:
        return int(self.X.shape[0]) // 2

    @property
    def y(self) -> NDArray[np.int64]:
        """Labels with -1 for the target."""
        return np.where(self.sample_domain < 0, -1, self.labels)

    @property
    def sample_domain(self) -> NDArray[np.int64]:
        return np.where(np.arange(self.X.shape[0]) < self.n_source, 0, -1)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays of the matrix."""
        return int(self.X.data.nbytes + self.X.indices.nbytes + self.X.indptr.nbytes)

    def first(self, n_documents: int) -> SpeedCorpus:
        """The corpus of the first documents."""
        return SpeedCorpus(self.X[:n_documents], self.labels[:n_documents])


def make_documents(n_documents: int, n_terms: int, n_words: int, dtype: Any) -> SpeedCorpus:
    """Draw documents of ``n_words`` words each.

    Word frequencies follow Zipf's law, with frequent words anywhere in the vocabulary, as in an
    alphabetical one. A part of the words follows the class's own order of the vocabulary.
    """
    generator = np.random.default_rng(_SEED)
    frequency = np.cumsum(1 / np.arange(1, n_terms + 1))
    frequency /= frequency[-1]
    orders = np.stack([generator.permutation(n_terms) for _ in range(3)]).astype(np.int32)
    labels = generator.integers(0, 2, n_documents)
    blocks = []
    for start in range(0, n_documents, _BLOCK):
        classes = labels[start : start + _BLOCK]
        shape = (len(classes), n_words)
        ranks = np.searchsorted(frequency, generator.random(shape))
        of_class = generator.random(shape) < _CLASS_WORDS
        order = np.where(of_class, 1 + classes[:, None], 0)
        pointers = np.arange(0, len(classes) * n_words + 1, n_words, dtype=np.int32)
        terms = orders[order, ranks].ravel()
        ones = np.ones(len(terms), dtype)
        block = sparse.csr_array((ones, terms, pointers), shape=(len(classes), n_terms))
        block.sum_duplicates()
        blocks.append(block)
    return SpeedCorpus(sparse.vstack(blocks, format="csr"), labels)


def weighted(corpus: SpeedCorpus) -> SpeedCorpus:
    """The same documents with log-tfidf weights, for methods based on cosines."""
    from isthmus.text.weighting import make_weighting

    X = make_weighting("log-tfidf").fit_transform(corpus.X)
    return SpeedCorpus(sparse.csr_array(X, dtype=corpus.X.dtype), corpus.labels)
