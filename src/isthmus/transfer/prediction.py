"""The predictions of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import abstain

__all__ = ["Prediction"]


@dataclass(frozen=True)
class Prediction:
    """The predictions of a model for some texts.

    Attributes
    ----------
    labels : array of shape (n_texts,)
        The labels.
    probabilities : array of shape (n_texts, n_classes)
        Class memberships, in the order of ``Transfer.classes_``; rows sum to 1.
    source_only : array of shape (n_texts,)
        Labels of a classifier trained on the source alone.
    without_words : array of bool of shape (n_texts,)
        Texts without a word that the model knows, so that their label is meaningless.

    Examples
    --------
    Uncertain labels can be left out:

    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer(effort="fast")
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> prediction = model.label(["A sturdy kettle, quick and quiet.", "Hello?"])
    >>> prediction.labels_at(0.8).tolist(), prediction.without_words.tolist()
    (['positive', None], [False, True])
    """

    labels: NDArray[Any]
    probabilities: NDArray[Any]
    source_only: NDArray[Any]
    without_words: NDArray[np.bool_]

    @property
    def confidence(self) -> NDArray[Any]:
        """The largest probability of every text, which is that of its label."""
        return np.asarray(self.probabilities.max(axis=1))

    def labels_at(self, min_confidence: float | None) -> NDArray[Any]:
        """Return the labels of the texts that are certain enough.

        Parameters
        ----------
        min_confidence : float or None
            Least confidence, from 0 to 1. None keeps all labels.

        Returns
        -------
        array of shape (n_texts,)
            The labels, with None for texts whose confidence is lower.
        """
        return abstain(self.labels, self.probabilities, min_confidence)

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.labels)

    def part(self, start: int, stop: int) -> Prediction:
        """Return the predictions of some consecutive texts.

        :meta private:
        """
        return Prediction(*(getattr(self, field.name)[start:stop] for field in fields(self)))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return the predictions of several lists of texts as one.

        :meta private:
        """
        if len(parts) == 1:
            return parts[0]
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
