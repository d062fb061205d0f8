"""The class shares that a target is taken to have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import plain_label
from isthmus.domains.model import Problem

__all__ = ["check_class_prior", "priors_of_targets"]

_WORDS = ("source", "estimate")
_ADVICE = "give 'source', 'estimate', a share for every class, or None"


def check_class_prior(class_prior: Any) -> None:
    """Raise ValueError if it could be a prior of no problem; how many classes there are is known
    only later.
    """
    if class_prior is None:
        return
    if isinstance(class_prior, str):
        if class_prior not in _WORDS:
            raise ValueError(f"class_prior={class_prior!r} is unknown: {_ADVICE}.")
        return
    values = list(class_prior.values()) if isinstance(class_prior, Mapping) else class_prior
    try:
        shares = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"class_prior={class_prior!r} holds no numbers: {_ADVICE}.") from None
    if shares.ndim != 1:
        raise ValueError(f"class_prior={class_prior!r} is no list of shares: {_ADVICE}.")
    if not np.isfinite(shares).all() or (shares < 0).any():
        raise ValueError(f"class_prior={class_prior!r} must hold shares from 0 to 1 alone.")
    if abs(float(shares.sum()) - 1) > 0.01:
        raise ValueError(
            f"The shares of class_prior={class_prior!r} add up to {float(shares.sum()):.3g}: they "
            "must add up to 1."
        )


def priors_of_targets(class_prior: Any, problem: Problem, X: Any) -> dict[int, NDArray[np.float64]]:
    """The class shares of every target's unlabelled rows by its number; empty if nobody says."""
    if class_prior is None or not problem.targets:
        return {}
    if isinstance(class_prior, str) and class_prior == "estimate":
        from isthmus.estimators.class_prior.estimation import estimate_shares

        return estimate_shares(problem, X)
    if isinstance(class_prior, str):
        shares = problem.class_shares()
    elif isinstance(class_prior, Mapping) or _is_series(class_prior):
        shares = _by_label(dict(class_prior.items()), problem.classes)
    else:
        shares = np.asarray(class_prior, np.float64)
        if len(shares) != problem.n_classes:
            raise ValueError(
                f"class_prior has {len(shares)} shares and there are {problem.n_classes} classes: "
                f"give one a class, in the order {_listed(problem.classes)}."
            )
    shares = shares / shares.sum()
    return {domain.number: shares for domain in problem.targets}


def _is_series(class_prior: Any) -> bool:
    """Whether it is a pandas Series: its index has the labels, as ``value_counts`` makes it."""
    return hasattr(class_prior, "items") and hasattr(class_prior, "index")


def _by_label(shares: Mapping[Any, Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    known = [plain_label(label) for label in classes]
    given = {plain_label(label): share for label, share in shares.items()}
    for label in known:
        if label not in given:
            raise ValueError(
                f"class_prior has no share for the class {label!r}: the classes are "
                f"{_listed(classes)}."
            )
    for label in given:
        if label not in known:
            raise ValueError(
                f"class_prior has a share for {label!r}, which is no class: the classes are "
                f"{_listed(classes)}."
            )
    return np.array([float(given[label]) for label in known])


def _listed(classes: NDArray[Any]) -> str:
    return ", ".join(repr(plain_label(label)) for label in classes)
