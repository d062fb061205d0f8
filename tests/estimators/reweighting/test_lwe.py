"""LWE: tests beyond the contract."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize

from isthmus import LWE
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy


def fit(model, toy, **options):
    return model.fit(toy.X, toy.y, toy.sample_domain, **options)


@pytest.mark.doubtful
@pytest.mark.parametrize("n_classes", [2, 4])
def test_more_accurate_than_logistic_regression(n_classes):
    toy = make_toy(n_classes=n_classes, n_per_class=40)
    X = normalize(toy.X)
    model_alone = LogisticRegression().fit(X[~toy.is_target], toy.y[~toy.is_target])
    before = np.mean(model_alone.predict(X[toy.is_target]) == toy.truth[toy.is_target])
    model = fit(LWE(), toy)
    assert toy.target_accuracy(model.transduction_) > max(before, 0.97)


def test_one_model_with_threshold_0_is_that_model():
    toy = make_toy(n_classes=3)
    model = fit(LWE(models=["naive_bayes"], threshold=0), toy)
    X = normalize(toy.X)
    model_alone = MultinomialNB().fit(X[~toy.is_target], toy.y[~toy.is_target])
    np.testing.assert_allclose(
        model.label_distributions_[toy.is_target],
        model_alone.predict_proba(X[toy.is_target]),
        atol=1e-9,
    )
    assert model.n_models_ == 1


@pytest.mark.parametrize(("domains", "expected"), [((0, -1), 3), ((0, 1, -1, -2), 6)])
def test_every_source_has_its_own_models(domains, expected):
    toy = make_toy(domains)
    model = fit(LWE(), toy)
    assert model.n_models_ == expected
    assert toy.target_accuracy(model.transduction_) > 0.95


def test_sources_without_all_classes_are_pooled():
    toy = make_toy((0, 1, -1))
    sources = ~toy.is_target
    y = np.where(sources & (toy.truth != toy.sample_domain), -1, toy.y)
    model = LWE().fit(toy.X, y, toy.sample_domain)
    assert model.n_models_ == 3
    assert toy.target_accuracy(model.transduction_) > 0.9


def test_similarity_of_target_documents():
    toy = make_toy()
    X = toy.X.toarray()
    X[-1] = 0
    model = LWE().fit(X, toy.y, toy.sample_domain)
    assert np.isnan(model.similarity_[~toy.is_target]).all()
    assert np.isnan(model.similarity_[-1])
    inside = model.similarity_[toy.is_target][:-1]
    assert (inside > 0).all()
    assert (inside <= 1).all()
    # An empty document gets the class prior.
    np.testing.assert_allclose(model.label_distributions_[-1], [0.5, 0.5])


def test_negative_values_exclude_naive_bayes():
    toy = make_toy()
    X = toy.X.toarray() - 0.1
    assert LWE().fit(X, toy.y, toy.sample_domain).n_models_ == 2
    assert LWE().fit(sparse.csr_array(X), toy.y, toy.sample_domain).n_models_ == 2
    with pytest.raises(ValueError, match="X has negative values"):
        LWE(models=["naive_bayes"]).fit(X, toy.y, toy.sample_domain)


def test_a_class_that_one_source_lacks_is_predicted():
    toy = make_toy((0, 1, -1), 3)
    keep = ~((toy.sample_domain == 1) & (toy.truth == 2))
    model = LWE().fit(toy.X[keep], toy.y[keep], toy.sample_domain[keep])
    assert model.n_models_ == 3
    third_class = toy.is_target[keep] & (toy.truth[keep] == 2)
    assert np.mean(model.transduction_[third_class] == 2) > 0.3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be at least 1"),
        ({"n_clusters": "many"}, "n_clusters must be 'auto' or a whole number"),
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"similarity": "cosine"}, "similarity must be one of 'share', 'jaccard'"),
        ({"threshold": 1.5}, "threshold must be at most 1"),
        (
            {"models": "svm"},
            "models must be a list of names out of 'logistic', 'svm', 'naive_bayes'",
        ),
        ({"models": []}, "models must be a list of names out of"),
        ({"models": ["svm", "tree"]}, "models must be one of 'logistic', 'svm', 'naive_bayes'"),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(LWE(**parameters), make_toy())


@pytest.mark.parametrize("rows", [[-1], [-1, -2]], ids=["one document", "two documents"])
def test_fewer_target_documents_than_clusters(rows):
    toy = make_toy()
    keep = np.concatenate([np.flatnonzero(~toy.is_target), len(toy.y) + np.array(rows)])
    model = LWE(10).fit(toy.X[keep], toy.y[keep], toy.sample_domain[keep])
    assert np.isfinite(model.label_distributions_).all()


def test_save_and_load_and_class_prior():
    toy = make_toy()
    model = fit(LWE(class_prior=[0.3, 0.7]), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(model, packer))
    again = unpack_classifier(state, toy.X.shape[1])
    rows = toy.X[toy.is_target]
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert np.mean(model.transduction_[toy.is_target] == 0) == pytest.approx(0.3, abs=0.1)


@pytest.mark.doubtful
def test_a_target_of_duplicates_gives_no_warning():
    toy = make_toy()
    target = np.flatnonzero(toy.is_target)[:1].repeat(30)
    rows = np.concatenate([np.flatnonzero(~toy.is_target), target])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        LWE().fit(toy.X[rows], toy.y[rows], sample_domain=toy.sample_domain[rows])


@pytest.mark.parametrize("models", [3, "svm", [], ("svm", "forest"), np.array(["svm"])])
def test_invalid_models(models):
    with pytest.raises(ValueError, match="models must be"):
        LWE(models=models).fit(np.eye(3), ["a", "b", None])
