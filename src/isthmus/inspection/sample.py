"""A sample of the documents of every domain, kept after a fit for reports and plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_TEXT_LENGTH", "DomainSample", "TextSample"]

#: Longer texts are cut.
MAX_TEXT_LENGTH = 2_000
# Between this number of texts and twice as many are kept of a larger domain.
_N_KEPT = 5_000


class TextSample:
    """Keeps some of the texts that pass by, evenly spread over all of them.

    All texts are kept at first. Whenever there are too many, every second one is dropped, and from
    then on only every second one is kept. So the memory is bounded for any number of texts, and
    the result needs no random numbers.
    """

    def __init__(self, n_kept: int = _N_KEPT) -> None:
        self.texts: list[str] = []
        self._n_kept = n_kept
        self._step = 1

    def watch(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield every text unchanged, and keep some of them."""
        for row, text in enumerate(texts):
            if row % self._step == 0:
                self._keep(text)
            yield text

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the kept texts among all texts."""
        return np.arange(len(self.texts)) * self._step

    def _keep(self, text: str) -> None:
        if len(self.texts) == 2 * self._n_kept:
            self.texts = self.texts[::2]
            self._step *= 2
        self.texts.append(text[:MAX_TEXT_LENGTH])


@dataclass(frozen=True)
class DomainSample:
    """Some documents of one domain, and how many there were."""

    name: str
    number: int
    """0 and above for a source, below 0 for a target."""
    n_documents: int
    """Number of all documents of the domain."""
    start: int
    """Position of the first document of the domain among the rows of all domains."""
    class_counts: NDArray[np.intp]
    """Number of documents with a given label, by class."""
    rows: NDArray[np.intp]
    """Positions of the kept documents among all documents of the domain."""
    texts: list[str]
    """Their texts; long ones are cut."""
    X: Any
    """Their rows, as the vectorizer counted them."""
    labels: NDArray[np.intp]
    """Their given labels as class numbers, -1 for documents without a label."""
    is_labelled: NDArray[np.bool_]
    """Which of all documents of the domain have a given label."""
    index: Any = None
    """The pandas index of all documents; None if the texts were no Series."""

    @property
    def is_target(self) -> bool:
        return self.number < 0
