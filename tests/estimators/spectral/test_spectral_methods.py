"""What CDSC and the spectral classifier share."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from isthmus import CDSC, SpectralClassifier
from isthmus.estimators.spectral._embedding_classifier import CLASSIFIERS
from toy import make_toy


def fit(estimator, toy):
    return estimator.fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("method", [CDSC, SpectralClassifier])
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, KNeighborsClassifier(3)], ids=str)
def test_any_classifier_of_the_embedding(method, classifier):
    toy = make_toy(n_classes=3)
    estimator = fit(method(classifier=classifier), toy)
    assert estimator.embedding_.shape == (len(toy.y), estimator.n_eigenvectors)
    if not isinstance(classifier, str):
        assert estimator.classifier_ is not classifier  # the passed object stays unfitted
        assert not hasattr(classifier, "classes_")
    again = estimator.predict(toy.X[toy.is_target])
    assert np.mean(again == estimator.transduction_[toy.is_target]) > 0.9


@pytest.mark.parametrize("method", [CDSC, SpectralClassifier])
def test_unknown_classifiers_are_refused(method):
    toy = make_toy()
    with pytest.raises(ValueError, match=r"classifier must be one of 'ridge', .*, got 'forest'"):
        fit(method(classifier="forest"), toy)
    with pytest.raises(ValueError, match="or a scikit-learn classifier, got 3"):
        fit(method(classifier=3), toy)


def embeddings(seed=0, n=200, width=12):
    """Dense documents with negative values, two classes and a shift between the domains."""
    generator = np.random.default_rng(seed)
    truth, domain = np.arange(n) % 2, np.where(np.arange(n) < n // 2, 0, -1)
    X = generator.standard_normal((n, width))
    X[:, 0] += 3 * (2 * truth - 1)
    X[:, 1] += 2 * (domain < 0)
    return X, truth, domain


@pytest.mark.parametrize("method", [CDSC, SpectralClassifier])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dense_documents_with_negative_values(method, dtype):
    X, truth, domain = embeddings()
    X = X.astype(dtype)
    estimator = method().fit(X, np.where(domain < 0, -1, truth), domain)
    target = domain < 0
    assert np.isfinite(estimator.embedding_).all()
    assert np.mean(estimator.transduction_[target] == truth[target]) > 0.9
    new, new_truth, new_domain = embeddings(seed=1)
    rows = new_domain < 0
    assert np.mean(estimator.predict(new[rows].astype(dtype)) == new_truth[rows]) > 0.9


@pytest.mark.parametrize(
    "method",
    [CDSC(), CDSC(n_neighbors=3), CDSC(classifier="nearest"), SpectralClassifier()],
    ids=str,
)
def test_documents_without_common_terms(method):
    y, domains = [0, 0, 1, None, None], [0, 0, 0, -1, -1]
    matrices = [np.zeros((5, 4)), np.eye(5), np.eye(5)[:, [0, 0, 0, 3, 4]]]
    matrices.append(np.eye(5) * [0, 0, 0, 1, 1])  # labeled documents are empty
    for X in matrices:
        warns = pytest.warns(UserWarning, match="2 of 2 unlabeled documents are not connected")
        with warns if isinstance(method, CDSC) else nullcontext():
            estimator = method.fit(X, y, domains)
        assert np.isfinite(estimator.label_distributions_).all()
        assert np.isfinite(estimator.predict_proba(X)).all()
        assert estimator.transduction_.tolist()[:3] == [0, 0, 1]


@pytest.mark.parametrize("method", [CDSC(), SpectralClassifier(), CDSC(n_neighbors=5)], ids=str)
def test_empty_documents_get_the_class_prior_if_values_are_negative(method):
    X, truth, domain = embeddings()
    X[-1] = 0
    method.fit(X, np.where(domain < 0, -1, truth), domain)
    np.testing.assert_allclose(method.label_distributions_[-1], 0.5)
    np.testing.assert_allclose(method.predict_proba(np.zeros((1, 12))), 0.5)
