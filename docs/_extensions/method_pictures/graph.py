"""Pictures of label propagation on a neighbor graph."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import documents
from method_pictures.graphs import (
    CUT,
    Graph,
    draw_edges,
    draw_nodes,
    normalized,
    source_labels,
    two_domains,
)
from method_pictures.legends import legend
from method_pictures.panels import arrows_between, two_panels

LEFT, RIGHT = two_panels()
GRAPH = two_domains(3.0, 1.8)
ALPHA = 0.9
"""Weight of the neighbors in LLGC, next to the own label."""


def _panels(canvas: Canvas, graph: Graph, before: list, after: list, **edges: bool) -> None:
    """The graph with the labels of the source on the left, with all labels on the right."""
    for panel, labels in ((LEFT, before), (RIGHT, after)):
        draw_edges(canvas, graph, panel.place, **edges)
        draw_nodes(canvas, graph, panel.place, labels)
    arrows_between(canvas, (LEFT, RIGHT))


def draw_gfhf(canvas: Canvas) -> None:
    """Labels stay where they are given; every other document is the mean of its neighbors."""
    known = GRAPH.is_source
    laplacian = np.diag(GRAPH.degrees) - GRAPH.weights
    values = GRAPH.classes.astype(float)
    values[~known] = np.linalg.solve(
        laplacian[np.ix_(~known, ~known)], GRAPH.weights[np.ix_(~known, known)] @ values[known]
    )
    _panels(canvas, GRAPH, source_labels(GRAPH), values.tolist())
    for panel in (LEFT, RIGHT):
        places = panel.place(GRAPH.points[known])
        labels = GRAPH.classes[known].tolist()
        documents(canvas, places, "source", labels, edgecolors=canvas.theme.ink, linewidths=1.6)
    canvas.heading(LEFT.x, "labels of the source are fixed")
    canvas.heading(RIGHT.x, "target = mean of its neighbors")
    legend(canvas, "source", "target", "accent line: edge between domains")


def draw_llgc(canvas: Canvas) -> None:
    """Labels spread; every document keeps part of its own, and a doubtful label can change."""
    doubtful = 3
    given = np.zeros((len(GRAPH.points), 2))
    given[np.arange(len(given)), GRAPH.classes] = GRAPH.is_source
    given[doubtful] = given[doubtful, ::-1]
    given /= given.sum(axis=0)
    spread = np.linalg.solve(np.eye(len(given)) - ALPHA * normalized(GRAPH.weights), given)
    scores = spread[:, 1] / spread.sum(axis=1) - 0.5
    # Memberships are close together, and only their order has a meaning.
    after = (0.5 + 0.5 * np.clip(scores / 0.18, -1, 1)).tolist()
    before = source_labels(GRAPH)
    before[doubtful] = 1 - before[doubtful]
    _panels(canvas, GRAPH, before, after)
    for panel in (LEFT, RIGHT):
        point = panel.place(GRAPH.points[doubtful])
        canvas.ellipse(point, 0.3, 0.3, ec=canvas.theme.ink, lw=1.3)
    canvas.heading(LEFT.x, "labels, one of them doubtful")
    canvas.heading(RIGHT.x, "they spread, and it changes")
    legend(canvas, "source", "target", "accent line: edge between domains")


def draw_sgt(canvas: Canvas) -> None:
    """Of the weak cuts of the graph, the one that fits the labels."""
    theme = canvas.theme
    _panels(canvas, GRAPH, source_labels(GRAPH), GRAPH.classes.tolist())
    across = [(0.05, 0.9), (2.95, 0.9)]
    between = [(1.5, 0.0), (1.5, 1.8)]
    for cut in (across, between):
        canvas.line(LEFT.place(cut), lw=1.8, ls=(0, (2, 2)), zorder=5)
    canvas.line(RIGHT.place(across), color=theme.ink, **CUT)
    canvas.heading(LEFT.x, "weak cuts of the graph")
    canvas.heading(RIGHT.x, "the cut that fits the labels")
    legend(canvas, "source", "target", "accent line: edge between domains", "cut")


PICTURES = {"sgt": draw_sgt, "gfhf": draw_gfhf, "llgc": draw_llgc}
