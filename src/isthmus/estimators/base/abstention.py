"""Leave out the labels of documents whose class is too uncertain."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["abstain", "check_min_confidence"]


def abstain(
    labels: NDArray[Any], memberships: NDArray[Any], min_confidence: float | None
) -> NDArray[Any]:
    """The labels, with None where the largest class membership is below ``min_confidence``.

    The result is an array of objects, or ``labels`` itself if ``min_confidence`` is None.
    """
    check_min_confidence(min_confidence)
    if min_confidence is None:
        return labels
    # tolist turns the numbers of NumPy into those of Python.
    kept = np.array([*labels.tolist(), None], dtype=object)[:-1]
    kept[memberships.max(axis=1) < min_confidence] = None
    return kept


def check_min_confidence(min_confidence: Any) -> None:
    """Raise ValueError if this is neither None nor a number from 0 to 1."""
    is_number = isinstance(min_confidence, Real) and not isinstance(min_confidence, bool)
    if min_confidence is not None and not (is_number and 0 <= min_confidence <= 1):
        raise ValueError(
            f"min_confidence={min_confidence!r} must be a number from 0 to 1, or None to label "
            "every document."
        )
