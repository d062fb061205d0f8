"""Rules that turn the description of a set of problems into tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.fields import names, only, require
from isthmus.bench.plan.listed import listed

__all__ = ["TASK_RULES", "TaskRule"]

TaskRule = Callable[[str, Mapping[str, Any], Mapping[str, Any], str], tuple[Task, ...]]
"""(set name, options of the suite, options of the set, where) -> tasks."""


def ordered_pairs(
    set_name: str, options: Mapping[str, Any], chosen: Mapping[str, Any], where: str
) -> tuple[Task, ...]:
    """All ways to draw different source and target groups of a positive and a negative class.

    The number of a problem is its place in ``permutations(positive, 2)`` times
    ``permutations(negative, 2)``, names sorted; every ``development_every``-th, from 0 on, is
    a development problem. The numbers in ``named`` of a set are its named problems.
    """
    only(options, ("kind", "corpus", "development_every"), f"the table 'tasks' for {where}")
    only(chosen, ("name", "paper", "positive", "negative", "named"), where)
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
    named = chosen.get("named", [])
    # true and 1.0 equal 1, but nobody means a problem by them.
    if not isinstance(named, list) or not all(
        type(place) is int and 0 <= place < len(pairs) for place in named
    ):
        raise ValueError(
            f"The field 'named' in {where} must be a list of whole numbers from 0 to "
            f"{len(pairs) - 1}."
        )
    return tuple(
        Task(
            name=f"{set_name} {number:03d}: {ps}, {ns} -> {pt}, {nt}",
            set_name=set_name,
            split="development" if number % every == 0 else "evidence",
            corpus=corpus,
            sources=((("positive", (ps,)), ("negative", (ns,))),),
            targets=((("positive", (pt,)), ("negative", (nt,))),),
            named=number in named,
        )
        for number, ((ps, pt), (ns, nt)) in enumerate(pairs)
    )


TASK_RULES: dict[str, TaskRule] = {"ordered-pairs": ordered_pairs, "listed": listed}
