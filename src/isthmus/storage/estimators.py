"""Fitted methods as data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from isthmus.estimators.registry import METHODS
from isthmus.storage.container import ModelFileError
from isthmus.storage.trees import Packer

__all__ = ["pack_method", "unpack_method"]

_BY_DOMAIN = "domain:"
# A method made of others has a few of them, and they are seldom made of others themselves.
_MOST_PARTS = 100
_DEEPEST = 3


def pack_method(estimator: Any, packer: Packer) -> dict[str, Any]:
    """A fitted estimator of the registry: its name, parameters and what predictions need."""
    cls = type(estimator)
    name = next((m.name for m in METHODS.values() if m.estimator_class is cls), None)
    if name is None:
        raise ValueError(
            f"{cls.__name__} is not one of the methods of isthmus, so it cannot go into a model "
            f"file: choose among {', '.join(METHODS)}."
        )
    parameters = estimator.get_params(deep=False)
    for part in estimator._fitted_parts:
        # What the part was made from is the part itself, unfitted.
        if not isinstance(parameters.get(part.removesuffix("_")), str):
            parameters.pop(part.removesuffix("_"), None)
    state = {
        "method": name,
        "parameters": {
            key: packer.pack(value, f"{cls.__name__}'s parameter {key}")
            for key, value in parameters.items()
        },
        "fitted": {
            key: packer.pack(getattr(estimator, key), f"{cls.__name__}'s attribute {key}")
            for key in estimator._fitted_shapes
        },
    }
    if estimator._fitted_parts:
        state["parts"] = {
            key: [pack_method(part, packer) for part in _as_list(getattr(estimator, key))]
            for key in estimator._fitted_parts
        }
    return state


def unpack_method(state: Any, n_terms: int, depth: int = 0) -> Any:
    """The classifier again, after a check that all sizes and values make sense together."""
    if depth > _DEEPEST:
        raise ModelFileError("methods stand inside methods without end")
    if not isinstance(state, dict) or set(state) - {"parts"} != {"method", "parameters", "fitted"}:
        raise ModelFileError("the file does not say which method it holds")
    name, parameters, fitted = state["method"], state["parameters"], state["fitted"]
    if not isinstance(name, str) or name not in METHODS or METHODS[name].kind != "classifier":
        raise ModelFileError(f"{name!r} is no classifier that is known here")
    cls = METHODS[name].estimator_class
    if not isinstance(parameters, dict) or not set(parameters) <= set(cls().get_params(deep=False)):
        raise ModelFileError(f"there are parameters that {cls.__name__} does not have")
    if not isinstance(fitted, dict) or set(fitted) != set(cls._fitted_shapes):
        raise ModelFileError(f"a part of a fitted {cls.__name__} is missing")
    parts = _unpack_parts(state.get("parts", {}), cls, n_terms, depth + 1)
    for key, part in parts.items():
        parameter = key.removesuffix("_")
        if parameter in cls().get_params(deep=False):
            parameters.setdefault(parameter, clone(part))
            named = parameters[parameter]
            if isinstance(named, str) and METHODS[named].estimator_class is not type(part):
                raise ModelFileError(f"{parameter} is {named!r} and {key} is something else")
    estimator = cls(**parameters)
    estimator._check_settings()
    _check_shapes(fitted, cls._fitted_shapes, {"m": n_terms})
    _check_classes_and_domains(fitted["classes_"], fitted["domains_"])
    if cls._needs_nonnegative:
        _check_nonnegative(fitted, cls._signed)
    for key, value in {**fitted, **parts}.items():
        setattr(estimator, key, value)
    for part in parts.values():
        for one in _as_list(part):
            _check_same(estimator, one)
    try:
        estimator._check_fitted()
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    estimator.n_features_in_ = n_terms
    return estimator


def _as_list(part: Any) -> list[Any]:
    return part if isinstance(part, list) else [part]


def _unpack_parts(states: Any, cls: Any, n_terms: int, depth: int) -> dict[str, Any]:
    """The fitted methods that a method is made of: one, or a list of several."""
    if not isinstance(states, dict) or set(states) != set(cls._fitted_parts):
        raise ModelFileError(f"a part of a fitted {cls.__name__} is missing")
    parts: dict[str, Any] = {}
    for key, found in states.items():
        most = _MOST_PARTS if cls._fitted_parts[key] == "list" else 1
        if not isinstance(found, list) or not 1 <= len(found) <= most:
            raise ModelFileError(f"a part of a fitted {cls.__name__} is missing")
        methods = [unpack_method(state, n_terms, depth) for state in found]
        parts[key] = methods if cls._fitted_parts[key] == "list" else methods[0]
    return parts


def _check_same(whole: Any, part: Any) -> None:
    same_domains = np.array_equal(whole.domains_, part.domains_)
    if not same_domains or not np.array_equal(whole.classes_, part.classes_):
        raise ModelFileError("its classifiers do not have the same classes and domains")


def _check_shapes(fitted: dict[str, Any], shapes: dict[str, str], sizes: dict[str, int]) -> None:
    domains = fitted.get("domains_")
    numbers = set(domains.ravel().tolist()) if isinstance(domains, np.ndarray) else set()
    for key, shape in shapes.items():
        value = fitted[key]
        if shape.startswith(_BY_DOMAIN):
            if not isinstance(value, dict) or set(value) != numbers:
                raise ModelFileError(f"{key} does not have every domain")
            for part in value.values():
                _check_shape(key, part, shape.removeprefix(_BY_DOMAIN), sizes)
        else:
            _check_shape(key, value, shape, sizes)


def _check_shape(key: str, value: Any, shape: str, sizes: dict[str, int]) -> None:
    """A letter is a size; the first array that has it settles it for all others."""
    if not shape:
        if not isinstance(value, int | float):
            raise ModelFileError(f"{key} is not a number")
        if not np.isfinite(value):
            raise ModelFileError(f"{key} is not finite")
        return
    if not isinstance(value, np.ndarray) or value.ndim != len(shape):
        raise ModelFileError(f"{key} is not an array of {len(shape)} dimensions")
    # An array without an element may claim any size, and costs the file nothing.
    if value.size == 0:
        raise ModelFileError(f"{key} is empty")
    for letter, length in zip(shape, value.shape, strict=True):
        if sizes.setdefault(letter, length) != length:
            raise ModelFileError(f"{key} has the shape {value.shape}, which does not fit the rest")
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise ModelFileError(f"{key} holds values that are not finite")


def _check_classes_and_domains(classes: Any, domains: Any) -> None:
    if len(classes) < 2 or not np.array_equal(np.unique(classes), classes):
        raise ModelFileError("the classes are not two or more different ones in order")
    if domains.dtype.kind != "i" or len(np.unique(domains)) < len(domains):
        raise ModelFileError("the domains are not different whole numbers")
    if not (domains < 0).any():
        raise ModelFileError("there is no target among the domains")


def _check_nonnegative(fitted: dict[str, Any], signed: tuple[str, ...]) -> None:
    for key, value in fitted.items():
        if key in ("classes_", "domains_", *signed):
            continue
        for part in value.values() if isinstance(value, dict) else (value,):
            if isinstance(part, np.ndarray) and part.min() < 0:
                raise ModelFileError(f"{key} holds values below 0")
