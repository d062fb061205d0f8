"""CsrDocuments and DenseDocuments, against NumPy."""

from __future__ import annotations

import weakref
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import isthmus.matrices.csr as csr
import isthmus.matrices.threads as threads
from common import examples
from isthmus import Auto
from isthmus.matrices.csr import CsrDocuments
from isthmus.matrices.engines import fit_engine, kept_documents
from isthmus.matrices.host import HostEngine
from isthmus.matrices.one_place import computed_once
from isthmus.matrices.protocols import StepOptions
from isthmus.matrices.rows import as_documents, canonical
from isthmus.matrices.threads import cut_by_nonzeros, cut_evenly, cut_terms
from toy import make_toy


@st.composite
def matrices(draw):
    generator = np.random.default_rng(draw(st.integers(0, 2**20)))
    shape = (draw(st.integers(1, 15)), draw(st.integers(1, 8)))
    X = generator.normal(size=shape) * (generator.random(shape) < 0.5)
    return X, generator


@given(matrices(), st.booleans())
@examples(60)
def test_products_and_sums_with_scales(problem, many_chunks):
    X, generator = problem
    rows, columns = generator.random(X.shape[0]) + 0.1, generator.random(X.shape[1]) + 0.1
    plain = rows[:, None] * X * columns
    right, left = generator.random((X.shape[1], 3)), generator.random((X.shape[0], 3))
    before = threads._WORK_PER_CHUNK
    threads._WORK_PER_CHUNK = 4 if many_chunks else before
    try:
        for documents in (as_documents(sparse.csr_array(X)), as_documents(X)):
            scaled = documents.scaled(rows=rows).scaled(columns=columns)
            np.testing.assert_allclose(scaled.times(right), plain @ right, atol=1e-12)
            np.testing.assert_allclose(scaled.transposed_times(left), plain.T @ left, atol=1e-12)
            np.testing.assert_allclose(scaled.row_sums(), plain.sum(axis=1), atol=1e-12)
            np.testing.assert_allclose(scaled.column_sums(), plain.sum(axis=0), atol=1e-12)
            np.testing.assert_allclose(scaled.row_norms(), np.linalg.norm(plain, axis=1))
            np.testing.assert_allclose(scaled.squared_norm(), (plain**2).sum())
            parts = [block.times(right) for block in scaled.row_blocks(4)]
            np.testing.assert_allclose(np.vstack(parts), plain @ right, atol=1e-12)
            lower = [block.squared_norm() for block in scaled.row_blocks(4)]
            np.testing.assert_allclose(sum(lower), (plain**2).sum())
    finally:
        threads._WORK_PER_CHUNK = before


@given(matrices(), st.booleans())
@examples(60)
def test_membership_step(problem, normalize):
    X, generator = problem
    X = abs(X)
    n, m = X.shape
    rows, columns = generator.random(n) + 0.1, generator.random(m) + 0.1
    plain = rows[:, None] * X * columns
    G, B, anchor = (generator.random(s) + 0.1 for s in ((n, 3), (m, 3), (n, 3)))
    pull, fixed = generator.random(n), generator.random(n) < 0.3
    gram = B.T @ B
    new = G * np.sqrt((plain @ B + pull[:, None] * anchor) / (G @ gram + pull[:, None] * G))
    if normalize:
        new = new / new.sum(axis=1, keepdims=True)
    new = np.where(fixed[:, None], G, new)
    changed = (new.argmax(axis=1) != G.argmax(axis=1)).sum()
    for documents in (as_documents(sparse.csr_array(X)), as_documents(X)):
        moved = G.copy()
        step = documents.scaled(rows=rows, columns=columns).membership_step(
            moved, B, gram, StepOptions(anchor, pull, fixed, normalize)
        )
        np.testing.assert_allclose(moved, new, rtol=1e-9)
        np.testing.assert_allclose(step.products, plain.T @ new, atol=1e-9)
        np.testing.assert_allclose(step.gram, new.T @ new, rtol=1e-9)
        assert step.changed == changed


