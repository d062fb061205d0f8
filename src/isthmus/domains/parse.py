"""Parse stacked rows ``(X, y, sample_domain)`` into a problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import code_labels, distinct, plain_label
from isthmus.domains.model import UNLABELED, Domain, Problem
from isthmus.matrices.engines import current_engine
from isthmus.matrices.rows import take_rows

DEFAULT_SOURCE, DEFAULT_TARGET = 0, -1


def read_sample_domain(sample_domain: Any, n_rows: int) -> NDArray[np.int64]:
    """Return ``sample_domain`` as an array of integers, one per row."""
    numbers = np.asarray(sample_domain)
    if numbers.ndim != 1 or len(numbers) != n_rows:
        raise ValueError(
            f"sample_domain has shape {numbers.shape} but X has {n_rows} rows: pass one integer "
            "per row, 0 or more for a source and negative for a target."
        )
    try:
        with np.errstate(invalid="ignore"):
            is_whole = numbers.dtype.kind not in "USb" and bool(
                np.all(numbers == numbers.astype(int))
            )
    except (TypeError, ValueError, OverflowError):  # None, names, infinities
        is_whole = False
    if not is_whole:
        raise ValueError(
            f"sample_domain has values that are not integers (dtype {numbers.dtype}): use 0 or "
            "more for source rows and negative numbers for target rows."
        )
    return numbers.astype(np.int64)


def _rows_of(numbers: NDArray[np.int64], number: int) -> slice | NDArray[np.intp]:
    belongs = numbers == number
    first, last = int(belongs.argmax()), len(belongs) - 1 - int(belongs[::-1].argmax())
    rows = slice(first, last + 1)
    return rows if belongs[rows].all() else np.flatnonzero(belongs)


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
    unlabeled_is_target: bool = True,
    domain_names: Mapping[int, str] | None = None,
) -> Problem:
    """Split stacked rows into domains.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_terms)
        Validated: two-dimensional and finite; a sparse matrix has no duplicate entries.
    y : array-like of shape (n_rows,)
        Labels; see :func:`isthmus.domains.labels.code_labels` for unlabeled rows.
    sample_domain : array-like of int or None
        0 or more for sources, negative for targets. If None, labeled rows are the source and
        unlabeled rows the target.
    missing_label : object, default=-1
        The mark of an unlabeled row.
    labels_required : bool, default=True
        Whether a source without labels, a single class, or a ``sample_domain`` without source or
        target is an error.
    sources_need_labels : bool, default=True
        Whether every source must have a labeled row; if False, labels may be in any domain, even
        in targets only.
    unlabeled_is_target : bool, default=True
        Whether unlabeled rows are target rows if ``sample_domain`` is None; if False,
        ``sample_domain`` is required if there are unlabeled rows.
    domain_names : mapping of int to str or None
        The caller's names of the domains, for messages.
    """
    n_rows = X.shape[0]
    numbers: NDArray[np.int64] | None = None
    if sample_domain is not None:
        numbers = read_sample_domain(sample_domain, n_rows)
        if labels_required:
            _check_has_source_and_target(numbers)
    codes, classes = code_labels(y, missing_label, None if numbers is None else numbers < 0)
    if len(codes) != n_rows:
        raise ValueError(f"y has {len(codes)} labels but X has {n_rows} rows: pass one per row.")
    if labels_required:
        _check_classes(codes, classes)
    if numbers is None:
        if not unlabeled_is_target and (codes == UNLABELED).any():
            raise ValueError(
                "sample_domain is required because some rows are unlabeled and labels may be in "
                "any domain: pass one integer per row, 0 or more for a source and negative for a "
                "target."
            )
        numbers = np.where(codes == UNLABELED, DEFAULT_TARGET, DEFAULT_SOURCE).astype(np.int64)
    engine, domains = current_engine(), []
    for number in sorted(distinct(numbers)[0].tolist(), key=_order):
        rows = _rows_of(numbers, number)
        domain = Domain(
            number, engine.documents(X, rows), codes[rows], rows, (domain_names or {}).get(number)
        )
        needs_label = labels_required and sources_need_labels and not domain.is_target
        if needs_label and not domain.labeled.any():
            raise ValueError(
                f"{domain.name} has no labeled row: label some rows, or mark it as a target "
                "(negative sample_domain)."
            )
        domains.append(domain)
    return Problem(tuple(domains), classes, n_rows)


def _check_classes(codes: NDArray[np.intp], classes: NDArray[Any]) -> None:
    if not (codes != UNLABELED).any():
        raise ValueError(
            "y has no labeled row: label some rows of the source (None, NaN and missing_label "
            "mark unlabeled rows)."
        )
    if len(classes) == 1:
        raise ValueError(
            f"y has one class only ({plain_label(classes[0])!r}): at least two are needed."
        )


def _check_has_source_and_target(numbers: NDArray[np.int64]) -> None:
    if not (numbers < 0).any():
        raise ValueError(
            "sample_domain marks no row as target: use a negative number for the rows to be "
            "labeled, or omit sample_domain to fit on the source only."
        )
    if not (numbers >= 0).any():
        raise ValueError(
            "sample_domain marks no row as source: use 0 or more for the labeled rows."
        )


def rows_of_domains(problem: Problem, X: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number of every domain and its rows of the matrix."""
    all_rows = np.arange(problem.n_rows)
    for domain in problem.domains:
        yield domain.number, take_rows(X, all_rows[domain.rows])
