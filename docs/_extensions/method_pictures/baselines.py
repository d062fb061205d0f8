"""Pictures of the classifiers of the source alone and of scikit-learn's methods."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import Label, wrong
from method_pictures.graphs import (
    Graph,
    draw_edges,
    draw_nodes,
    normalized,
    source_labels,
    two_domains,
)
from method_pictures.legends import legend
from method_pictures.panels import arrows_between, two_panels
from method_pictures.self_training import ROUNDS, draw_rounds
from method_pictures.shifted_domains import (
    CLASSES,
    SOURCE_BOUNDARY,
    SOURCE_MARGIN,
    TARGET,
    distance,
    draw_boundary,
    draw_source,
    draw_target,
    side,
)

LEFT, RIGHT = two_panels()


def _source_only(canvas: Canvas) -> None:
    """A line from the labels of the source, and the labels that it gives to the target."""
    for panel in (LEFT, RIGHT):
        panel.frame(canvas)
        draw_boundary(canvas, panel, SOURCE_BOUNDARY)
    canvas.heading(LEFT.x, "learned from the source")
    canvas.heading(RIGHT.x, "applied to the target")
    arrows_between(canvas, (LEFT, RIGHT))
    draw_source(canvas, LEFT)
    draw_target(canvas, LEFT)
    predicted = side(TARGET, SOURCE_BOUNDARY)
    draw_source(canvas, RIGHT, alpha=0.3)
    draw_target(canvas, RIGHT, predicted)
    wrong(canvas, RIGHT.place(TARGET[predicted != CLASSES]))
    legend(canvas, "source", "target", "labeled target: target, labeled", "wrong")


def draw_lg(canvas: Canvas) -> None:
    """Logistic regression: probabilities change slowly across the line."""
    theme = canvas.theme
    for panel in (LEFT, RIGHT):
        middle = panel.left + SOURCE_BOUNDARY[0][0]
        for step, share in enumerate((0.07, 0.13, 0.19)):
            for color, left in (
                (theme.teal, middle - 0.18 * (step + 1)),
                (theme.orange, middle + 0.18 * step),
            ):
                band = (left, panel.bottom + 0.01, 0.18, panel.height - 0.02)
                canvas.bar(*band, theme.mix(color, share), zorder=0.5)
    _source_only(canvas)


def draw_svm(canvas: Canvas) -> None:
    """Support vector machine: the widest margin between the labeled classes."""
    muted = canvas.theme.muted
    for panel in (LEFT, RIGHT):
        for offset in (-SOURCE_MARGIN, SOURCE_MARGIN):
            draw_boundary(
                canvas, panel, SOURCE_BOUNDARY, offset, lw=1.3, ls=(0, (3, 2)), color=muted
            )
    _source_only(canvas)
    x, y = LEFT.left + SOURCE_BOUNDARY[0][0] - SOURCE_MARGIN - 0.06, LEFT.top - 0.2
    canvas.text(x, y, "margin", ha="right", color=muted)


def draw_sklearn_self_training(canvas: Canvas) -> None:
    """Confident labels are kept for good: the class that is ahead takes over."""
    boundaries = [SOURCE_BOUNDARY, ((0.93, 0.5), 97.0), ((0.84, 0.5), 104.0)]
    confident = distance(TARGET, boundaries[0]) > 0.8
    chosen = [np.zeros(len(TARGET), dtype=bool), confident]
    chosen.append(confident | (distance(TARGET, boundaries[1]) > 0.42))
    draw_rounds(canvas, boundaries, chosen, ("source only", "confident: kept", "more of the same"))
    canvas.text(ROUNDS[0].x, 0.6, "no quotas:", color=canvas.theme.accent)
    legend(canvas, "source", "target", "labeled target: added", "wrong")


def draw_sklearn_label_spreading(canvas: Canvas) -> None:
    """Labels spread to neighbors only: few edges lead to the target."""
    graph = two_domains(3.0, 1.8, cross=0)
    weights = (graph.weights > 0).astype(float)
    inner, outer = int(np.argmax(graph.points[:5, 0])), 10 + int(np.argmin(graph.points[10:15, 0]))
    weights[inner, outer] = weights[outer, inner] = 1
    graph = Graph(graph.points, graph.is_source, graph.classes, weights)
    before = source_labels(graph)
    given = np.eye(2)[graph.classes] * graph.is_source[:, None]
    spread = np.linalg.solve(np.eye(20) - 0.2 * normalized(weights), given)
    after: list[Label] = spread.argmax(axis=1).tolist()
    for panel, labels in ((LEFT, before), (RIGHT, after)):
        draw_edges(canvas, graph, panel.place, equal=True)
        draw_nodes(canvas, graph, panel.place, labels)
    wrong(canvas, RIGHT.place(graph.points[graph.classes != after]))
    arrows_between(canvas, (LEFT, RIGHT))
    canvas.heading(LEFT.x, "few edges between domains")
    canvas.heading(RIGHT.x, "often one class takes all")
    legend(canvas, "source", "target", "accent line: edge between domains", "wrong")


PICTURES = {
    "sklearn-self-training": draw_sklearn_self_training,
    "sklearn-label-spreading": draw_sklearn_label_spreading,
    "lg": draw_lg,
    "svm": draw_svm,
}
