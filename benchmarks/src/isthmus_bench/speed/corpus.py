"""Generated documents with the word frequencies of real text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = [
    "SpeedCorpus", "draw_texts", "load_corpus", "make_documents", "make_texts", "save_corpus",
    "weighted", "write_texts",
]  # fmt: skip

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
    for terms in _draw_terms(labels, orders, frequency, n_words, generator):
        pointers = np.arange(0, terms.size + 1, n_words, dtype=np.int32)
        ones = np.ones(terms.size, dtype)
        block = sparse.csr_array((ones, terms.ravel(), pointers), shape=(len(terms), n_terms))
        block.sum_duplicates()
        blocks.append(block)
    return SpeedCorpus(sparse.vstack(blocks, format="csr"), labels)


def _draw_terms(
    labels: NDArray[np.int64],
    orders: NDArray[Any],
    frequency: NDArray[np.float64],
    n_words: int,
    generator: np.random.Generator,
) -> Iterator[NDArray[Any]]:
    """Yield the terms of some documents at a time, one row per document."""
    for start in range(0, len(labels), _BLOCK):
        classes = labels[start : start + _BLOCK]
        shape = (len(classes), n_words)
        ranks = np.searchsorted(frequency, generator.random(shape))
        of_class = generator.random(shape) < _CLASS_WORDS
        yield orders[np.where(of_class, 1 + classes[:, None], 0), ranks]


def weighted(corpus: SpeedCorpus) -> SpeedCorpus:
    """The same documents with log-tfidf weights, for methods based on cosines."""
    from isthmus.text.weighting import make_weighting

    X = make_weighting("log-tfidf").fit_transform(corpus.X)
    return SpeedCorpus(sparse.csr_array(X, dtype=corpus.X.dtype), corpus.labels)


def save_corpus(corpus: SpeedCorpus, path: Path) -> None:
    """Write a corpus to a .npz file, which is read much faster than the corpus is made."""
    X = corpus.X
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "labels": corpus.labels}
    np.savez(path, **arrays, shape=np.array(X.shape))


def load_corpus(path: Path) -> SpeedCorpus:
    """Read a corpus of :func:`save_corpus`."""
    with np.load(path) as arrays:
        matrix = tuple(arrays[name] for name in ("data", "indices", "indptr"))
        X = sparse.csr_array(matrix, shape=tuple(arrays["shape"].tolist()))
        return SpeedCorpus(X, arrays["labels"])


def make_texts(n_documents: int, n_terms: int, n_words: int) -> tuple[list[str], list[str]]:
    """Draw texts of ``n_words`` words in the same way; return them with their labels."""
    texts: list[str] = []
    labels: list[str] = []
    for block, block_labels in draw_texts(n_documents, n_terms, n_words):
        texts += block
        labels += block_labels
    return texts, labels


def draw_texts(
    n_documents: int, n_terms: int, n_words: int
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the texts of :func:`make_texts` and their labels in blocks.

    Words are random letters, frequent ones are shorter.
    """
    generator = np.random.default_rng(_SEED)
    words = np.array(_make_words(n_terms, generator), object)
    frequency = np.cumsum(1 / np.arange(1, n_terms + 1))
    frequency /= frequency[-1]
    orders = np.stack([np.arange(n_terms), *(generator.permutation(n_terms) for _ in range(2))])
    labels = generator.integers(0, 2, n_documents)
    names = np.array(["negative", "positive"], object)[labels]
    start = 0
    for terms in _draw_terms(labels, orders, frequency, n_words, generator):
        yield list(map(" ".join, words[terms])), names[start : start + len(terms)].tolist()
        start += len(terms)


def _make_words(n_words: int, generator: np.random.Generator) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < n_words:
        # Two letters for the most frequent words, about seven for the rarest of 50,000.
        length = 2 + int(np.log(len(words) + 2) / np.log(9)) + int(generator.integers(0, 2))
        letters = generator.integers(ord("a"), ord("z") + 1, length)
        words["".join(map(chr, letters))] = None
    return list(words)


def write_texts(path: Path, texts: list[str], labels: list[str]) -> None:
    """Write texts, which need no quotes, and their labels as CSV."""
    with path.open("w", encoding="ascii") as stream:
        stream.write("text,label\n")
        stream.writelines(f"{text},{label}\n" for text, label in zip(texts, labels, strict=True))
