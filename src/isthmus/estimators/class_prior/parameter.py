"""The parameter ``class_prior`` of classifiers, and memberships and weights that match a prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.labels import plain_label
from isthmus.domains.model import Problem
from isthmus.numerics.class_probabilities import match_mean

_NAMES = ("source", "estimate")
_ESTIMATE_KEY = "estimated class priors"
_ADVICE = "use 'source', 'estimate', one proportion per class, or None"
#: Class prior by target number.
TargetPrior = Mapping[int, NDArray[np.float64]]

# Lower bound of the proportion of a class, which bounds its weight.
_MIN_PROPORTION = 0.01


def check_class_prior(class_prior: Any) -> None:
    """Raise ValueError if it is not a valid prior for any number of classes."""
    if class_prior is None:
        return
    if isinstance(class_prior, str):
        if class_prior not in _NAMES:
            raise ValueError(f"class_prior={class_prior!r} is unknown: {_ADVICE}.")
        return
    values = list(class_prior.values()) if isinstance(class_prior, Mapping) else class_prior
    try:
        prior = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"class_prior={class_prior!r} does not hold numbers: {_ADVICE}.") from None
    if prior.ndim != 1:
        raise ValueError(f"class_prior={class_prior!r} is not a list of proportions: {_ADVICE}.")
    if not np.isfinite(prior).all() or (prior < 0).any():
        raise ValueError(f"class_prior={class_prior!r} must hold proportions from 0 to 1.")
    if abs(float(prior.sum()) - 1) > 0.01:
        raise ValueError(
            f"The proportions of class_prior={class_prior!r} add up to {float(prior.sum()):.3g}: "
            "they must add up to 1."
        )


def priors_of_targets(
    class_prior: Any, problem: Problem, X: Any, shared: dict[Any, Any] | None = None
) -> dict[int, NDArray[np.float64]]:
    """Class prior of the unlabeled rows of every target, by domain number; empty for None.

    An estimate is stored in ``shared``, so that other methods on the same data reuse it.
    """
    if class_prior is None or not problem.targets:
        return {}
    if isinstance(class_prior, str) and class_prior == "estimate":
        from isthmus.estimators.class_prior.estimation import estimate_target_priors

        shared = {} if shared is None else shared
        if _ESTIMATE_KEY not in shared:
            shared[_ESTIMATE_KEY] = estimate_target_priors(problem, X)
        return dict(shared[_ESTIMATE_KEY])
    if isinstance(class_prior, str):
        prior = problem.class_prior()
    elif isinstance(class_prior, Mapping) or _is_series(class_prior):
        prior = _by_label(dict(class_prior.items()), problem.classes)
    else:
        prior = np.asarray(class_prior, np.float64)
        if len(prior) != problem.n_classes:
            raise ValueError(
                f"class_prior has {len(prior)} values, but there are {problem.n_classes} classes: "
                f"give one per class, in the order {_listed(problem.classes)}."
            )
    prior = prior / prior.sum()
    return {domain.number: prior for domain in problem.targets}


def _is_series(class_prior: Any) -> bool:
    """Whether it is a pandas Series indexed by labels, as ``value_counts`` returns it."""
    return hasattr(class_prior, "items") and hasattr(class_prior, "index")


def _by_label(prior: Mapping[Any, Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    labels = [plain_label(label) for label in classes]
    by_label = {plain_label(label): proportion for label, proportion in prior.items()}
    for label in labels:
        if label not in by_label:
            raise ValueError(
                f"class_prior has no value for class {label!r}: the classes are {_listed(classes)}."
            )
    for label in by_label:
        if label not in labels:
            raise ValueError(
                f"class_prior has a value for {label!r}, which is not a class: the classes are "
                f"{_listed(classes)}."
            )
    return np.array([float(by_label[label]) for label in labels])


def _listed(classes: NDArray[Any]) -> str:
    return ", ".join(repr(plain_label(label)) for label in classes)


def match_class_prior(
    problem: Problem, memberships: Sequence[NDArray[Any]], prior: TargetPrior
) -> list[NDArray[Any]]:
    """Memberships whose mean over the unlabeled rows of a target is its class prior.

    Rows are scaled to sum 1; rows of zeros stay zeros.
    """
    matched = []
    for domain, part in zip(problem.domains, memberships, strict=True):
        totals = part.sum(axis=1, keepdims=True)
        scaled = np.divide(part, totals, out=np.zeros_like(part), where=totals > 0)
        if domain.is_target:
            unlabeled = ~domain.labeled
            scaled[unlabeled] = match_mean(scaled[unlabeled], prior[domain.number])
        matched.append(scaled)
    return matched


def row_weights(
    problem: Problem, memberships: Sequence[NDArray[Any]], prior: TargetPrior
) -> list[NDArray[Any] | None]:
    """Weights of target documents that give all classes the same total weight; None for a source.

    The frequent class dominates a squared error: two groups for it reduce the error more than one
    group for it and one for the rare class. Equal weights prevent this.
    """
    weights: list[NDArray[Any] | None] = []
    for domain, part in zip(problem.domains, memberships, strict=True):
        if not domain.is_target:
            weights.append(None)
            continue
        totals = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(part.dtype).tiny)
        class_weights = 1 / np.maximum(prior[domain.number], _MIN_PROPORTION)
        of_rows = (part / totals) @ class_weights
        of_rows[domain.labeled] = class_weights[domain.labels[domain.labeled]]
        mean = float(of_rows.mean()) if len(of_rows) else 1.0
        weights.append((of_rows / mean if mean > 0 else np.ones_like(of_rows)).astype(part.dtype))
    return weights
