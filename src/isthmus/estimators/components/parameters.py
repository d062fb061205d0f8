"""Checks of constructor parameters, and random generators."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

#: Upper bound of C of linear classifiers; liblinear does not terminate for much larger values.
MAX_C = 1e10


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
) -> None:
    """Raise ValueError unless the value is a number within closed bounds, or above an open one."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")
    if above is not None and value <= above:
        raise ValueError(f"{name} must be above {above}, got {value}.")
    _check_bounds(name, float(value), least, most)


def check_whole_number(
    name: str, value: Any, *, least: int | None = None, most: int | None = None
) -> None:
    """Raise ValueError unless the value is a whole number within closed bounds."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole number, got {value!r}.")
    _check_bounds(name, int(value), least, most)


def check_auto_or_whole_number(name: str, value: Any, *, least: int) -> None:
    """Raise ValueError unless the value is "auto" or a whole number of at least ``least``."""
    if not isinstance(value, str):
        check_whole_number(name, value, least=least)
    elif value != "auto":
        raise ValueError(f"{name} must be 'auto' or a whole number, got {value!r}.")


def check_flag(name: str, value: Any) -> None:
    """Raise ValueError unless the value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}.")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise ValueError unless the value is one of the names."""
    if not isinstance(value, str) or value not in choices:
        names = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {names}, got {value!r}.")


def check_classifier(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise ValueError unless the value is one of the names or an object that can be fitted."""
    if isinstance(value, str):
        check_choice(name, value, choices)
    elif not hasattr(value, "fit"):
        names = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {names} or a scikit-learn classifier, got {value!r}.")


def make_generator(random_state: Any) -> np.random.Generator:
    """A NumPy generator from a ``random_state`` in the sense of scikit-learn."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _check_bounds(name: str, value: float, least: float | None, most: float | None) -> None:
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}.")
