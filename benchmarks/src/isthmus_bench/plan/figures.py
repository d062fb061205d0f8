"""Figures: what a suite asks its report to draw."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from isthmus_bench.fields import Fields, Flag, Names, Number, Text, require
from isthmus_bench.plan.metrics import METRICS, MetricNames

__all__ = ["Figure"]


class Figure(Fields):
    """One or more charts with a table of their numbers.

    Attributes
    ----------
    entries : tuple of str
        Ids of entries or of sweeps; each is one line or several.
    x : {"sweep", "training size", "problems", "iterations"}
        The x axis: the values of a sweep, the number of labeled source documents, the problems,
        or the iterations of one fit, whose objective is drawn.
    metrics : tuple of str
        One line each.
    lines : {"mean", "sets", "problems"}
        Whether a line is the mean of all problems of a chart, of those of a set, or one problem.
    panels : {"splits", "problems"}
        Whether there is one chart per split or one per problem.
    marks : dict of str to float
        Vertical lines.
    variance : bool
        Whether the table has the mean and variance over the lines for every problem.
    """

    title: str
    entries: Names
    x: Literal["sweep", "training size", "problems", "iterations"]
    metrics: MetricNames = ("accuracy",)
    lines: Literal["mean", "sets", "problems"] = "mean"
    panels: Literal["splits", "problems"] = "splits"
    x_label: str = ""
    log_x: Flag = False
    marks: dict[str, Number] = Field(default_factory=dict)
    variance: Flag = False
    note: Text = ""

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = self.model_fields_set
        for x, field in (("iterations", "metrics"), ("problems", "lines")):
            require(
                not (self.x == x and field in given),
                f"'{field}' has no meaning with x = \"{x}\": remove it",
            )
        require(not self.variance or self.x == "problems", "'variance' needs x = \"problems\"")
        require(
            len({METRICS[name].share for name in self.metrics}) == 1,
            "metrics in percent and as fractions do not share an axis: draw one figure of each",
        )
        return self
