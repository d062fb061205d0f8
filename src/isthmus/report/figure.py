"""Figures as SVG: the same drawing on the page of a report, in a notebook and in a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from isthmus.files import check_writable, whole_file
from isthmus.pages import Html, raw, svg, tag, template
from isthmus.pages.colors import COLORS
from isthmus.report.formatting import line_of, named
from isthmus.report.label_places import text_width

__all__ = ["Drawing", "Figure", "Key", "figure_rules", "mark"]

Shape = Literal["dot", "square", "line", "dashed", "triangle"]

_MARGIN, _ROW, _KEY = 12.0, 20.0, 24.0
_MAX_NAME = 32
# The last color is a gray that can be seen on a light and on a dark notebook.
_ON_ANY_PAGE = (*(light for light, _ in COLORS[:-1]), "#808080")
# In a file the figure is the root of the document and has a page of its own; on the page of a
# notebook it has the colors of its surroundings.
_FILE_STYLE = """\
.isthmus-figure:root { color: #1c1e21; background: #ffffff; }
@media screen and (prefers-color-scheme: dark) {
.isthmus-figure:root { color: #e3e6ea; background: #14161a; }
"""


@dataclass(frozen=True)
class Figure:
    """A figure of a fitted model, which a notebook shows; see :attr:`isthmus.Transfer.plot`.

    It is one SVG picture without scripts, which loads nothing. In a notebook it has the colors of
    its surroundings, and in a file those that the reader prefers, light or dark.

    Attributes
    ----------
    description : str
        What the figure shows, in words; screen readers read it.
    svg : str
        The picture as text.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer("cocc", verdict=False)
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> figure = model.plot.map()
    >>> figure.svg[:4]
    '<svg'
    >>> figure.save("map.svg")  # doctest: +SKIP
    """

    description: str
    svg: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure to an SVG file, which browsers and drawing programs open and convert.

        Parameters
        ----------
        path : path
            The file, such as ``"words.svg"``. An existing one is replaced.
        """
        if Path(path).suffix.lower() != ".svg":
            raise ValueError(
                f"The figure '{path}' is an SVG picture: name a file that ends with .svg. Browsers "
                "and drawing programs convert it to other formats."
            )
        check_writable(path)
        with whole_file(path) as stream:
            stream.write(self.svg)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a mark and what it means."""

    name: str
    style: str
    """The class of its color, from ``c1`` to ``c8``, and further classes."""
    shape: Shape = "dot"


@dataclass(frozen=True)
class Drawing:
    """A chart with its legend, for the page of a report or as a figure that stands alone."""

    width: float
    height: float
    description: str
    parts: Sequence[object]
    keys: Sequence[Key] = ()
    note: str = ""
    """What the chart leaves out. The page of a report says it in its own words."""
    class_: str = ""
    """The class of the chart on the page, which sets its width."""

    def on_page(self) -> list[Html]:
        """The legend as a list, which wraps on a narrow screen, and the chart."""
        chart = svg.chart(
            self.width,
            self.height,
            self.description,
            *self.parts,
            class_=f"isthmus-figure {self.class_}",
        )
        entries = []
        for key in self.keys:
            picture = tag(
                "svg",
                _key_mark(key, 0, 7),
                viewBox="0 0 24 14",
                class_="isthmus-figure key",
                aria_hidden="true",
            )
            entries.append(tag("li", picture, named(key.name, 60)))
        return [tag("ul", entries, class_="legend"), chart] if entries else [chart]

    def figure(self) -> Figure:
        """The figure with legend and note, which needs no style sheet."""
        legend, top = self._drawn_legend()
        bottom = top + self.height
        note = svg.text(_MARGIN, bottom + 6, self.note, "tick") if self.note else None
        width, height = self.width, bottom + (_MARGIN + 6 if self.note else 0)
        picture = tag(
            "svg",
            raw(f"<style>{_file_style()}</style>"),
            legend,
            tag("g", self.parts, transform=f"translate(0 {svg.number(top)})"),
            note,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {svg.number(width)} {svg.number(height)}",
            width=svg.number(width),
            height=svg.number(height),
            role="img",
            aria_label=self.description,
            class_="isthmus-figure",
        )
        return Figure(self.description, str(picture))

    def _drawn_legend(self) -> tuple[list[Html], float]:
        """The legend in rows, and where it ends."""
        parts: list[Html] = []
        x, y = _MARGIN, _ROW
        for key in self.keys:
            name = line_of(key.name, _MAX_NAME)
            width = _KEY + 8 + text_width(name)
            if x > _MARGIN and x + width > self.width - _MARGIN:
                x, y = _MARGIN, y + _ROW
            parts += [_key_mark(key, x, y - 4), svg.text(x + _KEY + 4, y, name, "name")]
            x += width + 16
        return parts, y + 12 if self.keys else 0.0


def mark(x: float, y: float, class_: str, *, is_triangle: bool) -> Html:
    """A document on a map."""
    if not is_triangle:
        return svg.circle(x, y, 3.4, f"mark {class_}")
    return tag(
        "path",
        d=f"M{svg.number(x)} {svg.number(y - 5)}l4.6 8.4h-9.2z",
        class_=f"mark {class_}",
    )


def figure_rules() -> str:
    """The style sheet of all charts; colors are those of the classes ``c1`` to ``c8``."""
    return template("isthmus.report", "figure.css")


@cache
def _file_style() -> str:
    def colors(scope: str, values: Sequence[str]) -> str:
        return "".join(f"{scope} .c{n} {{ color: {c}; }}\n" for n, c in enumerate(values, start=1))

    on_any_page = colors(".isthmus-figure", _ON_ANY_PAGE)
    dark = colors(".isthmus-figure:root", [dark for _, dark in COLORS])
    return f"{figure_rules()}{on_any_page}{_FILE_STYLE}{dark}}}\n"


def _key_mark(key: Key, x: float, y: float) -> Html:
    """The mark of a legend, 24 wide, whose middle is at the height ``y``."""
    middle = x + _KEY / 2
    if key.shape == "square":
        return svg.rect(middle - 6, y - 6, 12, 12, f"bar {key.style}")
    if key.shape == "triangle":
        return mark(middle, y, key.style, is_triangle=True)
    if key.shape == "dot":
        return svg.circle(middle, y, 5, f"dot {key.style}")
    dashed = " dashed" if key.shape == "dashed" else ""
    return svg.line(x, y, x + _KEY, y, f"curve {key.style}{dashed}")
