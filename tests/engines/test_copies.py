"""Which matrices the GPU engine copies, with a stand-in for CuPy."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

NAMES = ("cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.sparse")


@pytest.fixture
def engine(monkeypatch):
    """An engine that counts its copies in place of making them."""
    for name in NAMES:
        module = ModuleType(name)
        module.sparse = module
        monkeypatch.setitem(sys.modules, name, module)
    modules = [name for name in sys.modules if name.startswith("isthmus.matrices.gpu.")]
    for name in modules:
        monkeypatch.delitem(sys.modules, name)
    GpuEngine = importlib.import_module("isthmus.matrices.gpu.engine").GpuEngine
    found = GpuEngine()
    found.copies = []
    monkeypatch.setattr(
        GpuEngine, "_copy", lambda self, X, *ends: self.copies.append(ends) or object()
    )
    yield found
    # These were made with the stand-in; monkeypatch puts back the others.
    for name in [name for name in sys.modules if name.startswith("isthmus.matrices.gpu.")]:
        del sys.modules[name]


@pytest.fixture
def matrix():
    X = sparse.csr_array(np.eye(6))
    X.indptr = np.array([0, 1, 1, 3, 4, 4, 6], X.indptr.dtype)  # rows 1 and 4 are empty
    return X


def test_the_same_rows_are_copied_once(engine, matrix):
    assert engine.documents(matrix) is engine.documents(matrix, slice(0, 6))
    part = engine.documents(matrix, slice(2, 5))
    assert part is engine.documents(matrix, slice(2, 5))
    view = sparse.csr_array((3, 6))
    view.data, view.indices = matrix.data[1:4], matrix.indices[1:4]
    view.indptr = matrix.indptr[2:6] - 1
    assert part is engine.documents(view)
    assert engine.copies == [(0, 6), (2, 5)]


def test_the_same_entries_in_other_rows_are_other_documents(engine, matrix):
    assert engine.documents(matrix, slice(1, 4)) is not engine.documents(matrix, slice(2, 5))
    assert len(engine.copies) == 2


def test_chosen_rows(engine, matrix):
    chosen = np.array([0, 2, 5])
    assert engine.documents(matrix, chosen) is engine.documents(matrix, chosen.copy())
    assert engine.documents(matrix, chosen) is not engine.documents(matrix, np.array([0, 2, 4]))
    assert engine.copies == [(0, 3), (0, 3)]


def test_arrays(engine):
    X = np.arange(12.0).reshape(4, 3)
    assert engine.documents(X) is engine.documents(X)
    assert engine.documents(X) is not engine.documents(X[:, ::-1])
    assert engine.documents(X, slice(0, 2)) is not engine.documents(X, slice(2, 4))


def test_a_few_copies_are_kept_until_the_end_of_the_fit(engine):
    matrices = [np.ones((2, 2)) for _ in range(12)]
    for X in matrices:
        engine.documents(X)
    engine.documents(matrices[-1])
    assert len(engine.copies) == 12
    engine.documents(matrices[0])  # the first one was dropped
    assert len(engine.copies) == 13
    engine.release()
    engine.documents(matrices[-1])
    assert len(engine.copies) == 14
