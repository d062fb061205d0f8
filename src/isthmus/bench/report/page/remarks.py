"""What is written into a chart: marks, levels and the names of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isthmus.bench.report.charts import Chart
from isthmus.bench.report.page.axes import drawn_points, has_named_points, pixel
from isthmus.bench.report.page.canvas import FONT_SIZE
from isthmus.bench.report.page.labels import Box, place_labels, spread, stack
from isthmus.bench.report.page.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

__all__ = ["Remarks", "name_points"]

_SMALL = FONT_SIZE - 1
_ROW = _SMALL * 1.35
_LINE: dict[str, Any] = {"color": INK, "linewidth": 0.9, "linestyle": (0, (4, 3)), "alpha": 0.75}
_LEADER: dict[str, Any] = {
    "arrowstyle": "-",
    "color": INK,
    "alpha": 0.45,
    "linewidth": 0.6,
    "shrinkA": 0.0,
    "shrinkB": 3.0,
}
# A label that is farther than this from its point is joined to it.
_FAR = 9.0


class Remarks:
    """The lines of a chart with their texts, which move apart once the axes have their places."""

    def __init__(self, axes: Axes, chart: Chart) -> None:
        self._axes = axes
        self._levels = chart.levels
        for _, x in chart.marks:
            axes.axvline(x, **_LINE)
        for _, y in chart.levels:
            axes.axhline(y, **_LINE)
        self._above = [_above(axes, text, x) for text, x in chart.marks]
        self._beside = [_beside(axes, text, y) for text, y in chart.levels]

    def stack_marks(self) -> None:
        """Put the texts of marks on several rows where they would meet."""
        boxes = [text.get_window_extent() for text in self._above]
        rows = stack([(box.x0, box.x1) for box in boxes], gap=6.0)
        for text, row in zip(self._above, rows, strict=True):
            text.xyann = (0.0, 3.0 + row * _ROW)

    def spread_levels(self) -> None:
        """Move the texts of levels up and down where they would meet."""
        places = [pixel(self._axes, 1.0, y)[1] for _, y in self._levels]
        for text, place, wanted in zip(self._beside, places, spread(places, gap=_ROW), strict=True):
            text.xyann = (5.0, wanted - place)


def name_points(axes: Axes, chart: Chart) -> None:
    """Write beside every point its name; a series without such names is named at its end."""
    names, named, others = [], [], []
    for series in chart.series:
        points = list(drawn_points(chart, series))
        places = [pixel(axes, x, y) for _, x, y in points]
        if has_named_points(series):
            names += [series.names[number] for number, _, _ in points]
            named += places
        elif points:
            names.append(series.label)
            named.append(places[-1])
            others += places[:-1]
    texts = [_label(axes, name, point) for name, point in zip(names, named, strict=True)]
    sizes = [(box.width, box.height) for box in (text.get_window_extent() for text in texts)]
    frame = axes.get_window_extent()
    boxes = place_labels(named, sizes, Box(frame.x0, frame.y0, frame.x1, frame.y1), others)
    for text, point, box in zip(texts, named, boxes, strict=True):
        text.xyann = ((box.left + box.right) / 2 - point[0], (box.bottom + box.top) / 2 - point[1])
        if text.arrow_patch is not None:
            text.arrow_patch.set_visible(box.distance(point) > _FAR)


def _label(axes: Axes, label: str, point: tuple[float, float]) -> Annotation:
    return axes.annotate(
        label,
        point,
        (0.0, 0.0),
        xycoords="figure pixels",
        textcoords="offset pixels",
        ha="center",
        va="center",
        fontsize=_SMALL,
        arrowprops=dict(_LEADER),
        annotation_clip=False,
    )


def _above(axes: Axes, text: str, x: float) -> Annotation:
    return axes.annotate(
        text,
        (x, 1.0),
        (0.0, 3.0),
        xycoords=("data", "axes fraction"),
        textcoords="offset pixels",
        ha="center",
        va="bottom",
        fontsize=_SMALL,
        annotation_clip=False,
    )


def _beside(axes: Axes, text: str, y: float) -> Annotation:
    return axes.annotate(
        text,
        (1.0, y),
        (5.0, 0.0),
        xycoords=("axes fraction", "data"),
        textcoords="offset pixels",
        ha="left",
        va="center",
        fontsize=_SMALL,
        annotation_clip=False,
    )
