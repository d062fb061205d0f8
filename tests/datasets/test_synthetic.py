"""The synthetic corpus: reproducible, hard without transfer, easy with transfer."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from isthmus.datasets import SyntheticCorpus, make_corpus
from isthmus.estimators.registry import find_method
from isthmus.text.weighting import make_weighting

KNOWN_HASH = "4d340871b6dbee7a56aeaecdb325ccc47b99758e22c200de27d3f27964e0fe8d"


def target_accuracy(corpus: SyntheticCorpus, method: str, **params: Any) -> float:
    n_source = len(corpus.source_texts)
    counts = CountVectorizer(stop_words="english", min_df=2).fit_transform(
        corpus.source_texts + corpus.target_texts
    )
    X = make_weighting("log-tfidf").fit_transform(counts.astype(np.float64))
    y = np.array(corpus.source_labels + [None] * len(corpus.target_texts), dtype=object)
    domain = np.where(np.arange(len(y)) < n_source, 0, -1)
    labels = find_method(method).build(**params).fit(X, y, sample_domain=domain).transduction_
    return float(np.mean(labels[n_source:].astype(str) == np.array(corpus.target_labels)))


def test_documents_of_a_seed() -> None:
    texts = make_corpus(20, 20, random_state=7)
    joined = "\n".join(texts.source_texts + texts.target_texts).encode()
    assert hashlib.sha256(joined).hexdigest() == KNOWN_HASH
    assert make_corpus(20, 20, random_state=8) != texts


def test_n_source_does_not_change_the_target() -> None:
    assert make_corpus(10, 20).target_texts == make_corpus(30, 20).target_texts


def test_classes_are_balanced() -> None:
    corpus = make_corpus(40, 20, classes=("positive", "negative", "question", "offer"))
    assert set(Counter(corpus.source_labels).values()) == {10}
    assert set(Counter(corpus.target_labels).values()) == {5}


@pytest.mark.parametrize(
    "classes",
    [
        ("positive", "negative"),
        ("positive", "negative", "question"),
        ("positive", "negative", "question", "offer"),
    ],
)
def test_transfer_is_better_than_source_only(classes: tuple[str, ...]) -> None:
    corpus = make_corpus(classes=classes)
    assert 0.55 <= target_accuracy(corpus, "lg") <= 0.75
    assert target_accuracy(corpus, "mtrick", random_state=0) >= 0.85


def test_accuracy_decreases_with_the_gap() -> None:
    accuracies = [target_accuracy(make_corpus(gap=gap), "lg") for gap in (0.0, 0.5, 1.0)]
    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[0] > 0.9
    assert accuracies[-1] < 0.65


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gap": 1.5}, "gap=1.5 must be between 0 and 1"),
        ({"gap": float("nan")}, "gap=nan"),
        ({"classes": ("positive",)}, "two or more different classes"),
        ({"classes": ("positive", "angry")}, "two or more of positive"),
        ({"classes": "positive"}, "unknown class"),
        ({"n_target": 1}, "must both be at least the number of classes"),
    ],
)
def test_bad_input(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_corpus(**params)
