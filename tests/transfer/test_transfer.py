"""Transfer: from texts to labels."""

from __future__ import annotations

from functools import cache
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

from isthmus import METHODS, Auto, MTrick, TextVectorizer, Transfer
from isthmus.datasets import make_corpus
from methods import least_accuracy

CORPUS = make_corpus(n_source=200, n_target=200)
CLASSIFIERS = [method for method in METHODS.values() if method.kind == "classifier"]


def fitted(method: Any = "mtrick", **parameters: Any) -> Transfer:
    model = Transfer(method, **parameters)
    return model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


@cache
def source_only() -> Transfer:
    """The quickest method, fitted; tests must not change it."""
    return fitted("lg")


def accuracy(labels: Any) -> float:
    return float(np.mean(np.asarray(labels) == CORPUS.target_labels))


@pytest.mark.parametrize("method", [None, "mtrick"])
def test_labels_where_the_source_alone_fails(method: str | None) -> None:
    model = fitted(method)
    assert accuracy(model.labels_) > 0.9
    assert accuracy(model.source_only_labels_) < 0.8
    agreed = np.mean(model.labels_ == model.source_only_labels_)
    assert model.agreement_ == pytest.approx(agreed)
    assert model.probabilities_.shape == (200, 2)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-5)
    assert model.classes_.tolist() == ["negative", "positive"]
    assert not model.targets_["target"].without_words.any()


@pytest.mark.ends_early
@pytest.mark.doubtful
@pytest.mark.parametrize("method", CLASSIFIERS, ids=lambda method: method.name)
def test_new_texts_with_every_method(method: Any) -> None:
    corpus = make_corpus(n_source=80, n_target=60)  # few documents, so that it is quick
    model = Transfer(method.name)
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    texts = corpus.target_texts[:30]
    labels, probabilities = model.predict(texts), model.predict_proba(texts)
    assert (model.classes_[probabilities.argmax(axis=1)] == labels).all()
    if least_accuracy(method) > 0:  # others leave documents of the target without a label
        assert np.mean(labels == model.labels_[:30]) > 0.9
    prediction = model.label([*texts, "zzz qqq"])
    assert (prediction.labels[:30] == labels).all()
    np.testing.assert_array_equal(prediction.probabilities[:30], probabilities)
    assert prediction.without_words.tolist() == [False] * 30 + [True]
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
    with pytest.raises(ValueError, match="no word clusters"):
        source_only().top_cluster_words()


@pytest.mark.parametrize(
    "kind", [list, tuple, pd.Series, np.array, lambda values: np.array(values, object), iter]
)
def test_kinds_of_texts(kind: Any) -> None:
    labels = CORPUS.source_labels if kind is iter else kind(CORPUS.source_labels)
    model = Transfer("lg").fit(kind(CORPUS.source_texts), labels, kind(CORPUS.target_texts))
    assert (model.labels_ == source_only().labels_).all()


def test_named_domains() -> None:
    half = len(CORPUS.source_texts) // 2
    texts, labels = CORPUS.source_texts, CORPUS.source_labels
    model = Transfer().fit(
        {"early": (texts[:half], labels[:half]), "late": (texts[half:], labels[half:])},
        target_texts={"kitchen": CORPUS.target_texts[:150], "rest": CORPUS.target_texts[150:]},
    )
    assert model.domains_ == {"early": 0, "late": 1, "kitchen": -1, "rest": -2}
    assert set(model.labels_) == {"kitchen", "rest"}
    assert accuracy([*model.labels_["kitchen"], *model.labels_["rest"]]) > 0.85
    assert set(model.top_words(2)["negative"]) == {"early", "late", "kitchen", "rest"}
    with pytest.raises(ValueError, match=r"[Ss]everal targets"):
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


def test_an_empty_text_gets_the_most_frequent_class() -> None:
    texts = [*CORPUS.source_texts, *[CORPUS.source_texts[0]] * 9]
    labels = [*CORPUS.source_labels, *[CORPUS.source_labels[0]] * 9]
    model = Transfer("mtrick").fit(texts, labels, [*CORPUS.target_texts, ""])
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
    assert accuracy(model.labels_) > 0.9
    assert model.top_words(2)["positive"]["target"]


