"""Labels: which rows are labeled, encoding of the classes, and labels that are left out."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import UNLABELED


class MarkedLabels(np.ndarray[Any, np.dtype[Any]]):
    """Labels in which only ``None`` marks an unlabeled row, so that -1 may be a class.

    Indexing keeps the type. A plain array or list needs ``missing_label=None`` for the same effect.
    """


def as_label_array(y: Any) -> NDArray[Any]:
    """Return labels as a one-dimensional array without converting ``None`` or numbers to text."""
    if not isinstance(y, list | tuple):
        array = y if isinstance(y, np.ndarray) else np.asarray(y)
        return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    types = {type(value) for value in y}
    # NumPy would convert mixed labels to text, and tuples to a second dimension.
    if len(types) > 1 or tuple in types:
        array = np.empty(len(y), object)
        array[:] = y
        return array
    return np.asarray(y)


def one_hot(codes: NDArray[np.intp], n_classes: int, dtype: Any = np.float64) -> NDArray[Any]:
    """Return one row per label with a 1 in the column of its class; zeros if it is unlabeled."""
    memberships = np.zeros((len(codes), n_classes), dtype)
    labeled = np.flatnonzero(codes >= 0)
    memberships[labeled, codes[labeled]] = 1
    return memberships


def with_labels(
    memberships: NDArray[Any], codes: NDArray[np.intp], of_class: NDArray[Any]
) -> NDArray[Any]:
    """Return a copy of memberships in which every row of class ``c`` is ``of_class[c]``."""
    of_class = of_class.astype(memberships.dtype)
    labeled = codes >= 0
    if labeled.all():
        return of_class.take(codes, axis=0)
    result = memberships.copy()
    result[labeled] = of_class.take(codes[labeled], axis=0)
    return result


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted distinct values, and the position of every value among them.

    The same as ``np.unique(values, return_inverse=True)``, but it counts integers of a small range
    instead of sorting them.
    """
    values = np.asarray(values)
    if values.ndim == 1 and len(values) and np.can_cast(values.dtype, np.intp):
        lowest, highest = int(values.min()), int(values.max())
        if highest - lowest < len(values):
            offsets = values.astype(np.intp) - lowest
            occurs = np.bincount(offsets) > 0
            different = (np.flatnonzero(occurs) + lowest).astype(values.dtype)
            return different, (np.cumsum(occurs) - 1).take(offsets)
    return np.unique(values, return_inverse=True)


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA; does not import pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _missing_mask(y: NDArray[Any]) -> NDArray[np.bool_]:
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind == "O":
        return np.array([_is_missing(value) for value in y], np.bool_)
    return np.zeros(len(y), np.bool_)


def _is_mark(value: Any, mark: Any) -> bool:
    return not _is_missing(value) and not isinstance(value, bool) and bool(value == mark)


def _equals(y: NDArray[Any], mark: Any) -> NDArray[np.bool_]:
    if mark is None or _is_missing(mark):
        return np.zeros(len(y), np.bool_)
    if y.dtype.kind in "US":
        # NumPy converts the number -1 to text in an array of strings.
        return np.asarray(y == str(mark), np.bool_)
    if y.dtype.kind == "O":
        return np.array([_is_mark(value, mark) for value in y], np.bool_)
    if y.dtype.kind in "iuf" and isinstance(mark, int | float | np.number):
        return np.asarray(y == mark, np.bool_)
    return np.zeros(len(y), np.bool_)


def _with_common_type(values: NDArray[Any]) -> NDArray[Any]:
    """Return the labels of an object array as strings or numbers."""
    if values.dtype.kind != "O" or len(values) == 0:
        return values
    if all(isinstance(value, str) for value in values):
        return values
    if all(isinstance(value, int | float | np.number | np.bool_) for value in values):
        return np.asarray(values.tolist())
    types = ", ".join(sorted({type(value).__name__ for value in values}))
    raise ValueError(
        f"The labels have the type {types}, but labels must be all text or all numbers: convert "
        "them to text."
    )


def plain_label(value: Any) -> Any:
    """Return a label as a Python value, for messages."""
    return value.item() if isinstance(value, np.generic) else value


def known_labels(y: Any, missing_label: Any, classes: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the labeled rows of ``y`` and their labels.

    If ``missing_label`` is one of the fitted classes, it does not mark unlabeled rows. Labels that
    are not among the classes are kept, because they count as errors.
    """
    y = as_label_array(y)
    is_class = bool(_equals(np.asarray(classes), missing_label).any())
    mark = None if is_class or isinstance(y, MarkedLabels) else missing_label
    rows = np.flatnonzero(~_missing_mask(y) & ~_equals(y, mark))
    return rows, _with_common_type(np.asarray(y)[rows])


def code_labels(
    y: Any, missing_label: Any, is_target: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Encode the labels of ``y`` as class numbers.

    Parameters
    ----------
    y : array-like of labels
        ``None``, NaN and ``missing_label`` mark unlabeled rows.
    missing_label : object
        The mark of an unlabeled row; ``None`` for no additional mark. If ``y`` has only two values
        and one of them is -1, both are classes.
    is_target : array of bool or None
        Which rows are target rows; None if ``sample_domain`` is not given.

    Returns
    -------
    codes : array of int
        The class number of every row, -1 if unlabeled.
    classes : array
        The sorted labels.
    """
    mark = None if isinstance(y, MarkedLabels) else missing_label
    y = as_label_array(y)
    unlabeled = _missing_mask(y)
    marked = _equals(y, mark) & ~unlabeled
    known = ~unlabeled & ~marked
    classes, class_numbers = distinct(_with_common_type(y[known]))
    if marked.any() and isinstance(mark, numbers.Real) and mark == -1:
        if len(classes) == 1:
            if is_target is not None and np.array_equal(marked, is_target):
                raise ValueError(
                    f"y has only the values {plain_label(classes[0])!r} and -1, and the rows with "
                    "-1 are exactly the target rows: if -1 is a class, pass missing_label=None; if "
                    "-1 marks unlabeled rows, add a second class to the source."
                )
            known = ~unlabeled  # the labels -1 and +1
            classes, class_numbers = distinct(_with_common_type(y[known]))
        elif len(classes) > 1 and unlabeled.any():
            warn_user(
                "y has both -1 and None or NaN, and both mark unlabeled rows: if -1 is a class, "
                "pass missing_label=None."
            )
    codes = np.full(len(y), UNLABELED, np.intp)
    codes[known] = class_numbers
    return codes, classes


def abstain(
    labels: NDArray[Any], memberships: NDArray[Any], min_confidence: float | None
) -> NDArray[Any]:
    """The labels, with None where the largest class membership is below ``min_confidence``.

    The result is an array of objects, or ``labels`` itself if ``min_confidence`` is None.
    """
    check_min_confidence(min_confidence)
    if min_confidence is None:
        return labels
    kept = np.empty(len(labels), dtype=object)
    kept[:] = labels.tolist()  # numbers of Python instead of NumPy
    kept[memberships.max(axis=1) < min_confidence] = None
    return kept


def check_min_confidence(min_confidence: Any) -> None:
    """Raise ValueError if this is neither None nor a number from 0 to 1."""
    is_number = isinstance(min_confidence, numbers.Real) and not isinstance(min_confidence, bool)
    if min_confidence is not None and not (is_number and 0 <= min_confidence <= 1):
        raise ValueError(
            f"min_confidence={min_confidence!r} must be a number from 0 to 1, or None to label "
            "every document."
        )
