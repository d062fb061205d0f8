"""The labels of a target as a pandas data frame."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isthmus import Transfer, load
from isthmus.datasets import make_corpus
from isthmus.transfer.target_report import TargetReport

CORPUS = make_corpus(n_source=120, n_target=100)
COLUMNS = ["label", "confidence", "source_only", "agrees", "disputed", "given", "without_words"]


def fit(texts: Any, method: Any = "lg", labels: Any = CORPUS.source_labels, **options: Any) -> Any:
    return Transfer(method, verdict=False, **options).fit(CORPUS.source_texts, labels, texts)


@cache
def automatic() -> Transfer:
    return fit([*CORPUS.target_texts, "zzz qqq"], None, effort="fast")


def test_columns_are_the_results() -> None:
    model = automatic()
    frame = model.to_frame()
    assert list(frame.columns) == COLUMNS
    assert isinstance(frame.index, pd.RangeIndex)
    assert len(frame) == 101
    prediction = model.targets_["target"]
    assert frame["label"].tolist() == model.labels_.tolist()
    assert frame["source_only"].tolist() == model.source_only_labels_.tolist()
    np.testing.assert_array_equal(frame["confidence"], prediction.confidence)
    assert frame["agrees"].mean() == pytest.approx(model.agreement_)
    assert frame["without_words"].tolist() == [False] * 100 + [True]
    assert not frame["given"].any()
    for name in ("agrees", "disputed", "given", "without_words"):
        assert frame[name].dtype == bool


def test_a_label_is_disputed_if_a_member_has_another_one() -> None:
    model = automatic()
    frame = model.to_frame()
    members = [member for member in model.estimator_.members_[1:] if not member.left_out]
    votes = np.array([member.memberships[120:221].argmax(axis=1) for member in members])
    labels = model.classes_[votes]
    expected = (labels != frame["label"].to_numpy()).any(axis=0) | ~frame["agrees"]
    assert frame["disputed"].tolist() == expected.tolist()
    # The report counts the same documents.
    labeled = TargetReport(model, "target").labeled_sample()
    np.testing.assert_array_equal(frame["disputed"], labeled.n_against > 0)
    assert 0 < frame["disputed"].sum() < 100
    assert (frame["disputed"] & frame["agrees"]).any()


def test_other_methods_have_no_members() -> None:
    frame = fit(CORPUS.target_texts, "mtrick").to_frame()
    assert (frame["disputed"] == ~frame["agrees"]).all()
    assert frame["disputed"].any()


@pytest.mark.parametrize(
    "index", [[f"doc {n}" for n in range(100)], pd.date_range("2020-01-01", periods=100), None]
)
def test_the_index_is_that_of_the_texts(index: Any) -> None:
    texts = pd.Series(CORPUS.target_texts, index=index)
    frame = fit(texts).to_frame()
    pd.testing.assert_index_equal(frame.index, texts.index)


def test_duplicate_index_values_stay() -> None:
    texts = pd.Series(CORPUS.target_texts, index=["same"] * 100)
    assert fit(texts).to_frame().index.tolist() == ["same"] * 100


def test_given_labels() -> None:
    known = [None] * 100
    known[3], known[50], known[99] = "negative", "positive", "positive"
    model = Transfer("lg", verdict=False).fit(
        {"books": (CORPUS.source_texts, CORPUS.source_labels)},
        target_texts={
            "first": CORPUS.target_texts[:20],
            "kitchen": (CORPUS.target_texts, known),
        },
    )
    with pytest.raises(ValueError, match="Several targets"):
        model.to_frame()
    frame = model.to_frame("kitchen")
    assert np.flatnonzero(frame["given"]).tolist() == [3, 50, 99]
    assert frame["label"][[3, 50, 99]].tolist() == ["negative", "positive", "positive"]
    assert not model.to_frame("first")["given"].any()


def test_given_labels_of_more_texts_than_the_sample_has(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = "isthmus.inspection.sample.TextSample.__init__.__defaults__"
    monkeypatch.setattr(sizes, (20, 10**6))
    known = [CORPUS.target_labels[row] if row % 7 == 1 else None for row in range(100)]
    model = Transfer("lg", verdict=False).fit(
        {"books": (CORPUS.source_texts, CORPUS.source_labels)},
        target_texts={"kitchen": (CORPUS.target_texts, known)},
    )
    assert len(model.report_sample_["kitchen"].rows) < 21
    frame = model.to_frame()
    assert np.flatnonzero(frame["given"]).tolist() == list(range(1, 100, 7))


@pytest.mark.parametrize(
    ("classes", "kind"), [((0, 1), "i"), ((1.0, 2.0), "f"), (("-1", "\ud800 1"), "O")]
)
def test_labels_keep_their_type(classes: Any, kind: str) -> None:
    labels = [classes[label == "positive"] for label in CORPUS.source_labels]
    frame = fit(CORPUS.target_texts, labels=labels).to_frame()
    for name in ("label", "source_only"):
        assert set(frame[name]) <= set(classes)
        assert frame[name].dtype.kind in kind
    if isinstance(classes[0], str):
        assert all(isinstance(label, str) for label in frame["label"])


def test_a_changed_frame_does_not_change_the_model() -> None:
    model = automatic()
    before = model.labels_.copy(), model.probabilities_.copy()
    frame = model.to_frame()
    frame.loc[:, "label"] = "negative"
    frame.loc[:, "given"] = True
    frame.loc[:, "without_words"] = True
    assert (model.labels_ == before[0]).all()
    assert not model.report_sample_["target"].is_labeled.any()
    assert not model.targets_["target"].without_words[0]


def test_a_loaded_model_has_no_texts(tmp_path: Any) -> None:
    automatic().save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"to_frame\(\) is about the fitted texts"):
        load(tmp_path / "model").to_frame()


def test_pandas_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = automatic()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas.*pip install pandas"):
        model.to_frame()
