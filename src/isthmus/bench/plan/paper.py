"""The papers' numbers that stand beside the results of a set or of a problem.

They are in the metric's own unit: per cent, or a share for errors and NMI.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.fields import number, only, optional, table
from isthmus.bench.plan.metrics import METRICS

__all__ = ["PaperRow", "read_problem_papers", "read_set_paper"]

PaperRow = Mapping[str, float]
"""The number of each of the paper's columns."""
_ROWS = ("total", "L", "R")


def read_set_paper(data: Mapping[str, Any], where: str) -> dict[str, PaperRow]:
    """Read the accuracies of a set: "total", and "L" and "R" by difficulty."""
    return _rows(data, _ROWS, where)


def read_problem_papers(
    tasks: Sequence[Task], problems: Sequence[Mapping[str, Any]], where: str
) -> dict[str, dict[str, PaperRow]]:
    """Read the numbers of single problems by metric; ``problems`` is empty if none are listed."""
    found = {}
    for index, values in enumerate(problems):
        place = f"problem {index} of {where}"
        rows = _rows(values, tuple(METRICS), place)
        _check_shares(rows, place)
        if rows:
            found[tasks[index].name] = rows
    return found


def _check_shares(rows: Mapping[str, PaperRow], where: str) -> None:
    for metric, row in rows.items():
        for column, value in row.items():
            if METRICS[metric].share and not 0 <= value <= 1:
                raise ValueError(
                    f'The number {column}={value:g} under paper."{metric}" of {where} must be a '
                    "share, from 0 to 1."
                )


def _rows(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> dict[str, PaperRow]:
    place = f"the table 'paper' of {where}"
    rows = optional(data, "paper", dict, where) or {}
    only(rows, known, place)
    return {
        row: {column: number(table(rows, row, place), column, f"'{row}' of {place}")
              for column in table(rows, row, place)}
        for row in rows
    }  # fmt: skip
