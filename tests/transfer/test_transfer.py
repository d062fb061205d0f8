"""The front door."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)

from isthmus import METHODS, MTrick, TextVectorizer, Transfer
from isthmus.datasets import make_corpus

CORPUS = make_corpus(n_source=200, n_target=200)
CLASSIFIERS = [method.name for method in METHODS.values() if method.kind == "classifier"]


def fitted(method: Any = "mtrick", **parameters: Any) -> Transfer:
    model = Transfer(method, **parameters)
    return model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


def share_right(labels: Any) -> float:
    return float(np.mean(np.asarray(labels) == CORPUS.target_labels))


def test_labels_where_the_source_alone_fails() -> None:
    model = fitted()
    assert share_right(model.labels_) > 0.9
    assert share_right(model.source_only_labels_) < 0.8
    agreed = np.mean(model.labels_ == model.source_only_labels_)
    assert model.agreement_ == pytest.approx(agreed)
    assert model.probabilities_.shape == (200, 2)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-5)
    assert model.classes_.tolist() == ["negative", "positive"]
    assert not model.targets_["target"].without_words.any()


@pytest.mark.parametrize("method", CLASSIFIERS)
def test_new_texts_with_every_method(method: str) -> None:
    model = fitted(method)
    texts = CORPUS.target_texts[:50]
    labels, shares = model.predict(texts), model.predict_proba(texts)
    assert (model.classes_[shares.argmax(axis=1)] == labels).all()
    # scikit-learn's label spreading finds no way to this target, and leaves its documents alone.
    assert np.mean(labels == model.labels_[:50]) > 0.9 or method == "sklearn-label-spreading"
    said = model.label([*texts, "zzz qqq"])
    assert (said.labels[:50] == labels).all()
    np.testing.assert_array_equal(said.probabilities[:50], shares)
    assert said.without_words.tolist() == [False] * 50 + [True]
    assert model.score(CORPUS.target_texts, CORPUS.target_labels) == pytest.approx(
        share_right(model.predict(CORPUS.target_texts))
    )
    words = model.top_words(3)
    assert set(words) == {"negative", "positive"}
    assert all(len(found) == 3 for found in words["positive"].values())


def test_top_words_are_words_of_their_domain() -> None:
    words = fitted(vectorizer=TextVectorizer(stem=True)).top_words(5)
    source, target = " ".join(CORPUS.source_texts).lower(), " ".join(CORPUS.target_texts).lower()
    assert all(word in source for word in words["positive"]["source"])
    assert all(word in target for word in words["positive"]["target"])


def test_clusters() -> None:
    model = fitted(MTrick(init="plsa", n_word_clusters=5, max_iter=5, tol=0, random_state=0))
    assert list(model.top_cluster_words(2)) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="SourceLogistic has no word clusters"):
        fitted("lg").top_cluster_words()


@pytest.mark.parametrize(
    "kind", [list, tuple, pd.Series, np.array, lambda values: np.array(values, object), iter]
)
def test_kinds_of_texts(kind: Any) -> None:
    labels = CORPUS.source_labels if kind is iter else kind(CORPUS.source_labels)
    model = Transfer("lg").fit(kind(CORPUS.source_texts), labels, kind(CORPUS.target_texts))
    assert (model.labels_ == fitted("lg").labels_).all()


def test_named_domains() -> None:
    half = len(CORPUS.source_texts) // 2
    texts, labels = CORPUS.source_texts, CORPUS.source_labels
    model = Transfer().fit(
        {"early": (texts[:half], labels[:half]), "late": (texts[half:], labels[half:])},
        target_texts={"kitchen": CORPUS.target_texts[:150], "rest": CORPUS.target_texts[150:]},
    )
    assert model.domains_ == {"early": 0, "late": 1, "kitchen": -1, "rest": -2}
    assert set(model.labels_) == {"kitchen", "rest"}
    assert share_right([*model.labels_["kitchen"], *model.labels_["rest"]]) > 0.85
    assert set(model.top_words(2)["negative"]) == {"early", "late", "kitchen", "rest"}
    with pytest.raises(ValueError, match="Several targets were fitted: say which domain"):
        model.predict(["text"])
    assert len(model.predict(["a sturdy kettle"], domain="kitchen")) == 1
    assert len(model.predict(["a gripping plot"], domain="early")) == 1


def test_labels_known_in_the_target_are_kept() -> None:
    known = [*CORPUS.target_labels[:20], *[None] * 180]
    model = Transfer().fit(
        {"books": (CORPUS.source_texts, CORPUS.source_labels)},
        target_texts={"kitchen": (CORPUS.target_texts, known)},
    )
    assert model.labels_["kitchen"][:20].tolist() == known[:20]


def test_missing_labels_in_the_source_and_numbers_as_labels() -> None:
    labels: list[Any] = [{"negative": -1, "positive": 1}[label] for label in CORPUS.source_labels]
    labels[:10] = [None] * 10
    model = Transfer("lg").fit(CORPUS.source_texts, labels, CORPUS.target_texts)
    assert model.classes_.tolist() == [-1, 1]


def test_an_empty_text_gets_the_largest_class() -> None:
    texts = [*CORPUS.source_texts, *[CORPUS.source_texts[0]] * 9]
    labels = [*CORPUS.source_labels, *[CORPUS.source_labels[0]] * 9]
    model = Transfer().fit(texts, labels, [*CORPUS.target_texts, ""])
    assert model.labels_[-1] == CORPUS.source_labels[0]
    assert model.targets_["target"].without_words.tolist() == [False] * 200 + [True]


def test_parameters_and_clone() -> None:
    model = Transfer(MTrick(beta=2.0), vectorizer=TextVectorizer(min_df=5))
    twin = clone(model)
    assert twin.get_params()["method__beta"] == 2.0
    assert twin.set_params(vectorizer__min_df=7).vectorizer.min_df == 7
    assert Transfer("mtrick", preset="paper").check().make_estimator().init == "plsa"
    assert Transfer("mtrick", random_state=3).make_estimator().random_state == 3
    assert Transfer("lg", random_state=3).check()


def test_the_method_given_is_not_fitted_itself() -> None:
    method = MTrick(max_iter=3, tol=0)
    fitted(method)
    assert not hasattr(method, "classes_")


def test_a_vectorizer_of_scikit_learn() -> None:
    model = fitted(vectorizer=TfidfVectorizer(sublinear_tf=True, stop_words="english"))
    assert share_right(model.labels_) > 0.9
    assert model.top_words(2)["positive"]["target"]


def test_callback_is_told_and_may_stop() -> None:
    seen: list[int] = []

    def stop_at_three(progress: Any) -> bool:
        seen.append(progress.iteration)
        return progress.iteration == 3

    Transfer().fit(
        CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts, callback=stop_at_three
    )
    assert seen == [1, 2, 3]


GOOD = (["good kettle", "bad kettle"], ["a", "b"], ["good pan"])


@pytest.mark.parametrize(
    ("texts", "labels", "target", "message"),
    [
        ("good", ["a"], ["b"], "texts of 'source' are a str"),
        (GOOD[0], GOOD[1], "good pan", "texts of 'target' are a str"),
        (GOOD[0], GOOD[1], 5, "texts of 'target' are a int"),
        (GOOD[0], GOOD[1], None, "There is no target"),
        (GOOD[0], GOOD[1], [], "The domain 'target' has no text"),
        (GOOD[0], GOOD[1], iter([]), "The domain 'target' has no text"),
        (GOOD[0], None, GOOD[2], "The source has no labels"),
        (GOOD[0], ["a"], GOOD[2], "'source' has 2 texts but 1 labels"),
        (iter(GOOD[0]), ["a"], GOOD[2], "'source' has 2 texts but 1 labels"),
        (GOOD[0], [["a"], ["b"], ["c"]], GOOD[2], "2 texts but"),
        (GOOD[0], ["a", "a"], GOOD[2], r"one class only \('a'\)"),
        (GOOD[0], [None, None], GOOD[2], "no labelled row"),
        (["good", None], GOOD[1], GOOD[2], r"Text 1 of 'source' \(counted from 0\) is None"),
        (GOOD[0], GOOD[1], ["x", 3.5], r"Text 1 of 'target' .* is 3.5, a float"),
        ({"s": GOOD[:2]}, ["a"], GOOD[2], "labels in the pairs"),
        ({"s": GOOD[0]}, None, GOOD[2], r"The source 's' must be a pair"),
        ({}, None, GOOD[2], "no source"),
        ({"s": GOOD[:2]}, None, {}, "no target"),
        ({"s": GOOD[:2]}, None, {"s": GOOD[2]}, "Two domains have the name 's'"),
        ({"s": GOOD[:2]}, None, {"t": (GOOD[2], None, 5)}, "'t' must be .* tuple of length 3"),
        ({1: GOOD[:2]}, None, GOOD[2], "name of a domain is 1"),
    ],
)
def test_wrong_texts(texts: Any, labels: Any, target: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Transfer().fit(texts, labels, target)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "knn"}, "Unknown method 'knn'; methods are: mtrick"),
        ({"method": "plsa"}, "'plsa' is a transformer and gives no labels: choose among mtrick"),
        ({"method": 3}, "method=3 must be one of mtrick"),
        ({"method": MTrick(), "preset": "paper"}, "preset='paper' goes with the name"),
        ({"preset": "best"}, "MTrick has no preset 'best'; presets are: 'paper'"),
        ({"method": MTrick(beta=-1)}, "beta must be at least 0"),
        ({"vectorizer": TextVectorizer(min_df=15)}, r"min_df=15 drops them all"),
        ({"vectorizer": TextVectorizer(language="xx")}, "Unknown language 'xx'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Transfer(**parameters).fit(*GOOD)


def test_not_fitted_yet() -> None:
    for call in (
        lambda: Transfer().predict(["a"]),
        lambda: Transfer().top_words(),
        lambda: Transfer().save("m"),
    ):
        with pytest.raises(NotFittedError, match="call fit, or isthmus"):
            call()
    with pytest.raises(AttributeError, match="no attribute 'labels_'"):
        _ = Transfer().labels_


def test_unknown_domain() -> None:
    with pytest.raises(ValueError, match="There is no domain 'x': the fitted ones are 'source'"):
        fitted("lg").predict(["a"], domain="x")


def test_rows_without_a_label_are_not_scored() -> None:
    model = fitted("lg")
    half = [*CORPUS.target_labels[:100], *[None] * 100]
    assert model.score(CORPUS.target_texts, half) == pytest.approx(
        model.score(CORPUS.target_texts[:100], CORPUS.target_labels[:100])
    )
    with pytest.raises(ValueError, match="nothing to score"):
        model.score(CORPUS.target_texts, [None] * 200)
    with pytest.raises(ValueError, match="200 texts but 1 labels"):
        model.score(CORPUS.target_texts, ["positive"])
    with pytest.raises(ValueError, match="No documents"):
        model.predict([])


class DenseVectorizer(CountVectorizer):
    """A vectorizer that gives arrays."""

    def fit_transform(self, texts: Any, y: Any = None) -> Any:
        return super().fit_transform(texts).toarray().astype(float)

    def transform(self, texts: Any) -> Any:
        return super().transform(texts).toarray().astype(float)


@pytest.mark.parametrize(
    "vectorizer", [DenseVectorizer(), HashingVectorizer(n_features=512, alternate_sign=False)]
)
def test_other_vectorizers(vectorizer: Any) -> None:
    model = fitted("lg", vectorizer=vectorizer)
    assert len(model.predict(CORPUS.target_texts)) == 200
    assert len(model.top_words(3)["positive"]["target"]) == 3


def test_a_table_is_no_list_of_texts() -> None:
    frame = pd.DataFrame({"text": CORPUS.target_texts, "n": 1})
    with pytest.raises(ValueError, match=r"texts of 'target' are a table"):
        Transfer().fit(CORPUS.source_texts, CORPUS.source_labels, frame)
    with pytest.raises(ValueError, match=r"table .* list of texts"):
        fitted("lg").predict(frame)


def test_labels_from_a_generator() -> None:
    labels = (label for label in CORPUS.source_labels)
    model = Transfer("lg").fit(CORPUS.source_texts, labels, CORPUS.target_texts)
    assert (model.labels_ == fitted("lg").labels_).all()


def test_no_word_in_common() -> None:
    with pytest.raises(ValueError, match="'target' has no word in common with the sources"):
        Transfer().fit(CORPUS.source_texts, CORPUS.source_labels, ["qqq zzz"] * 2)


def test_phases_are_announced() -> None:
    phases: list[str] = []
    texts = (CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    Transfer().fit(*texts, announce=phases.append)
    assert [phase.split()[0] for phase in phases] == ["Counting", "Fitting", "Fitting"]


def test_load_is_also_found_on_the_class(tmp_path: Any) -> None:
    model = fitted("lg")
    model.save(tmp_path / "m")
    assert (
        Transfer.load(tmp_path / "m").predict(["a kettle"]) == model.predict(["a kettle"])
    ).all()


@pytest.mark.parametrize("method", ["pjnmf", "scl", "sfa"])
def test_pivots_of_ones_own_are_words(method: str) -> None:
    words = ["good", "excellent", "bad", "disappointing", "the"]
    names = TextVectorizer().fit(CORPUS.source_texts + CORPUS.target_texts).get_feature_names_out()
    known = [word for word in words if word in set(names)]
    assert len(known) > 1
    model = fitted(METHODS[method].build(pivots=known))
    fitted_names = model.vectorizer_.get_feature_names_out()
    assert [fitted_names[column] for column in model.estimator_.pivots_] == known
    assert model.estimator_.pivots == known  # still words, also in a model file
    with pytest.raises(ValueError, match="None of the 1 pivots given is a term"):
        fitted(METHODS[method].build(pivots=["nonsense"]))


def test_features_without_a_classifier_label_nothing() -> None:
    with pytest.raises(ValueError, match=r"SFA\(classifier=None\) makes features and no labels"):
        fitted(METHODS["sfa"].build(classifier=None))


def test_a_method_that_cannot_be_held_to_shares() -> None:
    with pytest.raises(ValueError, match="SpectralClassifier says of no document how likely"):
        Transfer("sc", class_prior="source").check()
