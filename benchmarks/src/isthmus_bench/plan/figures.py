"""Figures: what a suite asks its report to draw."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from isthmus_bench.fields import Fields, Flag, Names, Number, Text, require
from isthmus_bench.plan.metrics import METRICS, MetricNames

__all__ = ["MEASURE_OF_X", "PICTURES", "Figure"]

PICTURES = ("embedding", "similarity")
"""Values of ``x`` that are not an axis: one drawing per entry, of one fit."""
MEASURE_OF_X = {
    "iterations": "convergence",
    "embedding": "embedding",
    "similarity": "similarity pattern",
}
"""The measure that the entries of a figure need."""
_OF_AXES = ("metrics", "lines", "panels", "x_label", "log_x", "marks")


class Figure(Fields):
    """One or more charts with a table of their numbers.

    Attributes
    ----------
    entries : tuple of str
        Ids of entries or of sweeps; each is one line or several.
    x : {"sweep", "training size", "problems", "iterations", "embedding", "similarity"}
        The x axis: the values of a sweep, the number of labeled source documents, the problems,
        or the iterations of one fit, whose objective is drawn. Or what is drawn of the first fit of
        every entry: two coordinates of the documents, or which of them are similar.
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
    x: Literal["sweep", "training size", "problems", "iterations", "embedding", "similarity"]
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
        useless = [("iterations", "metrics"), ("problems", "lines")]
        useless += [(x, field) for x in PICTURES for field in _OF_AXES]
        for x, field in useless:
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
