"""The linear classifiers have the optimum of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from engines.strict import StrictEngine
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.solvers.linear.logistic import logistic_regression
from isthmus.solvers.linear.squared_hinge import squared_hinge_svm

CLASSIFIERS = ["logistic", "svm"]


def make_rows(seed, n_rows=200, n_terms=40, n_classes=3, *, dense=False, dtype=np.float64):
    """Documents whose classes overlap, with labels."""
    generator = np.random.default_rng(seed)
    labels = generator.permutation(np.arange(n_rows) % n_classes)
    rates = generator.random((n_classes, n_terms)) ** 3
    X = generator.poisson(rates[labels]).astype(dtype)
    if dense:
        X = (X - X.mean(axis=0)).astype(dtype)
    return X if dense else sparse.csr_array(X), labels


def reference(kind, X, labels, C=1.0, weights=None, **parameters):
    """The converged fit of scikit-learn, in float64."""
    if kind == "logistic":
        model = LogisticRegression(C=C, tol=1e-8, max_iter=10_000, **parameters)
    else:
        model = LinearSVC(C=C, dual=False, tol=1e-8, max_iter=10_000, **parameters)
    X = sparse.csr_matrix(X, dtype=np.float64) if sparse.issparse(X) else X.astype(np.float64)
    model.fit(X, labels, weights)
    return model.coef_, model.intercept_


def objective(kind, X, labels, coef, intercept, C=1.0, weights=None):
    """The objective in float64, as scikit-learn's guide states it."""
    X = X.toarray() if sparse.issparse(X) else X
    scores = X.astype(np.float64) @ coef.T + intercept
    weights = np.ones(len(labels)) if weights is None else weights
    classes = [1] if len(coef) == 1 else np.arange(len(coef))
    one_hot = labels[:, None] == classes
    penalty = (coef**2).sum() / 2
    if kind == "svm":
        missing = np.maximum(0, 1 - np.where(one_hot, 1, -1) * scores)
        losses = (missing**2).sum(axis=1)
        penalty += (intercept**2).sum() / 2
    elif len(coef) == 1:
        losses = np.logaddexp(0, np.where(one_hot, -1, 1) * scores)[:, 0]
    else:
        losses = np.logaddexp.reduce(scores, axis=1) - scores[one_hot]
    return penalty + C * weights @ losses


def predicted(X, coef, intercept):
    scores = X @ coef.T + intercept
    return (scores[:, 0] > 0).astype(int) if len(coef) == 1 else scores.argmax(axis=1)


def fit(kind, blocks, labels, n_classes, **parameters):
    solve = logistic_regression if kind == "logistic" else squared_hinge_svm
    return solve(blocks, labels, n_classes, **parameters)


