"""The table of the stages of a fit."""

from __future__ import annotations

from collections.abc import Sequence

from isthmus_bench.report.blocks import table
from isthmus_bench.speed.gpu.lines import Line

__all__ = ["profile_section"]

_NOTE = (
    "The device is waited for at the end of every stage, so that the sum is somewhat more than the "
    "time of a fit above."
)


def profile_section(lines: Sequence[Line]) -> list[str]:
    """The table, one column per fit, or nothing without results."""
    fits = [line for line in lines if line["part"] == "profile" and "stages" in line]
    if not fits:
        return []
    names = dict.fromkeys(name for line in fits for name in line["stages"] if name != "rest")
    rows = [
        (name, *(_milliseconds(line["stages"].get(name)) for line in fits))
        for name in (*names, "rest")
    ]
    rows.append(("sum", *(_milliseconds(sum(line["stages"].values())) for line in fits)))
    titles = [f"{x['engine'].upper()}, {x['documents']:,} documents, ms" for x in fits]
    return ["## Stages of MTrick with 50 iterations", table(("stage", *titles), rows), _NOTE]


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1e3 * seconds:,.0f}"
