"""What a report says over all suites: which method is good where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Cell, Heading, Section, table
from isthmus.bench.report.cells import number
from isthmus.bench.report.charts import Chart, RankDiagram, Series
from isthmus.bench.report.leaders import leaders
from isthmus.bench.report.ranking import Ranking, Standing, rank_methods
from isthmus.bench.report.summary import EntryResults

__all__ = ["overview"]

_KINDS = {"classifier": "Classifiers", "clusterer": "Clusterers"}


def overview(found: Sequence[tuple[Suite, Mapping[str, EntryResults]]]) -> Section | None:
    """The ranking of all methods; None where no two of them met on a problem."""
    blocks: list[Block] = []
    for kind, title in _KINDS.items():
        for split in ("evidence", "development"):
            ranking = rank_methods(found, kind, split)
            if ranking is not None:
                blocks += [Heading(f"{title}, {split} problems"), *_ranking(ranking, title, split)]
    if not blocks:
        return None
    blocks += leaders(found)
    return Section("ranks", "Which method? Ranks over all suites", (_EXPLANATION, *blocks))


_EXPLANATION = (
    "Every method with its default parameters, on the common problems: those on which most methods "
    "were run. A rank is 1 for the best; a failure, or a fit that exceeds its time, takes the last "
    "one. A place is 0 for the best of the methods that were run on a problem and 1 for the last: "
    "it is there for methods, too, that did not run on all common problems, but those are then not "
    "the same. Friedman's test asks whether all methods are alike, Nemenyi's which of them differ: "
    "those farther apart than the critical difference (level 5 %). Both take problems as "
    "independent, which problems of one corpus are not, so they find too many differences rather "
    "than too few. Mean ranks depend on which methods take part."
)


def _ranking(ranking: Ranking, title: str, split: str) -> list[Block]:
    parts: list[Block] = [_summary(ranking), _table(ranking)]
    test = ranking.test
    ranked = [s for s in ranking.standings if s.rank is not None]
    if test is not None and split == "evidence":
        parts.append(
            RankDiagram(
                f"{title}: mean ranks, {split} problems",
                tuple((_label(s), s.rank) for s in ranked if s.rank is not None),
                test.critical_difference,
                len(ranking.common),
                "The best is on the left. No test tells methods under one bar apart.",
            )
        )
        parts += _accuracy_against_seconds(ranked, title)
    return parts


def _summary(ranking: Ranking) -> str:
    text = (
        f"{ranking.n_problems} problems, {len(ranking.common)} of them common to most methods: "
        f"{_counts(ranking)}."
    )
    if ranking.test is not None and ranking.test.p_value is not None:
        p = ranking.test.p_value
        text += (
            f" Friedman's test: p {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}; critical "
            f"difference of mean ranks: {ranking.test.critical_difference:.2f}."
        )
    return text


def _counts(ranking: Ranking) -> str:
    suites = [suite for suite, _ in ranking.common]
    return ", ".join(f"{suites.count(name)} of {name}" for name in dict.fromkeys(suites))


def _table(ranking: Ranking) -> Block:
    titles = [
        "method", "mean rank", "mean place", "best on", "problems", "failed on",
        "mean accuracy", "seconds a fit (median)",
    ]  # fmt: skip
    rows = [
        [
            Cell(_label(s)),
            Cell(number(s.rank)),
            Cell(f"{s.place:.3f}"),
            Cell(f"{s.best}"),
            Cell(f"{s.n_problems}"),
            Cell(f"{s.failed}"),
            Cell(number(s.score)),
            Cell(number(s.seconds)),
        ]
        for s in ranking.standings
    ]
    return table(titles, rows)


def _label(standing: Standing) -> str:
    return standing.label + (" (peer)" if standing.is_peer else "")


def _accuracy_against_seconds(ranked: Sequence[Standing], title: str) -> list[Block]:
    points = [s for s in ranked if s.score is not None and s.seconds]
    if len(points) < 2:
        return []
    kinds = {
        name: [s for s in points if s.is_peer is peer]
        for name, peer in (("isthmus", False), ("peers", True))
    }
    series = tuple(
        Series(
            name,
            tuple(s.seconds or 0.0 for s in of_kind),
            tuple(s.score or 0.0 for s in of_kind),
            tuple(s.label for s in of_kind),
            joined=False,
        )
        for name, of_kind in kinds.items()
        if of_kind
    )
    return [
        Chart(
            f"{title}: accuracy against seconds",
            "seconds of the processor a fit (median), one thread",
            "mean accuracy in per cent",
            series,
            log_x=True,
            label_points=True,
            note="Over the common evidence problems. Up and to the left is better.",
        )
    ]
