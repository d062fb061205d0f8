"""CORAL: tests beyond the contract."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from isthmus import CORAL
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy


def fit(model, toy, **options):
    return model.fit(toy.X, toy.y, toy.sample_domain, **options)


def matrix_power(matrix, power):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**power) @ vectors.T


def test_all_directions_give_coral_on_the_terms():
    """The result equals an alignment of m x m covariances, as in the paper."""
    generator = np.random.default_rng(0)
    X = normalize(generator.random((80, 5)) ** 3)
    X[40:] = normalize(X[40:] * [1, 2, 3, 1, 1])
    y = np.where(np.arange(80) < 40, (X[:, 0] > X[:, 1]).astype(int), -1)
    model = CORAL(5, ridge=0.7, C=2.0).fit(X, y)
    source, target = X[:40] - X[:40].mean(axis=0), X[40:] - X[40:].mean(axis=0)
    both = [part.T @ part / 40 for part in (source, target)]
    e = 0.7 * np.trace(both[0] + both[1]) / 2 / 5 * np.eye(5)
    aligned = source @ matrix_power(both[0] + e, -0.5) @ matrix_power(both[1] + e, 0.5)
    length = np.sqrt((np.vstack([aligned, target]) ** 2).sum(axis=1).mean())
    svm = LinearSVC(C=2.0, dual=False, max_iter=1000).fit(aligned / length, y[:40])
    expected = svm.decision_function(target / length)
    odds = np.log(model.label_distributions_[40:])
    np.testing.assert_allclose(odds[:, 1] - odds[:, 0], expected, atol=1e-4)


def test_alignment_corrects_a_stretched_source():
    """Both coordinates are informative; one of them is scaled down in the source."""
    generator = np.random.default_rng(0)
    truth = np.arange(600) % 2
    noise = generator.multivariate_normal([0, 0], [[1.5, -1.0], [-1.0, 1.5]], 600)
    rows = (2.0 * truth - 1)[:, None] + noise
    rows[:300] *= [5, 1 / 5]
    X = np.column_stack([rows, np.full(600, 30.0)])  # norms are nearly equal
    y = np.where(np.arange(600) < 300, truth, -1)
    accuracies = {}
    for ridge in (1e-3, 1e6):
        model = CORAL(3, ridge=ridge, C=100.0).fit(X, y)
        accuracies[ridge] = np.mean(model.transduction_[300:] == truth[300:])
    assert accuracies[1e-3] > 0.95
    assert accuracies[1e6] < 0.85


@pytest.mark.parametrize("classifier", ["svm", "logistic"])
@pytest.mark.parametrize("domains", [(0, -1), (0, 1, -1, -2)], ids=["two", "four"])
def test_every_domain_has_its_own_weights(domains, classifier):
    toy = make_toy(domains, 3)
    model = fit(CORAL(classifier=classifier), toy)
    assert set(model.coef_) == set(model.intercept_) == set(domains)
    assert all(coef.shape == (3, toy.X.shape[1]) for coef in model.coef_.values())
    assert toy.target_accuracy(model.transduction_) > 0.8
    # Fitted rows are predicted as in the fit if they are passed as new documents.
    rows = toy.is_target
    again = model.predict_proba(toy.X[rows], toy.sample_domain[rows])
    np.testing.assert_allclose(again, model.label_distributions_[rows], atol=1e-9)


def test_top_words_of_the_classes_differ():
    toy = make_toy(n_classes=2)
    words = fit(CORAL(), toy).top_words(n_words=5)
    assert set(words) == {0, 1}
    assert all(len(words[label][-1]) == 5 for label in words)
    assert not set(words[0][-1]) & set(words[1][-1])


def test_empty_documents_get_the_class_prior():
    toy = make_toy()
    X = toy.X.toarray()
    X[-1] = 0
    model = CORAL().fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.label_distributions_[-1], [0.5, 0.5])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"ridge": 0}, "ridge must be at least"),
        ({"classifier": "tree"}, "classifier must be one of 'svm', 'logistic'"),
        ({"C": 0}, "C must be above 0"),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(CORAL(**parameters), make_toy())


def test_save_and_load_and_class_prior():
    toy = make_toy((0, -1, -2))
    model = fit(CORAL(class_prior=[0.3, 0.7]), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(model, packer))
    again = unpack_classifier(state, toy.X.shape[1])
    np.testing.assert_array_equal(
        again.predict_proba(toy.X, toy.sample_domain), model.predict_proba(toy.X, toy.sample_domain)
    )
    assert np.mean(model.transduction_[toy.is_target] == 0) == pytest.approx(0.3, abs=0.04)