def assert_same_optimum(kind, X, labels, found, expected, C=1.0, weights=None):
    least = objective(kind, X, labels, *expected, C, weights)
    reached = objective(kind, X, labels, found.coef, found.intercept, C, weights)
    assert reached <= least * (1 + 1e-6)
    assert found.coef.shape == expected[0].shape
    equal = predicted(X, found.coef, found.intercept) == predicted(X, *expected)
    assert equal.mean() >= 0.999 or (~equal).sum() <= 1


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_optimum_of_sklearn(kind, n_classes, dense, dtype, C):
    X, labels = make_rows(n_classes, n_classes=n_classes, dense=dense, dtype=dtype)
    found = fit(kind, [as_documents(X)], [labels], n_classes, C=C)
    assert_same_optimum(kind, X, labels, found, reference(kind, X, labels, C), C)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_sample_weights(kind, n_classes):
    X, labels = make_rows(1, n_classes=n_classes)
    weights = np.random.default_rng(2).random(len(labels)) * 3
    weights[:5] = 0
    found = fit(kind, [as_documents(X)], [labels], n_classes, sample_weight=[weights])
    expected = reference(kind, X, labels, weights=weights)
    assert_same_optimum(kind, X, labels, found, expected, weights=weights)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_class_weights_of_the_svm(n_classes):
    X, labels = make_rows(3, n_classes=n_classes)
    weights = np.linspace(0.3, 4, n_classes)
    found = fit("svm", [as_documents(X)], [labels], n_classes, class_weight=weights)
    coef, intercept = reference("svm", X, labels, class_weight=dict(enumerate(weights)))
    np.testing.assert_allclose(found.coef, coef, atol=2e-3)
    np.testing.assert_allclose(found.intercept, intercept, atol=2e-3)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_of_unit_rows(kind, n_classes):
    X, labels = make_rows(4, n_rows=301, n_classes=n_classes)
    norms = np.sqrt((X * X).sum(axis=1))
    unit = sparse.csr_array(X / np.where(norms > 0, norms, 1)[:, None])
    cuts = (slice(0, 120), slice(120, 121), slice(121, None))
    blocks = [as_documents(X, rows).unit_rows() for rows in cuts]
    found = fit(kind, blocks, [labels[rows] for rows in cuts], n_classes)
    assert_same_optimum(kind, unit, labels, found, reference(kind, unit, labels))
    together = fit(kind, [as_documents(X).unit_rows()], [labels], n_classes)
    np.testing.assert_allclose(found.coef, together.coef, atol=1e-9)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_block_without_one_of_the_classes(kind):
    X, labels = make_rows(5)
    order = np.argsort(labels, kind="stable")
    X, labels = X[order], labels[order]
    cuts = (slice(0, 100), slice(100, None))  # neither block has all three classes
    blocks = [as_documents(X, rows) for rows in cuts]
    found = fit(kind, blocks, [labels[rows] for rows in cuts], 3)
    assert_same_optimum(kind, X, labels, found, reference(kind, X, labels))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_class_without_rows_is_not_predicted(kind):
    X, labels = make_rows(6, n_classes=2)
    found = fit(kind, [as_documents(X)], [2 * labels], 3)
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.intercept).all()
    assert set(predicted(X, found.coef, found.intercept)) == {0, 2}


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_rows_without_a_term_and_terms_without_a_row(kind):
    X, labels = make_rows(7, n_classes=2)
    X = X.toarray()
    X[::4], X[:, ::3] = 0, 0
    X = sparse.csr_array(X)
    found = fit(kind, [as_documents(X)], [labels], 2)
    assert_same_optimum(kind, X, labels, found, reference(kind, X, labels))
    np.testing.assert_array_equal(found.coef[:, ::3], 0)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_separable_classes_with_a_weak_penalty(kind):
    X, labels = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.2]]), np.array([0, 0, 1, 1])
    found = fit(kind, [as_documents(X)], [labels], 2, C=1e6)
    assert_same_optimum(kind, X, labels, found, reference(kind, X, labels, 1e6), 1e6)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dense", [False, True])
def test_strict_engine(kind, n_classes, dense):
    X, labels = make_rows(8, n_classes=n_classes, dense=dense)
    weights = np.random.default_rng(9).random(len(labels))
    cuts, fits = (slice(0, 90), slice(90, None)), []
    for engine in (HostEngine(), StrictEngine()):
        blocks = [engine.documents(X, rows).unit_rows() for rows in cuts]
        parts = [labels[rows] for rows in cuts], [weights[rows] for rows in cuts]
        fits.append(fit(kind, blocks, parts[0], n_classes, sample_weight=parts[1]))
    assert isinstance(fits[1].coef, np.ndarray)
    np.testing.assert_allclose(fits[0].coef, fits[1].coef, atol=1e-12)
    np.testing.assert_allclose(fits[0].intercept, fits[1].intercept, atol=1e-12)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_limit_of_iterations(kind):
    X, labels = make_rows(10)
    assert fit(kind, [as_documents(X)], [labels], 3, max_iter=2).n_iter == 2
