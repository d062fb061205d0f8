"""The section on what every method costs by the number of documents."""

from __future__ import annotations

from collections.abc import Callable

from isthmus_bench.report.blocks import Block, GrowthChart, GrowthLine, Section, details, table
from isthmus_bench.run.method_costs import Cost, Costs

__all__ = ["COST_NOTE", "cost_section", "memory_table", "seconds_table"]

COST_NOTE = (
    "A fit with > was stopped at its time limit. A fit that was not tried would exceed the limit "
    "or the memory if its cost grew linearly. A dash: not measured."
)
_COMMAND = "isthmus-bench speed --only methods"
Cells = tuple[tuple[str, ...], list[tuple[str, ...]]]


def cost_section(costs: Costs) -> Section:
    """One plot of all methods, and its numbers."""
    intro = (
        f"The time of one fit with the default parameters on generated documents (two classes, "
        f"half of the documents source, {costs.words} words per document, {costs.terms:,} terms, "
        "log-tfidf weights, float32), each in a new process, on all threads of the machine. "
        "Generated documents are easy: on real ones a method may need more iterations. Seconds are "
        "an order of magnitude."
    )
    blocks: list[Block] = [
        intro,
        details(
            "How it was run",
            (
                f"repeat: `{_COMMAND}`, then `isthmus-bench report`",
                f"machine: {costs.machine}",
                *(f"versions: {text}" for text in costs.versions),
            ),
        ),
        _chart(costs),
        "### Seconds per fit, by number of documents",
        table(*seconds_table(costs)),
        COST_NOTE,
        "### Memory per fit in MB, by number of documents",
        "Growth of the resident memory during the fit, in addition to the documents.",
        table(*memory_table(costs)),
    ]
    return Section("cost", "Cost of each method by number of documents", tuple(blocks))


def seconds_table(costs: Costs) -> Cells:
    """Columns and rows of the seconds of every method at every number of documents."""
    return _cells(costs, _seconds)


def memory_table(costs: Costs) -> Cells:
    """The same of the growth of the memory, in MB."""
    return _cells(costs, lambda cost: _three_digits(cost.growth, 1e6))


def _seconds(cost: Cost) -> str:
    if cost.outcome == "exceeded":
        return f"> {cost.time_limit:g}"
    return _three_digits(cost.seconds) if cost.outcome == "measured" else cost.outcome


def _cells(costs: Costs, show: Callable[[Cost], str]) -> Cells:
    columns = ("method", "family", *(f"{size:,}" for size in costs.sizes))
    rows = [
        (
            entry.label,
            entry.family,
            *(show(by_size[size]) if size in by_size else "-" for size in costs.sizes),
        )
        for entry, by_size in costs.by_entry().items()
    ]
    return columns, rows


def _three_digits(value: float | None, unit: float = 1.0) -> str:
    if value is None:
        return "-"
    value /= unit
    decimals = 3 if value < 0.1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{decimals}f}"


def _chart(costs: Costs) -> GrowthChart:
    lines = []
    for entry, by_size in costs.by_entry().items():
        found = by_size.values()
        points = tuple((float(c.documents), c.seconds) for c in found if c.seconds is not None)
        above = next(
            ((float(c.documents), c.time_limit) for c in found
             if c.outcome == "exceeded" and c.time_limit is not None),
            None,
        )  # fmt: skip
        if points or above is not None:
            lines.append(GrowthLine(entry.label, entry.family, points, above))
    limits = {cost.time_limit for cost in costs.costs if cost.time_limit is not None}
    return GrowthChart(
        "Time of a fit",
        "documents",
        "seconds per fit",
        ("documents", "seconds"),
        tuple(lines),
        max(limits, default=None),
        "Both axes are logarithmic. A line ends where more documents were not tried; a triangle is "
        "a fit that was stopped at the time limit. Point at a line for its numbers, or see the "
        "table.",
    )
