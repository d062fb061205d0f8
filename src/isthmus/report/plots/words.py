"""Points: on which side words are in the source and in the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isthmus.inspection.word_sides import KINDS, ClassWords, WordKind
from isthmus.report.formatting import label_text
from isthmus.report.label_places import Box, place_labels
from isthmus.report.plots.axes import GRAY, apply_layout, color, legend_above, new_axes
from isthmus.report.plots.texts import printable, text_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_words"]

_COLORS: dict[WordKind, str] = {
    "same": color(0),
    "changed": color(1),
    "one": GRAY,
    "source": color(2),
    "target": color(3),
}
_MAX_NAME, _MAX_WORD = 24, 24
# Places in parts of the largest weight: where the field ends, and the strips for the words of one
# domain only.
_FIELD, _STRIP, _END = 1.08, (1.16, 1.42), 1.46
_FONT_SIZE = 8.0
# Labels are placed on a plane on which their font has this size; see label_places.
_PLACED_FONT_SIZE = 11.0


def draw_words(
    ax: Axes | None, words: ClassWords, domains: tuple[str, str], other: Any = None
) -> Axes:
    """Draw words by their weights for a class in the source (x) and in the target (y).

    ``domains`` are the names of source and target. ``other`` is the other class if there are only
    two. Words of one domain only are in a strip at the left or at the bottom.
    """
    is_new = ax is None
    if ax is None:
        ax = new_axes(8.0, 8.0)
    weights = [w for p in words.points for w in (p.source_weight, p.target_weight) if w is not None]
    reach = max([1.0, *(abs(weight) for weight in weights)])
    places = []
    for point in words.points:
        # A position across the strip that repeats, so that neighbors do not cover each other.
        across = _STRIP[0] + (_STRIP[1] - _STRIP[0]) * (point.column * 37 % 100) / 100
        x = -across * reach if point.source_weight is None else point.source_weight
        y = -across * reach if point.target_weight is None else point.target_weight
        places.append((x, y))
    _draw_field(ax, reach)
    kinds = [kind for kind in KINDS if any(point.kind == kind for point in words.points)]
    handles = []
    for kind in kinds:
        chosen = [place for place, p in zip(places, words.points, strict=True) if p.kind == kind]
        xs, ys = zip(*chosen, strict=True)
        handles.append(ax.scatter(xs, ys, color=_COLORS[kind], s=14, linewidths=0, zorder=3))
    high = printable(label_text(words.label), _MAX_NAME)
    low = "other classes" if other is None else printable(label_text(other), _MAX_NAME)
    source, target = (printable(name, _MAX_NAME) for name in domains)
    style = text_style(low, high, source, target)
    # Arrows beside names that are written from right to left would point to the wrong side.
    ax.set_xlabel(f"right: {high}, left: {low}\nin the source: {source}", **style)
    ax.set_ylabel(f"in the target: {target}\nup: {high}, down: {low}", **style)
    legend_above(ax, handles, [KINDS[kind] for kind in kinds], right=False)
    if is_new:
        apply_layout(ax)
    _write_words(ax, places, [printable(point.shown, _MAX_WORD) for point in words.points])
    return ax


def _draw_field(ax: Axes, reach: float) -> None:
    from matplotlib.ticker import MaxNLocator

    low, high, end = -_FIELD * reach, _FIELD * reach, -_END * reach
    ax.set(xlim=(end, high), ylim=(end, high))
    background: dict[str, Any] = {"color": GRAY, "linewidth": 0.8, "zorder": 1}
    ax.plot([0, 0], [low, high], **background)
    ax.plot([low, high], [0, 0], **background)
    ax.plot([low, high], [low, high], linestyle="dashed", **background)
    ticks = [tick for tick in MaxNLocator(6).tick_values(-reach, reach) if low <= tick <= high]
    for span, axis in ((ax.axvspan, ax.xaxis), (ax.axhspan, ax.yaxis)):
        span(end, low, color=GRAY, alpha=0.12, linewidth=0, zorder=0)
        axis.set_ticks(ticks)
    texts: dict[str, Any] = {"color": GRAY, "fontsize": "small", "zorder": 1}
    ax.text(end, high, " not in the source", rotation=90, va="top", ha="left", **texts)
    ax.text(high, end, "not in the target ", va="bottom", ha="right", **texts)
    ax.spines[["top", "right"]].set_visible(False)


def _write_words(ax: Axes, places: list[tuple[float, float]], names: list[str]) -> None:
    """Write the words beside their points where there is room; the first words come first."""
    figure = ax.get_figure()
    if figure is None or not places:
        return
    # From the pixels of the figure to the plane of the labels, on which y points down.
    scale = 72 / figure.dpi * _PLACED_FONT_SIZE / _FONT_SIZE
    extent = ax.get_window_extent()
    pixels = ax.transData.transform(places)
    points = [(x * scale, -y * scale, name) for (x, y), name in zip(pixels, names, strict=True)]
    field = Box(extent.x0 * scale, -extent.y1 * scale, extent.x1 * scale, -extent.y0 * scale)
    style = text_style(*names)
    for place, (x, y, name), label in zip(places, points, place_labels(points, field), strict=True):
        if label is None:
            continue
        points_per_unit = _FONT_SIZE / _PLACED_FONT_SIZE
        ax.annotate(
            name,
            place,
            ((label.x - x) * points_per_unit, (y - label.y) * points_per_unit),
            textcoords="offset points",
            fontsize=_FONT_SIZE,
            annotation_clip=False,
            zorder=4,
            **style,
        ).set_in_layout(False)
