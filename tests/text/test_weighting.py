"""Weightings of term counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from isthmus import ColumnNormalizer, make_weighting
from isthmus.text.weighting import (
    WEIGHTINGS,
    SublinearTfidf,
    apply_sublinear_tf,
    fit_weighting,
    fitted_weights,
    weigh_in_place,
    with_weights,
)

COUNTS = np.array([[1.0, 0, 4, 0], [2, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]])


def test_column_normalizer_against_the_definition():
    logs = np.where(COUNTS > 0, 1 + np.log(np.maximum(COUNTS, 1)), 0)
    fractions = np.divide(
        logs,
        logs.sum(1, keepdims=True),
        where=logs.sum(1, keepdims=True) > 0,
        out=np.zeros_like(logs),
    )
    sums = fractions.sum(axis=0)
    weighted = fractions * np.where(sums > 0, 1 / np.sqrt(np.where(sums > 0, sums, 1)), 0)
    norms = np.linalg.norm(weighted, axis=1, keepdims=True)
    expected = weighted / np.where(norms > 0, norms, 1)
    for container in (np.asarray, sparse.csr_array, sparse.csr_matrix):
        X = container(COUNTS)
        result = ColumnNormalizer().fit_transform(X)
        result = result.toarray() if sparse.issparse(result) else result
        np.testing.assert_allclose(result, expected)
    np.testing.assert_array_equal(X.toarray(), COUNTS)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("counts", [1, 0, 4, 0]),
        ("presence", [1, 0, 1, 0]),
        ("tfidf", [1 * (np.log(5 / 4) + 1), 0, 4 * (np.log(5 / 3) + 1), 0]),
    ],
)
def test_named_weightings(name, row):
    result = make_weighting(name).fit_transform(sparse.csr_array(COUNTS))
    np.testing.assert_allclose(result.toarray()[0], row)


def test_log_tfidf_has_unit_rows():
    result = make_weighting("log-tfidf").fit_transform(sparse.csr_array(COUNTS)).toarray()
    np.testing.assert_allclose(np.linalg.norm(result, axis=1), [1, 1, 0, 1])


def test_unknown_weighting():
    with pytest.raises(ValueError, match=r"Unknown weighting 'bm25'.* counts"):
        make_weighting("bm25")


SHAPES = st.tuples(st.integers(1, 8), st.integers(1, 6))
WHOLE = arrays(np.int64, SHAPES, elements=st.sampled_from([0, 0, 0, 1, 2, 3, 7, 100_000]))
FRACTIONS = arrays(
    np.float64, SHAPES, elements=st.floats(0, 1e6).map(lambda x: 0.0 if x < 1e-6 else x)
)


class TestSublinear:
    @parametrize_with_checks([SublinearTfidf()])
    def test_scikit_learn(self, estimator: Any, check: Any) -> None:
        check(estimator)

    def test_counts_below_one_are_kept(self) -> None:
        values = np.array([0.0, 0.25, 1.0, np.e, np.e**2])
        apply_sublinear_tf(values)
        np.testing.assert_allclose(values, [0, 0.25, 1, 2, 3])

    @given(WHOLE, st.sampled_from(["float32", "float64"]))
    def test_integer_counts_as_in_scikit_learn(self, counts: Any, dtype: str) -> None:
        X = sparse.csr_matrix(counts.astype(dtype))
        expected = TfidfTransformer(sublinear_tf=True).fit(X).transform(X)
        result = SublinearTfidf().fit(X).transform(X)
        assert result.dtype == expected.dtype == dtype
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(result, part), getattr(expected, part))

    @given(FRACTIONS, st.sampled_from(["float32", "float64"]))
    def test_fractions_have_positive_weights(self, counts: Any, dtype: str) -> None:
        X = sparse.csr_matrix(counts.astype(dtype))
        result = SublinearTfidf().fit_transform(X)
        assert (result.toarray() >= 0).all()
        assert ((result.toarray() > 0) == (X.toarray() > 0)).all()
        norms = np.sqrt(np.asarray(result.multiply(result).sum(axis=1))).ravel()
        np.testing.assert_allclose(norms, X.toarray().any(axis=1), rtol=1e-5)

    def test_weights_increase_with_the_count(self) -> None:
        values = np.linspace(0, 3, 301)
        apply_sublinear_tf(values)
        assert (np.diff(values) > 0).all()

    def test_stored_zeros_have_weight_zero(self) -> None:
        X = sparse.csr_matrix(([0.0, 2.0], [0, 1], [0, 2]), shape=(1, 2))
        np.testing.assert_allclose(SublinearTfidf().fit_transform(X).toarray(), [[0, 1]])

    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
    @pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
    def test_containers_and_types_as_in_scikit_learn(self, container: Any, dtype: str) -> None:
        X = container(COUNTS.astype(dtype))
        result = SublinearTfidf().fit_transform(X)
        expected = TfidfTransformer(sublinear_tf=True).fit_transform(X)
        assert type(result) is type(expected)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result.toarray(), expected.toarray())

    @pytest.mark.parametrize("container", [np.array, sparse.csr_array, sparse.csr_matrix])
    def test_counts_are_not_modified(self, container: Any) -> None:
        X = container(COUNTS)
        weighting = SublinearTfidf().fit(X)
        weighting.transform(X)
        weighting.transform(X, copy=True)
        np.testing.assert_array_equal(X.toarray() if sparse.issparse(X) else X, COUNTS)

    def test_not_fitted(self) -> None:
        X = sparse.csr_matrix(COUNTS)
        with pytest.raises(NotFittedError):
            SublinearTfidf().transform(X, copy=False)
        np.testing.assert_array_equal(X.toarray(), COUNTS)

    def test_clone(self) -> None:
        assert (
            clone(SublinearTfidf(norm="l1")).get_params() == SublinearTfidf(norm="l1").get_params()
        )


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_restored_weights(name: str) -> None:
    X = sparse.csr_matrix(COUNTS / 3)
    weighting = make_weighting(name).fit(X)
    expected = weighting.transform(X).toarray()
    assert (expected >= 0).all()
    again = with_weights(name, fitted_weights(weighting))
    np.testing.assert_array_equal(again.transform(X).toarray(), expected)
    np.testing.assert_array_equal(weigh_in_place(again, X.copy()).toarray(), expected)
    np.testing.assert_array_equal(X.toarray(), COUNTS / 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_compiled_loop_gives_the_bits_of_scikit_learn(monkeypatch, dtype):
    generator = np.random.default_rng(0)
    counts = sparse.random(300, 70, 0.2, "csr", dtype, random_state=0)
    counts.data[:] = np.ceil(generator.exponential(3, counts.nnz))
    expected = TfidfTransformer(sublinear_tf=True).fit(counts)
    results = []
    for setting in ("never", "always"):
        monkeypatch.setenv("ISTHMUS_COMPILE", setting)
        results.append(SublinearTfidf().fit(counts).transform(counts))
        assert results[-1].dtype == dtype
    for result in results:
        np.testing.assert_array_equal(result.data, expected.transform(counts).data)


@pytest.mark.parametrize("setting", ["never", "always"])
def test_large_and_fractional_counts(monkeypatch, setting):
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    counts = sparse.csr_matrix([[1000.0, 0.25, 1.5], [0, 0, 0], [300, 255, 256]])
    weighting = SublinearTfidf().fit(counts)
    tf = np.array([[np.log(1000) + 1, 0.25, np.log(1.5) + 1], [0, 0, 0],
                   np.log([300, 255, 256]) + 1])  # fmt: skip
    tfidf = tf * weighting.idf_
    tfidf[[0, 2]] /= np.linalg.norm(tfidf[[0, 2]], axis=1, keepdims=True)
    np.testing.assert_allclose(weighting.transform(counts).toarray(), tfidf, rtol=1e-12)
    assert counts[0, 0] == 1000  # the input is not changed


@pytest.mark.parametrize("name", WEIGHTINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_known_document_frequencies_give_the_same_weights(name, dtype):
    counts = sparse.random(90, 30, 0.3, "csr", dtype, random_state=1)
    frequencies = np.bincount(counts.indices, minlength=30)
    fitted = make_weighting(name).fit(counts)
    known = fit_weighting(name, counts, frequencies)
    weights, expected = fitted_weights(known), fitted_weights(fitted)
    if expected is None:
        assert weights is None
    else:
        assert weights.dtype == expected.dtype
        np.testing.assert_array_equal(weights, expected)
