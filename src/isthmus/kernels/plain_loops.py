"""Loops over the rows of a CSR matrix, and of factors with one row per term, in NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[Any]

_CODE_BITS = 21
# Number of rows that are multiplied at a time.
_BLOCK_ROWS = 1000

# Number of similarities that are computed at a time.
_BLOCK = 4_000_000


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


def ngram_numbers(
    codes: Array,
    starts: Array,
    shortest: Array,
    longest: Array,
    pointers: Array,
    numbers: Array,
    start: int,
    stop: int,
) -> int:
    """Number n-grams of equal characters alike, one length after the other."""
    positions = np.arange(starts[start], starts[stop])
    word = np.repeat(np.arange(start, stop), np.diff(starts[start : stop + 1]))
    lengths = np.minimum(longest[word], starts[word + 1] - positions)
    n_entries = np.maximum(lengths - shortest[word] + 1, 0)
    first_entries = np.concatenate([[0], np.cumsum(n_entries)])
    labels = np.empty(first_entries[-1], np.int64)
    nodes, n_labels = np.zeros(len(positions), np.int64), 0
    for length in range(1, int(longest[start:stop].max(initial=0)) + 1):
        is_long = np.flatnonzero(lengths >= length)
        keys = (nodes[is_long] << _CODE_BITS) | codes[positions[is_long] + length - 1]
        unique_keys, numbered = np.unique(keys, return_inverse=True)
        nodes[is_long] = numbered
        shortest_here = shortest[word[is_long]]
        is_entry = length >= shortest_here
        entries = first_entries[:-1][is_long] + length - shortest_here
        labels[entries[is_entry]] = n_labels + numbered[is_entry]
        n_labels += len(unique_keys)
    different, numbered = np.unique(labels, return_inverse=True)
    numbers[pointers[start] : pointers[stop]] = numbered
    return len(different)


def ngram_frequencies(
    words: Array,
    indptr: Array,
    ngrams: Array,
    ngram_starts: Array,
    frequencies: Array,
    start: int,
    stop: int,
) -> None:
    ones = np.ones(len(words), np.float32)
    for _, product in _products(
        ones, words, indptr, ngrams, ngram_starts, len(frequencies), start, stop
    ):
        frequencies += np.bincount(product.indices, minlength=len(frequencies))


def ngram_counts(
    data: Array,
    words: Array,
    indptr: Array,
    ngrams: Array,
    ngram_starts: Array,
    n_ngrams: int,
    counts: Array,
    columns: Array,
    ends: Array,
    start: int,
    stop: int,
) -> None:
    for first, product in _products(
        data, words, indptr, ngrams, ngram_starts, n_ngrams, start, stop
    ):
        product.sort_indices()
        filled = ends[first]
        part = slice(filled, filled + product.nnz)
        counts[part], columns[part] = product.data, product.indices
        ends[first + 1 : first + product.shape[0] + 1] = filled + product.indptr[1:]


def _products(
    data: Array,
    words: Array,
    indptr: Array,
    ngrams: Array,
    ngram_starts: Array,
    n_ngrams: int,
    start: int,
    stop: int,
) -> Any:
    """Yield the first row and the n-gram counts of some documents at a time."""
    n_words = len(ngram_starts) - 1
    ones = np.ones(len(ngrams), data.dtype)
    ngrams_of_words = row_block(ones, ngrams, ngram_starts, 0, n_words, n_ngrams)
    for first in range(start, stop, _BLOCK_ROWS):
        last = min(first + _BLOCK_ROWS, stop)
        yield first, row_block(data, words, indptr, first, last, n_words) @ ngrams_of_words


def nearest_rows(
    data: Array,
    indices: Array,
    indptr: Array,
    kinds: Array,
    columns: Array,
    rows_of_columns: Array,
    starts_of_columns: Array,
    dense_number: Array,
    dense_columns: Array,
    steps: Array,
    neighbors: Array,
    similarities: Array,
    across: Array,
    across_similarities: Array,
    start: int,
    stop: int,
) -> None:
    n_rows, n_terms = int(steps[2]), len(dense_number)
    transposed = row_block(data, indices, indptr, 0, n_rows, n_terms).T
    size = max(1, _BLOCK // max(1, n_rows))
    for first in range(start, stop, size):
        last = min(first + size, stop)
        block = (row_block(data, indices, indptr, first, last, n_terms) @ transposed).toarray()
        part = slice(first, last)
        excluded = np.arange(n_rows) == np.arange(first, last)[:, None]
        keep_nearest(block, excluded, steps, neighbors[part], similarities[part])
        excluded |= kinds == kinds[part, None]
        keep_nearest(block, excluded, steps, across[part], across_similarities[part])


def keep_nearest(
    block: Array, excluded: Array, steps: Array, neighbors: Array, similarities: Array
) -> None:
    """Select the largest similarities of some rows to all rows that are not excluded."""
    (n_rows, n_searched), k, least = block.shape, neighbors.shape[1], int(steps[1])
    if k == 0:
        return
    ranks = np.rint(block * steps[0]).astype(np.int64)
    ranks[excluded] = least - 1
    # Ties are broken by the lower row number.
    codes = (ranks - least + 1) * n_searched + np.arange(n_searched - 1, -1, -1)
    codes[ranks < least] = -1
    if k < n_searched:
        codes = np.partition(codes, n_searched - k, axis=1)[:, n_searched - k :]
    codes = np.sort(codes, axis=1)[:, ::-1]
    where = np.where(codes >= 0, n_searched - 1 - codes % n_searched, -1)
    similar = block[np.arange(n_rows)[:, None], np.maximum(where, 0)]
    neighbors[:, : where.shape[1]] = where
    similarities[:, : where.shape[1]] = np.where(where >= 0, similar, 0)
