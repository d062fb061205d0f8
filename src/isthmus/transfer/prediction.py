"""The predictions of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.abstention import abstain

__all__ = ["Prediction"]


@dataclass(frozen=True)
class Prediction:
    """The predictions of a model for some texts.

    Attributes
    ----------
    labels : array of shape (n_texts,)
    probabilities : array of shape (n_texts, n_classes)
    source_only : array of shape (n_texts,)
        Labels of a classifier trained on the source alone.
    without_words : array of bool of shape (n_texts,)
        Texts without a word that the model knows, so that their label is meaningless.
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
        """The labels, with None for texts whose confidence is below ``min_confidence``.

        None as ``min_confidence`` keeps all labels.
        """
        return abstain(self.labels, self.probabilities, min_confidence)

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.labels)

    def part(self, start: int, stop: int) -> Prediction:
        """Return the predictions of some consecutive texts."""
        return Prediction(*(getattr(self, field.name)[start:stop] for field in fields(self)))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return the predictions of several lists of texts as one."""
        if len(parts) == 1:
            return parts[0]
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
