"""Runs of a suite: a method on a task with a seed, and what tells one from all others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from isthmus.bench.documents.bilingual import REVISION
from isthmus.bench.documents.own import OwnCorpus
from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.contestants import find_contestant
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.text_settings import TextSettings
from isthmus.bench.run.results import Record

__all__ = ["Run", "build", "configuration"]

# Parameters that methods got later, with the value that leaves them as they were: left out of a
# key where they have it, so that older results still hold.
_LATER = {"class_prior": None, "check_class_swap": False}


@dataclass(frozen=True)
class Run:
    """One fit: an entry of a suite on a task with a seed (None if nothing is left to chance).

    ``own`` are the corpora that the suite brings along.
    """

    suite: str
    task: Task
    entry: Entry
    seed: int | None
    text: TextSettings
    dtype: str
    groups: tuple[str, ...]
    data_home: str | None
    own: tuple[OwnCorpus, ...] = ()

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
            **({"measures": list(self.entry.measures)} if self.entry.measures else {}),
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
        if self.task.pools:
            pools = {"source": self.task.source_pools, "target": self.task.target_pools}
            named["pools"] = {side: [list(part) for part in pools[side]] for side in pools}
        return {"corpus": self.task.corpus, **named}

    def _drawn(self) -> Record:
        """Which rows are labelled, kept and in the fit, left out where it is the usual."""
        task = self.task
        shares: Record = {}
        if task.draws_labels:
            shares["labelled"] = {"source": task.labelled_source, "target": task.labelled_target}
        if task.keep_target:
            shares["keep_target"] = dict(task.keep_target)
        for name in ("sample", "sample_source"):
            if getattr(task, name) is not None:
                shares[name] = getattr(task, name)
        if task.folds is not None:
            shares["folds"] = task.folds
        if task.new_documents:
            shares["new_documents"] = True
        return shares


def configuration(entry: Entry, task: Task) -> Record:
    """Return method, revision and the full parameters of an entry on a task, seed left out."""
    method = find_contestant(entry.method)
    params = build(entry, task).get_params(deep=False)
    params.pop("random_state", None)
    if entry.known_shares:
        # The shares themselves follow from the rows, which stand in the key already.
        params["class_prior"] = "known"
    for name, value in _LATER.items():
        if name in params and params[name] is value:
            del params[name]
    return {
        "method": entry.method,
        "revision": method.revision,
        # Through JSON and back, so that a tuple equals the list read from a file.
        "params": json.loads(json.dumps(params, sort_keys=True, default=repr)),
    }


def build(entry: Entry, task: Task, seed: int | None = None) -> Any:
    """The unfitted estimator of an entry on a task; without chance it has no use for the seed.

    A clusterer looks for as many clusters as the task has classes, unless the entry says how many.
    """
    method = find_contestant(entry.method)
    estimator = method.build(entry.preset, **entry.params)
    if method.kind == "clusterer" and "n_clusters" not in entry.params:
        estimator.set_params(n_clusters=len(task.classes))
    if seed is not None and estimator.is_random:
        estimator.set_params(random_state=seed)
    return estimator
