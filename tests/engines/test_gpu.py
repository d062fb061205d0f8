"""The GPU engine against the CPU. These tests need a GPU and CuPy.

``test_stand_in.py`` runs them with a stand-in for CuPy, and ``test_kernels_on_cpu.py`` with the
CUDA sources compiled for the CPU.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from isthmus import METHODS, config_context
from isthmus.estimators.components import linear_models
from isthmus.estimators.registry import methods_on
from isthmus.matrices.gpu.device import gpu_is_usable
from isthmus.matrices.protocols import StepOptions
from isthmus.matrices.rows import as_documents
from toy import make_toy

if not gpu_is_usable():
    pytest.skip("needs a GPU and CuPy", allow_module_level=True)

import cupy

from isthmus.matrices.engines import EngineError
from isthmus.matrices.gpu import panels as panels_module
from isthmus.matrices.gpu.chunked import ChunkedDocuments
from isthmus.matrices.gpu.engine import GpuEngine
from isthmus.matrices.gpu.layout import DeviceMatrix, upload
from isthmus.matrices.host import HostEngine

TOLERANCE = {np.float32: 3e-5, np.float64: 1e-11}


def zipf_matrix(n_rows, n_terms, per_row, dtype, seed=0):
    """Rows of any length, columns with falling frequency, some empty rows and columns."""
    generator = np.random.default_rng(seed)
    lengths = generator.poisson(per_row, n_rows)
    lengths[:: max(1, n_rows // 7)] = 0
    rows = np.repeat(np.arange(n_rows), lengths)
    columns = (n_terms ** generator.random(len(rows))).astype(int) - 1
    columns = generator.permutation(n_terms)[np.minimum(columns, n_terms - 1)]
    values = generator.random(len(rows)) + 0.1
    return sparse.csr_array((values, (rows, columns)), shape=(n_rows, n_terms)).astype(dtype)


SHAPES = [
    (1, 1, 1),
    (3, 5, 2),
    (400, 300, 30),
    (40_000, 500, 12),
    (3000, 70_000, 40),
    (50_000, 90_000, 3),
]


def pairs(X, generator):
    """The same scaled documents on the CPU and on the GPU, whole and in chunks."""
    rows = generator.random(X.shape[0]).astype(X.dtype) + X.dtype.type(0.1)
    columns = generator.random(X.shape[1]).astype(X.dtype) + X.dtype.type(0.1)
    host = as_documents(X).scaled(rows=rows, columns=columns)
    engine = GpuEngine()
    third = max(1, X.shape[0] // 3)
    cuts = sorted({0, third, min(2 * third, X.shape[0]), X.shape[0]})
    ranges = list(pairwise(cuts))
    for documents in (engine.documents(X), ChunkedDocuments(engine, X, ranges)):
        yield host, documents.scaled(rows=cupy.asarray(rows), columns=cupy.asarray(columns))


def assert_close(found, expected, dtype):
    scale = max(1e-30, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(cupy.asnumpy(found), expected, atol=TOLERANCE[dtype] * scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape, dtype):
    X, generator = zipf_matrix(*shape, dtype), np.random.default_rng(1)
    for host, device in pairs(X, generator):
        for width in (1, 2, 3, 4, 7, 8, 9, 16, 20, 50, 130):
            right = generator.standard_normal((X.shape[1], width)).astype(dtype)
            left = generator.standard_normal((X.shape[0], width)).astype(dtype)
            assert_close(device.times(cupy.asarray(right)), host.times(right), dtype)
            products = device.transposed_times(cupy.asarray(left))
            assert_close(products, host.transposed_times(left), dtype)
            again = device.transposed_times(cupy.asarray(left))
            assert bool((products == again).all()), "two runs differ"
            if width < 5:
                squares = device.squares_transposed_times(cupy.asarray(left))
                assert_close(squares, host.squares_transposed_times(left), dtype)
        assert_close(
            device.row_sums(), host.row_sums(), np.float64 if dtype == np.float64 else dtype
        )
        assert_close(device.row_norms(), host.row_norms(), dtype)
        assert_close(device.column_sums(), host.column_sums(), dtype)
        np.testing.assert_allclose(device.squared_norm(), host.squared_norm(), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES[2:5])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 16, 20, 33, 64, 65])
def test_membership_step(shape, dtype, width):
    X, generator = zipf_matrix(*shape, dtype), np.random.default_rng(2)
    n, m = X.shape
    for host, device in pairs(X, generator):
        for normalize, given in ((True, False), (False, True)):
            G, P, anchor = (generator.random((size, width)).astype(dtype) for size in (n, m, n))
            gram = (P.T @ P).astype(np.float64)
            pull, fixed = generator.random(n).astype(dtype), generator.random(n) < 0.3
            options = {"anchor": anchor, "pull": pull, "fixed": fixed} if given else {}
            on_device = {key: cupy.asarray(value) for key, value in options.items()}
            G_device = cupy.asarray(G)
            G_host = G.copy()
            step = host.membership_step(
                G_host, P, gram, StepOptions(normalize=normalize, **options)
            )
            found = device.membership_step(
                G_device, cupy.asarray(P), gram, StepOptions(normalize=normalize, **on_device)
            )
            assert_close(G_device, G_host, dtype)
            assert_close(found.products, step.products, dtype)
            np.testing.assert_allclose(found.gram, step.gram, rtol=1e-4)
            assert abs(found.changed - step.changed) <= 2 + n // 1000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES[2:5])
@pytest.mark.parametrize("width", [2, 50])
def test_topic_step(shape, dtype, width):
    X, generator = zipf_matrix(*shape, dtype), np.random.default_rng(3)
    n, m = X.shape
    for host, device in pairs(X, generator):
        mixtures = generator.dirichlet(np.ones(width), n).astype(dtype)
        topics = generator.dirichlet(np.ones(m), width).T.astype(dtype)
        on_device, on_host = cupy.asarray(mixtures), mixtures.copy()
        step = host.topic_step(on_host, topics)
        found = device.topic_step(on_device, cupy.asarray(topics))
        assert_close(on_device, on_host, dtype)
        assert_close(found.word_side, step.word_side, dtype)
        np.testing.assert_allclose(found.log_likelihood, step.log_likelihood, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows(dtype):
    X, generator = zipf_matrix(5000, 300, 20, dtype), np.random.default_rng(4)
    right = generator.standard_normal((300, 2)).astype(dtype)
    chosen = np.flatnonzero(generator.random(5000) < 0.4)
    for host, device in pairs(X, generator):
        part, expected = device.take_rows(chosen), host.take_rows(chosen)
        assert_close(part.times(cupy.asarray(right)), expected.times(right), dtype)
        left = generator.standard_normal((len(chosen), 2)).astype(dtype)
        assert_close(
            part.transposed_times(cupy.asarray(left)), expected.transposed_times(left), dtype
        )
        blocks = [block.times(cupy.asarray(right)) for block in device.row_blocks(700)]
        assert_close(cupy.concatenate(blocks), host.times(right), dtype)
        for width in (2, 9):
            left = generator.standard_normal((5000, width)).astype(dtype)
            # Blocks are views, whose entries begin anywhere.
            total, begin = cupy.zeros((300, width), dtype), 0
            for block in device.row_blocks(700):
                end = begin + block.shape[0]
                total += block.transposed_times(cupy.asarray(left[begin:end]))
                begin = end
            assert_close(total, host.transposed_times(left), dtype)


def test_gram():
    generator, engine = np.random.default_rng(5), GpuEngine()
    for dtype in (np.float32, np.float64):
        for n, a, b in ((1, 1, 1), (1000, 2, 2), (70_000, 3, 5), (5000, 20, 30), (900, 40, 3)):
            left, right = (generator.random((n, k)).astype(dtype) for k in (a, b))
            found = engine.gram(cupy.asarray(left), cupy.asarray(right))
            np.testing.assert_allclose(found, left.T @ right, rtol=1e-4)


def test_column_numbers_have_16_bits_if_they_fit():
    for n_terms, expected in ((300, np.uint16), (2**16, np.uint16), (2**16 + 1, np.int32)):
        X = zipf_matrix(50, n_terms, 5, np.float32)
        assert DeviceMatrix.from_host(X, 0, 50).indices.dtype == expected


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("shape", [(400, 300, 30), (40_000, 5000, 6), (70_000, 60, 2)])
def test_panels_hold_every_entry_once(shape, wide):
    X = zipf_matrix(*shape, np.float32)
    matrix = DeviceMatrix.from_host(X, 0, X.shape[0])
    terms = cupy.asnumpy(matrix.order.terms)
    counts = np.bincount(X.indices, minlength=X.shape[1])
    assert (np.diff(counts[terms]) <= 0).all(), "columns are not ordered by frequency"
    entries, covered = [], []
    for panels in matrix.panels(wide=wide):
        covered += range(panels.columns.start, panels.columns.stop)
        arrays = (panels.begins, panels.starts, panels.rows, panels.data)
        begins, starts, rows, values = (cupy.asnumpy(array) for array in arrays)
        for panel in range(panels.count):
            part = slice(int(begins[panel]), int(begins[panel]) + int(starts[panel, -1]))
            columns = np.repeat(terms[panels.columns], np.diff(starts[panel].astype(np.int64)))
            rows_of_panel = panel * panels.height + rows[part].astype(np.int64)
            entries.append((values[part], rows_of_panel, columns))
    assert covered == list(range(X.shape[1]))
    values, rows, columns = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    found = sparse.csr_array((values, (rows, columns)), shape=X.shape)
    assert found.nnz == X.nnz == len(values)
    assert (found != X).nnz == 0


def test_frequent_and_rare_columns_have_their_own_panels():
    matrix = DeviceMatrix.from_host(zipf_matrix(40_000, 5000, 6, np.float32), 0, 40_000)
    frequent, rare = matrix.panels(wide=True)
    assert (frequent.in_shared_memory, rare.in_shared_memory) == (True, False)
    assert frequent.height < rare.height <= 2**16


@pytest.mark.parametrize("width", [2, 20])
def test_products_with_little_memory_for_sums(width, monkeypatch):
    X, generator = zipf_matrix(40_000, 5000, 6, np.float32), np.random.default_rng(7)
    left = generator.standard_normal((X.shape[0], width)).astype(np.float32)
    expected = as_documents(X).transposed_times(left)
    for size in (2**28, 2**18, 2**10):
        monkeypatch.setattr("isthmus.matrices.gpu.layout.MAX_SUM_BYTES", size)
        found = GpuEngine().documents(X).transposed_times(cupy.asarray(left))
        assert_close(found, expected, np.float32)


@pytest.mark.parametrize("wide", [False, True])
def test_long_documents_are_sorted_in_smaller_chunks(wide, monkeypatch):
    X = zipf_matrix(40_000, 5000, 6, np.float32)
    left = np.random.default_rng(7).standard_normal((40_000, 9 if wide else 2)).astype(np.float32)
    ends = np.append(X.indptr[:: panels_module._panel_height(wide)], X.nnz)
    for limit in (int(2.5 * np.diff(ends).max()), int(np.diff(ends).max())):
        monkeypatch.setattr(panels_module, "_MAX_CHUNK_ENTRIES", limit)
        found = GpuEngine().documents(X).transposed_times(cupy.asarray(left))
        assert_close(found, as_documents(X).transposed_times(left), np.float32)
    monkeypatch.setattr(panels_module, "_MAX_CHUNK_ENTRIES", 1000)
    with pytest.raises(EngineError, match=r"too long for the GPU: .* more than 1,000 non-zeros"):
        GpuEngine().documents(X).transposed_times(cupy.asarray(left))


@pytest.mark.parametrize("width", [1, 2, 4, 9])
def test_products_with_all_kinds_of_segments(width, monkeypatch):
    X, generator = zipf_matrix(1500, 200, 30, np.float32), np.random.default_rng(9)
    left = generator.standard_normal((X.shape[0], width)).astype(np.float32)
    lengths = (100, 20, 5)  # entries from which a block, a warp, several lanes share a segment
    monkeypatch.setattr("isthmus.matrices.gpu.panels._LENGTHS", {False: lengths, True: lengths})
    found = GpuEngine().documents(X).transposed_times(cupy.asarray(left))
    assert_close(found, as_documents(X).transposed_times(left), np.float32)


def test_memberships_that_kernels_cannot_update_are_refused():
    X = zipf_matrix(50, 20, 5, np.float32)
    documents, profiles = GpuEngine().documents(X), cupy.ones((20, 2), np.float32)
    shifted = cupy.ones(101, np.float32)[1:].reshape(50, 2)
    for memberships in (shifted, cupy.ones((50, 2)), cupy.ones((2, 50), np.float32).T):
        with pytest.raises(ValueError, match="cannot be updated in place"):
            documents.membership_step(memberships, profiles, np.eye(2))


@pytest.mark.parametrize("size", [0, 10, 3_000_001])
def test_upload(size, tmp_path):
    values = np.random.default_rng(8).random(size, np.float32)
    # A file that may only be read cannot be locked in memory.
    np.save(tmp_path / "values.npy", values)
    mapped = np.load(tmp_path / "values.npy", mmap_mode="r" if size else None)
    for array in (values, np.repeat(values, 2)[::2], mapped):
        target = cupy.zeros(size, np.float32)
        upload(array, target)
        assert np.array_equal(cupy.asnumpy(target), values)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_clusters", "n_classes"), [(2, 2), (3, 3), (8, 4), (50, 2), (20, 20)])
@pytest.mark.parametrize("normalize", [True, False])
def test_word_step(dtype, n_clusters, n_classes, normalize):
    generator, n_terms = np.random.default_rng(6), 700
    F = generator.random((n_terms, n_clusters)).astype(dtype)
    S = generator.random((n_clusters, n_classes)).astype(dtype)
    products = generator.random((n_terms, n_classes)).astype(dtype)
    products[::9] = 0  # terms that do not occur
    gram = products.T.astype(np.float64) @ products
    anchor = generator.random(F.shape).astype(dtype)
    pull = (generator.random(n_terms) * (generator.random(n_terms) < 0.5)).astype(dtype)
    for options in ({}, {"anchor": anchor * pull[:, None], "pull": pull}):
        host, device = HostEngine(), GpuEngine()
        on_host = [F.copy(), F @ S]
        on_device = [cupy.asarray(F), cupy.asarray(F @ S)]
        given = {key: cupy.asarray(value) for key, value in options.items()}
        expected = host.word_step(
            *on_host, products, S, gram, StepOptions(normalize=normalize, **options)
        )
        found = device.word_step(
            *on_device, cupy.asarray(products), S, gram, StepOptions(normalize=normalize, **given)
        )
        for one, other in zip(on_device, on_host, strict=True):
            assert_close(one, other, dtype)
        np.testing.assert_allclose(found, expected, rtol=1e-3)
        result = host.profiles(on_host[0], S, products)
        other = device.profiles(on_device[0], S, cupy.asarray(products))
        assert_close(other.values, result.values, dtype)
        np.testing.assert_allclose(other.gram, result.gram, rtol=1e-4)
        np.testing.assert_allclose(other.overlap, result.overlap, rtol=1e-4)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", methods_on("gpu"))
def test_fits(name, monkeypatch):
    """Domains whose rows are not consecutive, two and three classes, predictions."""
    # scikit-learn stops earlier than the solver of the GPU.
    monkeypatch.setattr(linear_models, "_SKLEARN_ENGINES", ())
    toy = make_toy((0, 1, -1), 3)
    order = np.random.default_rng(0).permutation(len(toy.y))
    X, y, domains = toy.X[order], toy.y[order], toy.sample_domain[order]
    results = []
    for engine in ("cpu", "gpu", "gpu"):
        with config_context(engine=engine):
            estimator = METHODS[name].build()
            if "random_state" in estimator.get_params(deep=False):
                estimator.set_params(random_state=0)
            if METHODS[name].kind == "transformer":
                results.append(estimator.fit_transform(X, sample_domain=domains))
            else:
                estimator.fit(X, y, sample_domain=domains)
                new = estimator.predict_proba(X, sample_domain=domains)
                results.append(np.hstack([estimator.label_distributions_, new]))
    np.testing.assert_allclose(results[1], results[0], atol=1e-6)
    assert np.array_equal(results[1], results[2]), "two fits differ"
