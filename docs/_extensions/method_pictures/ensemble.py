"""The picture of the automatic method."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import documents

MEMBERS = ("cocc", "self-training", "sfa", "mtrick0", "lssttc")
VOTES = np.array(
    [
        [0, 1, 0, 1, 1],
        [0, 1, 1, 1, 1],
        [0, 0, 0, 1, 0],
        [0, 1, 0, 1, 0],
        [1, 1, 0, 1, 0],
    ]
)


def draw_auto(canvas: Canvas) -> None:
    """Members label the target; their labels are combined, refined and judged."""
    theme = canvas.theme
    step, left = 0.22, 1.42
    for name, y, votes in zip(MEMBERS, (2.15, 1.75, 1.35, 0.95, 0.55), VOTES, strict=True):
        canvas.box(0.7, y, 1.2, 0.31, ec=theme.muted)
        canvas.text(0.7, y, name, size=11)
        documents(canvas, [(left + step * i, y) for i in range(5)], "target", votes.tolist())
    canvas.heading(1.2, "members")
    for x, heading, labels, note in (
        (3.45, "combined", [0, 0.85, 0.2, 1, 0.6], "class\nproportions"),
        (5.0, "refined", [0, 1, 0, 1, 1], "self-training,\nco-clustering"),
    ):
        canvas.heading(x, heading)
        canvas.box(x, 1.55, 1.25, 0.42, ec=theme.accent, lw=2.2)
        documents(canvas, [(x - 0.46 + 0.23 * i, 1.55) for i in range(5)], "target", labels)
        canvas.text(x, 0.8, note, size=11, color=theme.muted)
    canvas.bar(2.95, 1.08, 0.45, 0.13, theme.teal)
    canvas.bar(3.4, 1.08, 0.55, 0.13, theme.orange)
    for y in (2.15, 1.75, 1.35, 0.95, 0.55):
        canvas.line([(2.42, y), (2.55, y), (2.55, 1.55)], color=theme.faint)
    canvas.arrow((2.55, 1.55), (2.79, 1.55))
    canvas.arrow((4.1, 1.55), (4.35, 1.55))
    canvas.arrow((5.65, 1.55), (5.9, 1.55))
    canvas.heading(6.5, "verdict")
    for text, y, chosen in (
        ("use", 1.95, True),
        ("check first", 1.55, False),
        ("do not use", 1.15, False),
    ):
        color = theme.accent if chosen else theme.faint
        fill = theme.mix(theme.accent, 0.14) if chosen else "none"
        canvas.box(6.52, y, 1.15, 0.33, ec=color, lw=2.2 if chosen else 1.3, fc=fill)
        canvas.text(6.52, y, text, size=11, color=theme.ink if chosen else theme.muted)
    canvas.line([(6.1, 0.82), (6.94, 0.82)], color=theme.muted)
    canvas.ax.scatter([6.6], [0.82], s=40, color=theme.ink, zorder=3)
    canvas.text(6.52, 0.52, "estimated\naccuracy", size=11, color=theme.muted)


PICTURES = {"auto": draw_auto}
