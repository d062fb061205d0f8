"""The papers' numbers that stand beside the results of a set or of a problem, in per cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isthmus.bench.fields import number, only, optional, table
from isthmus.bench.scoring import METRICS
from isthmus.bench.tasks import Task

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
        rows = _rows(values, tuple(METRICS), f"problem {index} of {where}")
        if rows:
            found[tasks[index].name] = rows
    return found


def _rows(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> dict[str, PaperRow]:
    place = f"the table 'paper' of {where}"
    rows = optional(data, "paper", dict, where) or {}
    only(rows, known, place)
    return {
        row: {column: number(table(rows, row, place), column, f"'{row}' of {place}")
              for column in table(rows, row, place)}
        for row in rows
    }  # fmt: skip
