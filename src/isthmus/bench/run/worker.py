"""Run one method on one task; this is what a worker process does."""

from __future__ import annotations

import signal
import time
import warnings
from importlib import metadata
from typing import Any

import numpy as np
from scipy import sparse

from isthmus._version import __version__
from isthmus.bench.documents.own import as_documents
from isthmus.bench.documents.problems import (
    Problem,
    draw_labelled,
    fitted_rows,
    scored_rows,
)
from isthmus.bench.plan.contestants import find_contestant
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.measures import MEASURES
from isthmus.bench.plan.scoring import SCORERS
from isthmus.bench.run.inputs import problem_of, vectors_of
from isthmus.bench.run.resident import PeakMemory
from isthmus.bench.run.results import Record
from isthmus.bench.run.right import pack_right
from isthmus.bench.run.runs import Run, build
from isthmus.bench.run.time_limit import TimeExceededError, time_limit
from isthmus.bench.run.warming import warm_up

__all__ = ["NOT_TRIED", "execute", "failed", "given_up", "prepare_process", "versions"]

NOT_TRIED = "not tried"
"""Begins the error of a run that was given up without a try."""
_LONGEST_MESSAGE = 300


def prepare_process() -> None:
    """Let Ctrl-C end a worker at once and without a traceback: the parent reports it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def execute(run: Run) -> Record:
    """Fit, score and return the record; a failure is recorded too."""
    record = _blank(run)
    as_documents(run.own)
    try:
        record.update(_fit(run))
    except TimeExceededError as error:
        return given_up(run, str(error))
    except Exception as error:
        return failed(run, f"{type(error).__name__}: {error}")
    return record


def failed(run: Run, why: str) -> Record:
    """The record of a run that came to nothing."""
    return {**_blank(run), "error": " ".join(why.split())[:_LONGEST_MESSAGE]}


def given_up(run: Run, why: str) -> Record:
    """The record of a run that would take more than its time."""
    return {**_blank(run), "error": why, "time_limit": run.entry.seconds_allowed}


def _blank(run: Run) -> Record:
    return {
        **run.identity(),
        "entry": run.entry.id,
        "set": run.task.set_name,
        "split": run.task.split,
        "versions": versions(run.entry),
        "error": None,
    }


def versions(entry: Entry | None = None) -> dict[str, str]:
    """Return the versions that a figure may depend on, for a peer those of its library, too."""
    names = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "numba": "numba"}
    if entry is not None:
        names |= {name: name for name in getattr(find_contestant(entry.method), "packages", ())}
    found = {"isthmus": __version__}
    for short, package in names.items():
        try:
            found[short] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _fit(run: Run) -> Record:
    problem, X = problem_of(run), vectors_of(run)
    shown = draw_labelled(problem, run.task, run.seed)
    # None, not -1: with two values one of which is -1, both would be classes.
    y = problem.labels.astype(object)
    y[~shown] = None
    fitted = fitted_rows(problem, run.task)
    rows = scored_rows(problem, run.task, shown)
    estimator = build(run.entry, run.task, run.seed)
    shares = _known_shares(problem, rows) if run.entry.known_shares else None
    if shares is not None:
        estimator.set_params(class_prior=shares)
    in_fit = X if fitted.all() else X[fitted]
    warm_up(run, in_fit, y[fitted], problem.sample_domain[fitted])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        memory = PeakMemory()
        begin, begin_on_processor = time.perf_counter(), time.process_time()
        with time_limit(run.entry.seconds_allowed):
            estimator.fit(in_fit, y[fitted], sample_domain=problem.sample_domain[fitted])
        seconds, growth = time.perf_counter() - begin, memory.growth
        on_processor = time.process_time() - begin_on_processor
        found = _result(estimator, run, problem, X, rows)
        for name in run.entry.measures:
            found.update(MEASURES[name](estimator, problem, X, rows))
    n_iter = getattr(estimator, "n_iter_", None)
    return {
        **found,
        "seconds": round(seconds, 4),
        "cpu_seconds": round(on_processor, 4),
        "memory": growth,
        "n_iter": None if n_iter is None else int(np.max(n_iter)),
        "n_labelled_target": int(np.count_nonzero(shown & (problem.sample_domain < 0))),
        "warnings": sorted({str(w.message)[:_LONGEST_MESSAGE] for w in caught}),
        **({} if shares is None else {"known_shares": list(shares.values())}),
        **_sizes(problem),
    }


def _known_shares(problem: Problem, rows: np.ndarray) -> dict[int, float]:
    """The true class shares of the rows to score: what no method could know, for oracles alone."""
    counts = np.bincount(problem.labels[rows], minlength=len(problem.classes))
    return {code: float(count / counts.sum()) for code, count in enumerate(counts)}


def _result(
    estimator: Any,
    run: Run,
    problem: Problem,
    X: sparse.csr_matrix | np.ndarray,
    rows: np.ndarray,
) -> Record:
    """Scores of a fitted estimator, and which documents a classifier got right."""
    scorer = SCORERS[find_contestant(run.entry.method).kind]
    if run.task.new_documents:
        given = np.full(len(rows), None, object)
        given[rows] = estimator.predict(X[rows], sample_domain=problem.sample_domain[rows])
    else:
        given = np.asarray(getattr(estimator, scorer.attribute))
    scores = scorer.score(given, problem.labels, problem.sample_domain, rows)
    found: Record = {name: round(value, 6) for name, value in scores.items()}
    found["n_scored"] = int(np.count_nonzero(rows))
    if scorer.names_classes:
        labels = problem.labels[rows]
        found["right"] = pack_right(given[rows].astype(labels.dtype) == labels)
    return found


def _sizes(problem: Problem) -> Record:
    sizes = {
        "n_source": int(np.count_nonzero(problem.sample_domain >= 0)),
        "n_target": int(np.count_nonzero(problem.sample_domain < 0)),
        "n_terms": int(problem.counts.shape[1]),
    }
    if problem.pooled.any():
        sizes["n_pool"] = int(np.count_nonzero(problem.pooled))
        sizes["n_duplicates"] = problem.n_duplicates
    return sizes
