"""The methods of the registry and their fits on toy problems, shared by the contract tests."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import getattr_static
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.clusterer import TransferClusterer
from isthmus.estimators.base.domain_estimator import DomainEstimator
from isthmus.estimators.base.transformer import TransferTransformer
from isthmus.estimators.registry import METHODS, Method
from toy import Toy, make_toy

BASES: dict[str, Any] = {
    "classifier": TransferClassifier,
    "clusterer": TransferClusterer,
    "transformer": TransferTransformer,
}
#: Least accuracy on the toy problems of methods that do not reach 0.9.
LEAST_ACCURACY = {
    # They do not use the words that only the target has.
    **dict.fromkeys(("lg", "svm", "covariate-shift", "coral", "kmm"), 0.5),
    # It keeps to the words of the source, of which the toy problem has few.
    "ktw": 0.8,
    # The toy problem has only a dozen pivots, and the start is random.
    "pjnmf": 0.8,
    # Few labels are certain enough on so small a source.
    "sklearn-self-training": 0.5,
    # They were made for documents of one domain.
    "sc": 0.0,
    "sklearn-label-spreading": 0.0,
}
#: Methods whose objective, or negative log-likelihood, never increases.
MONOTONE = ("dkt", "ktw", "pjnmf", "cocc", "ib", "asi", "plsa", "kmm")
# What an author writes for every method. A method that overrides anything else of the base classes
# takes another path through them.
_WRITTEN_BY_AUTHORS = {
    *("__init__", "__doc__", "__module__", "__annotations__", "__abstractmethods__", "_abc_impl"),
    *(
        "_check_parameters",
        "_fit",
        "_refit",
        "_model_class",
        "_presets",
        "_preset_weighting",
        "_n_features_out",
    ),
    *("is_random", "max_iterations", "_checks_class_swap", "__sklearn_tags__"),
    *("_engines", "_has_objective", "_kind", "_preset_weighting"),
}


def methods_of(kind: str) -> list[Method]:
    """All methods of a kind."""
    return [method for method in METHODS.values() if method.kind == kind]


def parameters_of(method: Method) -> set[str]:
    """Names of the constructor parameters."""
    return set(method.build().get_params(deep=False))


def one_per_base_path(methods: Iterable[Method]) -> list[Method]:
    """One method for each path through the code of the base classes.

    Methods share a path if they inherit the same functions and class attributes from the base
    classes. Input validation, class priors, domains and the like are tested once per path.
    """
    first: dict[tuple[Any, ...], Method] = {}
    for method in methods:
        first.setdefault(_base_path(method), method)
    return list(first.values())


def _base_path(method: Method) -> tuple[Any, ...]:
    names = {*vars(DomainEstimator), *vars(BASES[method.kind])} - _WRITTEN_BY_AUTHORS
    path = [
        (name, getattr_static(method.estimator_class, name, None))
        for name in sorted(names)
        if not name.endswith("_request")  # scikit-learn makes these anew for every class
    ]
    inherited = [(name, value) for name, value in path if isinstance(value, Hashable)]
    return (method.kind, tuple(inherited), "class_prior" in parameters_of(method))


def parametrize(methods: Iterable[Method]) -> pytest.MarkDecorator:
    """Run a test for each of the methods."""
    return pytest.mark.parametrize("method", list(methods), ids=lambda method: method.name)


EVERY = parametrize(METHODS.values())
EVERY_BASE_PATH = parametrize(one_per_base_path(METHODS.values()))


def build(method: Method, **parameters: Any) -> Any:
    """An estimator with a fixed random seed."""
    if "random_state" in parameters_of(method):
        parameters.setdefault("random_state", 0)
    return method.build(**parameters)


def fit(method: Method, toy: Toy, **parameters: Any) -> Any:
    """An estimator that was fitted to a toy problem."""
    return build(method, **parameters).fit(toy.X, toy.y, sample_domain=toy.sample_domain)


@cache
def fit_once(
    method: Method, domains: tuple[int, ...] = (0, -1), n_classes: int = 2, dtype: str = "float64"
) -> tuple[Toy, Any]:
    """A toy problem and an estimator that was fitted to it; tests must not change them."""
    toy = make_toy(domains, n_classes, dtype=dtype)
    parameters = {"n_clusters": n_classes} if method.kind == "clusterer" else {}
    return toy, fit(method, toy, **parameters)


def result(estimator: Any, X: Any) -> NDArray[Any]:
    """Memberships or clusters of the fitted rows; for transformers the transformed rows."""
    if hasattr(estimator, "label_distributions_"):
        return np.asarray(estimator.label_distributions_)
    if hasattr(estimator, "labels_"):
        return np.asarray(estimator.labels_)
    return np.asarray(estimator.transform(X))


def predictions(estimator: Any, X: Any, sample_domain: Any) -> NDArray[Any]:
    """What a fitted estimator predicts for new documents, as numbers."""
    for name in ("predict_proba", "predict", "transform"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name)(X, sample_domain=sample_domain))
    raise TypeError(f"{type(estimator).__name__} predicts nothing")


def least_accuracy(method: Method) -> float:
    """What a classifier must reach on the toy problems."""
    return LEAST_ACCURACY.get(method.name, 0.9)


def assert_same_state(first: Any, second: Any, where: str = "it") -> None:
    """Raise AssertionError unless two objects hold the same attributes with the same bits."""
    assert type(first) is type(second), where
    if isinstance(first, np.ndarray):
        assert first.dtype == second.dtype, where
        np.testing.assert_array_equal(first, second, err_msg=where)
    elif isinstance(first, Mapping):
        assert list(first) == list(second), where
        for key in first:
            assert_same_state(first[key], second[key], f"{where}[{key!r}]")
    elif isinstance(first, list | tuple):
        assert len(first) == len(second), where
        for i, (a, b) in enumerate(zip(first, second, strict=True)):
            assert_same_state(a, b, f"{where}[{i}]")
    elif is_dataclass(first):
        # Measured times are not compared.
        for field in (field for field in fields(first) if field.compare):
            values = (getattr(item, field.name) for item in (first, second))
            assert_same_state(*values, f"{where}.{field.name}")
    elif hasattr(first, "__dict__") and not isinstance(first, type) and not callable(first):
        assert set(vars(first)) == set(vars(second)), where
        for name in vars(first):
            assert_same_state(vars(first)[name], vars(second)[name], f"{where}.{name}")
    else:
        assert first == second or (first != first and second != second), where
