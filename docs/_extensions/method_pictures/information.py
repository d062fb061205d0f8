"""Pictures of the information-theoretic methods."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import documents
from method_pictures.legends import legend
from method_pictures.matrices import Block, matrix

DOCUMENT_CLASSES = np.repeat([0, 1], 4)
WORD_CLUSTERS = np.repeat([0, 1, 2], 4)
LEVELS = np.array([[0.85, 0.12, 0.5], [0.1, 0.85, 0.5]])


def _table(classes: np.ndarray, seed: int) -> np.ndarray:
    """Documents or classes by words, with a level for every word cluster."""
    noise = np.random.default_rng(seed).uniform(-0.2, 0.2, size=(len(classes), len(WORD_CLUSTERS)))
    return np.clip(LEVELS[classes][:, WORD_CLUSTERS] + noise, 0, 1)


def draw_cocc(canvas: Canvas) -> None:
    """Rows and columns are sorted into blocks; the source's classes use the same word clusters."""
    theme = canvas.theme
    random = np.random.default_rng(4)
    rows, columns = random.permutation(8), random.permutation(12)
    target, source = _table(DOCUMENT_CLASSES, 1), _table(np.array([0, 1]), 2)
    cell = 0.165
    for x, row, column, sorted_ in (
        (1.95, rows, columns, False),
        (5.45, np.arange(8), np.arange(12), True),
    ):
        upper = matrix(canvas, (x, 2.12), source[:, column], theme.muted, cell=cell)
        lower = matrix(canvas, (x, 1.1), target[np.ix_(row, column)], theme.muted, cell=cell)
        heights = upper.top - cell * (np.arange(2) + 0.5)
        documents(canvas, [(upper.left - 0.16, y) for y in heights], "source", [0, 1])
        heights = lower.top - cell * (np.arange(8) + 0.5)
        labels = DOCUMENT_CLASSES.tolist() if sorted_ else None
        documents(canvas, [(lower.left - 0.16, y) for y in heights], "target", labels)
        if sorted_:
            _blocks(canvas, upper, lower, cell)
    canvas.text(0.6, 2.12, "source", ha="right", size=12)
    canvas.text(0.6, 1.1, "target", ha="right", size=12)
    canvas.heading(1.95, "words")
    canvas.heading(5.45, "word clusters", color=theme.accent)
    canvas.arrow((3.15, 1.2), (4.05, 1.2))
    canvas.text(3.6, 1.53, "sort rows\nand columns", size=11)
    legend(
        canvas, "source: class of the source", "target", "labeled target: target, labeled", y=0.18
    )


def _blocks(canvas: Canvas, upper: Block, lower: Block, cell: float) -> None:
    """Borders of the word clusters, through both tables, and of the document classes."""
    for count in (4, 8):
        x = upper.left + cell * count
        line = [(x, lower.bottom - 0.05), (x, upper.top + 0.1)]
        canvas.line(line, color=canvas.theme.accent, lw=2.6, zorder=4)
    canvas.line(
        [(lower.left - 0.04, lower.y), (lower.right + 0.04, lower.y)],
        color=canvas.theme.ink,
        lw=1.8,
        zorder=4,
    )


def _histogram(
    canvas: Canvas, left: float, bottom: float, values: list[float], color: str, scale: float = 1
) -> None:
    """Shares of words as bars."""
    step = 0.17 * scale
    canvas.line([(left - 0.04, bottom), (left + step * len(values), bottom)], lw=1.2)
    for i, value in enumerate(values):
        canvas.bar(left + step * i, bottom, 0.7 * step, 0.7 * scale * value, color)


def draw_ib(canvas: Canvas) -> None:
    """A document joins the class with the nearest distribution of words."""
    theme = canvas.theme
    near, far = [0.9, 0.7, 0.35, 0.2, 0.1, 0.15], [0.1, 0.2, 0.3, 0.55, 0.9, 0.7]
    document = [1.0, 0.5, 0.2, 0.3, 0.0, 0.2]
    documents(canvas, [(0.42, 1.45)], "target", scale=1.8)
    _histogram(canvas, 0.72, 0.98, document, theme.muted, 1.4)
    canvas.heading(1.3, "words of a document")
    for values, label, y, n in ((near, 0, 1.62, 3), (far, 1, 0.6, 2)):
        color = theme.classes[label]
        _histogram(canvas, 4.0, y, values, color)
        canvas.box(5.25, y + 0.33, 2.75, 0.92, ec=color, lw=1.8)
        places = [(5.4 + 0.3 * (i % 4), y + 0.48 - 0.3 * (i // 4)) for i in range(8)]
        documents(canvas, places[:4], "source", label)
        documents(canvas, places[4 : 4 + n], "target", label)
    canvas.arrow((2.4, 1.5), (3.78, 1.95), color=theme.accent, lw=2.8)
    canvas.arrow((2.4, 1.35), (3.78, 0.95), color=theme.faint, ls=(0, (3, 2)))
    canvas.text(2.85, 1.97, "near: joins", color=theme.accent)
    canvas.text(2.85, 0.98, "far", color=theme.muted)
    canvas.heading(5.25, "classes: words of their documents")
    legend(canvas, "source", "target", "labeled target: target that joined")


PICTURES = {"cocc": draw_cocc, "ib": draw_ib}
