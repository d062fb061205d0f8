"""Run one method on one problem; this is what a worker process does."""

from __future__ import annotations

import contextlib
import signal
import time
import warnings
from dataclasses import replace
from importlib import metadata
from statistics import fmean
from typing import Any

import numpy as np

from isthmus._version import __version__
from isthmus_bench.documents.problems import (
    BenchmarkProblem,
    draw_labeled,
    fitted_rows,
    scored_rows,
)
from isthmus_bench.documents.user_corpora import register_user_corpora
from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.measures import MEASURES
from isthmus_bench.plan.metrics import SCORERS, score_classifier
from isthmus_bench.plan.trust import calibration_fields, verdict_fields
from isthmus_bench.run.inputs import problem_of, second_view_of, vectors_of
from isthmus_bench.run.memory import PeakMemory
from isthmus_bench.run.results import Record, pack_mask
from isthmus_bench.run.runs import Run, build
from isthmus_bench.run.time_limit import TimeExceededError, time_limit

__all__ = ["NOT_TRIED", "execute", "failed", "given_up", "prepare_process", "versions"]

NOT_TRIED = "not tried"
"""Start of the error of a run that was skipped."""
_N_FOLDS = 10
_LONGEST_MESSAGE = 300
_WARM_UP_ROWS = 30
_WARM_UP_SECONDS = 5.0
_warm: set[str] = set()


