"""A plot of many growing lines: logarithmic axes, one color per group, a name beside each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from isthmus.pages import Html, join, svg, tag
from isthmus.pages.colors import COLORS
from isthmus_bench.report.blocks import GrowthChart, GrowthLine

__all__ = ["draw_growth", "group_style", "spread"]

_MOST_GROUPS = 2 * len(COLORS)
_THOUSANDS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class _Layout:
    """Positions in one of the two forms of the plot.

    The names of all lines are to the right of the plot if ``one_column``; otherwise a line that
    ends before has its name at its end.
    """

    class_: str
    width: float
    height: float
    left: float
    right: float
    leader: float
    gap: float
    radius: float
    one_column: bool

    top = 34.0
    bottom = 48.0


_WIDE = _Layout("wide", 960, 620, 52, 190, 40, 15, 3.2, one_column=False)
_NARROW = _Layout("narrow", 328, 560, 30, 154, 24, 13, 2.4, one_column=True)


def draw_growth(chart: GrowthChart, name: str) -> Html:
    """The plot in a wide and a narrow form, one of which is shown, and a choice of groups.

    ``name`` is unique on the page. The choice needs no script.
    """
    groups = {
        group: number for number, group in enumerate(dict.fromkeys(x.group for x in chart.lines))
    }
    return tag(
        "div",
        _choice(groups, name),
        [_draw(chart, groups, layout) for layout in (_WIDE, _NARROW)],
        class_="growth",
    )


def group_style() -> str:
    """The style sheet of the groups: their colors, and which lines a choice leaves visible."""
    rules = [".growth .g0 { --line: var(--text); --dash: none; --thick: 2.6px; }"]
    for number in range(1, _MOST_GROUPS + 1):
        dash = "none" if number <= len(COLORS) else "7 3"
        color = f"var(--series-{(number - 1) % len(COLORS) + 1})"
        rules.append(f".growth .g{number} {{ --line: {color}; --dash: {dash}; --thick: 1.6px; }}")
    rules += [
        f".growth:has(.pick{number}:checked) .line:not(.g{number}) {{ opacity: 0.13; }}"
        for number in range(_MOST_GROUPS + 1)
    ]
    return "\n".join(rules) + "\n"


def _choice(groups: dict[str, int], name: str) -> Html:
    """Radio buttons: all groups, or one of them."""

    def button(title: str, mark: Html | None, class_: str, checked: bool) -> Html:
        field = tag("input", type="radio", name=f"{name}-group", class_=class_, checked=checked)
        return tag("label", field, mark, title)

    buttons = [button("all", None, "all", True)]
    for group, number in groups.items():
        key = _class_of(number)
        sample = tag(
            "svg",
            svg.path([(1, 6), (21, 6)], "curve"),
            viewBox="0 0 22 12",
            aria_hidden="true",
            class_=f"sample {key}",
        )
        buttons.append(button(group, sample, f"pick{key[1:]}", False))
    return tag("fieldset", tag("legend", "Highlight"), join(buttons, " "))


def _class_of(number: int) -> str:
    return f"g{number if number <= _MOST_GROUPS else 1 + (number - 1) % _MOST_GROUPS}"


def _draw(chart: GrowthChart, groups: dict[str, int], layout: _Layout) -> Html:
    frame = _frame(chart, layout)
    write = _thousands if layout.one_column else "{:,.0f}".format
    x_ticks = [(x, write(10**x)) for x in _powers(frame.x)]
    y_ticks = [(y, f"{10**y:,.10g}") for y in _powers(frame.y)]
    parts = frame.axes(x_ticks, y_ticks, chart.x_label, chart.y_label)
    if chart.limit is not None:
        y = frame.y(log10(chart.limit))
        parts += [
            svg.line(layout.left, y, frame.x.stop, y, "limit"),
            svg.text(layout.left + 6, y - 5, f"limit: {chart.limit:,g}", "tick"),
        ]
    # Lines that end before others are the last, so that no other line crosses their names.
    lines = sorted(chart.lines, key=lambda line: -_last(line)[0])
    names = _names(lines, frame, layout)
    parts += [
        tag(
            "g",
            tag("title", _description(line, chart.units)),
            name[:-1],
            _marks(line, frame, layout.radius),
            name[-1],
            class_=f"line {_class_of(groups[line.group])}",
        )
        for line, name in zip(lines, names, strict=True)
    ]
    label = (
        f"{chart.title}: {chart.y_label} against {chart.x_label}, both logarithmic, "
        f"{len(chart.lines)} lines. The table below has the same numbers."
    )
    return svg.chart(layout.width, layout.height, label, *parts, class_=layout.class_)


def _names(lines: Sequence[GrowthLine], frame: svg.Frame, layout: _Layout) -> list[list[Html]]:
    """The name of every line, after the path that leads from its end to the name."""
    ends = [_position(_last(line), frame) for line in lines]
    starts = [frame.x.stop if layout.one_column else x for x, _ in ends]
    names: list[list[Html]] = [[] for _ in lines]
    for start in set(starts):
        column = [i for i, x in enumerate(starts) if x == start]
        heights = [ends[i][1] for i in column]
        places = spread(heights, layout.gap, frame.y.stop + 4, frame.y.start - 4)
        for i, y, place in zip(column, heights, places, strict=True):
            x = start + layout.leader
            leader = [ends[i], (start + layout.radius + 3, y), (x - 8, place), (x - 4, place)]
            # Across the plot it must not look like a part of the line.
            class_ = "leader" if ends[i][0] == start else "leader across"
            names[i] = [svg.path(leader, class_), svg.text(x, place + 4, lines[i].label, "label")]
    return names


def _marks(line: GrowthLine, frame: svg.Frame, radius: float) -> list[Html]:
    """The line, its points, and a triangle where only a lower bound is known."""
    points = [_position(point, frame) for point in line.points]
    parts = [svg.path(points, "hit"), svg.path(points, "curve")] if len(points) > 1 else []
    if line.above is not None:
        x, y = _position(line.above, frame)
        parts += [svg.path([points[-1], (x, y)], "beyond")] if points else []
        corners = [(x - radius - 2, y), (x + radius + 2, y), (x, y - 2 * radius - 2)]
        parts.append(svg.path([*corners, corners[0]], "above"))
    return parts + [svg.circle(x, y, radius, "point") for x, y in points]


def _frame(chart: GrowthChart, layout: _Layout) -> svg.Frame:
    """Logarithmic axes that have room for all points and the limit."""
    known = [p for line in chart.lines for p in (*line.points, line.above) if p is not None]
    xs = [log10(x) for x, _ in known] or [0.0]
    limits = [] if chart.limit is None else [log10(chart.limit)]
    ys = [log10(y) for _, y in known] + limits or [0.0]
    x_low, x_high = min(xs), max(xs)
    # A single number of documents is in the middle.
    x_low, x_high = (x_low - 0.5, x_high + 0.5) if x_low == x_high else (x_low, x_high)
    y_low, y_high = min(ys) - 0.1, max(max(ys), min(ys) + 1) + 0.1
    return svg.Frame(
        svg.Scale(x_low, x_high, layout.left, layout.width - layout.right),
        svg.Scale(y_low, y_high, layout.height - layout.bottom, layout.top),
    )


def _powers(scale: svg.Scale) -> list[int]:
    return list(range(ceil(scale.low - 1e-9), floor(scale.high + 1e-9) + 1))


def _position(point: tuple[float, float], frame: svg.Frame) -> tuple[float, float]:
    return frame.x(log10(point[0])), frame.y(log10(point[1]))


def _last(line: GrowthLine) -> tuple[float, float]:
    return line.points[-1] if line.above is None else line.above


def _thousands(value: float) -> str:
    for unit, letter in _THOUSANDS:
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def _description(line: GrowthLine, units: tuple[str, str]) -> str:
    """All numbers of a line, as a tooltip."""
    parts = [f"{x:,.0f} {units[0]}: {y:.3g} {units[1]}" for x, y in line.points]
    if line.above is not None:
        x, y = line.above
        parts.append(f"{x:,.0f} {units[0]}: more than {y:g} {units[1]}")
    return "\n".join([f"{line.label} ({line.group})", *parts])


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible, so that they differ by the gap and keep their order.

    They stay between two bounds, unless there are too many; then the gap is smaller.
    """
    if not positions:
        return []
    gap = min(gap, (high - low) / max(1, len(positions) - 1))
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    # Without their gaps the positions must not decrease: neighbors that do are moved to their mean.
    blocks: list[tuple[float, int]] = []
    for rank, i in enumerate(order):
        total, size = positions[i] - rank * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            before = blocks.pop()
            total, size = total + before[0], size + before[1]
        blocks.append((total, size))
    means = [total / size for total, size in blocks for _ in range(size)]
    last = high - gap * (len(positions) - 1)
    moved = [0.0] * len(positions)
    for rank, (i, mean) in enumerate(zip(order, means, strict=True)):
        moved[i] = min(max(mean, low), last) + rank * gap
    return moved
