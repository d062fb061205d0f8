"""The weighting of the words: chosen, that of a preset's paper, or that of the vectorizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import isthmus
from isthmus import METHODS, BilingualVectorizer, MTrick, TextVectorizer, Transfer
from isthmus.text.weighting import WEIGHTINGS

BOOKS = ["good plot good", "bad plot", "good hero", "bad hero bad"] * 5
LABELS = ["pos", "neg", "pos", "neg"] * 5
KITCHEN = ["good lid", "bad lid", "good good motor", "bad motor"] * 5


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "log-tfidf"),
        ({"method": "mtrick"}, "log-tfidf"),
        ({"method": "mtrick", "preset": "paper"}, "tfidf"),
        ({"method": "mtrick", "preset": "paper", "weighting": "presence"}, "presence"),
        ({"method": "mtrick", "preset": "paper", "vectorizer": TextVectorizer()}, "log-tfidf"),
        ({"method": "pjnmf", "preset": "printed"}, "tfidf"),
        ({"method": "pjnmf", "preset": "paper"}, "log-tfidf"),
        ({"method": "kmm", "preset": "paper"}, "log-tfidf"),
        ({"method": MTrick.from_preset("paper")}, "log-tfidf"),
        ({"vectorizer": TextVectorizer(weighting="counts")}, "counts"),
        ({"vectorizer": TextVectorizer(weighting="counts"), "weighting": "tfidf"}, "tfidf"),
        ({"vectorizer": BilingualVectorizer("english", "german"), "weighting": "tfidf"}, "tfidf"),
    ],
)
def test_which_weighting(parameters: dict[str, Any], expected: str) -> None:
    assert Transfer(**parameters).prepare().vectorizer.weighting == expected


def test_vectorizer_of_the_caller_is_unchanged() -> None:
    vectorizer = TextVectorizer()
    model = Transfer("lg", vectorizer=vectorizer, weighting="counts", verdict=False)
    model.fit(BOOKS, LABELS, KITCHEN)
    assert (vectorizer.weighting, model.vectorizer_.weighting) == ("log-tfidf", "counts")


def test_unknown_weighting() -> None:
    with pytest.raises(ValueError, match=r"Unknown weighting 'bm25': use one of counts, tfidf"):
        Transfer("lg", weighting="bm25").check()


def test_vectorizers_of_others_have_their_own() -> None:
    model = Transfer("lg", vectorizer=CountVectorizer(), weighting="tfidf")
    with pytest.raises(ValueError, match="the vectorizer is a CountVectorizer: omit it"):
        model.check()


def test_a_saved_model_keeps_its_weighting(tmp_path: Path) -> None:
    model = Transfer("tsvm", preset="paper", verdict=False).fit(BOOKS, LABELS, KITCHEN)
    model.save(tmp_path / "m.isthmus")
    loaded = isthmus.load(tmp_path / "m.isthmus")
    assert loaded.vectorizer_.weighting == "tfidf"
    assert np.array_equal(loaded.predict_proba(KITCHEN), model.predict_proba(KITCHEN))
    # Fitted again, it has the same weighting.
    assert loaded.prepare().vectorizer.weighting == "tfidf"


def test_weightings_belong_to_presets() -> None:
    for method in METHODS.values():
        assert set(method.preset_weightings) <= set(method.presets), method.name
        assert set(method.preset_weightings.values()) <= set(WEIGHTINGS), method.name
    assert METHODS["dkt"].preset_weightings == {"paper": "tfidf"}
