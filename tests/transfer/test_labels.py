"""Labels that are probably misspelled or missing, and Series whose indexes differ."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from isthmus import Transfer
from isthmus.transfer.texts import warn_about_labels

TEXTS = ["good kettle", "bad kettle", "good pan", "bad pan"]
TARGET = ["good toaster kettle", "bad toaster pan"]


def test_labels_that_differ_in_case_or_spaces() -> None:
    with pytest.warns(UserWarning, match=r"'Pos' \(1\), 'pos' \(2\), 'pos ' \(1\)"):
        warn_about_labels(["pos", "pos", "Pos", "pos ", "neg", None])


def test_many_groups_are_counted() -> None:
    labels = [spelling for i in range(9) for spelling in (f"x{i}", f"X{i}")]
    with pytest.warns(UserWarning, match="and 4 more"):
        warn_about_labels(labels)


@pytest.mark.parametrize("label", ["NA", "nan", "None", "null", " n/a "])
def test_labels_that_look_like_missing_values(label: str) -> None:
    with pytest.warns(UserWarning, match=rf"{label!r} \(1\).*None"):
        warn_about_labels(["pos", "neg", label])


@pytest.mark.parametrize("labels", [["a", "b", None], [1, 2, 2], ["1", 1, True], []])
def test_usual_labels(labels: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_labels(labels)


def test_transfer_warns_and_keeps_the_labels() -> None:
    with pytest.warns(UserWarning, match="'Good' .* 'good'"):
        model = Transfer("lg", verdict=False).fit(TEXTS, ["good", "bad", "Good", "bad"], TARGET)
    assert model.classes_.tolist() == ["Good", "bad", "good"]


def test_transfer_warns_about_labels_of_the_target() -> None:
    with pytest.warns(UserWarning, match="'Good' .* 'good'"):
        Transfer("lg", verdict=False).fit(
            {"source": (TEXTS, ["good", "bad", "good", "bad"])},
            target_texts={"target": (TARGET, ["Good", None])},
        )


def test_series_with_different_indexes() -> None:
    pd = pytest.importorskip("pandas")
    texts = pd.Series(TEXTS, index=[3, 2, 1, 0])
    labels = pd.Series(["bad", "good", "bad", "good"])
    with pytest.raises(ValueError, match=r"'source' .* different indexes"):
        Transfer("lg").fit(texts, labels, TARGET)
    with pytest.raises(ValueError, match=r"'shop' .* different indexes"):
        Transfer("lg", verdict=False).fit(
            {"source": (list(texts), list(labels))},
            target_texts={"shop": (pd.Series(TARGET), pd.Series([None, "bad"], index=[5, 6]))},
        )


def test_series_with_the_same_index_and_other_sequences() -> None:
    pd = pytest.importorskip("pandas")
    texts = pd.Series(TEXTS, index=[3, 2, 1, 0])
    labels = pd.Series(["bad", "good", "bad", "good"])
    expected = (
        Transfer("lg", verdict=False).fit(TEXTS, ["good", "bad", "good", "bad"], TARGET).labels_
    )
    for given in (labels.loc[texts.index], ["good", "bad", "good", "bad"]):
        assert Transfer("lg").fit(texts, given, TARGET).labels_.tolist() == expected.tolist()
