"""Runs of a suite: a method on a problem with a seed, and what identifies each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isthmus_bench.documents.bilingual import REVISION
from isthmus_bench.documents.characters import CHARACTERS_REVISION
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.documents.user_corpora import UserCorpus
from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import TextSettings
from isthmus_bench.run.results import Record

__all__ = ["Run", "build"]

# Parameters that methods got later, with the value that does not change them: they are left out of
# the setup, so that older results stay valid.
_ADDED_LATER = {
    "class_prior": None,
    "check_class_swap": False,
    "class_weight": None,
    "w_step": "between",  # of ASI
}


@dataclass(frozen=True)
class Run:
    """One fit: an entry of a suite on a problem with a seed (None if nothing is random)."""

    suite: str
    task: BenchmarkTask
    entry: Entry
    seed: int | None
    text: TextSettings
    dtype: str
    groups: tuple[str, ...]
    data_home: str | None
    user_corpora: tuple[UserCorpus, ...] = ()

    def identity(self) -> Record:
        """The fields that identify the run in a result file."""
        return {
            "problem": _problem(self.task, self.text, self.dtype),
            "setup": _setup(self.entry, len(self.task.classes)),
            "seed": self.seed,
        }


@lru_cache(maxsize=4096)
def _problem(task: BenchmarkTask, text: TextSettings, dtype: str) -> Record:
    """The content of a problem: one that keeps its name may still change."""
    problem: Record = {
        "task": task.name,
        "corpus": task.corpus,
        "sources": [{name: list(groups) for name, groups in d.items()} for d in task.sources],
        "targets": [{name: list(groups) for name, groups in d.items()} for d in task.targets],
        "text": text.identity(),
        "dtype": dtype,
    }
    if task.vocabulary is not None:
        problem["vocabulary"] = {"joined_by": task.vocabulary, "revision": REVISION}
    if task.pools:
        pools = {"source": task.source_pools, "target": task.target_pools}
        problem["pools"] = {side: [list(part) for part in pools[side]] for side in pools}
    if task.draws_labels:
        problem["labeled"] = {"source": task.labeled_source, "target": task.labeled_target}
    for name in ("keep_target", "sample", "sample_source", "folds", "new_documents", "scored"):
        if value := getattr(task, name):
            problem[name] = value
    return problem


@lru_cache(maxsize=4096)
def _setup(entry: Entry, n_classes: int) -> Record:
    """Method, revision, weighting and all parameters of an entry, except the seed."""
    params = _build(entry, n_classes).get_params(deep=False)
    params.pop("random_state", None)
    if entry.known_class_prior:
        # The proportions themselves follow from the problem.
        params["class_prior"] = "known"
    for name, value in _ADDED_LATER.items():
        # By type too: 0 is not False.
        if name in params and (type(params[name]), params[name]) == (type(value), value):
            del params[name]
    setup: Record = {
        "method": entry.method,
        "revision": COMPETITORS[entry.method].revision,
        "weighting": entry.weighting,
        # Through JSON, so that a tuple equals the list read from a file.
        "params": json.loads(json.dumps(params, sort_keys=True, default=repr)),
    }
    if entry.measures:
        setup["measures"] = list(entry.measures)
    if entry.trained_on != "all":
        setup["trained_on"] = entry.trained_on
    if entry.second_view is not None:
        setup["second_view"] = {"kind": entry.second_view, "revision": CHARACTERS_REVISION}
    return setup


def build(entry: Entry, task: BenchmarkTask, seed: int | None = None) -> Any:
    """The unfitted estimator of an entry on a task.

    A clusterer gets as many clusters as the task has classes, unless the entry sets a number.
    """
    estimator = _build(entry, len(task.classes))
    if seed is not None and estimator.is_random:
        estimator.set_params(random_state=seed)
    return estimator


def _build(entry: Entry, n_classes: int) -> Any:
    method = COMPETITORS[entry.method]
    estimator = method.build(entry.preset, **entry.params)
    if method.kind == "clusterer" and "n_clusters" not in entry.params:
        estimator.set_params(n_clusters=n_classes)
    return estimator
