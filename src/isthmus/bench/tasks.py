"""Rules that turn the description of a set of problems into tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from isthmus.bench.fields import names, require, table

__all__ = ["SPLITS", "TASK_RULES", "Selection", "Task"]

SPLITS = ("development", "evidence")

Selection = tuple[tuple[str, tuple[str, ...]], ...]
"""Classes with the groups of documents that make them up."""


@dataclass(frozen=True)
class Task:
    """One transfer problem: which groups of a corpus are source and which are target.

    Attributes
    ----------
    name : str
        Unique within its suite.
    set_name : str
        The set (a row group of the paper's table) it belongs to.
    split : {"development", "evidence"}
        Whether defaults may be chosen on it.
    corpus : str
        Name of the corpus, see :mod:`isthmus.bench.corpora`.
    source, target : tuple of (class name, groups)
        The documents of each class.
    """

    name: str
    set_name: str
    split: str
    corpus: str
    source: Selection
    target: Selection

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups that the task uses, sorted."""
        chosen = {g for part in (self.source, self.target) for _, groups in part for g in groups}
        return tuple(sorted(chosen))


TaskRule = Callable[[str, Mapping[str, Any], Mapping[str, Any], str], tuple[Task, ...]]
"""(set name, options of the suite, options of the set, where) -> tasks."""


def ordered_pairs(
    set_name: str, options: Mapping[str, Any], chosen: Mapping[str, Any], where: str
) -> tuple[Task, ...]:
    """All ways to draw different source and target groups of a positive and a negative class.

    The number of a problem is its place in ``permutations(positive, 2)`` times
    ``permutations(negative, 2)``, names sorted; every ``development_every``-th, from 0 on, is
    a development problem.
    """
    corpus = require(options, "corpus", str, where)
    every = require(options, "development_every", int, where)
    if every < 1:
        raise ValueError(f"development_every={every} in {where} must be at least 1.")
    positive = sorted(names(chosen, "positive", where))
    negative = sorted(names(chosen, "negative", where))
    pairs = [(p, n) for p in permutations(positive, 2) for n in permutations(negative, 2)]
    if not pairs:
        raise ValueError(f"'positive' and 'negative' in {where} must each hold two or more groups.")
    return tuple(
        Task(
            name=f"{set_name} {number:03d}: {ps}, {ns} -> {pt}, {nt}",
            set_name=set_name,
            split="development" if number % every == 0 else "evidence",
            corpus=corpus,
            source=(("positive", (ps,)), ("negative", (ns,))),
            target=(("positive", (pt,)), ("negative", (nt,))),
        )
        for number, ((ps, pt), (ns, nt)) in enumerate(pairs)
    )


def listed(
    set_name: str, options: Mapping[str, Any], chosen: Mapping[str, Any], where: str
) -> tuple[Task, ...]:
    """The problems that the suite spells out, each with the groups of every class."""
    found = []
    for index, entry in enumerate(require(chosen, "problems", list, where)):
        place = f"problem {index} of {where}"
        split = require(entry, "split", str, place)
        if split not in SPLITS:
            raise ValueError(f"split={split!r} in {place} must be one of {', '.join(SPLITS)}.")
        source = _selection(table(entry, "source", place), f"source of {place}")
        target = _selection(table(entry, "target", place), f"target of {place}")
        if {name for name, _ in target} - {name for name, _ in source}:
            raise ValueError(f"The target of {place} has a class that its source lacks.")
        found.append(
            Task(
                name=require(entry, "name", str, place),
                set_name=set_name,
                split=split,
                corpus=entry.get("corpus") or require(options, "corpus", str, where),
                source=source,
                target=target,
            )
        )
    return tuple(found)


def _selection(classes: Mapping[str, Any], where: str) -> Selection:
    return tuple((name, tuple(names(classes, name, where))) for name in classes)


TASK_RULES: dict[str, TaskRule] = {"ordered-pairs": ordered_pairs, "listed": listed}
