"""Rules that turn the description of a set of problems into tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any

from isthmus.bench.bilingual import VOCABULARIES, find_languages
from isthmus.bench.fields import names, only, optional, require, share, table, tables
from isthmus.bench.tasks import SPLITS, Selection, Task, group_uses

__all__ = ["TASK_RULES", "TaskRule"]

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
    only(options, ("kind", "corpus", "development_every"), f"the table 'tasks' for {where}")
    only(chosen, ("name", "paper", "positive", "negative"), where)
    corpus = require(options, "corpus", str, where)
    every = require(options, "development_every", int, where)
    if every < 1:
        raise ValueError(f"development_every={every} in {where} must be at least 1.")
    positive = sorted(names(chosen, "positive", where))
    negative = sorted(names(chosen, "negative", where))
    pairs = [(p, n) for p in permutations(positive, 2) for n in permutations(negative, 2)]
    if not pairs:
        raise ValueError(f"'positive' and 'negative' in {where} must each hold two or more groups.")
    if shared := set(positive) & set(negative):
        raise ValueError(f"'positive' and 'negative' in {where} share '{min(shared)}'.")
    return tuple(
        Task(
            name=f"{set_name} {number:03d}: {ps}, {ns} -> {pt}, {nt}",
            set_name=set_name,
            split="development" if number % every == 0 else "evidence",
            corpus=corpus,
            sources=((("positive", (ps,)), ("negative", (ns,))),),
            targets=((("positive", (pt,)), ("negative", (nt,))),),
        )
        for number, ((ps, pt), (ns, nt)) in enumerate(pairs)
    )


def listed(
    set_name: str, options: Mapping[str, Any], chosen: Mapping[str, Any], where: str
) -> tuple[Task, ...]:
    """The problems that the suite spells out, each with the groups of every class.

    One domain of a side is a table (``source``, ``target``), several are a list of tables
    (``sources``, ``targets``).
    """
    only(options, ("kind", "corpus"), f"the table 'tasks' for {where}")
    only(chosen, ("name", "paper", "problems"), where)
    found = tables(chosen, "problems", where)
    return tuple(
        _problem(set_name, options, entry, f"problem {index} of {where}")
        for index, entry in enumerate(found)
    )


def _problem(
    set_name: str, options: Mapping[str, Any], entry: Mapping[str, Any], where: str
) -> Task:
    only(
        entry,
        ("name", "split", "corpus", "source", "sources", "target", "targets", "vocabulary",
         "labelled_source", "labelled_target", "keep_target", "paper"),
        where,
    )  # fmt: skip
    split = require(entry, "split", str, where)
    if split not in SPLITS:
        raise ValueError(f"split={split!r} in {where} must be one of {', '.join(SPLITS)}.")
    task = Task(
        name=require(entry, "name", str, where),
        set_name=set_name,
        split=split,
        corpus=optional(entry, "corpus", str, where) or require(options, "corpus", str, where),
        sources=_side(entry, "source", where),
        targets=_side(entry, "target", where),
        labelled_source=share(entry, "labelled_source", where) if "labelled_source" in entry else 1,
        labelled_target=_labelled_target(entry, where),
        vocabulary=_vocabulary(entry, where),
        keep_target=_keep_target(entry, where),
    )
    _check_task(task, where)
    return task


def _labelled_target(entry: Mapping[str, Any], where: str) -> float:
    # Zero is the usual case, written out in a series of shares.
    return share(entry, "labelled_target", where) if entry.get("labelled_target", 0) != 0 else 0.0


def _vocabulary(entry: Mapping[str, Any], where: str) -> str | None:
    vocabulary = optional(entry, "vocabulary", str, where)
    if vocabulary not in (None, *VOCABULARIES):
        raise ValueError(
            f"vocabulary={vocabulary!r} in {where} must be one of {', '.join(VOCABULARIES)}, or be "
            "left out where all texts are of one language."
        )
    return vocabulary


def _keep_target(entry: Mapping[str, Any], where: str) -> tuple[tuple[str, float], ...]:
    shares = optional(entry, "keep_target", dict, where) or {}
    found = {name: share(shares, name, f"'keep_target' of {where}") for name in shares}
    # A class that stays whole needs no draw: written or not, it is the same problem.
    return tuple((name, value) for name, value in found.items() if value < 1)


def _side(entry: Mapping[str, Any], side: str, where: str) -> tuple[Selection, ...]:
    several = f"{side}s"
    if (side in entry) == (several in entry):
        raise ValueError(
            f"Exactly one of '{side}' (a table) and '{several}' (a list of tables) must stand in "
            f"{where}."
        )
    if side in entry:
        return (_selection(table(entry, side, where), f"'{side}' of {where}"),)
    return tuple(
        _selection(values, f"domain {index} of '{several}' of {where}")
        for index, values in enumerate(tables(entry, several, where))
    )


def _selection(classes: Mapping[str, Any], where: str) -> Selection:
    if not classes:
        raise ValueError(f"The table {where} must name one or more classes with their groups.")
    return tuple((name, tuple(names(classes, name, where))) for name in classes)


def _check_task(task: Task, where: str) -> None:
    if len(task.classes) < 2:
        raise ValueError(f"The sources of {where} must name two or more classes.")
    unknown = [name for part in task.targets for name, _ in part if name not in task.classes]
    if unknown:
        raise ValueError(f"A target of {where} has the class '{unknown[0]}' that no source has.")
    present = {name for part in task.targets for name, _ in part}
    absent = [name for name, _ in task.keep_target if name not in present]
    if absent:
        raise ValueError(
            f"The field 'keep_target' in {where} has the class '{absent[0]}' that no target has."
        )
    # A document in two domains would show a method the labels that it is scored on.
    uses = Counter(group_uses(task.sources + task.targets))
    twice = [group for group, count in uses.items() if count > 1]
    if twice:
        raise ValueError(f"The group '{twice[0]}' is named more than once in {where}.")
    if task.labelled_target == 1:
        raise ValueError(
            f"The field 'labelled_target' in {where} must be below 1: no row is left to score."
        )
    if task.vocabulary is not None:
        find_languages(task, where)


TASK_RULES: dict[str, TaskRule] = {"ordered-pairs": ordered_pairs, "listed": listed}
