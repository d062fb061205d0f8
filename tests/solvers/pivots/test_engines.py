"""The methods with features on the strict engine, compared with the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from engines.strict import StrictEngine
from isthmus import PJNMF, SFA
from isthmus.estimators.components import linear_models
from isthmus.matrices.engines import fit_engine
from isthmus.matrices.host import HostEngine
from isthmus.numerics import derived_documents
from isthmus.numerics.derived_documents import SideBySide, StackedDocuments
from isthmus.solvers.pivots.sfa import spectral_alignment
from toy import make_toy

ENGINES = HostEngine(), StrictEngine()


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.parametrize("layout", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("rows_at_once", [65_536, 4])
def test_documents_and_features_side_by_side(engine, layout, rows_at_once, monkeypatch):
    monkeypatch.setattr(derived_documents, "_ROWS_AT_ONCE", rows_at_once)
    generator = np.random.default_rng(0)
    X, Z = generator.random((9, 5)).astype("float32"), generator.random((9, 3)).astype("float32")
    right, left = generator.random((8, 2)), generator.random((9, 2))
    whole = np.hstack([X, Z])
    both = SideBySide(engine.documents(layout(X)), engine.asarray(Z), engine)
    alone = SideBySide(None, engine.asarray(Z), engine)
    assert both.shape == (9, 8)
    assert alone.shape == (9, 3)
    for matrix, expected, factor in ((both, whole, right), (alone, Z, right[5:])):
        assert matrix.dtype == np.float32
        products = engine.to_host(matrix.times(engine.asarray(factor)))
        transposed = engine.to_host(matrix.transposed_times(engine.asarray(left)))
        assert products.dtype == transposed.dtype == np.float32
        np.testing.assert_allclose(products, expected @ factor, rtol=1e-5)
        np.testing.assert_allclose(transposed, expected.T @ left, rtol=1e-5)


@pytest.mark.parametrize("signed", [False, True])
def test_spectral_alignment(signed):
    generator = np.random.default_rng(0)
    X = generator.random((40, 12)) * (generator.random((40, 12)) < 0.4)
    X = X * generator.choice([-1, 1], X.shape) if signed else X
    pivots = np.array([7, 0, 3, 10, 4])
    expected, found = (
        spectral_alignment(StackedDocuments([e.documents(X[:15]), e.documents(X[15:])]), pivots, 3)
        for e in ENGINES
    )
    np.testing.assert_allclose(ENGINES[1].to_host(found.terms), expected.terms, atol=1e-12)
    np.testing.assert_allclose(found.pivots, expected.pivots, atol=1e-12)
    np.testing.assert_allclose(found.singular_values, expected.singular_values, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        SFA(),
        SFA(classifier="logistic", pivots="domain"),
        SFA(classifier=None),
        PJNMF(random_state=0),
        PJNMF(random_state=0, alpha=0.1, beta=0.1, gamma=0.1, max_iter=5),
        PJNMF(random_state=0, features="coefficients"),
        PJNMF(random_state=0, factorized="documents", include_input=False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("layout", [sparse.csr_array, np.asarray])
def test_strict_engine_gives_the_same_features_and_labels(model, layout, monkeypatch):
    """With the same solver of the linear classifier; scikit-learn's stops at another point."""
    monkeypatch.setattr(linear_models, "_SKLEARN_ENGINES", ())
    toy = make_toy((0, 1, -1), 3)
    X, y = layout(toy.X.toarray()), toy.y.copy()
    y[np.flatnonzero(toy.sample_domain == 1)[::3]] = -1  # a domain with some labels
    results = []
    for engine in ENGINES:
        with fit_engine(engine):
            model.fit(X, y, toy.sample_domain)
            parts = [model.transform(X, toy.sample_domain)]
            if model.classifier is not None:
                parts += [model.label_distributions_, model.predict_proba(X, toy.sample_domain)]
        results.append(np.hstack(parts))
    np.testing.assert_allclose(results[1], results[0], atol=1e-7)
