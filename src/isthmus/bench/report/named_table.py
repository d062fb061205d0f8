"""All entries on the few problems that all of them have."""

from __future__ import annotations

from collections.abc import Mapping

from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Block, Heading, table
from isthmus.bench.report.cells import captions
from isthmus.bench.report.mean_tables import COSTS, mean_rows
from isthmus.bench.report.summary import EntryResults

__all__ = ["named_table"]


def named_table(suite: Suite, results: Mapping[str, EntryResults]) -> list[Block]:
    """The means over the named problems, set by set; nothing where no problem is named."""
    parts = {
        f"{group.name} ({len(tasks)})": tasks
        for group in suite.sets
        if (tasks := [task for task in group.tasks if task.named])
    }
    named = [task for tasks in parts.values() for task in tasks]
    if not named:
        return []
    if len(parts) > 1:
        parts[f"all ({len(named)})"] = named
    split = {task.split for task in named}
    blocks: list[Block] = [Heading(f"{len(named)} named problems")]
    blocks.append(f"Every method, on problems that are all {' or '.join(sorted(split))}.")
    for metric, caption in captions(suite).items():
        blocks += [f"{caption[0].upper()}{caption[1:]}:"] if caption else []
        rows = mean_rows(suite.entries_on(named), parts, results, metric)
        blocks.append(table(["method", *parts, "worst problem", *COSTS], rows))
    return blocks
