"""Cells of the report's tables, and which of them are the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.metrics import Metric
from isthmus.bench.plan.suite import Suite
from isthmus.bench.report.blocks import Cell
from isthmus.bench.report.summary import Summary

__all__ = ["captions", "mark_best", "memory", "number", "ranked", "score"]


def captions(suite: Suite) -> dict[str, str]:
    """What to call a table of each metric; nothing where there is but the accuracy."""
    if suite.metrics == ("accuracy",):
        return {"accuracy": ""}
    return {metric: metric for metric in suite.metrics}


def number(value: float | None) -> str:
    """A number with two digits, "-" if there is none."""
    return "-" if value is None else f"{value:.2f}"


def memory(value: float | None) -> str:
    """Bytes in whole mebibytes, "-" where they were not measured."""
    return "-" if value is None else f"{value / 2**20:,.0f}"


def score(summary: Summary, metric: Metric) -> str:
    """The mean of some problems, or why there is none."""
    if summary.mean is None:
        return summary.fault or "-"
    return metric.show(summary.mean) + ("" if summary.complete else " (incomplete)")


def ranked(entry: Entry, summary: Summary) -> float | None:
    """The number with which an entry may be the best: not one that an oracle helped to."""
    return summary.mean if summary.complete and not entry.known_shares else None


def mark_best(cells: Sequence[Cell], values: Sequence[float | None], metric: Metric) -> list[Cell]:
    """The cells, those with the best of their values marked; nothing beats nothing.

    Values that print alike count as equal.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return list(cells)
    best = metric.show((min if metric.smaller_is_better else max)(known))
    return [
        replace(cell, best=value is not None and metric.show(value) == best)
        for cell, value in zip(cells, values, strict=True)
    ]
