"""Which rows carry a label, and which class it is."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user
from isthmus.domains.model import UNLABELLED


class MarkedLabels(np.ndarray[Any, np.dtype[Any]]):
    """Labels in which ``None`` alone marks an unlabelled row, so that -1 may be a class.

    Indexing keeps the type; turned into a plain array or a list, it takes ``missing_label=None``
    to say the same.
    """


def as_label_array(y: Any) -> NDArray[Any]:
    """A one-dimensional array that has not turned ``None`` or a number into text."""
    if not isinstance(y, list | tuple):
        array = y if isinstance(y, np.ndarray) else np.asarray(y)
        return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    kinds = {type(value) for value in y}
    # NumPy would turn mixed labels into text, and pairs into a second dimension.
    if len(kinds) > 1 or tuple in kinds:
        array = np.empty(len(y), object)
        array[:] = y
        return array
    return np.asarray(y)


def _is_absent(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, told without importing pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _absent(y: NDArray[Any]) -> NDArray[np.bool_]:
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind == "O":
        return np.array([_is_absent(value) for value in y], np.bool_)
    return np.zeros(len(y), np.bool_)


def _is_mark(value: Any, mark: Any) -> bool:
    return not _is_absent(value) and not isinstance(value, bool) and bool(value == mark)


def _equals(y: NDArray[Any], mark: Any) -> NDArray[np.bool_]:
    if mark is None or _is_absent(mark):
        return np.zeros(len(y), np.bool_)
    if y.dtype.kind in "US":
        # NumPy writes the number -1 as text when it stands in an array of names.
        return np.asarray(y == str(mark), np.bool_)
    if y.dtype.kind == "O":
        return np.array([_is_mark(value, mark) for value in y], np.bool_)
    if y.dtype.kind in "iuf" and isinstance(mark, int | float | np.number):
        return np.asarray(y == mark, np.bool_)
    return np.zeros(len(y), np.bool_)


def _natural(values: NDArray[Any]) -> NDArray[Any]:
    """Labels out of an object array in the type that they have in common."""
    if values.dtype.kind != "O" or len(values) == 0:
        return values
    if all(isinstance(value, str) for value in values):
        return values
    if all(isinstance(value, int | float | np.number | np.bool_) for value in values):
        return np.asarray(values.tolist())
    kinds = ", ".join(sorted({type(value).__name__ for value in values}))
    raise ValueError(
        f"The labels have the type {kinds}: labels must be all text or all numbers; write others "
        "as text."
    )


def plain_label(value: Any) -> Any:
    """A label as the user wrote it, for messages."""
    return value.item() if isinstance(value, np.generic) else value


def known_labels(y: Any, missing_label: Any, classes: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of ``y`` that carry a label, and the labels.

    What was fitted settles what a mark is: if ``missing_label`` is one of the classes, it marks
    nothing. A label that is no class stays, for it was not predicted right.
    """
    y = as_label_array(y)
    is_class = bool(_equals(np.asarray(classes), missing_label).any())
    mark = None if is_class or isinstance(y, MarkedLabels) else missing_label
    rows = np.flatnonzero(~_absent(y) & ~_equals(y, mark))
    return rows, _natural(np.asarray(y)[rows])


def code_labels(
    y: Any, missing_label: Any, is_target: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Number the classes of ``y``.

    Parameters
    ----------
    y : array-like of labels
        ``None`` and NaN always mark an unlabelled row; ``missing_label`` does too.
    missing_label : object
        The mark of an unlabelled row; ``None`` turns it off. If ``y`` holds just two values and
        one of them is -1, both are classes.
    is_target : array of bool or None
        Which rows the caller called target, if they said so.

    Returns
    -------
    codes : array of int
        The class of every row, -1 where it is not known.
    classes : array
        The sorted labels.
    """
    mark = None if isinstance(y, MarkedLabels) else missing_label
    y = as_label_array(y)
    unlabelled = _absent(y)
    marked = _equals(y, mark) & ~unlabelled
    if marked.any() and isinstance(mark, numbers.Real) and mark == -1:
        others = np.unique(_natural(y[~unlabelled & ~marked]))
        if len(others) == 1:
            if is_target is not None and np.array_equal(marked, is_target):
                raise ValueError(
                    f"y holds only {plain_label(others[0])!r} and -1, and the rows with -1 are "
                    "exactly the target rows: if -1 marks unlabelled rows, the source has one "
                    "class only; if -1 is a class, pass missing_label=None."
                )
            marked[:] = False  # the labels -1 and +1
        elif len(others) > 1 and unlabelled.any():
            warn_user(
                "y holds -1 beside None or NaN, and both count as rows without a label: if -1 is "
                "a class, pass missing_label=None."
            )
    unlabelled = unlabelled | marked
    codes = np.full(len(y), UNLABELLED, np.intp)
    classes, found = np.unique(_natural(y[~unlabelled]), return_inverse=True)
    codes[~unlabelled] = found
    return codes, np.asarray(classes)
