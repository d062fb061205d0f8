"""The words with the largest weights for every class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.components.parameters import check_whole_number

#: For every class (or cluster) the top words by domain number.
Words = dict[Any, dict[int, list[Any]]]


def profile_word_weights(profile: NDArray[Any], term_totals: NDArray[Any]) -> NDArray[Any]:
    """Weight of every word (row) for every column of a nonnegative profile.

    The weight of a word is its total times the difference between its proportion of the column and
    the mean proportion over all words. It is large for words that are frequent and specific.
    """
    totals = profile.sum(axis=1, keepdims=True)
    proportions = np.divide(profile, totals, out=np.zeros_like(profile), where=totals > 0)
    weight = term_totals[:, None]
    mean = (weight * proportions).sum(axis=0) / max(float(weight.sum()), np.finfo(float).tiny)
    return np.asarray(weight * (proportions - mean))


def top_words_by_class(
    names: Any, labels: Sequence[Any], by_domain: Mapping[int, NDArray[Any]], n_words: int
) -> Words:
    """For every label and domain the names of the words with the largest positive weights."""
    check_whole_number("n_words", n_words, least=1)
    names = np.asarray(names)
    top: Words = {label: {} for label in labels}
    for number, weights in by_domain.items():
        if len(names) != len(weights):
            raise ValueError(
                f"feature_names has {len(names)} names, but {len(weights)} terms were fitted: pass "
                "one name per term."
            )
        for column, words in enumerate(top.values()):
            order = np.argsort(-weights[:, column], kind="stable")[:n_words]
            words[number] = names[order[weights[order, column] > 0]].tolist()
    return top