def prepare_process() -> None:
    """Let Ctrl-C end a worker without a traceback: the parent process reports it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def execute(run: Run) -> Record:
    """Fit, score and return the record; a failure is a record too."""
    register_user_corpora(run.user_corpora)
    try:
        return {**_blank(run), **_fit(run)}
    except TimeExceededError as error:
        return given_up(run, str(error))
    except Exception as error:
        return failed(run, f"{type(error).__name__}: {error}")


def failed(run: Run, reason: str) -> Record:
    """The record of a run that failed."""
    return {**_blank(run), "error": " ".join(reason.split())[:_LONGEST_MESSAGE]}


def given_up(run: Run, reason: str) -> Record:
    """The record of a run that exceeds its time limit."""
    return {**_blank(run), "error": reason, "time_limit": run.entry.seconds_allowed}


def _blank(run: Run) -> Record:
    fields = {"entry": run.entry.id, "versions": versions(run.entry), "error": None}
    return {**run.identity(), **fields}


def versions(entry: Entry | None = None) -> dict[str, str]:
    """The versions that results may depend on, for a peer also those of its library."""
    names = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "numba": "numba"}
    if entry is not None:
        names |= {name: name for name in getattr(COMPETITORS[entry.method], "packages", ())}
    numbers = {"isthmus": __version__}
    for short, package in names.items():
        with contextlib.suppress(metadata.PackageNotFoundError):
            numbers[short] = metadata.version(package)
    return numbers


def _fit(run: Run) -> Record:
    problem, X, second_view = problem_of(run), vectors_of(run), second_view_of(run)
    shown = draw_labeled(problem, run.task, run.seed)
    trained_on = run.entry.trained_on
    if trained_on != "all":
        kept = fitted_rows(problem, run.task, trained_on)
        problem, X, shown = problem.take(kept), X[kept], shown[kept]
        second_view = None if second_view is None else second_view[kept]
    if trained_on == "target":
        # Its labeled documents take the place of the source.
        problem = replace(problem, sample_domain=np.where(shown, 0, problem.sample_domain))
    elif trained_on != "all":
        return _cross_validate(run, problem, X, second_view)
    # None, not -1: with two label values, -1 would be taken as a class.
    y = problem.labels.astype(object)
    y[~shown] = None
    fitted = fitted_rows(problem, run.task)
    rows = scored_rows(problem, run.task, shown)
    estimator = build(run.entry, run.task, run.seed)
    if run.entry.known_class_prior:
        counts = np.bincount(problem.labels[rows], minlength=len(problem.classes))
        estimator.set_params(class_prior=dict(enumerate((counts / counts.sum()).tolist())))
    in_fit = X if fitted.all() else X[fitted]
    fit_options = {"sample_domain": problem.sample_domain[fitted], **_rows_of(second_view, fitted)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        costs = _timed_fit(estimator, run, in_fit, y[fitted], fit_options)
        result = _score(estimator, run, problem, X, rows, second_view)
        for name in run.entry.measures:
            result.update(MEASURES[name](estimator, problem, X))
    return {**result, **costs, "sizes": _sizes(problem, rows, shown)}


def _timed_fit(
    estimator: Any, run: Run, X: Any, y: np.ndarray, fit_options: dict[str, Any]
) -> Record:
    """Fit, and return the time, the memory and the number of iterations."""
    _warm_up(run, X, y, fit_options)
    memory = PeakMemory()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    with time_limit(run.entry.seconds_allowed):
        estimator.fit(X, y, **fit_options)
    seconds, growth = time.perf_counter() - begin, memory.growth
    cpu_seconds = time.process_time() - begin_cpu
    n_iter = getattr(estimator, "n_iter_", None)
    return {
        "seconds": round(seconds, 4),
        "cpu_seconds": round(cpu_seconds, 4),
        "memory": growth,
        "n_iter": None if n_iter is None else int(np.max(n_iter)),
    }


def _cross_validate(run: Run, problem: BenchmarkProblem, X: Any, second_view: Any) -> Record:
    """Label every document by a fit in which the other folds are the source.

    The seconds are the mean, memory and iterations the largest of the fits.
    """
    from sklearn.model_selection import StratifiedKFold

    labels = problem.labels
    every = np.ones(len(labels), bool)
    folds = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=run.seed or 0)
    predicted = np.full(len(labels), None, object)
    fits = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, held_out in folds.split(X, labels):
            y, sample_domain = labels.astype(object), np.zeros(len(labels), int)
            y[held_out], sample_domain[held_out] = None, -1
            fit_options = {"sample_domain": sample_domain, **_rows_of(second_view, every)}
            estimator = build(run.entry, run.task, run.seed)
            fits.append(_timed_fit(estimator, run, X, y, fit_options))
            predicted[held_out] = np.asarray(estimator.transduction_)[held_out]
    costs: Record = {}
    for name in fits[0]:
        values = [fit[name] for fit in fits if fit[name] is not None]
        combine = fmean if name in ("seconds", "cpu_seconds") else max
        costs[name] = combine(values) if values else None
    scores = score_classifier(predicted, labels, problem.sample_domain, every)
    mask = pack_mask(predicted.astype(labels.dtype) == labels)
    sizes = _sizes(problem, every, ~every)
    return {**_rounded({**scores, **costs}), "correct_mask": mask, "sizes": sizes}


def _rows_of(second_view: Any, rows: np.ndarray) -> dict[str, Any]:
    """The argument with some rows of the second matrix, if there is one."""
    if second_view is None:
        return {}
    return {"second_view": second_view if rows.all() else second_view[rows]}


def _warm_up(run: Run, X: Any, y: np.ndarray, fit_options: dict[str, Any]) -> None:
    """Fit a few documents, once per method and process, so that imports are not timed.

    Failures with so few documents say nothing about the method.
    """
    if run.entry.method in _warm:
        return
    _warm.add(run.entry.method)
    labels = np.array([str(label) for label in y])
    sample_domain = fit_options["sample_domain"]
    kinds = np.unique(np.char.add(sample_domain.astype(str), labels), return_inverse=True)[1]
    few = np.concatenate([np.flatnonzero(kinds == k)[:_WARM_UP_ROWS] for k in np.unique(kinds)])
    few.sort()
    with (
        warnings.catch_warnings(),
        contextlib.suppress(Exception, TimeExceededError),
        time_limit(_WARM_UP_SECONDS),
    ):
        warnings.simplefilter("ignore")
        options = {name: values[few] for name, values in fit_options.items()}
        build(run.entry, run.task, run.seed).fit(X[few], y[few], **options)


def _score(
    estimator: Any,
    run: Run,
    problem: BenchmarkProblem,
    X: Any,
    rows: np.ndarray,
    second_view: Any = None,
) -> Record:
    """Scores of a fitted estimator, and which documents a classifier labeled correctly."""
    scorer = SCORERS[COMPETITORS[run.entry.method].kind]
    distributions = None
    if run.task.new_documents:
        options = {"sample_domain": problem.sample_domain[rows], **_rows_of(second_view, rows)}
        predicted = np.full(len(rows), None, object)
        predicted[rows] = estimator.predict(X[rows], **options)
        if scorer.has_classes and hasattr(estimator, "predict_proba"):
            distributions = np.asarray(estimator.predict_proba(X[rows], **options))
    else:
        predicted = np.asarray(getattr(estimator, scorer.attribute))
        if hasattr(estimator, "label_distributions_"):
            distributions = np.asarray(estimator.label_distributions_)[rows]
    scores: Record = scorer.score(predicted, problem.labels, problem.sample_domain, rows)
    if not scorer.has_classes:
        return _rounded(scores)
    labels = problem.labels[rows]
    given = predicted[rows].astype(labels.dtype)
    if distributions is not None:
        classes = np.asarray(estimator.classes_)
        scores |= calibration_fields(distributions, classes, given, labels)
    verdicts = getattr(estimator, "verdicts_", {})
    if len(verdicts) == 1:
        (verdict,) = verdicts.values()
        scores |= verdict_fields(verdict, labels, tuple(range(len(problem.classes))))
    return {**_rounded(scores), "correct_mask": pack_mask(given == labels)}


def _rounded(scores: Record) -> Record:
    return {n: round(v, 6) if isinstance(v, float) else v for n, v in scores.items()}


def _sizes(problem: BenchmarkProblem, rows: np.ndarray, shown: np.ndarray) -> dict[str, int]:
    is_target = problem.sample_domain < 0
    sizes = {
        "n_source": np.count_nonzero(~is_target),
        "n_target": np.count_nonzero(is_target),
        "n_labeled_target": np.count_nonzero(shown & is_target),
        "n_scored": np.count_nonzero(rows),
        "n_terms": problem.counts.shape[1],
    }
    if problem.pooled.any():
        pool = {"n_pool": np.count_nonzero(problem.pooled), "n_duplicates": problem.n_duplicates}
        sizes.update(pool)
    return {name: int(size) for name, size in sizes.items()}
