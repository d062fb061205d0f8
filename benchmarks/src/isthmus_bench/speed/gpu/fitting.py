"""Fit one method to generated documents on one engine; this runs in a process of its own."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.config import config_context
from isthmus.estimators.registry import find_method
from isthmus_bench.speed.corpus import SpeedCorpus
from isthmus_bench.speed.gpu.problem import load_problem
from isthmus_bench.speed.gpu.processes import READY

__all__ = ["FitJob", "build", "run_fits", "warm_up"]

# On the GPU more than one panel per domain, so that all kernels are compiled.
_WARM_UP_DOCUMENTS = {"cpu": 2_000, "gpu": 40_000}
# Enough for the linear classifier that fits of many documents begin with.
_LINEAR_DOCUMENTS = 60_000
_WARM_UP_ITERATIONS = 5
# Documents whose topics are compared; they are computed after the fit.
_TRANSFORMED = 20_000
_CACHE = "CUPY_CACHE_DIR"


@dataclass(frozen=True)
class FitJob:
    """What is fitted.

    ``start`` is "warm" (a small fit comes first), "cached" (compiled kernels are on disk) or
    "cold" (they are not). ``labels`` is the file for the labels of the first fit.
    """

    method: str
    documents: int
    engine: str
    problem: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = "float32"
    start: str = "warm"
    repeats: int = 1
    labels: str | None = None


def run_fits(jobs: list[FitJob], send: Callable[[Any], None]) -> None:
    """Fit all jobs one after the other and send the result of every job.

    All jobs have the engine and the start of the first one.
    """
    if jobs[0].start == "cold":
        with tempfile.TemporaryDirectory() as folder:
            os.environ[_CACHE] = folder
            _run(jobs, send)
    else:
        _run(jobs, send)


def _run(jobs: list[FitJob], send: Callable[[Any], None]) -> None:
    for job in jobs:
        corpus = load_problem(Path(job.problem), job.dtype)
        if job.start == "warm":
            warm_up(job, corpus)
        send(_fit(job, corpus, send))


def build(job: FitJob, **others: Any) -> Any:
    """The estimator of a job, with other values of parameters that it has."""
    estimator = find_method(job.method).build(**job.parameters)
    known = estimator.get_params(deep=False)
    others = {"random_state": 0, **others}
    return estimator.set_params(**{name: v for name, v in others.items() if name in known})


def warm_up(job: FitJob, corpus: SpeedCorpus) -> None:
    """Fit a few documents, so that everything is loaded and compiled."""
    few = corpus.first(min(_WARM_UP_DOCUMENTS[job.engine], job.documents))
    more = corpus.first(min(_LINEAR_DOCUMENTS, job.documents))
    with config_context(engine=job.engine):
        find_method("lg").build().fit(more.X, more.y, more.sample_domain)
        estimator = build(job, max_iter=_WARM_UP_ITERATIONS)
        estimator.fit(few.X, few.y, few.sample_domain)


def _fit(job: FitJob, corpus: SpeedCorpus, send: Callable[[Any], None]) -> dict[str, Any]:
    seconds, digests = [], []
    y, sample_domain = corpus.y, corpus.sample_domain
    result: dict[str, Any] = {"nonzeros": int(corpus.X.nnz)}
    for number in range(job.repeats):
        estimator = build(job)
        send(READY)
        with config_context(engine=job.engine):
            begin = time.perf_counter()
            estimator.fit(corpus.X, y, sample_domain)
            seconds.append(time.perf_counter() - begin)
            labels = _labels(estimator, corpus)
        digests.append(hashlib.sha256(labels.tobytes()).hexdigest()[:16])
        if number == 0:
            result |= _outcome(estimator, labels, corpus)
            if job.labels is not None:
                np.save(job.labels, labels)
    result |= {"seconds": [round(value, 6) for value in seconds], "digests": digests}
    return result


def _labels(estimator: Any, corpus: SpeedCorpus) -> NDArray[np.int16]:
    """Labels of the target; the main topic of some of its documents if there are no labels."""
    target = slice(corpus.n_source, None)
    if hasattr(estimator, "transduction_"):
        return np.asarray(estimator.transduction_[target], np.int16)
    rows = slice(corpus.n_source, min(corpus.n_source + _TRANSFORMED, corpus.X.shape[0]))
    return np.asarray(estimator.transform(corpus.X[rows]).argmax(axis=1), np.int16)


def _outcome(estimator: Any, labels: NDArray[Any], corpus: SpeedCorpus) -> dict[str, Any]:
    outcome: dict[str, Any] = {}
    for name in ("objective_", "log_likelihood_"):
        if len(values := np.atleast_1d(getattr(estimator, name, ()))):
            outcome["objective"] = float(values[-1])
    if hasattr(estimator, "n_iter_"):
        outcome["iterations"] = int(np.max(estimator.n_iter_))
    if hasattr(estimator, "transduction_"):
        outcome["accuracy"] = round(float((labels == corpus.labels[corpus.n_source :]).mean()), 6)
    return outcome
