"""The best methods of every set of problems: what to try first on problems like these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.contestants import CONTESTANTS
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.metrics import METRICS
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Cell, Heading, table
from isthmus.bench.report.summary import EntryResults, summarise

__all__ = ["leaders"]

_SHOWN = 3


def leaders(found: Sequence[tuple[Suite, Mapping[str, EntryResults]]]) -> list[Block]:
    """A row for every set of the ranked suites, by the means over its evidence problems."""
    rows = [
        row
        for suite, results in found
        if suite.ranked
        for group in suite.sets
        if (row := _row(suite, group.name, _evidence(suite, group.tasks), results))
    ]
    if not rows:
        return []
    titles = ["suite: set", "evidence problems", "first", "second", "third", "best peer"]
    return [
        Heading("The best of every set"),
        "Means over the evidence problems that all methods of the suite were run on, every method "
        "with its default parameters: what to try first on documents like these.",
        table(titles, rows),
    ]


def _evidence(suite: Suite, tasks: Sequence[Task]) -> list[Task]:
    """The evidence problems; the named ones where the suite has entries for these alone."""
    limited = any(entry.named for entry in suite.entries)
    return [t for t in tasks if t.split == "evidence" and (t.named or not limited)]


def _row(
    suite: Suite, name: str, tasks: Sequence[Task], results: Mapping[str, EntryResults]
) -> list[Cell]:
    best: dict[str, tuple[float, Entry]] = {}
    for entry in suite.entries_on(tasks) if tasks else ():
        summary = summarise(results[entry.id], tasks, {})
        # A method stands here once, as the package has it.
        if entry.stands_for_method and summary.complete and summary.mean is not None:
            best.setdefault(entry.method, (summary.mean, entry))
    order = sorted(best.values(), key=lambda pair: -pair[0])
    ours = [pair for pair in order if not pair[1].is_peer]
    peers = [pair for pair in order if pair[1].is_peer]
    if len(ours) <= _SHOWN:
        return []
    # Equal printed means are told as equal by the figures themselves.
    told = [_told(pair) for pair in ours[:_SHOWN]]
    return [
        Cell(f"{suite.name}: {name}"),
        Cell(f"{len(tasks)}"),
        *map(Cell, told),
        Cell(_told(peers[0]) if peers else "-"),
    ]


def _told(pair: tuple[float, Entry]) -> str:
    mean, entry = pair
    return f"{CONTESTANTS[entry.method].short} {METRICS['accuracy'].show(mean)}"
