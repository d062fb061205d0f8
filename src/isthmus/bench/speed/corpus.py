"""Documents of any number, with the word frequencies of real text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Documents made at a time.
_BLOCK = 20_000
# How many of a document's words come from its class's own order of the vocabulary.
_OWN_WORDS = 0.3
_SEED = 20101


@dataclass(frozen=True)
class Corpus:
    """Half of the rows are the source, half the target; two classes."""

    X: sparse.csr_array
    labels: NDArray[np.int64]

    @property
    def n_source(self) -> int:
        return int(self.X.shape[0]) // 2

    @property
    def y(self) -> NDArray[np.int64]:
        """Labels with -1 for the target."""
        shown = self.labels.copy()
        shown[self.n_source :] = -1
        return shown

    @property
    def sample_domain(self) -> NDArray[np.int64]:
        return np.where(np.arange(self.X.shape[0]) < self.n_source, 0, -1)

    @property
    def nbytes(self) -> int:
        """Bytes of the three arrays."""
        return int(self.X.data.nbytes + self.X.indices.nbytes + self.X.indptr.nbytes)


def make_documents(n_documents: int, n_terms: int, n_words: int, dtype: Any) -> Corpus:
    """Draw documents of ``n_words`` words each.

    The frequency of a word falls with its rank (Zipf's law), and frequent words stand anywhere
    in the vocabulary, as in an alphabetical one. A word that comes twice is one entry.
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
        own = generator.random(shape) < _OWN_WORDS
        order = np.where(own, 1 + classes[:, None], 0)
        pointers = np.arange(0, len(classes) * n_words + 1, n_words, dtype=np.int32)
        ones = np.ones(len(classes) * n_words, dtype)
        terms = orders[order, ranks].ravel()
        block = sparse.csr_array((ones, terms, pointers), shape=(len(classes), n_terms))
        block.sum_duplicates()
        blocks.append(block)
    return Corpus(sparse.vstack(blocks, format="csr"), labels)


def first_documents(corpus: Corpus, n_documents: int) -> Corpus:
    """The same kind of corpus with fewer documents."""
    return Corpus(corpus.X[:n_documents], corpus.labels[:n_documents])


def weighted(corpus: Corpus) -> Corpus:
    """The same documents with the weights that methods on cosines are meant for."""
    from isthmus.text.weighting import make_weighting

    X = make_weighting("log-tfidf").fit_transform(corpus.X)
    return Corpus(sparse.csr_array(X, dtype=corpus.X.dtype), corpus.labels)
