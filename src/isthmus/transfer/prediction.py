"""The predictions of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
