"""The last sections: convergence, settings, versions and the command that repeats the fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.facts import ReportFacts
from isthmus.pages import Html, svg, tag
from isthmus.report.formatting import count, section, table

__all__ = ["convergence_section", "settings_section"]

_WIDTH, _HEIGHT = 640.0, 300.0
_LARGE_RATIO = 20


def convergence_section(facts: ReportFacts) -> Html | None:
    """The objective after every iteration; None for methods without one."""
    if facts.objective is None or not np.isfinite(facts.objective).all():
        return None
    values = facts.objective
    last = len(values) - 1
    change = abs(values[-1] - values[-2]) / max(abs(values[-2]), 1e-300)
    return section(
        "convergence",
        "Convergence",
        tag(
            "p",
            f"{count(last, 'iteration')}. The last one changed the objective by "
            f"{100 * change:.2g} %. The curve should be flat at the end.",
        ),
        tag("figure", _curve(values)),
    )


def _curve(values: NDArray[np.float64]) -> Html:
    # The first iterations change the objective most, so that the others would look flat.
    is_log = bool(values.min() > 0 and values.max() > _LARGE_RATIO * values.min())
    shown = np.log10(values) if is_log else values
    low, high = float(shown.min()), float(shown.max())
    if high == low:
        low, high = low - 1, high + 1
    frame = svg.Frame(
        svg.Scale(0, len(values) - 1, 96, _WIDTH - 20), svg.Scale(low, high, _HEIGHT - 50, 30)
    )
    x_ticks = [(v, f"{v:.0f}") for v in svg.ticks(0, len(values) - 1, 6) if v == int(v)]
    y_ticks = [(v, f"{10**v if is_log else v:.3g}") for v in svg.ticks(low, high, 4)]
    name = "objective (logarithmic)" if is_log else "objective"
    axes = frame.axes(x_ticks, y_ticks, "iteration", name)
    steps = np.unique(np.linspace(0, len(values) - 1, min(len(values), 400)).astype(int))
    line = svg.path([(frame.x(i), frame.y(float(shown[i]))) for i in steps], "curve c1")
    label = f"Objective by iteration, from {values[0]:.4g} to {values[-1]:.4g}."
    return svg.chart(_WIDTH, _HEIGHT, label, *axes, line, class_="small")


def settings_section(facts: ReportFacts) -> Html:
    """Everything that is needed to repeat the fit."""
    rows = [[name, tag("code", value)] for name, value in (*facts.settings, *facts.versions)]
    return section(
        "settings",
        "Settings",
        tag("p", "The command that repeats this fit (add --force if the files exist):"),
        tag("pre", tag("code", facts.command), tabindex=0),
        tag(
            "details",
            tag("summary", "Parameters and versions"),
            table("Parameters and versions", ["name", "value"], rows),
        ),
    )
