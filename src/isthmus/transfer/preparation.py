"""The estimator and the vectorizer of a ``Transfer``, built from its parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.base import clone

from isthmus.estimators.registry import METHODS, find_classifier

__all__ = ["Prepared", "make_estimator", "make_vectorizer", "prepare"]

_DEFAULT_METHOD = "auto"
_NO_PRIOR = "none"


class Prepared(NamedTuple):
    """Validated parts of a :class:`Transfer`; see :meth:`Transfer.prepare`."""

    estimator: Any
    vectorizer: Any


def prepare(estimator: Any, vectorizer: Any) -> Prepared:
    """Validate the parameters of both parts; ValueError if one of them is wrong."""
    estimator._check_settings()
    estimator._check_produces_labels()
    if hasattr(vectorizer, "check"):
        vectorizer.check()
    return Prepared(estimator, vectorizer)


def make_estimator(
    method: Any,
    *,
    preset: str | None,
    effort: str | None,
    time_limit: float | None,
    class_prior: Any,
    random_state: Any,
) -> Any:
    """Create the unfitted estimator of a method; the parameters are those of ``Transfer``."""
    estimator = _find_estimator(method, preset)
    parameters = estimator.get_params(deep=False)
    for name, value in (("effort", effort), ("time_limit", time_limit)):
        if value is None:
            continue
        if name not in parameters:
            raise ValueError(
                f"{name}={value!r} is for the automatic method, but the method is "
                f"{type(estimator).__name__}: omit it, or use the method 'auto'."
            )
        estimator.set_params(**{name: value})
    if class_prior is not None:
        _set_class_prior(estimator, class_prior)
    if random_state is not None and "random_state" in parameters:
        estimator.set_params(random_state=random_state)
    return estimator


def make_vectorizer(vectorizer: Any) -> Any:
    """Return an unfitted copy of a vectorizer; None means ``TextVectorizer()``."""
    if vectorizer is None:
        from isthmus.text.vectorizer import TextVectorizer

        return TextVectorizer()
    return clone(vectorizer)


def _find_estimator(method: Any, preset: str | None) -> Any:
    from isthmus.estimators.base.classifier import TransferClassifier

    if method is None:
        method = _DEFAULT_METHOD
    if isinstance(method, str):
        return find_classifier(method).build(preset)
    if not isinstance(method, TransferClassifier):
        raise ValueError(
            f"method={method!r} must be the name of a method ({', '.join(METHODS)}) or an "
            "estimator of isthmus."
        )
    if preset is not None:
        raise ValueError(
            f"preset={preset!r} needs the name of a method, but method is an estimator: set the "
            "parameters of the estimator instead."
        )
    return clone(method)


def _set_class_prior(estimator: Any, class_prior: Any) -> None:
    if "class_prior" not in estimator.get_params(deep=False):
        raise ValueError(
            f"{type(estimator).__name__} does not produce class probabilities, so class_prior "
            "cannot be applied: omit it, or use another method."
        )
    if isinstance(class_prior, str) and class_prior == _NO_PRIOR:
        from isthmus.estimators.ensemble.judge import gives_verdicts

        # None means an estimate there.
        if gives_verdicts(estimator):
            raise ValueError(
                f"class_prior={class_prior!r} is not for the method 'auto', which always uses "
                "class proportions: use 'source', 'estimate' or your own."
            )
        class_prior = None
    estimator.set_params(class_prior=class_prior)
