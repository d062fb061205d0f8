"""From stacked rows ``(X, y, sample_domain)`` to a problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import code_labels, plain_label
from isthmus.domains.model import UNLABELLED, Domain, Problem
from isthmus.matrices.conversion import as_documents

DEFAULT_SOURCE, DEFAULT_TARGET = 0, -1


def read_sample_domain(sample_domain: Any, n_rows: int) -> NDArray[np.int64]:
    """Whole numbers, one a row."""
    numbers = np.asarray(sample_domain)
    if numbers.ndim != 1 or len(numbers) != n_rows:
        raise ValueError(
            f"sample_domain has shape {numbers.shape} but X has {n_rows} rows: give one whole "
            "number a row, 0 or above for a source and below 0 for a target."
        )
    try:
        with np.errstate(invalid="ignore"):
            whole = numbers.dtype.kind not in "USb" and bool(np.all(numbers == numbers.astype(int)))
    except (TypeError, ValueError, OverflowError):  # None, names, infinities
        whole = False
    if not whole:
        raise ValueError(
            f"sample_domain holds values that are not whole numbers (dtype {numbers.dtype}): use 0 "
            "or above for source rows and below 0 for target rows."
        )
    return numbers.astype(np.int64)


def _rows_of(numbers: NDArray[np.int64], number: int) -> slice | NDArray[np.intp]:
    rows = np.flatnonzero(numbers == number)
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first + 1 == len(rows) else rows


def _order(number: int) -> tuple[bool, int]:
    return (number < 0, abs(number))


def make_problem(
    X: Any,
    y: Any,
    sample_domain: Any = None,
    *,
    missing_label: Any = -1,
    labels_required: bool = True,
    sources_need_labels: bool = True,
    unlabelled_is_target: bool = True,
    domain_names: Mapping[int, str] | None = None,
) -> Problem:
    """Cut stacked rows into domains.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_terms)
        Checked already: two-dimensional, finite, a sparse one without repeated entries.
    y : array-like of shape (n_rows,)
        Labels; see :func:`isthmus.domains.labels.code_labels` for the unlabelled mark.
    sample_domain : array-like of int or None
        0 and above are sources, below 0 targets. Without it labelled rows are the source and
        unlabelled rows the target.
    missing_label : object, default=-1
        The mark of an unlabelled row.
    labels_required : bool, default=True
        Whether labels are needed to carry over: then a source without labels, a single class, or
        a ``sample_domain`` without source or target is an error.
    sources_need_labels : bool, default=True
        Whether every source must have a labelled row; else labels may stand in any domain, even in
        targets alone.
    unlabelled_is_target : bool, default=True
        Whether a row without a label is a target's where ``sample_domain`` is not given; else it
        says nothing about its domain, and ``sample_domain`` has to.
    domain_names : mapping of int to str or None
        The caller's names of the domains, for messages.
    """
    n_rows = X.shape[0]
    numbers: NDArray[np.int64] | None = None
    if sample_domain is not None:
        numbers = read_sample_domain(sample_domain, n_rows)
        if labels_required:
            _check_both_sides(numbers)
    codes, classes = code_labels(y, missing_label, None if numbers is None else numbers < 0)
    if len(codes) != n_rows:
        raise ValueError(f"y has {len(codes)} labels but X has {n_rows} rows: give one a row.")
    if labels_required:
        _check_classes(codes, classes)
    if numbers is None:
        if not unlabelled_is_target and (codes == UNLABELLED).any():
            raise ValueError(
                "Some rows have no label, and labels may stand in any domain, so sample_domain is "
                "required: give one whole number a row, 0 or above for a source and below 0 for a "
                "target."
            )
        numbers = np.where(codes == UNLABELLED, DEFAULT_TARGET, DEFAULT_SOURCE).astype(np.int64)
    domains = []
    for number in sorted(np.unique(numbers).tolist(), key=_order):
        rows = _rows_of(numbers, number)
        domain = Domain(
            number, as_documents(X, rows), codes[rows], rows, (domain_names or {}).get(number)
        )
        taught = domain.labelled.any() or domain.is_target or not sources_need_labels
        if labels_required and not taught:
            raise ValueError(
                f"{domain.name} has no labelled row: give it labels, or mark it as a target "
                "(sample_domain below 0)."
            )
        domains.append(domain)
    return Problem(tuple(domains), classes, n_rows)


def _check_classes(codes: NDArray[np.intp], classes: NDArray[Any]) -> None:
    if not (codes != UNLABELLED).any():
        raise ValueError(
            "y holds no labelled row: label some rows of the source (None, NaN and missing_label "
            "mark rows without a label)."
        )
    if len(classes) == 1:
        raise ValueError(
            f"y holds one class only ({plain_label(classes[0])!r}): at least two are needed."
        )


def _check_both_sides(numbers: NDArray[np.int64]) -> None:
    if not (numbers < 0).any():
        raise ValueError(
            "sample_domain marks no row as target: mark the rows to be labelled with a number "
            "below 0, or leave sample_domain out to fit on the source alone."
        )
    if not (numbers >= 0).any():
        raise ValueError(
            "sample_domain marks no row as source: mark the labelled rows with 0 or above."
        )
