"""Pieces of the report in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus.bench.suite import Suite

__all__ = ["captions", "number", "table"]


def captions(suite: Suite) -> dict[str, str]:
    """What to call a table of each metric; nothing where there is but the accuracy."""
    if suite.metrics == ("accuracy",):
        return {"accuracy": ""}
    return {metric: metric for metric in suite.metrics}


def number(value: float | None) -> str:
    """A number with two digits, "-" if there is none."""
    return "-" if value is None else f"{value:.2f}"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
