"""Rank the methods over the problems of all suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from isthmus.bench.plan.contestants import CONTESTANTS, is_peer
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.summary import EntryResults
from isthmus.evaluation.mean_ranks import MeanRanks, mean_ranks, places

__all__ = ["Ranking", "Standing", "rank_methods"]

Found = Sequence[tuple[Suite, Mapping[str, EntryResults]]]


@dataclass(frozen=True)
class Standing:
    """A method over the common problems of all suites.

    Attributes
    ----------
    label : str
        What tables call it.
    is_peer : bool
        Whether it comes from another library.
    n_problems : int
        Common problems that it was run on.
    place : float
        Its mean place on them: 0 if it is always the best, 1 if it is always the last.
    best : int
        Problems on which no method is better.
    failed : int
        Problems on which it failed, or took too long.
    rank, score, seconds : float, optional
        Its mean rank, mean accuracy and median seconds; None if it did not run on all common
        problems. Seconds are those of the processor.
    """

    label: str
    is_peer: bool
    n_problems: int
    place: float
    best: int
    failed: int
    rank: float | None = None
    score: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Ranking:
    """All standings, best first, and the test over those that ran on all common problems.

    The common problems are told by their suites and names.
    """

    standings: tuple[Standing, ...]
    n_problems: int
    common: tuple[tuple[str, str], ...]
    test: MeanRanks | None


@dataclass(frozen=True)
class _Problem:
    """What the methods reached on a problem; nan where they failed."""

    scores: Mapping[str, float]
    seconds: Mapping[str, float]
    suite: str
    name: str


def rank_methods(found: Found, kind: str, split: str) -> Ranking | None:
    """Rank the methods of a kind, as the package has them, on the problems of a split.

    Parameters
    ----------
    found : sequence of (Suite, results)
        Suites with their collected results. Those that say ``ranked = false`` are passed over.
    kind : {"classifier", "clusterer"}
        Which methods.
    split : {"development", "evidence"}
        Which problems.

    Returns
    -------
    Ranking or None
        None where fewer than two methods met. The common problems are those on which more than
        half of the methods were run.
    """
    problems = _problems(found, kind, split)
    methods = list(dict.fromkeys(name for problem in problems for name in problem.scores))
    if len(methods) < 2:
        return None
    common = [p for p in problems if 2 * len(p.scores) > len(methods)]
    whole = [name for name in methods if common and all(name in p.scores for p in common)]
    test = None
    ranks: dict[str, float] = {}
    if len(whole) > 1:
        test = mean_ranks([[p.scores[name] for name in whole] for p in common])
        ranks = dict(zip(whole, test.ranks.tolist(), strict=True))
    standings = [
        _standing(name, common, ranks.get(name))
        for name in methods
        if any(name in problem.scores for problem in common)
    ]
    return Ranking(
        tuple(sorted(standings, key=lambda s: (s.rank is None, s.rank or 0.0, s.place))),
        len(problems),
        tuple((problem.suite, problem.name) for problem in common),
        test,
    )


def _problems(found: Found, kind: str, split: str) -> list[_Problem]:
    problems = []
    for suite, results in found:
        entries = _defaults(suite, kind) if suite.ranked else {}
        for task in suite.tasks:
            if task.split != split:
                continue
            of_task = {name: results[entry.id] for name, entry in entries.items()}
            scores = {
                name: score
                for name, of_entry in of_task.items()
                if (score := _score(of_entry, task.name)) is not None
            }
            seconds = {n: median(s) for n in scores if (s := of_task[n].seconds.get(task.name))}
            if np.count_nonzero(~np.isnan([*scores.values()])) > 1:
                problems.append(_Problem(scores, seconds, suite.name, task.name))
    return problems


def _defaults(suite: Suite, kind: str) -> dict[str, Entry]:
    """The first entry of every method that stands for it."""
    found: dict[str, Entry] = {}
    for entry in suite.entries:
        if entry.stands_for_method and CONTESTANTS[entry.method].kind == kind:
            found.setdefault(entry.method, entry)
    return found


def _score(results: EntryResults, task: str) -> float | None:
    """The mean accuracy; nan if a run failed, None if not all were tried."""
    if results.is_complete(task):
        return results.mean(task)
    failed = sum(failure.task == task for failure in results.failures)
    tried = failed + len(results.scores["accuracy"].get(task, {}))
    return float("nan") if failed and tried == results.planned[task] else None


def _standing(name: str, common: Sequence[_Problem], rank: float | None) -> Standing:
    mine = [problem for problem in common if name in problem.scores]
    scores = [problem.scores[name] for problem in mine]
    seconds = [problem.seconds[name] for problem in mine if name in problem.seconds]
    # What failed has no accuracy, and a mean without it would flatter.
    measured = rank is not None and not np.isnan(scores).any()
    return Standing(
        label=CONTESTANTS[name].short,
        is_peer=is_peer(name),
        n_problems=len(mine),
        place=fmean(_place(problem, name) for problem in mine),
        best=sum(problem.scores[name] == np.nanmax([*problem.scores.values()]) for problem in mine),
        failed=sum(np.isnan(scores)),
        rank=rank,
        score=fmean(scores) if measured else None,
        seconds=median(seconds) if rank is not None and len(seconds) == len(mine) else None,
    )


def _place(problem: _Problem, name: str) -> float:
    names = list(problem.scores)
    return float(places([problem.scores[n] for n in names])[names.index(name)])