@given(matrices())
@examples(40)
def test_kullback_leibler_step(problem):
    X, generator = problem
    X = abs(X)
    n, m = X.shape
    rows, columns = generator.random(n) + 0.1, generator.random(m) + 0.1
    plain = rows[:, None] * X * columns
    D, W = generator.random((n, 4)) + 0.1, generator.random((m, 4)) + 0.1
    ratio = plain / (D @ W.T)
    moved = D * (ratio @ W)
    totals = moved.sum(axis=1, keepdims=True)
    new = np.divide(moved, totals, out=np.zeros_like(moved), where=totals > 0)
    for documents in (as_documents(sparse.csr_array(X)), as_documents(X)):
        mixtures = D.copy()
        step = documents.scaled(rows=rows, columns=columns).topic_step(mixtures, W)
        np.testing.assert_allclose(mixtures, new, atol=1e-10)
        np.testing.assert_allclose(step.word_side, ratio.T @ D, atol=1e-10)
        np.testing.assert_allclose(step.log_likelihood, (plain * np.log(D @ W.T)).sum())


@pytest.mark.parametrize("compile_setting", ["always", "never"])
@pytest.mark.parametrize("width", [1, 32, 33, 70])
def test_wide_factors_are_multiplied_in_blocks(monkeypatch, compile_setting, width):
    monkeypatch.setenv("ISTHMUS_COMPILE", compile_setting)
    generator = np.random.default_rng(0)
    X = generator.random((40, 9)).astype(np.float32) * (generator.random((40, 9)) < 0.6)
    columns = generator.random(9).astype(np.float32)
    documents = as_documents(sparse.csr_array(X, dtype=np.float32)).scaled(columns=columns)
    right, left = (generator.random((n, width)).astype(np.float32) for n in (9, 40))
    whole = documents.times(right), documents.transposed_times(left)
    monkeypatch.setattr(csr, "_SMALL_FACTOR_BYTES", 0)
    monkeypatch.setattr(csr, "_NONZEROS_PER_TERM", 0)
    assert len(documents._column_blocks(width)) == -(-width // 32)
    np.testing.assert_allclose(documents.times(right), whole[0], rtol=1e-6)
    np.testing.assert_allclose(documents.transposed_times(left), whole[1], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 3, 40])
def test_many_nonzeros_are_summed_over_ranges_of_rows(monkeypatch, width, dtype):
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    generator = np.random.default_rng(0)
    X = sparse.csr_array(
        generator.random((3000, 40)) * (generator.random((3000, 40)) < 0.3), dtype=dtype
    )
    left = generator.random((2500, width)).astype(dtype)
    expected = X[300:2800].toarray().astype(np.float64).T @ left
    monkeypatch.setattr(csr, "_MANY_NONZEROS", 1000)
    monkeypatch.setattr(threads, "_WORK_PER_CHUNK", 1000)
    documents = as_documents(X, slice(300, 2800))
    calls, plain = [], csr.CsrDocuments._sum_of_row_ranges
    monkeypatch.setattr(
        csr.CsrDocuments, "_sum_of_row_ranges", lambda *given: calls.append(given) or plain(*given)
    )
    monkeypatch.setattr(csr, "_MIN_ACCUMULATORS", 17)
    by_terms = documents.transposed_times(left)
    assert not calls
    monkeypatch.setattr(csr, "_MIN_ACCUMULATORS", 8)
    found = []
    for n_threads in (1, 2, 5):
        monkeypatch.setattr("isthmus.matrices.threads.thread_limit", lambda n=n_threads: n)
        found.append(documents.transposed_times(left))
    assert len(calls) == 3
    for product in (by_terms, found[0]):
        np.testing.assert_allclose(product, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)
    assert all(np.array_equal(found[0], other) for other in found[1:]), "threads change the sums"


def test_consecutive_rows_are_not_copied():
    generator = np.random.default_rng(0)
    X = sparse.csr_array(generator.random((20, 6)) * (generator.random((20, 6)) < 0.5))
    documents = as_documents(X, slice(5, 15))
    assert np.shares_memory(documents._data, X.data)
    np.testing.assert_allclose(documents.times(np.eye(6)), X[5:15].toarray())
    picked = as_documents(X, np.array([3, 1, 19]))
    np.testing.assert_allclose(picked.times(np.eye(6)), X[[3, 1, 19]].toarray())


