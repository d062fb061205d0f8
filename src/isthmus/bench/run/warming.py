"""Imports and compilation before the first fit that is timed."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np

from isthmus.bench.run.runs import Run, build
from isthmus.bench.run.time_limit import TimeExceededError, time_limit

__all__ = ["warm_up"]

_warm: set[str] = set()
_WARM_UP_ROWS = 30
_WARM_UP_SECONDS = 5.0


def warm_up(run: Run, X: Any, y: np.ndarray, sample_domain: np.ndarray) -> None:
    """Fit a few documents, once a method and process: imports and compilation are no part of a fit.

    What goes wrong with so few says nothing of the method.
    """
    if run.entry.method in _warm:
        return
    _warm.add(run.entry.method)
    labels = np.array([str(label) for label in y])
    kinds = np.unique(np.char.add(sample_domain.astype(str), labels), return_inverse=True)[1]
    few = np.concatenate([np.flatnonzero(kinds == k)[:_WARM_UP_ROWS] for k in np.unique(kinds)])
    few.sort()
    with (
        warnings.catch_warnings(),
        contextlib.suppress(Exception, TimeExceededError),
        time_limit(_WARM_UP_SECONDS),
    ):
        warnings.simplefilter("ignore")
        build(run.entry, run.task, run.seed).fit(X[few], y[few], sample_domain=sample_domain[few])
