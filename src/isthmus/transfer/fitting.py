"""The stages of a fit: count the texts, fit the method and the source-only classifier, judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from isthmus._stages import stage
from isthmus._warnings import VerdictWarning, warn_user
from isthmus.domains.labels import MarkedLabels
from isthmus.estimators.base.domain_estimator import end_callbacks, join_callbacks
from isthmus.estimators.base.verdict import DO_NOT_USE, Verdict
from isthmus.estimators.registry import METHODS, find_classifier, find_method
from isthmus.inspection.sample import DomainSample
from isthmus.transfer.engine import cluster_client, engine_scope
from isthmus.transfer.texts import DEFAULT_TARGET, Texts, warn_about_labels
from isthmus.transfer.words import (
    check_shared_words,
    count_texts,
    make_characters,
    second_view,
    term_names,
)

if TYPE_CHECKING:
    from isthmus.estimators.base.training_data import TrainingData
    from isthmus.numerics.progress import Callback, Progress
    from isthmus.text.character_vectorizer import CharacterVectorizer
    from isthmus.transfer.model import Transfer

__all__ = [
    "FittedTexts",
    "Prepared",
    "fit_source_only",
    "fit_texts",
    "make_estimator",
    "make_vectorizer",
    "prepare",
    "preset_weighting",
    "set_verdicts",
    "warn_of_verdicts",
]


_DEFAULT_METHOD = "auto"
_NO_PRIOR = "none"


@dataclass(frozen=True)
class FittedTexts:
    """What a fit leaves; the attributes of ``Transfer`` are made of it."""

    domains: list[Texts]
    vectorizer: Any
    characters: CharacterVectorizer | None
    estimator: Any
    source_only: Any
    X: Any
    """Rows of all domains, sources first."""
    sample_domain: NDArray[np.int64]
    verdicts: dict[int, Verdict]
    """By the number of the target."""
    sample: dict[str, DomainSample]
    engine: str
    """Name of the engine that computed it."""


def fit_texts(
    prepared: Prepared,
    domains: list[Texts],
    callback: Callback | None,
    announce: Callable[[str], None],
    *,
    with_verdict: bool,
    engine: Any = None,
) -> FittedTexts:
    """Fit a prepared estimator and vectorizer to the texts of all domains.

    The setting ``engine`` is resolved once: all fits and the verdict share one engine.
    """
    estimator, vectorizer = prepared
    announce("Counting words")
    characters = make_characters(estimator, vectorizer)
    X, Z = count_texts(vectorizer, characters, domains, cluster_client(engine), announce)
    if characters is not None and Z is None:
        announce("Continuing with words alone, without character n-grams")
        characters = None
    y = _labels_of(domains, X.shape[0])
    sample_domain = np.repeat([d.number for d in domains], [d.n_texts for d in domains])
    check_shared_words(X, domains)
    with engine_scope(estimator, engine, X) as engine_name:
        with stage("splitting into domains"):
            data = estimator._read_training_data(
                X,
                y,
                sample_domain,
                feature_names=term_names(vectorizer),
                domain_names={domain.number: domain.name for domain in domains},
                **second_view(Z),
            )
        source_only, verdicts = _fit_and_judge(
            estimator, data, y, sample_domain, callback, announce, with_verdict=with_verdict
        )
    sample = _sample_documents(domains, X, data.problem.labels, len(estimator.classes_))
    return FittedTexts(
        *(domains, vectorizer, characters, estimator, source_only, X, sample_domain),
        verdicts=verdicts,
        sample=sample,
        engine=engine_name,
    )


def _fit_and_judge(
    estimator: Any,
    data: TrainingData,
    y: NDArray[Any],
    sample_domain: NDArray[np.int64],
    callback: Callback | None,
    announce: Callable[[str], None],
    *,
    with_verdict: bool,
) -> tuple[Any, dict[int, Verdict]]:
    """Fit the estimator; return the source-only classifier and the verdicts by target number."""
    from isthmus.estimators.ensemble import judge

    judges_itself = judge.gives_verdicts(estimator)
    callback = _announce_fits(estimator, callback, announce)
    # The verdict of the automatic method has reasons in place of warnings.
    with stage(f"fitting {type(estimator).__name__}"):
        estimator._fit_data(
            data, join_callbacks(estimator, callback), check_result=not judges_itself
        )
        end_callbacks(estimator)
    if not judges_itself:
        announce("Fitting the source-only classifier")
    with stage("fitting the source-only classifier"):
        source_only = fit_source_only(estimator, data, y, sample_domain)
    if not judges_itself and not with_verdict:
        return source_only, {}
    if not judges_itself:
        announce("Estimating the accuracy")
    with stage("estimating the accuracy"):
        return source_only, judge.judge(estimator, data, source_only)


def _labels_of(domains: list[Texts], n_rows: int) -> NDArray[Any]:
    """The labels of all rows; warns about their spelling."""
    y = np.empty(n_rows, object)
    y[:] = [label for domain in domains for label in domain.labels_of_rows()]
    warn_about_labels(y)
    return y.view(MarkedLabels)


def _announce_fits(
    estimator: Any, callback: Callback | None, announce: Callable[[str], None]
) -> Callback | None:
    """Announce the fit of an estimator; return the callback for it.

    An estimator with members calls it after every member, and the next one is announced.
    """
    method = type(estimator).__name__
    names = getattr(estimator, "member_names", None)
    if names is None:
        announce(f"Fitting {method}")
        return callback
    n_steps = max(estimator.max_iterations, len(names))

    def begin(step: int) -> None:
        if step >= n_steps:
            announce(f"Combining the members of {method}")
            return
        name = names[step] if step < len(names) else "refining the labels"
        announce(f"Fitting {method}, step {step + 1} of {n_steps}: {name}")

    def after_member(progress: Progress) -> bool:
        stop = callback is not None and bool(callback(progress))
        begin(n_steps if stop else progress.iteration)
        return stop

    begin(0)
    return after_member


def fit_source_only(
    estimator: Any, data: TrainingData, y: NDArray[Any], sample_domain: NDArray[np.int64]
) -> Any:
    """Return the classifier of the sources alone, on unit-norm rows.

    That of a fitted automatic method is reused, unless it was fitted to labels of a target too.
    There is no warning about its result, because it would be read as one about the method.
    """
    from isthmus.estimators.ensemble._combination import make_source_only
    from isthmus.matrices.rows import with_unit_rows

    if hasattr(estimator, "source_only_") and not data.has_target_labels:
        return estimator.source_only_
    source_only = make_source_only()
    if data.has_target_labels:
        hidden = _labels_of_sources(y, sample_domain)
        data = source_only._read_training_data(data.X, hidden, sample_domain)
    words = data.with_documents(with_unit_rows(data.X))
    source_only._fit_data(words, None, check_result=False)
    # New documents are scaled to unit norm too.
    model = replace(source_only.model_, unit_norm=True)  # type: ignore[call-arg]
    source_only._set_model(source_only.fitted_domains_, model, source_only.n_features_in_)
    return source_only


def _labels_of_sources(y: NDArray[Any], sample_domain: NDArray[np.int64]) -> NDArray[Any]:
    """The labels without those of targets, unless the sources have only one class."""
    hidden = y.copy()
    hidden[sample_domain < 0] = None
    return hidden if len({label for label in hidden if label is not None}) > 1 else y


def _sample_documents(
    domains: Sequence[Texts], X: Any, labels: NDArray[np.intp], n_classes: int
) -> dict[str, DomainSample]:
    """Return a sample of the documents of every domain, by name.

    ``X`` and ``labels`` have the rows of all domains in their order; labels are class numbers, and
    -1 for documents without a given label.
    """
    matrix = X.tocsr() if sparse.issparse(X) else X
    samples = {}
    start = 0
    for domain in domains:
        rows = domain.sample.rows
        known = labels[start : start + domain.n_texts]
        samples[domain.name] = DomainSample(
            name=domain.name,
            number=domain.number,
            n_documents=domain.n_texts,
            start=start,
            class_counts=np.bincount(known[known >= 0], minlength=n_classes),
            rows=rows,
            texts=domain.sample.texts,
            X=sparse.csr_matrix(matrix[start + rows]),
            labels=known[rows],
            is_labeled=known >= 0,
            index=domain.index,
        )
        start += domain.n_texts
    return samples


def warn_of_verdicts(model: Transfer) -> None:
    """Warn about every target whose labels should not be used."""
    for name, verdict in model.verdicts_.items():
        if verdict.decision == DO_NOT_USE:
            reason = f" {verdict.reasons[0]}" if verdict.reasons else ""
            warn_user(
                f'The verdict on the labels of {name!r} is "{DO_NOT_USE}" (estimated accuracy '
                f"{verdict.accuracy}).{reason} See verdict_.",
                VerdictWarning,
            )


def set_verdicts(model: Transfer, by_number: Mapping[int, Verdict], as_mapping: bool) -> None:
    """Set the verdicts of a model by target name, and ``verdict_`` in the form of ``labels_``."""
    model.verdicts_ = {
        name: by_number[number] for name, number in model.domains_.items() if number in by_number
    }
    model.verdict_ = model.verdicts_ if as_mapping else model.verdicts_.get(DEFAULT_TARGET)


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


def make_vectorizer(vectorizer: Any, weighting: str | None) -> Any:
    """Return an unfitted copy of a vectorizer; None means ``TextVectorizer()``.

    The copy has this weighting, unless it is None.
    """
    if vectorizer is None:
        from isthmus.text.vectorizer import TextVectorizer

        vectorizer = TextVectorizer()
    vectorizer = clone(vectorizer)
    if weighting is None:
        return vectorizer
    if not hasattr(vectorizer, "weighting"):
        raise ValueError(
            f"weighting={weighting!r} is for the vectorizers of isthmus, but the vectorizer is a "
            f"{type(vectorizer).__name__}: omit it, or use a TextVectorizer."
        )
    return vectorizer.set_params(weighting=weighting)


def preset_weighting(method: Any, preset: str | None) -> str | None:
    """Return the weighting in the paper of a preset; None if the preset has none."""
    if preset is None or not isinstance(method, str):
        return None
    return find_method(method).preset_weightings.get(preset)


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
