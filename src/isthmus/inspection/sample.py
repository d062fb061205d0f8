"""A sample of the documents of every domain, kept after a fit for reports and plots."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DomainSample", "TextSample", "random_rows"]

# At most this many texts and characters are kept of a domain. Single texts are cut.
_MAX_TEXTS, _MAX_CHARACTERS, _MAX_TEXT_LENGTH = 10_000, 20_000_000, 20_000


class _KeptText(NamedTuple):
    row: int
    key: float
    text: str


class TextSample:
    """Keeps a random sample of the texts that pass by, in bounded memory.

    Every text gets a random key. Texts with a key below a limit are kept, and whenever they are too
    many, the limit is halved. The sample must be random: every n-th text of a file whose classes
    alternate would have one class only. The same texts give the same sample.

    Parameters
    ----------
    max_texts, max_characters : int
    seed : int
        Samples of parts that are joined later should have different seeds.
    """

    def __init__(
        self,
        max_texts: int = _MAX_TEXTS,
        max_characters: int = _MAX_CHARACTERS,
        *,
        seed: int = 0,
    ) -> None:
        self.n_texts = 0
        """Number of texts that have passed by."""
        self._kept: list[_KeptText] = []
        self._n_characters = 0
        self._max_texts, self._max_characters = max_texts, max_characters
        self._limit = 1.0
        self._random = random.Random(seed)

    @classmethod
    def of_part(cls, number: int, n_parts: int) -> TextSample:
        """Return the sample of one of several parts, of which all together are not much larger."""
        share = 4 / max(4, n_parts)
        return cls(int(share * _MAX_TEXTS) + 1, int(share * _MAX_CHARACTERS) + 1, seed=number)

    def observe(self, texts: list[str]) -> None:
        """Keep some of the next texts."""
        random_key = self._random.random
        for row, text in enumerate(texts, self.n_texts):
            key = random_key()
            if key < self._limit:
                self._keep(_KeptText(row, key, text[:_MAX_TEXT_LENGTH]))
        self.n_texts += len(texts)

    @property
    def texts(self) -> list[str]:
        """The kept texts, in their order."""
        return [kept.text for kept in self._kept]

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the kept texts among all texts, in ascending order."""
        return np.array([kept.row for kept in self._kept], np.intp)

    def add(self, other: TextSample, first_row: int) -> None:
        """Add the sample of later texts, of which the first one has the number ``first_row``."""
        # A sample of a part may have a lower limit, so both must have it.
        self._restrict(min(self._limit, other._limit))
        for kept in other._kept:
            if kept.key < self._limit:
                self._keep(kept._replace(row=first_row + kept.row))

    def _keep(self, kept: _KeptText) -> None:
        self._kept.append(kept)
        self._n_characters += len(kept.text)
        while len(self._kept) > 1 and (
            len(self._kept) > self._max_texts or self._n_characters > self._max_characters
        ):
            self._restrict(self._limit / 2)

    def _restrict(self, limit: float) -> None:
        if limit < self._limit:
            self._limit = limit
            self._kept = [kept for kept in self._kept if kept.key < limit]
            self._n_characters = sum(len(kept.text) for kept in self._kept)


def random_rows(rows: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """At most ``n`` of the rows, in their order; the same for the same number of rows."""
    if len(rows) <= n:
        return rows
    places = np.random.default_rng(0).choice(len(rows), n, replace=False)
    return rows[np.sort(places)]


@dataclass(frozen=True)
class DomainSample:
    """Some documents of one domain, and how many there were; see ``Transfer.report_sample_``.

    Attributes
    ----------
    name : str
        Name of the domain.
    number : int
        0 and above for a source, below 0 for a target.
    n_documents : int
        Number of all documents of the domain.
    start : int
        Position of the first document of the domain among the rows of all domains.
    class_counts : array of int of shape (n_classes,)
        Number of documents with a given label, by class.
    rows : array of int of shape (n_kept,)
        Positions of the kept documents among all documents of the domain.
    texts : list of str
        Their texts; long ones are cut.
    X : sparse matrix of shape (n_kept, n_terms)
        Their rows, as the vectorizer counted them.
    labels : array of int of shape (n_kept,)
        Their given labels as class numbers, -1 for documents without a label.
    is_labeled : array of bool of shape (n_documents,)
        Which of all documents of the domain have a given label.
    index : pandas.Index or None
        The pandas index of all documents; None if the texts were not a Series.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> sample = model.report_sample_["source"]
    >>> sample.n_documents, sample.class_counts.tolist(), sample.is_complete
    (100, [50, 50], True)
    """

    name: str
    number: int
    n_documents: int
    start: int
    class_counts: NDArray[np.intp]
    rows: NDArray[np.intp]
    texts: list[str]
    X: Any
    labels: NDArray[np.intp]
    is_labeled: NDArray[np.bool_]
    index: Any = None

    @property
    def is_target(self) -> bool:
        """Whether the domain is a target."""
        return self.number < 0

    @property
    def is_complete(self) -> bool:
        """Whether all documents of the domain were kept."""
        return len(self.rows) == self.n_documents

    def name_of(self, row: int) -> str:
        """Return how the caller calls a document.

        Parameters
        ----------
        row : int
            Position of the document in the domain, from 0.

        Returns
        -------
        str
            Its label in the pandas index, or its position.
        """
        return str(row if self.index is None else self.index[row])
