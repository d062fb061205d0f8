"""Rank the methods over the problems of all suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from isthmus_bench.peers.registry import COMPETITORS, is_peer
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.mean_ranks import MeanRanks, mean_ranks, places
from isthmus_bench.report.summary import EntryResults, Results

__all__ = ["Collected", "Ranking", "Standing", "rank_methods"]

Collected = Sequence[tuple[Suite, Results]]


@dataclass(frozen=True)
class Standing:
    """A method over the common problems of all suites.

    ``place`` is its mean place, 0 for always best and 1 for always last, ``best`` the number of
    problems on which no method is better, ``failed`` the number on which it failed or exceeded its
    time limit. ``rank``, ``score`` (the mean accuracy) and ``seconds`` (the median CPU seconds) are
    None if it did not run on all common problems.
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

    ``common`` has the suites and names of the common problems.
    """

    standings: tuple[Standing, ...]
    n_problems: int
    common: tuple[tuple[str, str], ...]
    test: MeanRanks | None


@dataclass(frozen=True)
class _Outcome:
    """The scores (nan for a failure) and seconds of the methods on a problem."""

    scores: Mapping[str, float]
    seconds: Mapping[str, float]
    suite: str
    name: str


def rank_methods(collected: Collected, kind: str, split: str) -> Ranking | None:
    """Rank the methods of a kind, with default parameters, on the problems of a split.

    The common problems are those on which more than half of the methods ran. None if fewer than
    two methods have a problem in common.
    """
    outcomes = _outcomes(collected, kind, split)
    methods = list(dict.fromkeys(name for outcome in outcomes for name in outcome.scores))
    if len(methods) < 2:
        return None
    common = [outcome for outcome in outcomes if 2 * len(outcome.scores) > len(methods)]
    whole = [name for name in methods if common and all(name in o.scores for o in common)]
    test = None
    ranks: dict[str, float] = {}
    if len(whole) > 1:
        test = mean_ranks([[outcome.scores[name] for name in whole] for outcome in common])
        ranks = dict(zip(whole, test.ranks.tolist(), strict=True))
    standings = [
        _standing(name, common, ranks.get(name))
        for name in methods
        if any(name in outcome.scores for outcome in common)
    ]
    return Ranking(
        tuple(sorted(standings, key=lambda s: (s.rank is None, s.rank or 0.0, s.place))),
        len(outcomes),
        tuple((outcome.suite, outcome.name) for outcome in common),
        test,
    )


def _outcomes(collected: Collected, kind: str, split: str) -> list[_Outcome]:
    outcomes = []
    for suite, results in collected:
        entries: dict[str, Entry] = {}
        for entry in suite.entries if suite.ranked else ():
            if entry.represents_method and COMPETITORS[entry.method].kind == kind:
                entries.setdefault(entry.method, entry)
        for task in suite.tasks:
            if task.split != split:
                continue
            of_task = {name: results[entry.id] for name, entry in entries.items()}
            tried = {name: _score(of_entry, task.name) for name, of_entry in of_task.items()}
            scores = {name: score for name, score in tried.items() if score is not None}
            seconds = {n: median(s) for n in scores if (s := of_task[n].seconds.get(task.name))}
            if np.count_nonzero(~np.isnan([*scores.values()])) > 1:
                outcomes.append(_Outcome(scores, seconds, suite.name, task.name))
    return outcomes


def _score(results: EntryResults, task: str) -> float | None:
    """The mean accuracy; nan if a run failed, None if not all were tried."""
    if results.is_complete(task):
        return results.mean(task)
    failed = sum(failure.task == task for failure in results.failures)
    tried = failed + len(results.scores["accuracy"].get(task, {}))
    return float("nan") if failed and tried == results.planned[task] else None


def _standing(name: str, common: Sequence[_Outcome], rank: float | None) -> Standing:
    mine = [outcome for outcome in common if name in outcome.scores]
    scores = [outcome.scores[name] for outcome in mine]
    seconds = [outcome.seconds[name] for outcome in mine if name in outcome.seconds]
    own_places = []
    for outcome in mine:
        names = list(outcome.scores)
        of_problem = places([outcome.scores[n] for n in names])
        own_places.append(float(of_problem[names.index(name)]))
    # A mean without the failures would be too high.
    measured = rank is not None and not np.isnan(scores).any()
    return Standing(
        label=COMPETITORS[name].short,
        is_peer=is_peer(name),
        n_problems=len(mine),
        place=fmean(own_places),
        best=sum(outcome.scores[name] == np.nanmax([*outcome.scores.values()]) for outcome in mine),
        failed=sum(np.isnan(scores)),
        rank=rank,
        score=fmean(scores) if measured else None,
        seconds=median(seconds) if rank is not None and len(seconds) == len(mine) else None,
    )
