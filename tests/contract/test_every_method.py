"""What every method guarantees, whatever its kind."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from isthmus.estimators.registry import METHODS
from methods import (
    BASES,
    EVERY,
    MONOTONE,
    assert_same_state,
    build,
    fit,
    fit_once,
    parameters_of,
    parametrize,
    predictions,
    result,
)
from toy import Toy, make_toy

# Not every method converges on the toy problems, or is certain of its labels.
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]


def fit_matrix(method, X, **parameters):
    """The result of a fit to the toy problem with another matrix."""
    toy = make_toy()
    estimator = build(method, **parameters).fit(X, toy.y, sample_domain=toy.sample_domain)
    return result(estimator, X)


def expected(method, dtype="float64"):
    toy, estimator = fit_once(method, dtype=dtype)
    return result(estimator, toy.X)


@EVERY
def test_fit_changes_neither_the_estimator_nor_its_parameters(method):
    toy = make_toy()
    estimator = build(method)
    if method.kind == "classifier":
        data = estimator._read_training_data(toy.X, toy.y, toy.sample_domain)
        data = estimator._with_class_prior(data)
    else:
        data = estimator._read_optional_labels(toy.X, None, toy.sample_domain)
    before = pickle.dumps(estimator)
    estimator._fit(data, None)
    assert_same_state(estimator, pickle.loads(before))


@EVERY
def test_second_fit_leaves_nothing_of_the_first(method):
    first = make_toy((0, 1, -1, -2), n_classes=3, n_per_class=8)
    terms = [f"term{j}" for j in range(first.X.shape[1])]
    frame = pd.DataFrame(first.X.toarray(), columns=terms)
    estimator = build(method).fit(frame, first.y, sample_domain=first.sample_domain)
    toy, fresh = fit_once(method)
    if method.kind == "clusterer":
        estimator.set_params(n_clusters=2)
    estimator.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert_same_state(estimator, fresh)


@EVERY
def test_csr_matrix_with_wide_indices(method):
    toy = make_toy()
    X = sparse.csr_matrix(toy.X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_allclose(fit_matrix(method, X), expected(method), atol=1e-6, rtol=1e-6)


@EVERY
def test_dense_array_in_column_order(method):
    X = np.asfortranarray(make_toy().X.toarray())
    np.testing.assert_allclose(fit_matrix(method, X), expected(method), atol=1e-6, rtol=1e-6)


@EVERY
def test_data_frame(method):
    toy = make_toy()
    names = [f"term{j}" for j in range(toy.X.shape[1])]
    X = pd.DataFrame(toy.X.toarray(), columns=names)
    estimator = build(method)
    estimator.fit(X, pd.Series(toy.y), sample_domain=pd.Series(toy.sample_domain))
    assert estimator.feature_names_in_.tolist() == names
    np.testing.assert_allclose(result(estimator, X), expected(method), atol=1e-6, rtol=1e-6)


@EVERY
def test_read_only_matrix_on_disk(method, tmp_path):
    toy = make_toy()
    X, y, sample_domain = toy.X.copy(), toy.y.copy(), toy.sample_domain.copy()
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
        setattr(X, name, np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    for array in (y, sample_domain):
        array.flags.writeable = False
    estimator = build(method).fit(X, y, sample_domain=sample_domain)
    np.testing.assert_array_equal(result(estimator, X), expected(method))
    np.testing.assert_array_equal(X.toarray(), toy.X.toarray())


@EVERY
def test_order_of_rows_does_not_matter(method):
    toy = make_toy()
    order = np.random.default_rng(1).permutation(len(toy.y))
    shuffled = Toy(toy.X[order], toy.truth[order], toy.sample_domain[order], toy.y[order])
    found = result(fit(method, shuffled), shuffled.X)
    np.testing.assert_allclose(found, expected(method)[order], atol=1e-5)


@EVERY
def test_float32_stays_float32_and_agrees(method):
    wide, narrow = expected(method), expected(method, "float32")
    if method.kind == "clusterer":
        np.testing.assert_array_equal(narrow, wide)
        return
    assert wide.dtype == np.float64
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, wide, atol=2e-3)


@EVERY
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_interpreted_loops_give_the_result_of_compiled_ones(method, dtype, monkeypatch):
    compiled = expected(method, dtype)
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    interpreted = fit_matrix(method, make_toy(dtype=dtype).X)
    np.testing.assert_allclose(interpreted, compiled, atol=1e-6 if dtype == "float64" else 2e-3)


@EVERY
@pytest.mark.parametrize("setting", ["always", "never"])
def test_number_of_threads_does_not_matter(method, setting, monkeypatch):
    import isthmus.matrices.threads as chunks
    import isthmus.matrices.threads as threads

    # The toy problem is too small to be split, so the limits are lowered.
    monkeypatch.setattr(chunks, "_WORK_PER_CHUNK", 300)
    monkeypatch.setattr(chunks, "_NONZEROS_PER_ROW", 1)
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    toy = make_toy()
    parameters = {"max_iter": 10} if "max_iter" in parameters_of(method) else {}
    results = []
    for limit in (1, 5):
        for module in ("threads", "csr"):
            monkeypatch.setattr(f"isthmus.matrices.{module}.thread_limit", lambda n=limit: n)
        assert threads.thread_limit() == limit
        results.append(fit_matrix(method, toy.X, **parameters))
    np.testing.assert_array_equal(*results)


@EVERY
def test_number_of_blas_threads_does_not_matter(method):
    # Enough terms for BLAS to use more than one thread.
    generator = np.random.default_rng(0)
    y = np.where(np.arange(200) < 100, np.arange(200) % 2, -1)
    values = generator.random((200, 5_000)) * (generator.random((200, 5_000)) < 0.02)
    toy = Toy(sparse.csr_array(values), y, np.where(y < 0, -1, 0), y)
    parameters = {"max_iter": 5} if "max_iter" in parameters_of(method) else {}
    results = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            results.append(result(fit(method, toy, **parameters), toy.X))
    np.testing.assert_array_equal(*results)


@EVERY
def test_empty_documents_and_unused_terms_give_no_nan(method):
    X = make_toy().X.toarray()
    X[[0, -1]] = 0
    X[:, [2, 5]] = 0
    assert np.isfinite(fit_matrix(method, sparse.csr_array(X))).all()


@EVERY
def test_presets_are_plain_parameters(method):
    for preset in method.presets:
        estimator = method.estimator_class.from_preset(preset)
        assert clone(estimator).get_params() == estimator.get_params()


@EVERY
def test_traits_of_the_class(method):
    assert issubclass(method.estimator_class, BASES[method.kind])
    assert method.kind == method.estimator_class._kind
    assert method.engines[0] == "cpu"


@EVERY
def test_objective_is_recorded_as_the_class_says(method):
    _, estimator = fit_once(method)
    assert hasattr(estimator, "objective_") == method.has_objective
    if method.has_objective:
        assert len(estimator.objective_) > 1
        assert np.isfinite(estimator.objective_).all()


@parametrize(METHODS[name] for name in MONOTONE)
def test_objective_never_increases(method):
    estimator = fit(method, make_toy(), tol=0.0)
    curve = estimator.objective_ if method.has_objective else -np.asarray(estimator.log_likelihood_)
    assert len(curve) > 10
    assert (np.diff(curve) <= 1e-9 * abs(curve[0])).all()


#: Their callback also sees the iterations of a first step, so the last loop stops elsewhere.
SEVERAL_LOOPS = ("mtrick0", "ktw", "tsvm", "plsa")


@parametrize(method for method in METHODS.values() if "tol" in parameters_of(method))
def test_callback_sees_progress_and_may_stop_the_fit(method):
    toy = make_toy()
    seen = []

    def stop_at_three(progress):
        seen.append(progress)
        return progress.iteration == 3

    estimator = build(method, tol=0.0).fit(
        toy.X, toy.y, sample_domain=toy.sample_domain, callback=stop_at_three
    )
    assert [progress.iteration for progress in seen] == [1, 2, 3]
    assert all(np.isfinite(progress.objective) for progress in seen)
    if method.name not in SEVERAL_LOOPS:
        assert estimator.n_iter_ == 3
        assert [progress.objective for progress in seen] == list(estimator.objective_[1:])


@EVERY
def test_fitted_estimator_can_be_pickled(method):
    toy, estimator = fit_once(method)
    copy = pickle.loads(pickle.dumps(estimator))  # as joblib does between processes
    np.testing.assert_array_equal(
        predictions(copy, toy.X, toy.sample_domain),
        predictions(estimator, toy.X, toy.sample_domain),
    )
