"""The stages of a fit: count the texts, fit the method and the source-only classifier, judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isthmus._stages import stage
from isthmus.domains.labels import MarkedLabels
from isthmus.estimators.base.domain_estimator import end_callbacks, join_callbacks
from isthmus.inspection.sample import DomainSample
from isthmus.transfer.engine_scope import cluster_client, engine_scope
from isthmus.transfer.fit_sample import sample_documents
from isthmus.transfer.labels import warn_about_labels
from isthmus.transfer.preparation import Prepared
from isthmus.transfer.source_only import fit_source_only
from isthmus.transfer.stages import announce_fits
from isthmus.transfer.texts import Texts
from isthmus.transfer.words import (
    check_shared_words,
    count_texts,
    make_characters,
    second_view,
    term_names,
)

if TYPE_CHECKING:
    from isthmus.estimators.base.training_data import TrainingData
    from isthmus.estimators.base.verdict import Verdict
    from isthmus.numerics.progress import Callback
    from isthmus.text.character_vectorizer import CharacterVectorizer

__all__ = ["FittedTexts", "fit_texts"]


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
    X, Z = count_texts(vectorizer, characters, domains, cluster_client(engine))
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
    sample = sample_documents(domains, X, data.problem.labels, len(estimator.classes_))
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
    callback = announce_fits(estimator, callback, announce)
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
