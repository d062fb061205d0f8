"""The words that carry the classes from one domain to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def words_of_classes(
    names: NDArray[Any],
    classes: Sequence[Any],
    profiles: Mapping[int, NDArray[Any]],
    use: Mapping[int, NDArray[Any]],
    n_words: int,
) -> dict[Any, dict[int, list[Any]]]:
    """For every class and domain the words that are both frequent there and the class's own.

    ``profiles`` holds how strongly a word stands for every class, ``use`` its weight in the
    documents, each by domain number. A word's strength is its use times the share of a class in
    its profile beyond what the class has of all words.
    """
    strongest: dict[Any, dict[int, list[Any]]] = {label: {} for label in classes}
    for number, profile in profiles.items():
        weight = use[number][:, None]
        totals = profile.sum(axis=1, keepdims=True)
        shares = np.divide(profile, totals, out=np.zeros_like(profile), where=totals > 0)
        average = (weight * shares).sum(axis=0) / max(float(weight.sum()), np.finfo(float).tiny)
        strength = weight * (shares - average)
        for column, words in enumerate(strongest.values()):
            order = np.argsort(-strength[:, column], kind="stable")[:n_words]
            words[number] = names[order[strength[order, column] > 0]].tolist()
    return strongest
