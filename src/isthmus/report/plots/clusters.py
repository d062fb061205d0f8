"""Word clusters as a table: the words of every domain side by side."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from isthmus.inspection.facts import WordCluster
from isthmus.report.formatting import label_text, percent
from isthmus.report.plots.axes import GRAY, apply_layout, axes_width, color, new_axes
from isthmus.report.plots.texts import printable, text_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_word_clusters"]

_MAX_CLUSTERS, _MAX_NAME = 16, 24
_MAX_WORD = 24
# Mean width of a character as a part of the size of the font.
_CHARACTER = 0.63
_FIRST_COLUMN, _COLUMN, _ROW = 2.2, 3.6, 0.34


def draw_word_clusters(
    ax: Axes | None,
    clusters: Sequence[WordCluster],
    classes: Sequence[Any],
    domains: Sequence[str],
) -> Axes:
    """Write one row per cluster and one column per domain.

    The clusters that belong most clearly to a class are shown, in groups of one class.
    ``classes`` are the labels of the model, in the order of their colors.
    """
    is_new = ax is None
    if ax is None:
        n_rows = min(len(clusters), _MAX_CLUSTERS) + 2
        ax = new_axes(_FIRST_COLUMN + _COLUMN * len(domains), _ROW * n_rows + 0.2)
    strongest = sorted(clusters, key=lambda cluster: -cluster.association)[:_MAX_CLUSTERS]
    labels = list(dict.fromkeys(cluster.label for cluster in strongest))
    shown = sorted(strongest, key=lambda c: (labels.index(c.label), -c.association))
    total = _FIRST_COLUMN + _COLUMN * len(domains)
    starts = [(_FIRST_COLUMN + _COLUMN * number) / total for number in range(len(domains))]
    ax.set(xlim=(0, 1), ylim=(len(shown) - 0.4, -1.2), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    _write(ax, 0.0, -0.8, "class", weight="bold")
    for start, name in zip(starts, domains, strict=True):
        _write(ax, start, -0.8, printable(name, _MAX_NAME), weight="bold")
    n_hidden = len(clusters) - len(shown)
    if n_hidden:
        ax.set_xlabel(
            f"the {len(shown)} of {len(clusters)} clusters with the strongest association"
        )
    if is_new:
        apply_layout(ax)
    room = _COLUMN / total * _n_characters(ax)
    name_length = max(4, min(_MAX_NAME, int(_FIRST_COLUMN / total * _n_characters(ax)) - 6))
    ax.plot([0, 1], [-0.45, -0.45], color=GRAY, linewidth=0.8)
    for row, cluster in enumerate(shown):
        # The part of the first column that is filled shows the association.
        width = 0.95 * starts[0] * cluster.association
        code = list(classes).index(cluster.label)
        ax.barh(row, width, height=0.75, color=color(code), alpha=0.3)
        name = printable(label_text(cluster.label), name_length)
        _write(ax, 0.006, row, f"{name} {percent(cluster.association)}")
        for start, domain in zip(starts, domains, strict=True):
            _write(ax, start, row, _joined(cluster.words.get(domain, []), room))
    return ax


def _n_characters(ax: Axes) -> float:
    """About the number of characters between the left and the right end of the axes."""
    from matplotlib.font_manager import FontProperties

    return axes_width(ax) / (_CHARACTER * FontProperties(size="small").get_size_in_points())


def _joined(words: Sequence[object], room: float) -> str:
    """As many words as there is room for, and one at least."""
    line = ""
    for word in words:
        longer = f"{line}, {printable(word, _MAX_WORD)}" if line else printable(word, _MAX_WORD)
        if line and _width(longer) > room - 2:
            break
        line = longer
    return line


def _width(text: str) -> int:
    """Number of characters; East Asian ones are twice as wide."""
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def _write(ax: Axes, x: float, y: float, text: str, weight: str = "normal") -> None:
    style = text_style(text)
    written = ax.text(
        x, y, text, va="center", fontsize="small", weight=weight, clip_on=True, **style
    )
    # Words that are too long for small axes are cut off, and do not make them still smaller.
    written.set_in_layout(False)
