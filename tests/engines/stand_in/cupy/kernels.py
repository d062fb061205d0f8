"""What every kernel of ``matrices/gpu/kernels`` computes, in NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray


def _rows(n_rows: int, data: Array, indices: Array, indptr: Array, n_columns: int) -> Any:
    first, last = int(indptr[0]), int(indptr[n_rows])
    parts = data[first:last], indices[first:last].astype(np.int64), indptr[: n_rows + 1] - first
    return sparse.csr_array(parts, shape=(n_rows, n_columns))


def _times(n_rows, data, indices, indptr, row_scale, table):
    return (_rows(n_rows, data, indices, indptr, len(table)) @ table) * row_scale[:n_rows, None]


def times_rows(macros, n_rows, data, indices, indptr, row_scale, table, out):
    assert table.shape[1] == out.shape[1] == int(macros["WIDTH"])
    out[:] = _times(n_rows, data, indices, indptr, row_scale, table)


def gather_table(macros, n_terms, width, padded, factor, terms, column_scale, out):
    assert factor.shape == (n_terms, width)
    assert out.shape == (n_terms, padded)
    out[:, width:] = 0
    out[:, :width] = factor[terms]
    if _given(column_scale):
        out *= column_scale[terms][:, None]


def _given(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _update(products, gram, memberships, anchor, pull, fixed, normalize, tiny, smallest, counter):
    numerator, denominator = products, memberships @ gram.reshape(products.shape[1], -1)
    if _given(pull):
        numerator = numerator + pull[:, None] * (anchor if _given(anchor) else memberships)
        denominator = denominator + pull[:, None] * memberships
    moved = memberships * np.sqrt(numerator / np.maximum(denominator, tiny))
    if normalize:
        totals = moved.sum(axis=1, keepdims=True)
        moved = np.where(totals > 0, moved / np.where(totals > 0, totals, 1), 0)
        moved = np.where(moved > smallest, moved, 0)
    if _given(fixed):
        moved = np.where(fixed[:, None], memberships, moved)
    counter[...] += (moved.argmax(axis=1) != memberships.argmax(axis=1)).sum()
    memberships[:] = moved


def membership_rows(macros, n_rows, data, indices, indptr, row_scale, table, *others):
    _update(_times(n_rows, data, indices, indptr, row_scale, table), *others)


def membership_update(macros, n_rows, width, products, gram, *others):
    assert products.shape == (n_rows, width)
    assert gram.shape == (int(macros["LANES"]) * int(macros["VECTOR"]),) * 2
    _update(products, gram[:width, :width].ravel(), *others)


def row_moments(macros, n_rows, data, indices, indptr, row_scale, column_scale, sums, squares):
    X = _rows(n_rows, data.astype(float), indices, indptr, 1 + int(indices.max(initial=0)))
    if _given(column_scale):
        X = X.multiply(column_scale[: X.shape[1]]).tocsr()
    sums[:] = X.sum(axis=1) * row_scale
    squares[:] = X.multiply(X).sum(axis=1) * row_scale.astype(float) ** 2


def copy_rows(macros, n_rows, data, indices, begins, new_indptr, new_data, new_indices):
    for row in range(n_rows):
        target = slice(new_indptr[row], new_indptr[row + 1])
        source = slice(begins[row], begins[row] + target.stop - target.start)
        new_data[target], new_indices[target] = data[source], indices[source]


def count_columns(macros, n_entries, columns, counts):
    assert n_entries == len(columns)
    counts += np.bincount(columns, minlength=len(counts)).astype(counts.dtype)


def segment_sums(
    macros, n_rows, n_columns, width, n_parts, n_slices, data, rows, begins, starts, bounds, left,
    row_scale, partial,
):  # fmt: skip
    size, height = int(macros["SLICE"]), int(macros["PANEL"])
    assert bounds.shape == (len(starts), 4, n_parts + 1)
    # The kinds and their parts cover all columns one after the other.
    assert (bounds[:, 0, 0] == 0).all()
    assert (bounds[:, -1, -1] == n_columns).all()
    assert (bounds[:, 1:, 0] == bounds[:, :-1, -1]).all()
    assert (np.diff(bounds, axis=2) >= 0).all()
    for panel in range(len(starts)):
        begin, end = int(begins[panel]), int(begins[panel]) + int(starts[panel, -1])
        values = data[begin:end] ** 2 if macros["SQUARED"] == "1" else data[begin:end]
        n_local = min(height, n_rows - panel * height)
        parts = values, rows[begin:end].astype(np.int64), starts[panel].astype(np.int64)
        segments = sparse.csr_array(parts, shape=(n_columns, n_local))
        part = slice(panel * height, panel * height + n_local)
        for number in range(n_slices):
            if macros["SHARED"] == "1":
                columns = left[part, number * size : (number + 1) * size] * row_scale[part, None]
                columns = np.pad(columns, ((0, 0), (0, size - columns.shape[1])))
            else:
                columns = left[number, part]
            partial[panel, number] = segments @ columns


def add_panels(
    macros, n_panels, n_columns, n_slices, size, width, first_column, stride, adds, partial, order,
    column_scale, out,
):  # fmt: skip
    assert partial.shape == (n_panels, n_slices, n_columns, size)
    assert out.shape[1] == stride
    total = partial.astype(float).sum(axis=0).transpose(1, 0, 2).reshape(n_columns, -1)[:, :width]
    if _given(column_scale):
        total = total * column_scale[order][:, None]
    columns = slice(first_column, first_column + width)
    out[order, columns] = total + out[order, columns] if adds else total


def segment_keys(macros, n_rows, height, n_frequent, n_short, indices, indptr, keys):
    rows = np.repeat(np.arange(n_rows), np.diff(indptr[: n_rows + 1]))
    columns = indices[indptr[0] : indptr[n_rows]].astype(np.int64)
    frequent = rows // height * n_frequent + columns
    keys[:] = np.where(columns < n_frequent, frequent, (n_short - 1) * n_frequent + columns)


def panel_rows(macros, n_entries, height, n_short_entries, rows, out):
    is_short = np.arange(n_entries) < n_short_entries[0]
    out[:] = np.where(is_short, rows % height, rows)


def part_bounds(macros, n_panels, n_kinds, n_parts, n_columns, segment_cost, kinds, starts, bounds):
    for panel in range(n_panels):
        cost = starts[panel].astype(np.int64) + segment_cost * np.arange(n_columns + 1)
        for kind in range(n_kinds):
            first, last = kinds[kind], kinds[kind + 1]
            limits = cost[first] + (cost[last] - cost[first]) * np.arange(n_parts + 1) // n_parts
            bounds[panel, kind] = first + np.searchsorted(cost[first:last], limits)
            bounds[panel, kind, -1] = last


def _ratios(X: Any, mixtures: Array, topics: Array) -> tuple[Any, Array]:
    X = X.tocoo()
    expected = (mixtures[X.row] * topics[X.col]).sum(axis=1)
    occurs = (X.data > 0) & (expected > 0)
    expected = np.where(occurs, expected, 1)
    ratios = np.where(occurs, X.data / expected, 0)
    return sparse.csr_array((ratios, (X.row, X.col)), shape=X.shape), ratios * expected * np.log(
        expected.astype(float)
    )


def topic_rows(
    macros, n_rows, data, indices, indptr, row_scale, column_scale, topics, mixtures, updated,
    log_likelihoods, smallest,
):  # fmt: skip
    X = _rows(n_rows, data, indices, indptr, len(topics)).multiply(row_scale[:, None])
    if _given(column_scale):
        X = X.multiply(column_scale)
    ratios, terms = _ratios(X, mixtures, topics)
    moved = mixtures * (ratios @ topics)
    totals = moved.sum(axis=1, keepdims=True)
    moved = np.where(totals > 0, moved / np.where(totals > 0, totals, 1), 0)
    updated[:] = np.where(moved > smallest, moved, 0)
    if _given(log_likelihoods):
        log_likelihoods[0] = terms.sum()


def topic_segments(
    macros, n_columns, first_panel, n_panels, data, rows, begins, starts, row_scale, column_scale,
    topics, mixtures, partial,
):  # fmt: skip
    height = int(macros["PANEL"])
    for number in range(n_panels):
        panel = first_panel + number
        begin, end = int(begins[panel]), int(begins[panel]) + int(starts[panel, -1])
        part = slice(panel * height, panel * height + min(height, len(mixtures) - panel * height))
        parts = data[begin:end], rows[begin:end].astype(np.int64), starts[panel].astype(np.int64)
        X = sparse.csr_array(parts, shape=(n_columns, part.stop - part.start)).T
        X = X.multiply(row_scale[part, None])
        if _given(column_scale):
            X = X.multiply(column_scale)
        partial[number] = _ratios(X, mixtures[part], topics)[0].T @ mixtures[part]


def gram_rows(macros, n_rows, rows_per_block, left, right, partial, n_ready, out):
    assert (left.shape[1], right.shape[1]) == (int(macros["LEFT"]), int(macros["RIGHT"]))
    assert len(partial) == -(-n_rows // rows_per_block)
    assert n_ready == 0
    out[:] = left.astype(float).T @ right.astype(float)


def word_rows(
    macros, n_terms, clusters, profiles, products, associations, weighted, anchor, pull, normalize,
    tiny, smallest,
):  # fmt: skip
    assert associations.shape == (int(macros["CLUSTERS"]), int(macros["CLASSES"]))
    numerator, denominator = products @ associations.T, profiles @ weighted.T + tiny
    if _given(pull):
        denominator = denominator + pull[:, None] * clusters
        if _given(anchor):
            numerator = numerator + np.where(pull[:, None] > 0, anchor, 0)
    moved = clusters * np.sqrt(numerator / denominator)
    if normalize:
        totals = moved.sum(axis=1, keepdims=True)
        moved = np.where(totals > 0, moved / np.where(totals > 0, totals, 1), 0)
        moved = np.where(moved > smallest, moved, 0)
    clusters[:] = moved
    profiles[:] = moved @ associations


def times_wide_rows(macros, n_rows, data, indices, indptr, row_scale, table, width, out):
    assert table.shape[1] == int(macros["WIDTH"])
    assert out.shape[1] == width
    out[:] = _times(n_rows, data, indices, indptr, row_scale, table)[:, :width]


KERNELS = {
    function.__name__: function
    for function in (
        times_rows, membership_rows, membership_update, gather_table, count_columns,
        row_moments, copy_rows,
        segment_keys, panel_rows, part_bounds, segment_sums, add_panels, topic_rows,
        topic_segments, gram_rows, word_rows, times_wide_rows,
    )
}  # fmt: skip
