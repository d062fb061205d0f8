"""Pictures of self-training, co-training and the transductive support vector machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import cloud, documents, wrong
from method_pictures.legends import legend
from method_pictures.panels import Panel, arrows_between, three_panels, two_panels
from method_pictures.shifted_domains import (
    CLASSES,
    SOURCE_BOUNDARY,
    SOURCE_MARGIN,
    TARGET,
    TRUE_BOUNDARY,
    TRUE_MARGIN,
    Boundary,
    distance,
    draw_boundary,
    draw_source,
    draw_target,
    side,
)

ROUNDS = three_panels(0.84, 1.52, 0.68)


def draw_rounds(
    canvas: Canvas,
    boundaries: Sequence[Boundary],
    chosen: Sequence[np.ndarray],
    headings: Sequence[str],
) -> None:
    """Three rounds: the line, and the target documents that were added before it was fitted."""
    for panel, boundary, added, heading in zip(ROUNDS, boundaries, chosen, headings, strict=True):
        panel.frame(canvas)
        draw_boundary(canvas, panel, boundary)
        draw_source(canvas, panel, scale=0.8)
        places = panel.place(TARGET)
        labels = side(TARGET, boundary)
        documents(canvas, places[~added], "target", scale=0.8)
        documents(canvas, places[added], "target", labels[added], scale=0.8)
        mistakes = added & (labels != CLASSES)
        if mistakes.any():
            wrong(canvas, places[mistakes])
        canvas.heading(panel.x, heading)
        left = panel.x - 0.055 * added.sum()
        for label, color in enumerate(canvas.theme.classes):
            width = 0.11 * np.sum(labels[added] == label)
            canvas.bar(left, 0.54, width, 0.12, color)
            left += width
    arrows_between(canvas, ROUNDS)


def most_certain(boundary: Boundary, quota: int) -> np.ndarray:
    """The target documents farthest from the line, as many in every class."""
    labels, far = side(TARGET, boundary), distance(TARGET, boundary)
    chosen = np.zeros(len(TARGET), dtype=bool)
    for label in (0, 1):
        rows = np.flatnonzero(labels == label)
        chosen[rows[np.argsort(-far[rows])[:quota]]] = True
    return chosen


def draw_self_training(canvas: Canvas) -> None:
    """Every round adds the most certain documents, as many in each class as the prior says."""
    boundaries = [SOURCE_BOUNDARY, ((1.05, 0.5), 64.0), TRUE_BOUNDARY]
    chosen = [
        np.zeros(16, dtype=bool),
        most_certain(boundaries[1], 3),
        most_certain(TRUE_BOUNDARY, 7),
    ]
    draw_rounds(canvas, boundaries, chosen, ("source only", "some certain", "more of them"))
    canvas.text(ROUNDS[0].x, 0.6, "quota of each class:", color=canvas.theme.accent)
    legend(canvas, "source", "target", "labeled target: added, chosen anew in each round")


def draw_tsvm(canvas: Canvas) -> None:
    """The margin is free of target documents, too."""
    left, right = two_panels()
    theme = canvas.theme
    for panel, boundary, margin, heading in (
        (left, SOURCE_BOUNDARY, SOURCE_MARGIN, "margin of the source"),
        (right, TRUE_BOUNDARY, TRUE_MARGIN, "margin free of the target, too"),
    ):
        panel.frame(canvas)
        canvas.heading(panel.x, heading)
        draw_boundary(canvas, panel, boundary)
        for offset in (-margin, margin):
            draw_boundary(
                canvas, panel, boundary, offset, lw=1.5, ls=(0, (3, 2)), color=theme.accent
            )
        draw_source(canvas, panel)
    draw_target(canvas, left)
    draw_target(canvas, right, side(TARGET, TRUE_BOUNDARY))
    arrows_between(canvas, (left, right))
    legend(canvas, "source", "target", "labeled target: target, labeled")


MEMBERS = ("pivots A", "pivots B", "words")
VOTES = np.array(
    [
        [0, 0, 1, 0, 1, 1, 0, 1],
        [0, 1, 1, 0, 1, 0, 0, 1],
        [0, 1, 1, 0, 0, 1, 1, 1],
    ]
)


def _training_set(canvas: Canvas, x: float, y: float, added: Sequence[int]) -> None:
    """The labeled documents of the source, and those of the target that joined them."""
    canvas.heading(x, "training set")
    canvas.box(x, y, 1.6, 1.6)
    grid = [(x - 0.58 + 0.29 * (i % 5), y + 0.56 - 0.28 * (i // 5)) for i in range(10)]
    documents(canvas, grid, "source", [0, 1, 0, 0, 1, 1, 0, 1, 1, 0])
    grid = [(x - 0.44 + 0.29 * (i % 4), y - 0.22 - 0.28 * (i // 4)) for i in range(len(added))]
    documents(canvas, grid, "target", added)


def draw_mct(canvas: Canvas) -> None:
    """Documents on which all members agree join the training set."""
    theme = canvas.theme
    left, step, x, middle = 1.75, 0.37, 6.25, 1.5
    for name, y, votes in zip(MEMBERS, (2.0, middle, 1.0), VOTES, strict=True):
        canvas.box(0.75, y, 1.2, 0.36, ec=theme.muted)
        canvas.text(0.75, y, name)
        places = [(left + step * i, y) for i in range(8)]
        documents(canvas, places, "target", votes.tolist(), scale=1.3)
    agreed = np.flatnonzero((VOTES[0] == VOTES).all(axis=0))
    for i in agreed:
        canvas.box(left + step * i, middle, 0.3, 1.42, ec=theme.accent, lw=2.2)
    canvas.heading(0.75, "members")
    canvas.heading(left + 3.5 * step, "their labels of the target")
    _training_set(canvas, x, middle, VOTES[0, agreed].tolist())
    end = left + 7.6 * step
    canvas.arrow((end, middle - 0.22), (x - 0.86, middle - 0.22), color=theme.accent, lw=2.6)
    canvas.text((end + x - 0.86) / 2, middle, "agree", color=theme.accent)
    canvas.route([(x, 0.64), (x, 0.42), (0.75, 0.42), (0.75, 0.76)])
    canvas.text(3.5, 0.24, "every member is fitted again", color=theme.muted)


def _views(canvas: Canvas) -> None:
    """The words in two groups."""
    muted = canvas.theme.muted
    canvas.heading(0.98, "words, split")
    for y, name, words in (
        (1.88, "view 1", ("great", "sturdy", "dull")),
        (0.94, "view 2", ("waste", "quick", "leaks")),
    ):
        canvas.box(0.98, y, 1.6, 0.84, ec=muted)
        canvas.text(0.66, y, name, size=12.5)
        for i, word in enumerate(words):
            canvas.text(1.1, y + 0.24 * (1 - i), word, ha="left", color=muted, size=11)


def draw_coda(canvas: Canvas) -> None:
    """Two views of the words; documents about which exactly one view is sure join."""
    theme = canvas.theme
    square = Panel(2.78, 0.44, 1.96, 1.96)
    x, y = square.left + 1.22, square.bottom + 1.22
    _views(canvas)
    canvas.arrow((1.86, square.y), (2.32, square.y))
    pale = theme.mix(theme.accent, 0.16)
    canvas.bar(square.left, y, x - square.left, square.top - y, pale, zorder=0.5)
    canvas.bar(x, square.bottom, square.right - x, y - square.bottom, pale, zorder=0.5)
    square.frame(canvas)
    canvas.line([(x, square.bottom), (x, square.top)], color=theme.faint)
    canvas.line([(square.left, y), (square.right, y)], color=theme.faint)
    canvas.text(square.x, 0.25, "view 2 is sure  →", size=11, color=theme.muted)
    canvas.text(2.58, square.y, "view 1 is sure  →", size=11, color=theme.muted, rotation=90)
    canvas.heading(square.x, "target documents")
    neither = cloud((0.55, 0.58), 7, (0.48, 0.48), 3, 0.2)
    both = cloud((1.58, 1.58), 4, (0.28, 0.28), 5, 0.2)
    documents(canvas, square.place(np.vstack([neither, both])), "target")
    first = cloud((0.6, 1.58), 4, (0.5, 0.26), 4, 0.2)
    second = cloud((1.58, 0.6), 4, (0.26, 0.5), 9, 0.2)
    labels = [0, 1, 1, 0, 1, 0, 0, 1]
    documents(canvas, square.place(np.vstack([first, second])), "target", labels)
    canvas.arrow((4.88, square.y), (5.38, square.y), color=theme.accent, lw=2.6)
    canvas.text(5.13, square.y - 0.24, "one\nis sure", color=theme.accent, va="top")
    _training_set(canvas, 6.3, square.y, labels)


PICTURES = {
    "self-training": draw_self_training,
    "mct": draw_mct,
    "coda": draw_coda,
    "tsvm": draw_tsvm,
}
