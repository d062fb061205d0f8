"""What every estimator promises, whatever its kind."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from isthmus.estimators.registry import METHODS
from toy import make_toy

ALL = pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)


def build(method, **parameters):
    estimator = method.build(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def answer(method, X, y, sample_domain, **parameters):
    """What a fit says about the fitted rows, as numbers."""
    estimator = build(method, **parameters).fit(X, y, sample_domain=sample_domain)
    if method.kind == "classifier":
        return estimator.label_distributions_
    if method.kind == "clusterer":
        return estimator.labels_
    return estimator.transform(X)


@cache
def plain_answer(method):
    """What many tests compare with: the toy as it comes."""
    toy = make_toy()
    found = answer(method, toy.X, toy.y, toy.sample_domain)
    found.flags.writeable = False
    return found


@ALL
@pytest.mark.parametrize(
    "container", [sparse.csr_matrix, sparse.csc_array, lambda X: X.toarray(), "fortran", "int64"]
)
def test_container_does_not_matter(method, container):
    toy = make_toy()
    expected = plain_answer(method)
    if container == "fortran":
        X = np.asfortranarray(toy.X.toarray())
    elif container == "int64":
        X = toy.X.copy()
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    else:
        X = container(toy.X)
    np.testing.assert_allclose(
        answer(method, X, toy.y, toy.sample_domain), expected, atol=1e-6, rtol=1e-6
    )


@ALL
def test_repeated_entries_are_added_up(method):
    toy = make_toy()
    X = toy.X.tocoo()
    halves = sparse.csr_matrix(toy.X.shape)
    halves.indptr = np.concatenate([[0], np.cumsum(2 * np.diff(toy.X.indptr))]).astype(np.int32)
    halves.indices = np.repeat(toy.X.indices, 2)
    halves.data = np.repeat(toy.X.data / 2, 2)
    assert not halves.has_canonical_format
    assert X.nnz * 2 == halves.nnz
    np.testing.assert_allclose(
        answer(method, halves, toy.y, toy.sample_domain),
        plain_answer(method),
        atol=1e-6,
    )


@ALL
def test_float32_stays_float32_and_agrees(method):
    toy = make_toy()
    wide = plain_answer(method)
    narrow = answer(method, toy.X.astype(np.float32), toy.y, toy.sample_domain)
    if method.kind == "clusterer":
        np.testing.assert_array_equal(narrow, wide)
        return
    assert wide.dtype == np.float64
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, wide, atol=2e-3)


@ALL
def test_callers_arrays_are_untouched(method):
    toy = make_toy()
    X, y, sample_domain = toy.X.copy(), toy.y.copy(), toy.sample_domain.copy()
    for array in (X.data, X.indices, X.indptr, y, sample_domain):
        array.flags.writeable = False
    answer(method, X, y, sample_domain)
    np.testing.assert_array_equal(X.data, toy.X.data)
    np.testing.assert_array_equal(y, toy.y)


@ALL
def test_order_of_rows_does_not_matter(method):
    toy = make_toy()
    order = np.random.default_rng(1).permutation(len(toy.y))
    expected = plain_answer(method)
    shuffled = answer(method, toy.X[order], toy.y[order], toy.sample_domain[order])
    np.testing.assert_allclose(shuffled, expected[order], atol=1e-5)


@ALL
def test_a_matrix_on_disk_is_read_there(method, tmp_path):
    toy = make_toy()
    X = toy.X.copy()
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
        setattr(X, name, np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    assert not X.data.flags.writeable
    np.testing.assert_array_equal(
        answer(method, X, toy.y, toy.sample_domain),
        plain_answer(method),
    )


@ALL
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_same_answer_from_plain_and_from_compiled_loops(method, dtype, monkeypatch):
    toy = make_toy(dtype=dtype)
    answers = []
    for setting in ("always", "never"):
        monkeypatch.setenv("ISTHMUS_COMPILE", setting)
        answers.append(answer(method, toy.X, toy.y, toy.sample_domain))
    np.testing.assert_allclose(*answers, atol=1e-6 if dtype == "float64" else 2e-3)


@ALL
@pytest.mark.parametrize("setting", ["always", "never"])
def test_same_answer_with_any_number_of_threads(method, setting, monkeypatch):
    import isthmus.matrices.chunks as chunks
    import isthmus.matrices.threads as threads

    # So small a problem would never be cut, nor on so many threads; make it.
    monkeypatch.setattr(chunks, "_WORK_PER_CHUNK", 300)
    monkeypatch.setattr(chunks, "_NONZEROS_PER_ROW", 1)
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    toy = make_toy()
    parameters = {"max_iter": 20} if "max_iter" in method.build().get_params() else {}
    answers = []
    for limit in (1, 2, 5):
        for module in ("threads", "csr"):
            monkeypatch.setattr(f"isthmus.matrices.{module}.thread_limit", lambda n=limit: n)
        assert threads.thread_limit() == limit
        answers.append(answer(method, toy.X, toy.y, toy.sample_domain, **parameters))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@ALL
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_same_answer_however_many_threads_blas_has(method, dtype):
    # Enough terms for BLAS to use its threads, where there are any.
    generator = np.random.default_rng(0)
    y = np.where(np.arange(200) < 100, np.arange(200) % 2, -1)
    noise = generator.random((200, 5_000)) * (generator.random((200, 5_000)) < 0.02)
    X = sparse.csr_array(noise.astype(dtype))
    sample_domain = np.where(y < 0, -1, 0)
    parameters = {"max_iter": 5} if "max_iter" in method.build().get_params() else {}
    answers = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            answers.append(answer(method, X, y, sample_domain, **parameters))
    np.testing.assert_array_equal(*answers)


@ALL
@pytest.mark.parametrize(
    ("array", "place", "value", "message"),
    [
        ("indices", 3, 10**6, "column indices from 0 to 1000000"),
        ("indices", 3, -1, "column indices from -1 to"),
        ("indptr", 5, -7, "row 4 ends before it begins"),
        ("indptr", 5, 10**8, "row 5 ends before it begins"),
        ("indptr", -1, 10**8, "100000000 with .* entries"),
        ("indptr", 0, 1, "indptr goes from 1 to"),
    ],
)
def test_a_damaged_matrix_is_refused(method, array, place, value, message):
    toy = make_toy()
    X = toy.X.copy()
    getattr(X, array)[place] = value
    with pytest.raises(ValueError, match=f"X is invalid .*{message}"):
        answer(method, X, toy.y, toy.sample_domain)


@ALL
def test_same_seed_same_answer(method):
    toy = make_toy()
    again = answer(method, toy.X, toy.y, toy.sample_domain)
    np.testing.assert_array_equal(again, plain_answer(method))


@ALL
def test_pandas_in(method):
    toy = make_toy()
    names = [f"term{j}" for j in range(toy.X.shape[1])]
    frame = pd.DataFrame(toy.X.toarray(), columns=names)
    y, sample_domain = pd.Series(toy.y), pd.Series(toy.sample_domain)
    estimator = build(method).fit(frame, y, sample_domain=sample_domain)
    assert estimator.feature_names_in_.tolist() == names
    np.testing.assert_allclose(
        answer(method, frame, y, sample_domain),
        answer(method, toy.X.toarray(), toy.y, toy.sample_domain),
    )


@ALL
def test_clone_and_presets_are_plain_parameters(method):
    cls = method.estimator_class
    for preset in method.presets:
        estimator = cls.from_preset(preset)
        assert clone(estimator).get_params() == estimator.get_params()
    with pytest.raises(ValueError, match="has no preset 'nonsense'"):
        cls.from_preset("nonsense")


@ALL
def test_objective_never_rises_where_promised(method):
    if not method.monotone:
        pytest.skip("the mathematics does not promise it")
    toy = make_toy()
    estimator = build(method, tol=0.0).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    falls = hasattr(estimator, "objective_")
    curve = estimator.objective_ if falls else -np.asarray(estimator.log_likelihood_)
    assert len(curve) > 10
    assert (np.diff(curve) <= 1e-9 * abs(curve[0])).all()


@ALL
def test_empty_documents_and_unused_terms_give_no_nan(method):
    toy = make_toy()
    X = toy.X.toarray()
    X[[0, -1]] = 0
    X[:, [2, 5]] = 0
    result = answer(method, sparse.csr_array(X), toy.y, toy.sample_domain)
    assert np.isfinite(result).all()


@ALL
def test_nan_and_infinity_are_refused(method):
    toy = make_toy()
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity")):
        X = toy.X.copy()
        X.data[3] = value
        with pytest.raises(ValueError, match=word):
            build(method).fit(X, toy.y, sample_domain=toy.sample_domain)


@ALL
def test_negative_values_are_refused_where_they_make_no_sense(method):
    toy = make_toy()
    X = toy.X.copy()
    X.data[3] = -1
    estimator = build(method)
    if not estimator.__sklearn_tags__().input_tags.positive_only:
        pytest.skip("takes values of any sign")
    with pytest.raises(ValueError, match="Negative values in data"):
        estimator.fit(X, toy.y, sample_domain=toy.sample_domain)


@ALL
@pytest.mark.parametrize(
    ("sample_domain", "message"),
    [([0, -1], "has shape"), (["a"] * 80, "not integers"), (np.full(80, 0.5), "not integers")],
)
def test_bad_sample_domain(method, sample_domain, message):
    toy = make_toy()
    with pytest.raises(ValueError, match=message):
        build(method).fit(toy.X, toy.y, sample_domain=sample_domain)


@ALL
def test_a_callback_sees_progress_and_may_stop(method):
    toy = make_toy()
    estimator = build(method)
    if "tol" not in estimator.get_params():
        pytest.skip("not iterative")
    seen = []

    def stop_at_three(progress):
        seen.append(progress)
        return progress.iteration == 3

    estimator.set_params(tol=0.0).fit(
        toy.X, toy.y, sample_domain=toy.sample_domain, callback=stop_at_three
    )
    assert [progress.iteration for progress in seen] == [1, 2, 3]
    assert all(np.isfinite(progress.objective) for progress in seen)
    with pytest.raises(ValueError, match="callback must be a function"):
        build(method).fit(toy.X, toy.y, sample_domain=toy.sample_domain, callback="loud")


@ALL
def test_a_fitted_estimator_travels_to_another_process(method):
    toy = make_toy()
    estimator = build(method).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    again = pickle.loads(pickle.dumps(estimator))  # as joblib does between processes
    speak = {"classifier": "predict_proba", "clusterer": "predict", "transformer": "transform"}[
        method.kind
    ]
    np.testing.assert_array_equal(getattr(again, speak)(toy.X), getattr(estimator, speak)(toy.X))
