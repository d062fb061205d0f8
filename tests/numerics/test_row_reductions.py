"""Reductions over rows with few columns give the bits of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from isthmus.numerics.class_probabilities import row_argmax, row_sums

shapes = npst.array_shapes(min_dims=2, max_dims=2, max_side=12)
dtypes = st.sampled_from([np.float32, np.float64])


@given(npst.arrays(dtypes, shapes, elements=st.sampled_from([0, -0.0, 0.5, 1, np.inf, np.nan])))
def test_argmax_with_ties_and_nan(values):
    columns = row_argmax(values)
    np.testing.assert_array_equal(columns, values.argmax(axis=1), strict=True)


@given(dtypes, st.integers(1, 300), st.integers(1, 12), st.sampled_from("CF"), st.integers(0, 99))
def test_sums_have_the_bits_of_numpy(dtype, n_rows, n_columns, order, seed):
    generator = np.random.default_rng(seed)
    scales = 10.0 ** generator.integers(-6, 6, (n_rows, n_columns))
    values = np.asarray(scales * generator.random((n_rows, n_columns)), dtype, order=order)
    np.testing.assert_array_equal(row_sums(values), values.sum(axis=1), strict=True)


@pytest.mark.parametrize("n_columns", [1, 2, 3, 20])
def test_the_argument_is_not_changed_and_may_be_read_only(n_columns):
    values = np.random.default_rng(0).random((5, n_columns))
    before = values.copy()
    values.flags.writeable = False
    row_argmax(values), row_sums(values)
    np.testing.assert_array_equal(values, before)
