"""Saved and loaded models of the spectral classifiers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier

from isthmus import CDSC, ModelFileError, SpectralClassifier, Transfer, load
from isthmus.datasets import make_corpus
from isthmus.estimators.spectral._embedding_classifier import CLASSIFIERS, LINEAR_CLASSIFIERS
from toy import make_toy

METHODS = pytest.mark.parametrize("method", [CDSC, SpectralClassifier])


CORPUS = make_corpus(n_source=80, n_target=60)


def fit_texts(method):
    return Transfer(method).fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


@METHODS
@pytest.mark.parametrize("classifier", list(CLASSIFIERS))
def test_a_loaded_model_predicts_the_same_without_training(
    method, classifier, tmp_path, monkeypatch
):
    model = fit_texts(method(classifier=classifier))
    texts = CORPUS.target_texts[:20]
    expected = model.predict_proba(texts)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")

    def fail(*arguments, **options):
        raise AssertionError("a classifier was trained")

    for name in LINEAR_CLASSIFIERS:
        monkeypatch.setattr(type(CLASSIFIERS[name]()), "fit", fail)
    np.testing.assert_array_equal(loaded.predict_proba(texts), expected)
    assert hasattr(loaded.estimator_, "coef_") == (classifier in LINEAR_CLASSIFIERS)


@METHODS
def test_a_model_with_another_classifier_cannot_be_saved(method, tmp_path):
    model = fit_texts(method(classifier=KNeighborsClassifier(3)))
    with pytest.raises(ValueError, match="parameter classifier is KNeighborsClassifier"):
        model.save(tmp_path / "model")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"training_labels": "7"}, "training_labels does not hold class numbers"),
        ({"training_labels": "-1"}, "training_labels does not hold class numbers"),
        ({"training_labels": "0.5"}, "training_labels does not hold class numbers"),
        ({"training_labels": None}, "the classifier of the coordinates is incomplete"),
        ({"training_coordinates": None}, "the classifier of the coordinates is incomplete"),
        ({"intercept": "class_words"}, "the classifier of the coordinates is incomplete"),
        ({"embedding_mean": "eigenvalues"}, "embedding_mean and embedding_scale are not both"),
        ({"eigenvalues": "nan"}, "eigenvalues holds values that are not finite"),
    ],
    ids=str,
)
def test_fields_that_contradict_each_other_are_refused(change, message, tmp_path):
    model = fit_texts(SpectralClassifier())
    fitted = model.estimator_.model_
    values = {
        None: None,
        "7": np.full_like(fitted.training_labels, 7),
        "-1": np.full_like(fitted.training_labels, -1),
        "0.5": np.full(len(fitted.training_labels), 0.5),
        "class_words": np.zeros(2),
        "eigenvalues": fitted.eigenvalues,
        "nan": np.full_like(fitted.eigenvalues, np.nan),
    }
    changes = {name: values[value] for name, value in change.items()}
    model.estimator_.model_ = replace(fitted, **changes)
    model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "model")


@pytest.mark.parametrize("estimator", [CDSC(), CDSC(n_neighbors=30), SpectralClassifier()], ids=str)
def test_an_out_of_sample_map_of_another_size_is_refused(estimator, tmp_path):
    model = fit_texts(estimator)
    fitted = model.estimator_.model_
    fitted.check()
    weights = {n: part[:, :-1] for n, part in fitted.out_of_sample_weights.items()}
    offset = {n: part[:-1] for n, part in fitted.out_of_sample_offset.items()}
    model.estimator_.model_ = replace(
        fitted, out_of_sample_weights=weights, out_of_sample_offset=offset
    )
    model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="out_of_sample_offset does not fit"):
        load(tmp_path / "model")


@METHODS
def test_attributes_of_an_earlier_fit_do_not_survive(method):
    toy = make_toy()
    estimator = method(classifier="ridge").fit(toy.X, toy.y, toy.sample_domain)
    assert estimator.coef_.shape == (2, estimator.n_eigenvectors)
    estimator.set_params(classifier="nearest").fit(toy.X, toy.y, toy.sample_domain)
    assert not hasattr(estimator, "coef_")
    assert isinstance(estimator.classifier_, BaseEstimator)
