"""The words that carry the classes from one domain to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.components.parameters import check_whole_number

#: For every class (or cluster) the strongest words by domain number.
Words = dict[Any, dict[int, list[Any]]]


def strengths(profile: NDArray[Any], use: NDArray[Any]) -> NDArray[Any]:
    """How much every word does for every column of a nonnegative profile.

    A word's strength is its use times the share of a column in its profile beyond what the column
    has of all words: a strong word is both frequent and the column's own.
    """
    totals = profile.sum(axis=1, keepdims=True)
    shares = np.divide(profile, totals, out=np.zeros_like(profile), where=totals > 0)
    weight = use[:, None]
    average = (weight * shares).sum(axis=0) / max(float(weight.sum()), np.finfo(float).tiny)
    return np.asarray(weight * (shares - average))


def top_words_by_class(
    names: Any, labels: Sequence[Any], by_domain: Mapping[int, NDArray[Any]], n_words: int
) -> Words:
    """For every label and domain the names of the words with the largest strength above 0."""
    check_whole_number("n_words", n_words, least=1)
    names = np.asarray(names)
    strongest: Words = {label: {} for label in labels}
    for number, strength in by_domain.items():
        if len(names) != len(strength):
            raise ValueError(
                f"feature_names has {len(names)} names but {len(strength)} terms were fitted."
            )
        for column, words in enumerate(strongest.values()):
            order = np.argsort(-strength[:, column], kind="stable")[:n_words]
            words[number] = names[order[strength[order, column] > 0]].tolist()
    return strongest