def test_canonical_does_not_modify_its_argument():
    X = sparse.csr_array((np.ones(4), np.array([1, 1, 0, 0]), np.array([0, 2, 4])), shape=(2, 2))
    fixed = canonical(X)
    assert fixed.nnz == 2
    assert X.nnz == 4


def test_canonical_ignores_the_cached_flag_of_scipy():
    X = sparse.csr_array(np.arange(1.0, 13).reshape(3, 4))
    assert X.has_canonical_format
    X.indices = np.array([3, 2, 1, 0], X.indices.dtype)[X.indices]  # another order of the terms
    assert X.has_canonical_format  # cached by SciPy
    fixed = canonical(X)
    assert (np.diff(fixed.indices.reshape(3, 4)) > 0).all()
    np.testing.assert_array_equal(fixed.toarray(), X.toarray())


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 9))
def test_chunks_cover_all_rows_once(lengths, n_chunks):
    indptr = np.concatenate([[7], 7 + np.cumsum(lengths)])
    for ranges in (cut_by_nonzeros(indptr, n_chunks), cut_evenly(len(lengths), n_chunks)):
        covered = [row for start, stop in ranges for row in range(start, stop)]
        assert covered == list(range(len(lengths)))


@given(st.lists(st.integers(0, 11), min_size=1, max_size=60), st.integers(1, 9))
def test_ranges_of_terms_cover_all_terms_once(indices, n_chunks):
    covered = [t for a, b in cut_terms(np.array(indices), 12, n_chunks) for t in range(a, b)]
    assert covered == list(range(12))


