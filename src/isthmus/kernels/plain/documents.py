"""Loops over the rows of a CSR matrix, and of factors with one row per term, in NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[Any]


def row_block(
    data: Array, indices: Array, indptr: Array, start: int, stop: int, n_columns: int
) -> Any:
    """Return some rows as a SciPy matrix that shares their memory.

    Slices of a SciPy matrix are copies, and so is the result of its constructor for a small part of
    a large array.
    """
    first, last = indptr[start], indptr[stop]
    # SciPy needs one type for indices and indptr.
    fits = last - first <= np.iinfo(indices.dtype).max
    kind = indices.dtype if fits else np.dtype(np.int64)
    block = sparse.csr_array((stop - start, n_columns), dtype=data.dtype)
    block.data = data[first:last]
    block.indices = indices[first:last].astype(kind, copy=False)
    block.indptr = (indptr[start : stop + 1] - first).astype(kind, copy=False)
    return block


def times(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    right: Array,
    out: Array,
    start: int,
    stop: int,
) -> None:
    block = row_block(data, indices, indptr, start, stop, len(right))
    np.multiply(block @ right, row_scale[start:stop, None], out=out[start:stop])


def scattered(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    left: Array,
    out: Array,
    start: int,
    stop: int,
    lowest: int,
    above: int,
) -> None:
    block = row_block(data, indices, indptr, start, stop, len(out))
    product = block.T @ (row_scale[start:stop, None] * left[start:stop])
    out[lowest:above] += product[lowest:above]


def membership_rows(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    profiles: Array,
    gram: Array,
    memberships: Array,
    anchor: Array,
    pull: Array,
    fixed: Array,
    normalize: bool,
    accumulator: Array,
    new_gram: Array,
    start: int,
    stop: int,
) -> int:
    rows = slice(start, stop)
    block = row_block(data, indices, indptr, start, stop, len(profiles))
    old, moving, weight = memberships[rows], ~fixed[rows], pull[rows, None]
    numerator = (block @ profiles) * row_scale[rows, None] + weight * anchor[rows]
    denominator = old @ gram + weight * old
    new = updated_memberships(old, numerator, denominator, normalize)
    changed = int((moving & (new.argmax(axis=1) != old.argmax(axis=1))).sum())
    memberships[rows] = np.where(moving[:, None], new, old)
    accumulator += block.T @ (memberships[rows] * row_scale[rows, None])
    new_gram += np.tril(gram_of(memberships[rows]))
    return changed


def updated_memberships(old: Array, numerator: Array, denominator: Array, normalize: bool) -> Array:
    """Return the multiplicative update of some rows; the result does not depend on the ranges."""
    floor = np.finfo(old.dtype).tiny
    new = old * np.sqrt(numerator / np.maximum(denominator, floor))
    return normalized_rows(new) if normalize else np.asarray(new)


def normalized_rows(factor: Array) -> Array:
    """Divide rows by their sums; values whose square is subnormal become zero."""
    totals = factor.sum(axis=1, keepdims=True)
    divided = np.divide(factor, totals, out=np.zeros_like(factor), where=totals > 0)
    divided[divided <= np.sqrt(np.finfo(factor.dtype).tiny)] = 0
    return divided


def gram_of(factor: Array) -> NDArray[np.float64]:
    """Return ``factor.T @ factor`` in float64."""
    precise = factor.astype(np.float64, copy=False)
    return np.asarray(precise.T @ precise)


def topic_rows(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    column_scale: Array,
    mixtures: Array,
    topics: Array,
    expected: Array,
    ratios: Array,
    out: Array,
    start: int,
    stop: int,
) -> None:
    first, last = indptr[start], indptr[stop]
    columns, lengths = indices[first:last], np.diff(indptr[start : stop + 1])
    rows = np.repeat(np.arange(start, stop), lengths)
    np.einsum("pz,pz->p", mixtures[rows], topics[columns], out=expected)
    values = data[first:last] * row_scale[rows] * column_scale[columns]
    seen = (values > 0) & (expected > 0)
    ratios[:] = np.divide(values, expected, out=np.zeros_like(expected), where=seen)
    expected[~seen] = 1
    shifted = indptr[start : stop + 1] - first
    block = row_block(ratios, columns, shifted, 0, stop - start, len(topics))
    out[: stop - start] = normalized_rows(mixtures[start:stop] * (block @ topics))


def row_moments(
    data: Array,
    indices: Array,
    indptr: Array,
    row_scale: Array,
    column_scale: Array,
    sums: Array,
    squares: Array,
    start: int,
    stop: int,
) -> None:
    first, last = indptr[start], indptr[stop]
    rows = np.repeat(np.arange(stop - start), np.diff(indptr[start : stop + 1]))
    values = data[first:last].astype(np.float64) * column_scale[indices[first:last]]
    values *= row_scale[start:stop][rows]
    sums[start:stop] = np.bincount(rows, values, minlength=stop - start)
    squares[start:stop] = np.bincount(rows, values**2, minlength=stop - start)


def word_rows(
    clusters: Array,
    profiles: Array,
    products: Array,
    associations: Array,
    weighted: Array,
    anchor: Array,
    pull: Array,
    normalize: bool,
    sums: Array,
    start: int,
    stop: int,
) -> None:
    rows = slice(start, stop)
    numerator = products[rows] @ associations
    denominator = profiles[rows] @ weighted + np.finfo(clusters.dtype).tiny
    if pull[rows].any():
        strength = pull[rows, None]
        numerator += np.where(strength > 0, anchor[rows], 0)
        denominator += strength * clusters[rows]
    moved = clusters[rows] * np.sqrt(numerator / denominator)
    clusters[rows] = normalized_rows(moved) if normalize else moved
    profiles[rows] = clusters[rows] @ associations.T
    sums += profiles[rows].T @ clusters[rows]


def cluster_products(clusters: Array, products: Array, sums: Array, start: int, stop: int) -> None:
    sums += products[start:stop].T @ clusters[start:stop]


def profile_rows(
    clusters: Array,
    associations: Array,
    products: Array,
    profiles: Array,
    gram: Array,
    start: int,
    stop: int,
) -> float:
    rows = slice(start, stop)
    profiles[rows] = clusters[rows] @ associations.T
    gram += np.tril(gram_of(profiles[rows]))
    return float(np.einsum("jy,jy->", profiles[rows], products[rows], dtype=np.float64))


def topic_counts(topics: Array, word_side: Array, totals: Array, start: int, stop: int) -> None:
    topics[start:stop] *= word_side[start:stop]
    totals += topics[start:stop].sum(axis=0, dtype=np.float64)


def scale_topics(topics: Array, scale: Array, start: int, stop: int) -> None:
    part = topics[start:stop]
    part *= scale
    part[part <= np.sqrt(np.finfo(topics.dtype).tiny)] = 0
