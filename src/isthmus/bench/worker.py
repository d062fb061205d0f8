"""Run one method on one task; this is what a worker process does."""

from __future__ import annotations

import json
import signal
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Any

import numpy as np
from scipy import sparse

from isthmus._version import __version__
from isthmus.bench.bilingual import REVISION, cut_bilingual, find_dictionary, read_documents
from isthmus.bench.counts import count_corpus
from isthmus.bench.entries import Entry
from isthmus.bench.problems import Problem, cut_problem, draw_labelled, scored_rows
from isthmus.bench.results import Record
from isthmus.bench.scoring import SCORERS
from isthmus.bench.tasks import Task
from isthmus.bench.text_settings import TextSettings
from isthmus.estimators.registry import find_method

__all__ = [
    "Run", "build", "configuration", "execute", "prepare_process", "read_data", "versions",
]  # fmt: skip

_LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Run:
    """One fit: an entry of a suite on a task with a seed (None if nothing is left to chance)."""

    suite: str
    task: Task
    entry: Entry
    seed: int | None
    text: TextSettings
    dtype: str
    groups: tuple[str, ...]
    data_home: str | None

    def identity(self) -> Record:
        """Return the fields that identify the run in a result file."""
        return {
            "suite": self.suite,
            "task": self.task.name,
            **self._content(),
            "seed": self.seed,
            "weighting": self.entry.weighting,
            "text": self.text.identity(),
            "dtype": self.dtype,
            **self._drawn(),
            **configuration(self.entry, self.task),
        }

    def _content(self) -> Record:
        """What the problem is made of: a problem that keeps its name may still change."""
        sides = {"sources": self.task.sources, "targets": self.task.targets}
        named: Record = {
            side: [{label: list(groups) for label, groups in part} for part in selections]
            for side, selections in sides.items()
        }
        if self.task.vocabulary is not None:
            named["vocabulary"] = {"joined_by": self.task.vocabulary, "revision": REVISION}
        if self.task.scored is not None:
            named["scored"] = self.task.scored
        return {"corpus": self.task.corpus, **named}

    def _drawn(self) -> Record:
        """How many rows are labelled and kept, left out where it is the usual."""
        task = self.task
        shares: Record = {}
        if task.draws_labels:
            shares["labelled"] = {"source": task.labelled_source, "target": task.labelled_target}
        if task.keep_target:
            shares["keep_target"] = dict(task.keep_target)
        if task.sample is not None:
            shares["sample"] = task.sample
        return shares


def configuration(entry: Entry, task: Task) -> Record:
    """Return method, revision and the full parameters of an entry on a task, seed left out."""
    method = find_method(entry.method)
    params = build(entry, task).get_params(deep=False)
    params.pop("random_state", None)
    return {
        "method": entry.method,
        "revision": method.revision,
        # Through JSON and back, so that a tuple equals the list read from a file.
        "params": json.loads(json.dumps(params, sort_keys=True, default=repr)),
    }


def prepare_process() -> None:
    """Let Ctrl-C end a worker at once and without a traceback: the parent reports it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def execute(run: Run) -> Record:
    """Fit, score and return the record; a failure is recorded too."""
    record: Record = {
        **run.identity(),
        "entry": run.entry.id,
        "set": run.task.set_name,
        "split": run.task.split,
        "versions": versions(),
        "error": None,
    }
    try:
        record.update(_fit(run))
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        record["error"] = " ".join(message.split())[:_LONGEST_MESSAGE]
    return record


def versions() -> dict[str, str]:
    """Return the versions that a figure may depend on."""
    names = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "numba": "numba"}
    found = {"isthmus": __version__}
    for short, package in names.items():
        try:
            found[short] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def read_data(run: Run) -> None:
    """Read what a run is made from, so that missing data is an error here and now."""
    if run.task.vocabulary is None:
        text = run.text
        count_corpus(run.task.corpus, run.groups, text.stop_words, run.data_home, text.stemmer)
    else:
        read_documents(run.task.corpus, run.task.groups, run.data_home)
        find_dictionary(run.task, run.data_home)


def _fit(run: Run) -> Record:
    # Where no row is drawn, the runs of all seeds have the same documents.
    seed = run.seed if run.task.draws_rows else None
    made_from = (run.task, run.text, run.dtype, run.groups, run.data_home, seed)
    problem = _problem(*made_from)
    X = _weighted(*made_from, run.entry.weighting)
    shown = draw_labelled(problem, run.task, run.seed)
    # None, not -1: with two values one of which is -1, both would be classes.
    y = problem.labels.astype(object)
    y[~shown] = None
    is_source = problem.sample_domain >= 0
    estimator = build(run.entry, run.task, run.seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begin = time.perf_counter()
        estimator.fit(X, y, sample_domain=problem.sample_domain)
        seconds = time.perf_counter() - begin
    score = SCORERS[find_method(run.entry.method).kind]
    rows = scored_rows(problem, run.task, shown)
    scores = score(estimator, problem.labels, problem.sample_domain, rows)
    n_iter = getattr(estimator, "n_iter_", None)
    return {
        **{name: round(value, 6) for name, value in scores.items()},
        "seconds": round(seconds, 4),
        "n_iter": None if n_iter is None else int(np.max(n_iter)),
        "n_source": int(np.count_nonzero(is_source)),
        "n_target": int(np.count_nonzero(~is_source)),
        "n_labelled_target": int(np.count_nonzero(shown & ~is_source)),
        "n_terms": int(X.shape[1]),
        "warnings": sorted({str(w.message)[:_LONGEST_MESSAGE] for w in caught}),
    }


def build(entry: Entry, task: Task, seed: int | None = None) -> Any:
    """The unfitted estimator of an entry on a task; without chance it has no use for the seed.

    A clusterer looks for as many clusters as the task has classes, unless the entry says how many.
    """
    method = find_method(entry.method)
    estimator = method.build(entry.preset, **entry.params)
    if method.kind == "clusterer" and "n_clusters" not in entry.params:
        estimator.set_params(n_clusters=len(task.classes))
    if seed is not None and estimator.uses_chance:
        estimator.set_params(random_state=seed)
    return estimator


# A worker gets the runs of one task one after the other: two tasks and their weightings are
# all that needs to be at hand.
@lru_cache(maxsize=2)
def _problem(
    task: Task,
    text: TextSettings,
    dtype: str,
    groups: tuple[str, ...],
    data_home: str | None,
    seed: int | None,
) -> Problem:
    if task.vocabulary is not None:
        return cut_bilingual(task, text.min_df, text.stop_words, dtype, data_home, seed)
    counted = count_corpus(task.corpus, groups, text.stop_words, data_home, text.stemmer)
    # A suite with such a problem has min_df.
    return cut_problem(counted, task, text.min_df or 1, dtype, seed, text.max_terms)


@lru_cache(maxsize=4)
def _weighted(
    task: Task,
    text: TextSettings,
    dtype: str,
    groups: tuple[str, ...],
    data_home: str | None,
    seed: int | None,
    weighting: str,
) -> sparse.csr_matrix:
    from isthmus.text.weighting import make_weighting

    counts = _problem(task, text, dtype, groups, data_home, seed).counts
    return sparse.csr_matrix(make_weighting(weighting).fit_transform(counts), dtype=dtype)
