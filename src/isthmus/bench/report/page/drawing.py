"""Charts as SVG."""

from __future__ import annotations

from isthmus.bench.report.charts import Chart, Drawing, RankDiagram
from isthmus.bench.report.page.canvas import page_style
from isthmus.bench.report.page.chart_figure import chart_figure
from isthmus.bench.report.page.rank_diagram import rank_figure
from isthmus.bench.report.page.svg import figure_to_svg

__all__ = ["draw"]


def draw(drawing: Drawing, prefix: str) -> str:
    """Draw a chart, its title and its note left to the page.

    Parameters
    ----------
    drawing : Chart, Panels or RankDiagram
        What to draw.
    prefix : str
        Begins the ids within, so that they are unique on a page with several drawings.

    Returns
    -------
    str
        An ``svg`` element; the same bytes for the same drawing.
    """
    with page_style():
        if isinstance(drawing, RankDiagram):
            figure, hints = rank_figure(drawing)
        elif isinstance(drawing, Chart):
            figure, hints = chart_figure((drawing,))
        else:
            figure, hints = chart_figure(drawing.charts)
        return figure_to_svg(figure, hints, prefix, drawing.title)
