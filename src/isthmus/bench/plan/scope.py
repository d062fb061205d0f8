"""Which entries of a suite run on which of its problems."""

from __future__ import annotations

from isthmus.bench.documents.corpora import find_corpus
from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.entries import EMBEDDINGS, Entry

__all__ = ["runs_on"]


def runs_on(entry: Entry, task: Task) -> bool:
    """Whether an entry has anything to do with a problem."""
    if entry.weighting == EMBEDDINGS and not _has_texts(task):
        return False
    if entry.sets and task.set_name not in entry.sets:
        return False
    return task.named or not entry.named


def _has_texts(task: Task) -> bool:
    """Whether a model of one language can read the documents of a problem."""
    return task.vocabulary is None and not task.pools and find_corpus(task.corpus).has_texts
