"""The directive ``method-figures``: figures of a paper from stored results, and the running time.

``{method-figures} cdsc`` draws the figures of all suites that are named after the method, such as
``cdsc-figures2-5``, each with its note, and the seconds of a fit by the number of documents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import method_results
from benchmark_results import all_results, result_files
from chart_themes import THEMES, chart_files
from docutils import nodes
from method_pages import PICTURES, MethodDirective
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from isthmus.estimators.registry import Method
from isthmus.pages.colors import COLORS
from isthmus_bench.report.blocks import Block, Chart, Drawing, GrowthChart, Panels, Series
from isthmus_bench.report.figures import difficulty_charts, figure_blocks
from isthmus_bench.report.plots import draw

FOLDER = PICTURES / "figures"
# The running time of these is beside that of the method.
_COMPARED = ("lg",)
_MOST_DESCRIBED = 8
# The charts that a suite with "difficulty" has, which is MTrick's Table 1.
_DIFFICULTY = "### Figures 1 and 2: accuracy on every problem, the hardest first"


@dataclass
class MethodFigure:
    """One section of a page: paragraphs and drawings in their order."""

    title: str
    name: str
    """Unique: the drawings are files that begin with it."""
    suite: str | None
    blocks: list[Block]


def figures_of(method: str) -> list[MethodFigure]:
    """The figures of a method that there are results of, by their title."""
    found = []
    for suite, results in all_results():
        if not suite.name.startswith(f"{method}-"):
            continue
        blocks = figure_blocks(suite, results)
        if suite.difficulty is not None:
            note = [suite.difficulty.note] if suite.difficulty.note else []
            blocks += [_DIFFICULTY, *note, *difficulty_charts(suite, results)]
        found += _split(suite.name, blocks)
    return sorted(found, key=_place) + _running_time(method)


def _place(figure: MethodFigure) -> int:
    """The figures of the paper by their numbers, then its tables, then our own figures."""
    number = re.match(r"Figures? (\d+)", figure.title)
    return int(number[1]) if number else 100 + (not figure.title.startswith("Table"))


def _split(suite: str, blocks: list[Block]) -> list[MethodFigure]:
    """One figure per heading; tables are on the page of the suite."""
    figures: list[MethodFigure] = []
    for block in blocks:
        if isinstance(block, str) and block.startswith("### "):
            figures.append(MethodFigure(block[4:], f"{suite}-{len(figures)}", suite, []))
        elif not isinstance(block, str) or not block.startswith("|"):
            figures[-1].blocks.append(block)
    return [f for f in figures if any(not isinstance(block, str) for block in f.blocks)]


def _running_time(method: str) -> list[MethodFigure]:
    """The seconds of a fit by the number of documents, beside those of other methods."""
    measured = method_results.costs()
    by_entry = {} if measured is None else measured.by_entry()
    shown = [entry for name in (method, *_COMPARED) for entry in by_entry if entry.method == name]
    if not shown or shown[0].method != method:
        return []
    series = []
    for entry in shown:
        points = [(n, c.seconds) for n, c in by_entry[entry].items() if c.seconds is not None]
        series.append(
            Series(entry.label, tuple(float(n) for n, _ in points), tuple(s for _, s in points))
        )
    chart = Chart("Running time", "documents", "seconds", tuple(series), log_x=True, log_y=True)
    note = (
        "One fit with the default parameters on generated documents, half of them source, beside "
        "the logistic regression of the source. Both axes are logarithmic. The table above has the "
        "numbers and the machine."
    )
    return [MethodFigure("Running time", f"{method}-time", None, [note, chart])]


def description(drawing: Drawing, title: str) -> str:
    """What a drawing shows, for those who do not see it; ``title`` is that of its figure."""
    charts = drawing.charts if isinstance(drawing, Panels) else (drawing,)
    ranges: dict[str, list[float]] = {}
    axes = []
    for chart in charts:
        if isinstance(chart, Chart):
            axes.append(f"{chart.y_label} against {chart.x_label}")
            for series in chart.series:
                ranges.setdefault(series.label, []).extend(series.y)
    several = f", {len(charts)} charts" if len(charts) > 1 else ""
    lines = [
        f"{label} from {min(values):.3g} to {max(values):.3g}"
        for label, values in ranges.items()
        if values
    ]
    if len(lines) > _MOST_DESCRIBED:
        values = [value for part in ranges.values() for value in part]
        lines = [f"{len(lines)} lines from {min(values):.3g} to {max(values):.3g}"]
    titles = dict.fromkeys((title, drawing.title))
    parts = [", ".join(titles) + several, *dict.fromkeys(axes), "; ".join(lines)]
    return ". ".join(part for part in parts if part) + "."


def themed(svg: str, theme: str) -> str:
    """A drawing as a file of its own, in the colors of a theme."""
    place = list(THEMES).index(theme)
    colors = {f"--series-{n}": pair[place] for n, pair in enumerate(COLORS, start=1)}
    colors |= {"--faint": THEMES[theme]["grid"], "color": THEMES[theme]["text"]}
    style = "; ".join(f"{name}: {color}" for name, color in colors.items())
    return svg.replace("<svg", f'<svg style="{style}; font-family: sans-serif"', 1)


class MethodFigures(MethodDirective):
    """One section per figure: the note, the drawings, and a link to their numbers."""

    def nodes_of(self, method: Method) -> list[nodes.Node]:
        for path in result_files():
            self.env.note_dependency(path)
        return [self.section(figure) for figure in figures_of(method.name)]

    def section(self, figure: MethodFigure) -> nodes.section:
        name = nodes.fully_normalize_name(figure.title)
        section = nodes.section(ids=[nodes.make_id(figure.title)], names=[name])
        section += nodes.title(figure.title, figure.title)
        for number, block in enumerate(figure.blocks):
            if isinstance(block, str):
                section += self.parse_text_to_nodes(block)
            else:
                section += self.drawing(block, f"{figure.name}-{number}", figure.title)
        for note in dict.fromkeys(b.note for b in figure.blocks if not isinstance(b, str)):
            section += self.parse_text_to_nodes(note) if note else []
        if figure.suite is not None:
            link = f"[All numbers](/project/tables/{figure.suite}.md)"
            section += self.parse_text_to_nodes(link)
        return section

    def drawing(self, drawing: Drawing, name: str, title: str) -> list[nodes.Node]:
        """The drawing in a light and a dark version, below its title."""
        assert not isinstance(drawing, GrowthChart)
        svg = draw(drawing, name)
        images = []
        for theme, path in chart_files(FOLDER, name).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(themed(svg, theme), encoding="utf-8")
            uri = f"/{path.relative_to(PICTURES.parent).as_posix()}"
            alt = description(drawing, title)
            images.append(nodes.image(uri=uri, alt=alt, classes=[f"only-{theme}"]))
        box = nodes.container("", nodes.paragraph("", "", *images), classes=["chart", "wide"])
        has_title = drawing.title in (title, "")
        above = [] if has_title else [nodes.paragraph("", drawing.title, classes=["chart-title"])]
        return [*above, box]


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("method-figures", MethodFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