@given(matrices())
@examples(30)
def test_take_rows(problem):
    X, generator = problem
    rows = np.flatnonzero(generator.random(X.shape[0]) < 0.5)
    scale, columns = generator.random(X.shape[0]) + 0.1, generator.random(X.shape[1]) + 0.1
    identity = np.eye(X.shape[1])
    for documents in (as_documents(sparse.csr_array(X)), as_documents(X)):
        taken = documents.scaled(rows=scale, columns=columns).take_rows(rows)
        expected = (scale[:, None] * X * columns)[rows]
        np.testing.assert_allclose(taken.times(identity), expected, atol=1e-12)
        np.testing.assert_allclose(taken.row_sums(), expected.sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("damage", ["strided", "unaligned"])
def test_strided_and_unaligned_arrays(damage):
    generator = np.random.default_rng(0)
    X = sparse.csr_array(generator.random((6, 5)) * (generator.random((6, 5)) < 0.6))
    other = X.copy()
    if damage == "strided":
        other.data = np.repeat(X.data, 2)[::2]
        other.indices = np.repeat(X.indices, 2)[::2]
    else:
        other.data = np.frombuffer(b"?" + X.data.tobytes(), np.uint8)[1:].view(X.dtype)
        assert not other.data.flags.aligned
    right = generator.random((5, 3))
    np.testing.assert_array_equal(as_documents(other).times(right), as_documents(X).times(right))
    np.testing.assert_array_equal(as_documents(other).row_sums(), as_documents(X).row_sums())


@pytest.mark.parametrize(
    ("nonzeros", "n_terms", "n_classes", "expected"),
    [
        (50_000, 10_000, 2, 1),  # not enough work
        (8_400_000, 50_000, 2, 16),
        (1_580_000, 50_000, 2, 4),  # 7, rounded to a power of two
        (64_000_000, 1_000_000, 50, 1),  # 200 MB each
        (900_000, 50_000, 2, 4),
    ],
)
def test_accumulator_count(nonzeros, n_terms, n_classes, expected):
    count = threads.accumulator_count(
        2 * nonzeros * n_classes, nonzeros, n_terms, 4 * n_terms * n_classes, 8 * nonzeros
    )
    assert count == expected


@pytest.mark.parametrize("first", [0, 4])
def test_many_wide_column_numbers_are_read_in_place(monkeypatch, first):
    """Large matrices keep 64-bit column numbers; ``first`` rows come before those of the domain."""
    generator = np.random.default_rng(0)
    dense = generator.random((20, 12)) * (generator.random((20, 12)) < 0.4)
    X = sparse.csr_array(dense.astype(np.float32))
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    narrow = csr.CsrDocuments.from_scipy(X, first)
    monkeypatch.setattr(csr, "_FEW_NONZEROS", 0)
    documents = csr.CsrDocuments.from_scipy(wide, first)
    assert documents._indices.dtype == np.int64
    assert narrow._indices.dtype == np.int32
    n, m = documents.shape
    G, F = (generator.random((size, 3)).astype(np.float32) + 0.1 for size in (n, m))
    both = (documents, narrow)
    results = [(d.times(F), d.transposed_times(G)) for d in both]
    np.testing.assert_array_equal(*(products[0] for products in results))
    np.testing.assert_array_equal(*(products[1] for products in results))
    moved = [G.copy(), G.copy()]
    steps = [d.membership_step(g, F, F.T @ F) for d, g in zip(both, moved, strict=True)]
    np.testing.assert_array_equal(*moved)
    np.testing.assert_array_equal(*(step.products for step in steps))
    mixtures = [G.copy(), G.copy()]
    topics = [d.topic_step(g, F) for d, g in zip(both, mixtures, strict=True)]
    np.testing.assert_array_equal(*mixtures)
    np.testing.assert_array_equal(*(step.word_side for step in topics))


@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
def test_norms_and_sums_are_computed_once(container):
    X = np.random.default_rng(0).random((6, 4))
    documents = as_documents(container(X))
    for name in ("row_sums", "row_norms", "column_sums", "unit_rows"):
        assert getattr(documents, name)() is getattr(documents, name)()
    with pytest.raises(ValueError, match="read-only"):
        documents.row_norms()[0] = 1
    unit = documents.unit_rows()
    np.testing.assert_allclose(unit.row_norms(), 1)
    assert unit is not documents


def test_documents_of_unit_norm_are_their_own_unit_rows():
    documents = as_documents(sparse.csr_array(np.eye(3)))
    assert documents.unit_rows() is documents
    found = weakref.ref(documents)
    del documents
    assert found() is None  # without the garbage collector


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix])
def test_a_fit_keeps_the_documents_of_a_matrix(container):
    X = container(np.eye(4))
    assert as_documents(X) is not as_documents(X)
    with fit_engine(HostEngine()):
        documents = as_documents(X)
        part = as_documents(X, slice(1, 3))
        with fit_engine(HostEngine()):  # a method that fits another one
            assert as_documents(X, slice(0, 4)) is documents
        assert as_documents(X, slice(1, 3)) is part
        assert as_documents(X.copy()) is not documents
        chosen = np.array([0, 2])
        assert as_documents(X, chosen) is not as_documents(X, chosen)
    assert as_documents(X) is not documents


@pytest.mark.parametrize("container", [sparse.csr_array, np.array])
def test_a_fit_forgets_the_documents_of_a_matrix_that_is_gone(container):
    with fit_engine(HostEngine()):
        X = container(np.eye(4))
        matrix = weakref.ref(X)
        as_documents(X)
        del X
        assert matrix() is None
        assert not kept_documents.get()


def test_the_methods_of_an_ensemble_share_norms_and_sums(monkeypatch):
    computed = Counter()

    def counted(name):
        original = getattr(CsrDocuments, name).__wrapped__

        def method(documents):
            computed[name] += 1
            return original(documents)

        method.__name__ = name
        return computed_once(method)

    for name in ("row_norms", "column_sums"):
        monkeypatch.setattr(CsrDocuments, name, counted(name))
    toy = make_toy()
    Auto(effort="fast").fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    # Of two domains: the matrix, that with unit norm, and that divided by norms of nearly 1.
    assert computed["column_sums"] == 6
    # Also of both whole matrices, and of copies of some rows in another order.
    assert computed["row_norms"] <= 10
