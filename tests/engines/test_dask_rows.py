"""Arrays with one row per document behave like NumPy arrays; sums have a fixed order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from engines import fake_cluster
from engines.fake_cluster import FakeClient
from isthmus.matrices.dask import group_task
from isthmus.matrices.dask.blocks import spread_places
from isthmus.matrices.dask.engine import DaskEngine
from isthmus.matrices.dask.matrix import DistributedMatrix

pytest.importorskip("distributed", reason="needs the package distributed")

N_ROWS, N_COLUMNS = 23, 3


@pytest.fixture(autouse=True, scope="module")
def no_waiting():
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_cluster.install(monkeypatch)
        yield


def documents(n_blocks=4, n_workers=2):
    X = sparse.random_array((N_ROWS, 9), density=0.4, format="csr", rng=np.random.default_rng(0))
    client = FakeClient(n_workers)
    return DaskEngine(client).documents(DistributedMatrix.from_matrix(X, client, n_blocks)), X


def values(seed, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(N_ROWS, N_COLUMNS)).astype(dtype)


ROW_WISE = {
    "add": lambda x, y: x + 2 * y,
    "small": lambda x, y: x * np.arange(3.0) - y,
    "reflected": lambda x, y: 1 / (1 + np.exp(-x)) + np.array([1.0, 2.0, 3.0]) * y,
    "where": lambda x, y: np.where(x > y, x, 0.0),
    "argmax": lambda x, y: x.argmax(axis=1),
    "bool": lambda x, y: ~((x > 0) & (y > 0)) | (x < -1),
    "row sums": lambda x, y: x / abs(y).sum(axis=1, keepdims=True),
    "row extremes": lambda x, y: x.max(axis=1) - y.min(axis=1),
    "any": lambda x, y: (x > 1).any(axis=1),
    "columns": lambda x, y: x[:, 1] + y[:, 0],
    "new axis": lambda x, y: x[:, 0][:, None] * y,
    "range": lambda x, y: x[:, :2].astype(np.float32),
    "product": lambda x, y: x @ np.arange(6.0).reshape(3, 2),
    "gather": lambda x, y: np.take_along_axis(x, y.argmax(axis=1)[:, None], axis=1),
    "like": lambda x, y: np.full_like(x, 2, shape=(len(x), 2)) + np.zeros_like(y)[:, :2],
    "some rows": lambda x, y: x[np.array([0, 3, 4, 11, 22])] * 2,
    "slice": lambda x, y: x[5:17] - y[5:17],
    "joined": lambda x, y: np.concatenate([x[:7], y[7:], x]),
    "side by side": lambda x, y: np.concatenate([x, y], axis=1),
    "one hot": lambda x, y: (x.argmax(axis=1)[:, None] == np.arange(3)).astype(x.dtype),
    "powers": lambda x, y: abs(x) ** -0.5 + np.maximum(y, 0),
}
SUMS = {
    "columns": lambda x, y: x.sum(axis=0),
    "all values": lambda x, y: float(x.sum()) + float(y.mean()),
    "flags": lambda x, y: (bool((x > -9).all()), bool((y > 9).any())),
    "extremes": lambda x, y: (x.max(), y.min()),
    "counted": lambda x, y: int(np.count_nonzero(x > y)),
    "gram": lambda x, y: x.T @ y,
    "means": lambda x, y: x.mean(axis=0),
}


@pytest.mark.parametrize("name", ROW_WISE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_row_wise_operations(name, dtype):
    block, _ = documents()
    x, y = values(1, dtype), values(2, dtype)
    with np.errstate(all="ignore"):
        expected = ROW_WISE[name](x, y)
        found = block.engine.to_host(ROW_WISE[name](block.asarray(x), block.asarray(y)))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.shape, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("n_blocks", [1, 2, 7])
def test_sums_over_rows(name, n_blocks):
    x, y = values(1), values(2)
    expected = SUMS[name](x, y)
    found = []
    for n_workers in (1, 2, 3):
        block, _ = documents(n_blocks, n_workers)
        found.append(SUMS[name](block.asarray(x), block.asarray(y)))
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


ASSIGNMENTS = st.sampled_from(
    [
        lambda x, y: x.__setitem__(..., y),
        lambda x, y: x.__setitem__(slice(None), 1.5),
        lambda x, y: x.__setitem__(x > y, 0),
        lambda x, y: x.__setitem__((x > 0).any(axis=1), 2),
        lambda x, y: x.__setitem__((slice(None), 1), y[:, 0]),
        lambda x, y: x.__setitem__((slice(None), slice(0, 2)), y[:, 1:]),
        lambda x, y: x.__setitem__(np.arange(N_ROWS) % 3 == 0, 0.25),
        lambda x, y: x.__iadd__(y),
        lambda x, y: x.__imul__(np.array([1.0, 0.5, 2.0])),
        lambda x, y: x.__isub__(y.max(axis=1, keepdims=True)),
        lambda x, y: y.__itruediv__(1 + abs(x)),
    ]
)


@examples(40)
@given(steps=st.lists(ASSIGNMENTS, min_size=1, max_size=6), n_blocks=st.integers(1, 8))
def test_assignments_in_any_order(steps, n_blocks):
    block, _ = documents(n_blocks)
    x, y = values(1), values(2)
    a, b = block.asarray(x), block.asarray(y)
    for number, step in enumerate(steps):
        step(x, y)
        step(a, b)
        if number % 2:  # results are computed at any time
            np.testing.assert_allclose(a.sum(axis=0), x.sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(block.engine.to_host(a), x, atol=1e-9)
    np.testing.assert_allclose(block.engine.to_host(b), y, atol=1e-9)


def test_arrays_of_the_client_are_not_mixed_in_by_accident():
    block, _ = documents()
    x = block.asarray(values(1))
    with pytest.raises(TypeError, match=r"use documents\.asarray"):
        x + values(2)
    with pytest.raises(TypeError, match=r"use engine\.to_host"):
        np.asarray(x)
    with pytest.raises(TypeError, match="not available"):
        np.sort(x)
    other, _ = documents()
    with pytest.raises(ValueError, match="rows of different documents"):
        x + other.asarray(values(2))


def test_pending_arrays_are_computed_once():
    block, _ = documents()
    product = block.times(np.ones((9, 2)))
    shifted = product + 1
    assert product.node.is_pending
    shifted.sum(axis=0)
    assert not product.node.is_pending
    assert not shifted.node.is_pending


@given(
    numbers=st.sets(st.integers(0, 70), min_size=1, max_size=40).map(sorted),
    seed=st.integers(0, 10),
)
def test_tree_sums_do_not_depend_on_the_groups(numbers, seed):
    """Blocks may be missing, because a domain has some of the blocks of a matrix."""
    generator = np.random.default_rng(seed)
    sizes = 10.0 ** generator.integers(-8, 8, (len(numbers), 1))
    parts = dict(zip(numbers, generator.normal(size=(len(numbers), 2)) * sizes, strict=True))
    copies = {number: part.copy() for number, part in parts.items()}
    one = group_task.total([group_task.leaves(copies)], numbers)
    worker = dict(zip(numbers, generator.integers(0, 4, len(numbers)).tolist(), strict=True))
    groups = []
    for at in range(4):
        mine = {number: parts[number].copy() for number in numbers if worker[number] == at}
        groups.append(group_task.merge([group_task.leaves(mine)], numbers))
    pair = group_task.merge(groups[:2], numbers)
    np.testing.assert_array_equal(group_task.total([*groups[2:], pair], numbers), one)
    np.testing.assert_allclose(one, sum(parts.values()), rtol=1e-6, atol=1e-9 * sizes.max())


def test_a_run_of_blocks_is_one_part_of_a_sum():
    """A worker sends few sums, however many blocks it has."""
    for n_blocks, n_workers in ((84, 2), (84, 3), (7, 2), (512, 16)):
        workers = [str(number) for number in range(n_workers)]
        places = spread_places(n_blocks, workers)
        for worker in workers:
            mine = [number for number, place in enumerate(places) if place == worker]
            n_runs = 1 + sum(b != a + 1 for a, b in pairwise(mine))
            values = {number: np.ones(1) for number in mine}
            parts = group_task.merge([group_task.leaves(values)], range(n_blocks))
            assert len(parts) <= n_runs + 1
            assert len(mine) >= n_blocks / n_workers / 2


def test_rows_of_a_matrix():
    block, X = documents(5)
    matrix = block._matrix
    rows = np.array([2, 3, 9, 20])
    for key in (slice(4, 15), rows, rows[::-1], np.arange(N_ROWS) % 2 == 0, slice(None)):
        assert (matrix[key] != X[key]).nnz == 0
    part = matrix.take_rows(rows)
    assert part.shape == (4, 9)
    assert part.nnz == X[rows].nnz
    np.testing.assert_array_equal(part.column_counts(), (X[rows] != 0).sum(axis=0))
    np.testing.assert_allclose(matrix @ np.arange(9.0), X @ np.arange(9.0))
    assert matrix[:, 2:5].shape == (N_ROWS, 3)
    assert (matrix[:, 2:5][:] != X[:, 2:5]).nnz == 0


def test_duplicate_rows():
    from isthmus.matrices.rows import duplicate_groups

    X = sparse.csr_array(np.array([[1, 0], [0, 0], [0, 2], [1, 0], [0, 0], [0, 2], [2, 1.0]]))
    matrix = DistributedMatrix.from_matrix(X, FakeClient(2), 3)
    expected, found = duplicate_groups(X), duplicate_groups(matrix)
    np.testing.assert_array_equal(found, expected)
