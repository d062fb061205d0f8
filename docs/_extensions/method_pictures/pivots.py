"""Pictures of features from pivots and from denoising."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import documents
from method_pictures.matrices import matrix
from method_pictures.words import Word, link, pointer, word

HEIGHTS = (2.02, 1.48, 0.94, 0.4)
BOOKS = ("gripping", "moving", "dull", "clumsy")
KITCHEN = ("sturdy", "quick", "leaks", "rusty")


def _three_columns(
    canvas: Canvas, x: tuple[float, float, float]
) -> tuple[list[Word], list[Word], list[Word]]:
    """Words of books, pivots, words of kitchen appliances; the good ones above the bad ones."""
    theme = canvas.theme
    left, right = (
        [word(canvas, text, place, y, width=1.1) for text, y in zip(words, HEIGHTS, strict=True)]
        for place, words in ((x[0], BOOKS), (x[2], KITCHEN))
    )
    middle = [
        word(canvas, text, x[1], y, shared=True, width=0.9)
        for text, y in (("great", 1.75), ("waste", 0.67))
    ]
    canvas.heading(x[0], "books (source)")
    canvas.heading(x[1], "pivots", color=theme.accent)
    canvas.heading(x[2], "kitchen (target)")
    return left, middle, right


def draw_scl(canvas: Canvas) -> None:
    """Every word predicts the pivots; words with the same weights get the same features."""
    theme = canvas.theme
    left, middle, right = _three_columns(canvas, (1.75, 3.6, 5.45))
    weights = np.array([[0.9, 0.1], [0.7, 0.2], [0.1, 0.85], [0.2, 0.75]])
    for i, boxes in enumerate(zip(left, right, strict=True)):
        for box, x in zip(boxes, (0.85, 6.35), strict=True):
            pointer(canvas, box, middle[i // 2], lw=2)
            matrix(canvas, (x, box.y), weights[[i]], theme.accent, cell=0.2)
    for x in (0.85, 6.35):
        canvas.text(x, 2.34, "weights", color=theme.accent, size=11)
    for x in (2.72, 4.48):
        canvas.text(x, 1.21, "predict", color=theme.muted)
    for y in (1.75, 0.67):
        for x, sign in ((0.45, -1), (6.75, 1)):
            points = [(x - 0.08 * sign, y + 0.4), (x, y + 0.4), (x, y - 0.4)]
            canvas.line([*points, (x - 0.08 * sign, y - 0.4)], color=theme.accent)
    canvas.text(0.25, 1.75, "feature 1", rotation=90, color=theme.accent, size=11)
    canvas.text(0.25, 0.67, "feature 2", rotation=90, color=theme.accent, size=11)
    canvas.text(6.95, 1.75, "feature 1", rotation=270, color=theme.accent, size=11)
    canvas.text(6.95, 0.67, "feature 2", rotation=270, color=theme.accent, size=11)


def draw_sfa(canvas: Canvas) -> None:
    """Words and pivots as a graph of co-occurrence, cut into groups."""
    theme = canvas.theme
    left, middle, right = _three_columns(canvas, (1.15, 3.6, 6.05))
    counts = (4.6, 3.0, 4.0, 2.6)
    for i, (first, second) in enumerate(zip(left, right, strict=True)):
        for box, width in ((first, counts[i]), (second, counts[3 - i])):
            link(canvas, box, middle[i // 2], lw=width)
            link(canvas, box, middle[1 - i // 2], lw=0.9, color=theme.faint)
    for y, name in ((1.75, "feature 1"), (0.67, "feature 2")):
        pale = theme.mix(theme.accent, 0.1)
        canvas.box(3.6, y, 6.7, 0.98, fc=pale, ec="none", zorder=0.5)
        canvas.text(3.6, y - 0.33, name, color=theme.accent, size=11)
    for x in (2.48, 4.72):
        canvas.text(x, 2.11, "occur together", color=theme.muted, size=11)


def draw_pjnmf(canvas: Canvas) -> None:
    """Topics of pivots that all domains share, next to topics of each domain."""
    theme = canvas.theme
    topics = {
        1.05: ("author  plot", "page  chapter"),
        3.6: ("great  gripping  sturdy", "waste  dull  leaks"),
        6.15: ("oven  steel", "blade  pan"),
    }
    for x, texts in topics.items():
        for text, y in zip(texts, (2.08, 1.56), strict=True):
            word(canvas, text, x, y, shared=x == 3.6, width=2.2 if x == 3.6 else 1.6)
    canvas.heading(1.05, "topics of books")
    canvas.heading(3.6, "shared topics", color=theme.accent)
    canvas.heading(6.15, "topics of kitchen")
    for name, x, own, sign in (("source", 2.1, 1.05, -1), ("target", 5.1, 6.15, 1)):
        documents(canvas, [(x - 0.36 + 0.24 * i, 0.6) for i in range(4)], name)
        canvas.text(x, 0.32, name, size=12.5)
        canvas.arrow((x + 0.1 * sign, 0.78), (own, 1.34))
        canvas.arrow((x - 0.1 * sign, 0.78), (3.6 + 0.5 * sign, 1.34), color=theme.accent, lw=2.6)
    canvas.text(3.6, 0.6, "features", color=theme.accent, size=12.5)
    canvas.arrow((3.6, 1.34), (3.6, 0.76), color=theme.accent, lw=2.6)


def draw_msda(canvas: Canvas) -> None:
    """Words are removed at random; the rest must bring them back."""
    theme = canvas.theme
    rows = (
        ("source", 1.85, (("gripping", False), ("great", True), ("love", True))),
        ("target", 0.95, (("sturdy", False), ("great", True), ("quick", False))),
    )
    canvas.heading(2.55, "words dropped at random")
    canvas.heading(6.0, "brought back", color=theme.accent)
    for name, y, words in rows:
        canvas.text(0.9, y, name, ha="right", size=12.5)
        documents(canvas, [(1.08, y)], name)
        for (text, dropped), x in zip(words, (1.8, 2.75, 3.55), strict=True):
            style = {"ls": (0, (2, 2)), "ec": theme.faint} if dropped else {}
            word(canvas, text, x, y, width=1.05 if x == 1.8 else 0.72, **style)
            if dropped:
                canvas.line([(x - 0.3, y - 0.02), (x + 0.3, y - 0.02)], color=theme.ink, zorder=7)
        canvas.arrow((4.0, y), (4.4, 1.4 + 0.2 * (1 if y > 1.4 else -1)))
        canvas.arrow((4.96, 1.4 + 0.2 * (1 if y > 1.4 else -1)), (5.34, y), color=theme.accent)
        for text, x in (("great", 5.75), ("love", 6.6)):
            word(canvas, text, x, y, shared=True, width=0.75)
    canvas.box(4.68, 1.4, 0.5, 0.62, ec=theme.accent, fc=theme.mix(theme.accent, 0.14), lw=2)
    canvas.text(4.68, 1.4, "W", size=15, color=theme.accent)
    canvas.text(3.6, 0.35, "learned from all documents, without labels", color=theme.muted)


PICTURES = {"scl": draw_scl, "sfa": draw_sfa, "msda": draw_msda, "pjnmf": draw_pjnmf}
