"""stack_domains."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from isthmus import stack_domains


def test_order_numbers_and_labels():
    stacked = stack_domains(
        {"books": (np.ones((2, 3)), ["good", "bad"]), "music": (np.zeros((1, 3)), ["good"])},
        {"dvd": 2 * np.ones((1, 3)), "games": (np.ones((2, 3)), [None, "bad"])},
    )
    X, y, sample_domain = stacked
    assert X.shape == (6, 3)
    assert y.tolist() == ["good", "bad", "good", None, None, "bad"]
    assert sample_domain.tolist() == [0, 0, 1, -1, -2, -2]
    assert stacked.rows(-2).tolist() == [4, 5]


def test_sparse_matrices_stay_sparse_and_are_not_modified():
    source = sparse.csr_matrix(np.eye(3))
    X, _, _ = stack_domains({"a": (source, [0, 1, 0])}, {"b": np.ones((2, 3))})
    assert sparse.issparse(X)
    assert X.format == "csr"
    assert X.shape == (5, 3)
    assert source.shape == (3, 3)


def test_pandas():
    frame = pd.DataFrame({"u": [1, 0], "v": [0, 1]})
    X, y, _ = stack_domains({"a": (frame, pd.Series(["x", "y"], index=[7, 9]))}, {"b": frame})
    assert X.shape == (4, 2)
    assert y.tolist() == ["x", "y", None, None]


@pytest.mark.parametrize(
    ("sources", "targets", "message"),
    [
        ({}, {"b": np.ones((1, 2))}, "No source domain"),
        ({"a": np.ones((1, 2))}, {}, "Source domain 'a' has no labels"),
        ({"a": (np.ones((2, 2)), [1])}, {}, "'a' has 2 documents but 1 labels"),
        ({"a": (np.ones((1, 2)), [1])}, {"b": np.ones((1, 3))}, "'b' has 3 columns but 'a' has 2"),
    ],
)
def test_bad_input(sources, targets, message):
    with pytest.raises(ValueError, match=message):
        stack_domains(sources, targets)


def test_column_names():
    frame = pd.DataFrame({"u": [1, 0], "v": [0, 1]})
    X, y, _ = stack_domains({"a": (frame, pd.DataFrame({"label": ["x", "y"]}))}, {"b": frame})
    assert y.tolist() == ["x", "y", None, None]
    assert list(X.columns) == ["u", "v"]
    with pytest.raises(ValueError, match="'b' has other column names than 'a'"):
        stack_domains({"a": (frame, ["x", "y"])}, {"b": frame[["v", "u"]]})


def test_invalid_domains():
    with pytest.raises(ValueError, match=r"'a' is not a matrix \(shape \(2,\)\)"):
        stack_domains({"a": (["one", "two"], [0, 1])}, {})
    with pytest.raises(ValueError, match="'a' has 3 parts"):
        stack_domains({"a": (np.eye(2), [0, 1], None)}, {})
    with pytest.raises(ValueError, match=r"labels of domain 'a' have shape \(2, 2\)"):
        stack_domains({"a": (np.eye(2), np.eye(2))}, {})
    with pytest.raises(ValueError, match="sources must map names to documents"):
        stack_domains((np.eye(2), [0, 1]), {})
