"""The section over all suites: ranks of the methods, and the best methods of every set."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.suite import Suite
from isthmus_bench.report.blocks import (
    Block,
    Chart,
    RankDiagram,
    Section,
    Series,
    table,
)  # fmt: skip
from isthmus_bench.report.ranking import Collected, Ranking, Standing, rank_methods
from isthmus_bench.report.summary import Results, summarize
from isthmus_bench.report.tables import COSTS, number

__all__ = ["best_methods", "overview"]

_KINDS = {"classifier": "Classifiers", "clusterer": "Clusterers"}
_SHOWN = 3
_EXPLANATION = (
    "Every method with its default parameters, on the common problems: those on which most methods "
    "were run. Rank 1 is the best; a failure or an exceeded time limit gets the last rank. The "
    "place is 0 for the best of the methods that were run on a problem and 1 for the last; methods "
    "that did not run on all common problems have a place but no rank. Friedman's test checks "
    "whether all methods are equal, Nemenyi's test which of them differ: those whose mean ranks "
    "differ by more than the critical difference (level 5 %). Both tests assume independent "
    "problems. Problems of one corpus are not independent, so the tests find too many differences "
    "rather than too few. Mean ranks depend on which methods take part."
)


def overview(collected: Collected) -> Section | None:
    """The ranks of all methods; None where no two of them have a problem in common."""
    blocks: list[Block] = []
    for kind, title in _KINDS.items():
        for split in ("evidence", "development"):
            ranking = rank_methods(collected, kind, split)
            if ranking is not None:
                blocks += [f"### {title}, {split} problems", _summary(ranking)]
                blocks.append(_table(ranking))
                blocks += _drawings(ranking, title) if split == "evidence" else []
    if not blocks:
        return None
    blocks += best_methods(collected)
    return Section("ranks", "Which method? Ranks over all suites", (_EXPLANATION, *blocks))


def _summary(ranking: Ranking) -> str:
    suites = [suite for suite, _ in ranking.common]
    counts = ", ".join(f"{suites.count(name)} of {name}" for name in dict.fromkeys(suites))
    text = (
        f"{ranking.n_problems} problems, {len(ranking.common)} of them common to most methods: "
        f"{counts}."
    )
    if ranking.test is not None and ranking.test.p_value is not None:
        p = ranking.test.p_value
        text += (
            f" Friedman's test: p {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}; critical "
            f"difference of mean ranks: {ranking.test.critical_difference:.2f}."
        )
    return text


def _table(ranking: Ranking) -> str:
    titles = [
        "method", "mean rank", "mean place", "best on", "problems", "failed on", "mean accuracy",
        COSTS[0],
    ]  # fmt: skip
    rows = [
        [_label(s), number(s.rank), f"{s.place:.3f}", f"{s.best}", f"{s.n_problems}",
         f"{s.failed}", number(s.score), number(s.seconds)]
        for s in ranking.standings
    ]  # fmt: skip
    return table(titles, rows)


def _label(standing: Standing) -> str:
    return standing.label + (" (peer)" if standing.is_peer else "")


def _drawings(ranking: Ranking, title: str) -> list[Block]:
    """The critical-difference diagram, and accuracy against seconds."""
    if ranking.test is None:
        return []
    difference = ranking.test.critical_difference
    ranks = tuple((_label(s), s.rank) for s in ranking.standings if s.rank is not None)
    drawings: list[Block] = [
        RankDiagram(
            f"{title}: mean ranks, evidence problems",
            ranks,
            difference,
            "The best method is at the top. Two methods differ at the level 5 % if their intervals "
            f"do not overlap (critical difference {difference:.2f}).",
        )
    ]
    measured = [
        (s.is_peer, s.seconds, s.score, s.label)
        for s in ranking.standings
        if s.seconds and s.score is not None
    ]
    if len(measured) > 1:
        series = []
        for name, peer in (("isthmus", False), ("peers", True)):
            points = [point[1:] for point in measured if point[0] is peer]
            if points:
                x, y, names = zip(*points, strict=True)
                series.append(Series(name, x, y, names, joined=False))
        drawings.append(
            Chart(
                f"{title}: accuracy against seconds",
                "CPU seconds per fit (median), one thread",
                "mean accuracy (%)",
                tuple(series),
                log_x=True,
                label_points=True,
                note="Over the common evidence problems; up and to the left is better. The methods "
                "that no other one exceeds in both accuracy and speed are named.",
            )
        )
    return drawings


def best_methods(collected: Collected) -> list[Block]:
    """One row per set of the ranked suites, by the means over its evidence problems."""
    rows = []
    for suite, results in collected if collected else ():
        # Where some entries run on named problems only, all are compared on these.
        limited = any(entry.is_named_only for entry in suite.entries)
        for group in suite.sets if suite.ranked else ():
            tasks = [t for t in group.tasks if t.split == "evidence" and (t.named or not limited)]
            if row := _best_of_set(suite, group.name, tasks, results):
                rows.append(row)
    if not rows:
        return []
    titles = ["suite: set", "evidence problems", "first", "second", "third", "best peer"]
    return [
        "### The best of every set",
        "Means over the evidence problems that all methods of the suite were run on, every method "
        "with its default parameters: what to try first on similar documents.",
        table(titles, rows),
    ]


def _best_of_set(
    suite: Suite, name: str, tasks: Sequence[BenchmarkTask], results: Results
) -> list[str]:
    means: dict[str, tuple[float, Entry]] = {}
    for entry in suite.entries_on(tasks) if tasks else ():
        summary = summarize(results[entry.id], tasks)
        if entry.represents_method and summary.complete and summary.mean is not None:
            means.setdefault(entry.method, (summary.mean, entry))
    order = sorted(means.values(), key=lambda pair: -pair[0])
    texts: dict[bool, list[str]] = {True: [], False: []}
    for mean, entry in order:
        texts[entry.is_peer].append(f"{COMPETITORS[entry.method].short} {mean:.2f}")
    if len(texts[False]) <= _SHOWN:
        return []
    peer = texts[True][0] if texts[True] else "-"
    return [f"{suite.name}: {name}", f"{len(tasks)}", *texts[False][:_SHOWN], peer]
