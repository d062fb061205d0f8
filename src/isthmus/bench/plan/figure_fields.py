"""Figures: what a suite asks its report to draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.bench.plan.fields import names, number, only, optional, require
from isthmus.bench.plan.metrics import METRICS, read_metrics

__all__ = ["AXES", "LINES", "PANELS", "Figure", "read_figure"]

AXES = ("sweep", "training size", "problems", "iterations")
LINES = ("mean", "sets", "problems")
PANELS = ("splits", "problems")
_FIELDS = (
    "title", "entries", "x", "x_label", "metrics", "lines", "panels", "log_x", "marks", "variance",
    "note",
)  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """One or more charts, and a table of their numbers.

    Attributes
    ----------
    title : str
        What is shown.
    entries : tuple of str
        Ids of entries or of sweeps: each is a line, or several.
    x : {"sweep", "training size", "problems", "iterations"}
        What changes from left to right: the values of a sweep, the labelled documents of the
        source, the problems, or the iterations of one fit, of which the objective is drawn.
    metrics : tuple of str
        What changes from bottom to top; a line each.
    lines : {"mean", "sets", "problems"}
        What a line is the mean of: all problems of a chart, those of a set, or a single one.
    panels : {"splits", "problems"}
        Whether development and evidence problems have a chart each, or every problem has one.
    x_label : str
        What to call the axis; empty for its usual name.
    log_x : bool
        Whether its steps are factors.
    marks : tuple of (str, float)
        Upright lines: what they mean, and where.
    variance : bool
        Whether the table says the mean and the variance over the lines, problem by problem.
    note : str
        A sentence or more, on what the paper says.
    """

    title: str
    entries: tuple[str, ...]
    x: str
    metrics: tuple[str, ...] = ("accuracy",)
    lines: str = "mean"
    panels: str = "splits"
    x_label: str = ""
    log_x: bool = False
    marks: tuple[tuple[str, float], ...] = ()
    variance: bool = False
    note: str = ""


def read_figure(data: Mapping[str, Any], where: str) -> Figure:
    """Read one table of ``figures``; ``where`` names it."""
    only(data, _FIELDS, where)
    x = _choice(data, "x", AXES, require(data, "x", str, where), where)
    if x == "iterations" and "metrics" in data:
        raise ValueError(
            f"The field 'metrics' in {where} has no meaning beside x='iterations', which draws the "
            "objective: leave it out."
        )
    if x == "problems" and "lines" in data:
        raise ValueError(
            f"The field 'lines' in {where} has no meaning beside x='problems', where every point "
            "is a problem: leave it out."
        )
    variance = optional(data, "variance", bool, where) or False
    if variance and x != "problems":
        raise ValueError(f"The field 'variance' in {where} is for x='problems' alone.")
    marks = optional(data, "marks", dict, where) or {}
    return Figure(
        title=require(data, "title", str, where),
        entries=tuple(names(data, "entries", where)),
        x=x,
        metrics=_metrics(data, where),
        lines=_choice(data, "lines", LINES, "mean", where),
        panels=_choice(data, "panels", PANELS, "splits", where),
        x_label=optional(data, "x_label", str, where) or "",
        log_x=optional(data, "log_x", bool, where) or False,
        marks=tuple((name, number(marks, name, f"'marks' of {where}")) for name in marks),
        variance=variance,
        note=" ".join((optional(data, "note", str, where) or "").split()),
    )


def _choice(
    data: Mapping[str, Any], key: str, known: tuple[str, ...], default: str, where: str
) -> str:
    value = optional(data, key, str, where) or default
    if value not in known:
        raise ValueError(f"{key}={value!r} in {where} must be one of {', '.join(known)}.")
    return value


def _metrics(data: Mapping[str, Any], where: str) -> tuple[str, ...]:
    found = read_metrics(data, where)
    per_cent = [name for name in found if not METRICS[name].share]
    shares = [name for name in found if METRICS[name].share]
    if per_cent and shares:
        raise ValueError(
            f"The field 'metrics' in {where} has '{per_cent[0]}' in per cent and '{shares[0]}' as "
            "a share, which fit no common axis: draw one figure of each."
        )
    return found