def test_callback_sees_progress_and_may_stop() -> None:
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
    ("texts", "labels", "target", "words"),
    [
        ("good", ["a"], ["b"], "'source' .*str"),
        (GOOD[0], GOOD[1], "good pan", "'target' .*str"),
        (GOOD[0], GOOD[1], 5, "'target' .*int"),
        (GOOD[0], GOOD[1], None, "no target"),
        (GOOD[0], GOOD[1], [], "'target' has no text"),
        (GOOD[0], GOOD[1], iter([]), "'target' has no text"),
        (GOOD[0], None, GOOD[2], "no labels"),
        (GOOD[0], ["a"], GOOD[2], "2 texts but 1 label"),
        (iter(GOOD[0]), ["a"], GOOD[2], "2 texts but 1 label"),
        (GOOD[0], [["a"], ["b"], ["c"]], GOOD[2], "2 texts but"),
        (GOOD[0], ["a", "a"], GOOD[2], r"one class only \('a'\)"),
        (GOOD[0], [None, None], GOOD[2], "no labeled row"),
        (["good", None], GOOD[1], GOOD[2], r"1 of 'source'.*None"),
        (GOOD[0], GOOD[1], ["x", 3.5], r"1 of 'target'.*3.5"),
        ({"s": GOOD[:2]}, ["a"], GOOD[2], "pairs"),
        ({"s": GOOD[0]}, None, GOOD[2], "'s' must be a pair"),
        ({}, None, GOOD[2], "[Nn]o source"),
        ({"s": GOOD[:2]}, None, {}, "[Nn]o target"),
        ({"s": GOOD[:2]}, None, {"s": GOOD[2]}, "[Tt]wo domains .*'s'"),
        ({"s": GOOD[:2]}, None, {"t": (GOOD[2], None, 5)}, "'t' must be .*3"),
        ({1: GOOD[:2]}, None, GOOD[2], "name of a domain is 1"),
    ],
)
def test_wrong_texts(texts: Any, labels: Any, target: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Transfer().fit(texts, labels, target)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"method": "knn"}, "Unknown method 'knn'.*mtrick"),
        ({"method": "plsa"}, "'plsa' is a transformer.*mtrick"),
        ({"method": 3}, "method=3 .*mtrick"),
        ({"method": MTrick(), "preset": "paper"}, "preset='paper'"),
        ({"preset": "best"}, "Auto has no preset 'best'"),
        ({"method": "mtrick", "preset": "best"}, "no preset 'best'.*'paper'"),
        ({"effort": "quick"}, "effort must be one of 'fast', 'normal', 'thorough', got 'quick'"),
        ({"time_limit": 0}, "time_limit must be above 0"),
        ({"class_prior": "none"}, "class_prior='none' is not for the method 'auto', .* 'source'"),
        ({"method": Auto("fast"), "class_prior": "none"}, "always uses class proportions: use"),
        ({"method": "sfa", "effort": "fast"}, "effort='fast' is for the automatic .* SFA: omit"),
        ({"method": MTrick(), "time_limit": 2.5}, "time_limit=2.5 is for the automatic method"),
        ({"method": MTrick(beta=-1)}, "beta must be at least 0"),
        ({"vectorizer": TextVectorizer(min_df=15)}, "min_df=15"),
        ({"vectorizer": TextVectorizer(language="xx")}, "Unknown language 'xx'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Transfer(**parameters).fit(*GOOD)


def test_not_fitted_yet() -> None:
    for call in (
        lambda: Transfer().predict(["a"]),
        lambda: Transfer().top_words(),
        lambda: Transfer().save("m"),
    ):
        with pytest.raises(NotFittedError, match="not fitted"):
            call()
    with pytest.raises(AttributeError, match="no attribute 'labels_'"):
        _ = Transfer().labels_


def test_unknown_domain() -> None:
    with pytest.raises(ValueError, match=r"domain 'x'.*'source'"):
        source_only().predict(["a"], domain="x")


def test_rows_without_a_label_are_not_scored() -> None:
    model = source_only()
    half = [*CORPUS.target_labels[:100], *[None] * 100]
    assert model.score(CORPUS.target_texts, half) == pytest.approx(
        model.score(CORPUS.target_texts[:100], CORPUS.target_labels[:100])
    )
    with pytest.raises(ValueError, match="nothing to score"):
        model.score(CORPUS.target_texts, [None] * 200)
    with pytest.raises(ValueError, match="200 texts but 1 label"):
        model.score(CORPUS.target_texts, ["positive"])
    with pytest.raises(ValueError, match=r"[Nn]o document"):
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
    model = fitted("lg", vectorizer=vectorizer, verdict=False)
    assert len(model.predict(CORPUS.target_texts)) == 200
    assert len(model.top_words(3)["positive"]["target"]) == 3


def test_a_table_instead_of_texts() -> None:
    frame = pd.DataFrame({"text": CORPUS.target_texts, "n": 1})
    with pytest.raises(ValueError, match=r"'target' .*table.*column"):
        Transfer().fit(CORPUS.source_texts, CORPUS.source_labels, frame)
    with pytest.raises(ValueError, match=r"table"):
        source_only().predict(frame)


def test_labels_from_a_generator() -> None:
    labels = (label for label in CORPUS.source_labels)
    model = Transfer("lg").fit(CORPUS.source_texts, labels, CORPUS.target_texts)
    assert (model.labels_ == source_only().labels_).all()


def test_no_word_in_common() -> None:
    with pytest.raises(ValueError, match="'target' has no word in common"):
        Transfer().fit(CORPUS.source_texts, CORPUS.source_labels, ["qqq zzz"] * 2)


def test_stages_are_announced() -> None:
    phases: list[str] = []
    texts = (CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
    Transfer().fit(*texts, announce=phases.append)
    assert phases[0] == "Counting words"
    assert phases[1] == "Fitting Auto, step 1 of 7: cocc"
    assert phases[5] == "Fitting Auto, step 5 of 7: lssttc"
    assert phases[6] == "Fitting Auto, step 6 of 7: refining the labels"
    assert phases[8:] == ["Combining the members of Auto"]
    phases.clear()
    Transfer("sfa").fit(*texts, announce=phases.append)
    last = ["Fitting the source-only classifier", "Estimating the accuracy"]
    assert phases == ["Counting words", "Fitting SFA", *last]
    phases.clear()
    Transfer("sfa", verdict=False).fit(*texts, announce=phases.append)
    assert phases == ["Counting words", "Fitting SFA", last[0]]


def test_load_is_also_a_method_of_the_class(tmp_path: Any) -> None:
    model = source_only()
    model.save(tmp_path / "m")
    assert (
        Transfer.load(tmp_path / "m").predict(["a kettle"]) == model.predict(["a kettle"])
    ).all()


@pytest.mark.parametrize("method", ["pjnmf", "scl", "sfa"])
def test_pivots_are_given_as_words(method: str) -> None:
    words = ["good", "excellent", "bad", "disappointing", "the"]
    names = TextVectorizer().fit(CORPUS.source_texts + CORPUS.target_texts).get_feature_names_out()
    known = [word for word in words if word in set(names)]
    assert len(known) > 1
    model = fitted(METHODS[method].build(pivots=known))
    fitted_names = model.vectorizer_.get_feature_names_out()
    assert [fitted_names[column] for column in model.estimator_.pivots_] == known
    assert model.estimator_.pivots == known  # still words, also in a model file
    with pytest.raises(ValueError, match="pivots"):
        fitted(METHODS[method].build(pivots=["nonsense"]))


def test_method_without_a_classifier_is_refused() -> None:
    with pytest.raises(ValueError, match=r"SFA\(classifier=None\)"):
        fitted(METHODS["sfa"].build(classifier=None))


def test_no_class_prior() -> None:
    assert Transfer("self-training", class_prior="none").make_estimator().class_prior is None


def test_class_prior_of_a_method_without_probabilities() -> None:
    with pytest.raises(ValueError, match=r"SpectralClassifier .*class_prior"):
        Transfer("sc", class_prior="source").check()


def test_a_search_of_parameters_names_what_to_use() -> None:
    with pytest.raises(ValueError, match="no target") as error:
        Transfer().fit(["good", "bad"], ["p", "n"])
    for name in ("target_texts", "isthmus.SourceFolds", "isthmus.MTrick"):
        assert name in str(error.value)
