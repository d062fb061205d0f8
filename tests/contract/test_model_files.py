"""Every field of a fitted classifier survives a model file, and damage to any field is refused.

The damage is derived from the fields that a model declares, so a new method needs no test here.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import fields
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from isthmus import ModelFileError, SourceLogistic
from isthmus.estimators.base.fitted_model import FittedDomains, field_specs
from isthmus.storage.container import read_container, write_container
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from methods import assert_same_state, fit_once, methods_of, parametrize
from toy import make_toy

# Not every method converges on the toy problems, or is certain of its labels.
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

CLASSIFIERS = parametrize(methods_of("classifier"))


@cache
def state_of(method):
    """A fitted classifier as plain data, after a round trip through JSON."""
    packer = Packer()
    packed = json.loads(json.dumps(pack_classifier(fit_once(method)[1], packer)))
    return Unpacker(packer.arrays).unpack(packed)


@CLASSIFIERS
def test_declares_all_fields_of_its_model(method):
    cls = method.estimator_class._model_class
    model = fit_once(method)[1].model_
    assert type(model) is cls
    # Others may hold what the caller passed, which no model file stores.
    undeclared = {field.name for field in fields(cls)} - set(field_specs(cls))
    assert all(getattr(model, name) is None for name in undeclared)


@contextmanager
def no_training():
    """Every ``fit`` of scikit-learn and isthmus raises.

    Except for nearest neighbors, where it only builds a search index of the stored rows.
    """

    def forbidden(*args, **kwargs):
        raise AssertionError("a loaded model was trained")

    with pytest.MonkeyPatch.context() as patch:
        for cls in subclasses(BaseEstimator):
            if cls.__module__.startswith("sklearn.neighbors."):
                continue
            for name in {"fit", "fit_transform", "partial_fit", "_fit", "_refit"} & set(vars(cls)):
                patch.setattr(cls, name, forbidden)
        yield


def subclasses(cls):
    """All classes that derive from a class."""
    return {other for item in cls.__subclasses__() for other in (item, *subclasses(item))}


def test_training_can_be_forbidden():
    toy = make_toy(n_per_class=4)
    for estimator in (SourceLogistic(), LogisticRegression()):
        with no_training(), pytest.raises(AssertionError, match="was trained"):
            estimator.fit(toy.X, toy.truth)


@CLASSIFIERS
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loaded_model_predicts_the_same_bits_without_training(method, dtype, tmp_path):
    toy, estimator = fit_once(method, dtype=dtype)
    packer = Packer()
    write_container(tmp_path / "m", pack_classifier(estimator, packer), packer.arrays)
    new = make_toy(seed=7, dtype=dtype)
    with no_training():
        manifest, arrays = read_container(tmp_path / "m")
        loaded = unpack_classifier(Unpacker(arrays).unpack(manifest), toy.X.shape[1])
        for domain in (0, -1):
            numbers = np.full(new.X.shape[0], domain)
            np.testing.assert_array_equal(
                loaded.predict_proba(new.X, numbers), estimator.predict_proba(new.X, numbers)
            )
        assert loaded.top_words() == estimator.top_words()
    assert_same_fields(loaded, estimator)
    assert_same_state(loaded.get_params(), estimator.get_params())


def assert_same_fields(loaded, estimator):
    """Every field, and every fitted attribute that stands for one, has the same value."""
    pairs = [
        (loaded.fitted_domains_, estimator.fitted_domains_),
        (loaded.model_, estimator.model_),
    ]
    for first, second in pairs:
        assert type(first) is type(second)
        for name, spec in field_specs(second).items():
            value, expected = getattr(first, name), getattr(second, name)
            if spec.kind in ("estimator", "estimators"):
                members = ([value], [expected]) if spec.kind == "estimator" else (value, expected)
                for member, other in zip(*members, strict=True):
                    assert_same_fields(member, other)
                continue
            if spec.per_domain and value is not None:
                value, expected = dict(value), dict(expected)
            assert_same_state(value, expected, name)
            if spec.public and value is not None:
                assert getattr(loaded, f"{name}_") is getattr(first, name)


def damages(part, state, declared):
    """Pairs of a description and a damaged copy of the fields of ``part``."""
    specs = field_specs(declared)
    sizes = ["terms", "classes", "domains"]
    for name, spec in specs.items():
        value = state[part][name]
        yield f"{name} missing", without(state, part, name)
        if not spec.optional:
            yield f"{name} null", changed(state, part, name, None)
        elif value is None:
            yield f"{name} number", changed(state, part, name, 1.0)
            continue
        if spec.kind in ("estimator", "estimators"):
            yield (
                f"{name} empty",
                changed(state, part, name, {} if spec.kind == "estimator" else []),
            )
            yield f"{name} other method", changed(state, part, name, other_method(value))
            continue
        if spec.per_domain:
            yield f"{name} no domain", changed(state, part, name, {})
            first = dict(list(value.items())[:-1])
            yield f"{name} lacks a domain", changed(state, part, name, first)
            yield f"{name} strange domain", changed(state, part, name, {**value, 99: value[0]})
            yield f"{name} not by domain", changed(state, part, name, value[0])
        # Fields that share a size must agree; a size that one field has alone may be any.
        shared = [size for size in spec.shape if size in sizes or uses(specs, size) > 1]
        for what, bad in wrong_values(value[0] if spec.per_domain else value, spec, shared):
            bad = {**value, 0: bad} if spec.per_domain else bad
            yield f"{name} {what}", changed(state, part, name, bad)
    yield "unknown field", changed(state, part, "nonsense", 1)


def uses(specs, size):
    """How often a size occurs in the fields; a field per domain has it once per domain."""
    return sum(spec.shape.count(size) * (2 if spec.per_domain else 1) for spec in specs.values())


def wrong_values(value, spec, shared):
    """Values that the declaration of a field excludes."""
    yield "text", "nonsense"
    yield "list", [1.0, 2.0]
    if spec.kind == "number":
        yield from [("NaN", float("nan")), ("infinite", float("inf")), ("flag", True)]
    elif spec.kind == "flag":
        yield from [("number", 1), ("array", np.array([True]))]
    elif spec.kind == "array":
        yield "number", 1.0
        yield "dimension too many", value[None]
        yield "dimension too few", value[0]
        yield "empty", value[:0]
        yield "objects", np.full(value.shape, "nonsense", object)
        for axis, size in enumerate(spec.shape):
            if size in shared:
                yield f"short in {size}", value.take(range(value.shape[axis] - 1), axis)
                yield f"long in {size}", np.concatenate([value, value], axis)
        if value.dtype.kind in "fiu" and not spec.labels and spec.shape != ("domains",):
            yield "texts", value.astype(str)
            yield "NaN", put(value, np.nan)
            yield "infinite", put(value, np.inf)
        if spec.nonnegative:
            yield "negative", put(value, -1)


def put(value, number):
    bad = np.array(value, np.result_type(value.dtype, np.float32))
    bad.flat[-1] = number
    return bad


def other_method(value):
    """The state of one or several classifiers under the name of a method without labels."""
    if isinstance(value, list):
        return [{**value[0], "method": "plsa"}, *value[1:]]
    return {**value, "method": "plsa"}


def changed(state, part, name, value):
    return {**state, part: {**state[part], name: value}}


def without(state, part, name):
    return {**state, part: {key: v for key, v in state[part].items() if key != name}}


@CLASSIFIERS
@pytest.mark.parametrize("part", ["domains", "model"])
def test_damaged_fields_are_refused(method, part):
    toy, estimator = fit_once(method)
    state = state_of(method)
    n_terms = toy.X.shape[1]
    unpack_classifier(state, n_terms)  # without damage
    declared = FittedDomains if part == "domains" else type(estimator.model_)
    accepted = [
        what for what, damaged in damages(part, state, declared) if not is_refused(damaged, n_terms)
    ]
    assert not accepted, accepted


def is_refused(state, n_terms):
    try:
        unpack_classifier(state, n_terms)
    except ModelFileError:
        return True
    return False
