"""Fitted classifiers as data.

A classifier is stored as the name of its method, its parameters, and the fields of its
:class:`FittedDomains` and :class:`FittedModel`. Both are checked against the declared shapes when
a file is read. An unfitted classifier in a parameter, such as a member of ``Auto``, is stored as
its method and its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import FieldSpec, FittedDomains, field_specs
from isthmus.estimators.registry import METHODS
from isthmus.storage.container import ModelFileError
from isthmus.storage.trees import Packer

__all__ = ["pack_classifier", "unpack_classifier"]

# Limits of what an untrusted file may ask for.
_MAX_MEMBERS = 100
_MAX_DEPTH = 3
# Keys of an unfitted classifier.
_UNFITTED = ("unfitted method", "parameters")


def pack_classifier(estimator: Any, packer: Packer) -> dict[str, Any]:
    """A fitted classifier of the registry as plain data."""
    cls, name = type(estimator), _method_name(estimator)
    model = estimator.model_
    parameters = estimator.get_params(deep=False)
    for key, spec in field_specs(model).items():
        # A fitted estimator is stored with its parameters, so its unfitted copy is not needed.
        if spec.kind == "estimator" and not isinstance(parameters.get(key), str):
            parameters.pop(key, None)
    return {
        "method": name,
        "parameters": {
            key: _pack_parameter(value, f"{cls.__name__}'s parameter {key}", packer)
            for key, value in parameters.items()
        },
        "domains": _pack_fields(estimator.fitted_domains_, cls.__name__, packer),
        "model": _pack_fields(model, cls.__name__, packer),
    }


def _method_name(estimator: Any) -> str:
    cls = type(estimator)
    path = f"{cls.__module__}:{cls.__name__}"
    for method in METHODS.values():
        if method.estimator == path:
            return method.name
    raise ValueError(
        f"{cls.__name__} is not a method of isthmus, so it cannot be saved: use one of "
        f"{', '.join(METHODS)}."
    )


def _pack_parameter(value: Any, what: str, packer: Packer) -> Any:
    """A constructor parameter, in which classifiers are replaced by method and parameters."""
    if isinstance(value, TransferClassifier):
        parameters = {
            key: _pack_parameter(item, f"{what}.{key}", packer)
            for key, item in value.get_params(deep=False).items()
        }
        return dict(zip(_UNFITTED, (_method_name(value), parameters), strict=True))
    if isinstance(value, list | tuple) and any(isinstance(v, TransferClassifier) for v in value):
        items = [_pack_parameter(item, what, packer) for item in value]
        return items if isinstance(value, list) else {"@tuple": items}
    return packer.pack(value, what)


def _unpack_parameter(value: Any, depth: int) -> Any:
    """The parameter that :func:`_pack_parameter` was given."""
    if depth > _MAX_DEPTH:
        raise ModelFileError("classifiers are nested too deeply")
    if isinstance(value, list | tuple) and any(map(_is_unfitted, value)):
        if len(value) > _MAX_MEMBERS:
            raise ModelFileError("a parameter has too many classifiers")
        return type(value)(_unpack_parameter(item, depth) for item in value)
    if not _is_unfitted(value):
        return value
    name, parameters = (value[key] for key in _UNFITTED)
    estimator = _new_estimator(_classifier_of(name), parameters, depth + 1)
    estimator._check_settings()
    return estimator


def _is_unfitted(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == set(_UNFITTED)


def _classifier_of(name: Any) -> Any:
    """The class of a method by its name in a file."""
    if not isinstance(name, str) or name not in METHODS or METHODS[name].kind != "classifier":
        raise ModelFileError(f"{name!r} is not a known classifier")
    return METHODS[name].estimator_class


def _new_estimator(cls: Any, parameters: Any, depth: int) -> Any:
    """An unfitted classifier with parameters from a file."""
    if not isinstance(parameters, dict) or not set(parameters) <= set(cls().get_params(deep=False)):
        raise ModelFileError(f"there are parameters that {cls.__name__} does not have")
    return cls(**{key: _unpack_parameter(value, depth) for key, value in parameters.items()})


def _pack_fields(part: Any, owner: str, packer: Packer) -> dict[str, Any]:
    packed: dict[str, Any] = {}
    for key, spec in field_specs(part).items():
        value = getattr(part, key)
        if spec.kind == "estimator":
            packed[key] = pack_classifier(value, packer)
        elif spec.kind == "estimators":
            packed[key] = [pack_classifier(member, packer) for member in value]
        else:
            value = dict(value) if isinstance(value, Mapping) else value
            packed[key] = packer.pack(value, f"{owner}'s attribute {key}")
    return packed


def unpack_classifier(state: Any, n_terms: int, depth: int = 0) -> Any:
    """The fitted classifier, after a check that all sizes and values fit together."""
    if depth > _MAX_DEPTH:
        raise ModelFileError("classifiers are nested too deeply")
    if not isinstance(state, dict) or set(state) != {"method", "parameters", "domains", "model"}:
        raise ModelFileError("the file does not name its method")
    cls, parameters = _classifier_of(state["method"]), state["parameters"]
    estimator = _new_estimator(cls, parameters, depth)
    sizes = {"terms": n_terms}
    domains = FittedDomains(**_checked_fields(state["domains"], FittedDomains, cls, sizes, None))
    _check_classes_and_domains(domains)
    sizes |= {"classes": len(domains.classes), "domains": len(domains.domains)}
    fields = _unpack_members(state["model"], cls, n_terms, depth + 1, domains)
    model = cls._model_class(
        **_checked_fields(fields, cls._model_class, cls, sizes, domains.domains)
    )
    estimator.set_params(**_unfitted_members(model, cls().get_params(deep=False), parameters))
    estimator._check_settings()
    if cls._needs_nonnegative and min(t.min() for t in model.term_totals.values()) < 0:
        raise ModelFileError("term_totals holds values below 0")
    try:
        model.check()
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    estimator._set_model(domains, model, n_terms)
    return estimator


def _unpack_members(
    fields: Any, cls: Any, n_terms: int, depth: int, domains: FittedDomains
) -> dict[str, Any]:
    """The fields of a model with nested classifiers unpacked."""
    specs = field_specs(cls._model_class)
    if not isinstance(fields, dict) or set(fields) != set(specs):
        raise ModelFileError(f"a part of a fitted {cls.__name__} is missing")
    unpacked = dict(fields)
    for key, spec in specs.items():
        if spec.kind not in ("estimator", "estimators"):
            continue
        states = [fields[key]] if spec.kind == "estimator" else fields[key]
        if not isinstance(states, list) or not 1 <= len(states) <= _MAX_MEMBERS:
            raise ModelFileError(f"a part of a fitted {cls.__name__} is missing")
        members = [unpack_classifier(state, n_terms, depth) for state in states]
        for member in members:
            if not np.array_equal(member.domains_, domains.domains) or not np.array_equal(
                member.classes_, domains.classes
            ):
                raise ModelFileError("its classifiers do not have the same classes and domains")
        unpacked[key] = members[0] if spec.kind == "estimator" else members
    return unpacked


def _unfitted_members(
    model: Any, known_parameters: dict[str, Any], parameters: dict[str, Any]
) -> dict[str, Any]:
    """Constructor parameters that are unfitted copies of nested classifiers."""
    members = {}
    for key, spec in field_specs(model).items():
        if spec.kind != "estimator" or key not in known_parameters:
            continue
        member = getattr(model, key)
        named = parameters.get(key)
        if named is None:
            members[key] = clone(member)
        elif not isinstance(named, str) or _classifier_of(named) is not type(member):
            raise ModelFileError(f"{key} is {named!r}, and the fitted classifier is another")
    return members


def _checked_fields(
    fields: Any, declared: Any, cls: Any, sizes: dict[str, int], domains: Any
) -> dict[str, Any]:
    """The fields after a check of kinds, shapes and values; ``sizes`` collects the sizes."""
    specs = field_specs(declared)
    if not isinstance(fields, dict) or set(fields) != set(specs):
        raise ModelFileError(f"a part of a fitted {cls.__name__} is missing")
    if domains is None:
        domains = fields.get("domains")
    numbers = set(domains.ravel().tolist()) if isinstance(domains, np.ndarray) else set()
    for key, spec in specs.items():
        if spec.optional and fields[key] is None:
            continue
        if spec.per_domain:
            if not isinstance(fields[key], dict) or set(fields[key]) != numbers:
                raise ModelFileError(f"{key} does not have every domain")
            for value in fields[key].values():
                _check_value(key, value, spec, sizes)
        else:
            _check_value(key, fields[key], spec, sizes)
    return fields


def _check_value(key: str, value: Any, spec: FieldSpec, sizes: dict[str, int]) -> None:
    if spec.kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise ModelFileError(f"{key} is not a finite number")
    elif spec.kind == "flag":
        if not isinstance(value, bool):
            raise ModelFileError(f"{key} is neither true nor false")
    elif spec.kind == "array":
        _check_array(key, value, spec, sizes)


def _check_array(key: str, value: Any, spec: FieldSpec, sizes: dict[str, int]) -> None:
    """Check an array; the first array with a named dimension fixes its size for all others."""
    if not isinstance(value, np.ndarray) or value.ndim != len(spec.shape):
        raise ModelFileError(f"{key} is not an array of {len(spec.shape)} dimensions")
    if value.dtype.kind not in "biuf" and not spec.labels:
        raise ModelFileError(f"{key} does not hold numbers")
    # An array without elements may claim any size at no cost.
    if value.size == 0:
        raise ModelFileError(f"{key} is empty")
    for dimension, length in zip(spec.shape, value.shape, strict=True):
        if sizes.setdefault(dimension, length) != length:
            raise ModelFileError(f"{key} has shape {value.shape}, which does not match the rest")
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise ModelFileError(f"{key} holds values that are not finite")
    if spec.nonnegative and value.min() < 0:
        raise ModelFileError(f"{key} holds values below 0")


def _check_classes_and_domains(fitted: FittedDomains) -> None:
    classes, domains = fitted.classes, fitted.domains
    if len(classes) < 2 or not np.array_equal(np.unique(classes), classes):
        raise ModelFileError("the classes are not two or more different values in order")
    if domains.dtype.kind != "i" or len(np.unique(domains)) < len(domains):
        raise ModelFileError("the domains are not different whole numbers")
    if not (domains < 0).any():
        raise ModelFileError("no domain is a target")
