"""Pictures of the spectral methods: cuts of a graph of documents, and principal components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import Label, apart, centers, cloud, documents, on_a_line
from method_pictures.graphs import (
    CUT,
    Graph,
    draw_edges,
    draw_nodes,
    neighbor_weights,
    normalized,
    source_labels,
    two_domains,
)
from method_pictures.legends import legend
from method_pictures.panels import Panel, arrows_between, two_panels
from method_pictures.shifted_domains import draw_boundary, fitted_boundary


def smooth_coordinates(matrix: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """The two eigenvectors after the constant one, divided by the roots of the degrees."""
    _, vectors = np.linalg.eigh(matrix)
    # The sign of an eigenvector differs between machines: the first document is on the left.
    vectors = vectors * -np.sign(vectors[0])
    return vectors[:, 1:3] / np.sqrt(degrees)[:, None]


def fit_into(points: np.ndarray, panel: Panel, margin: float = 0.3) -> np.ndarray:
    """Points stretched so that they fill a panel."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.array([panel.width, panel.height]) - 2 * margin
    return np.array([panel.left, panel.bottom]) + margin + (points - low) / (high - low) * size


def coordinates(
    canvas: Canvas,
    panel: Panel,
    points: np.ndarray,
    is_source: np.ndarray,
    labels: Sequence[Label],
) -> np.ndarray:
    """Documents by their eigenvectors, in a frame."""
    panel.frame(canvas)
    places = apart(fit_into(points, panel), 0.19)
    for domain, rows in (("source", is_source), ("target", ~is_source)):
        chosen = np.flatnonzero(rows)
        documents(canvas, places[chosen], domain, [labels[i] for i in chosen])
    return places


def _classifier(canvas: Canvas, panel: Panel, places: np.ndarray, graph: Graph) -> None:
    """The line between the classes."""
    points = places - (panel.left, panel.bottom)
    draw_boundary(canvas, panel, fitted_boundary(points, graph.classes))


def one_domain() -> Graph:
    """Two groups of documents of one domain, and the edges between neighbors."""
    points = np.vstack(
        [cloud((0.75, 1.0), 9, (0.62, 0.75), 2, 0.3), cloud((2.35, 0.9), 9, (0.62, 0.75), 4, 0.3)]
    )
    weights = neighbor_weights(points, 4)
    return Graph(points, np.zeros(18, dtype=bool), np.repeat([0, 1], 9), weights)


def draw_ncut(canvas: Canvas) -> None:
    """The cut through the weakest edges, and K-means on the eigenvectors that describe it."""
    graph = one_domain()
    left, right = two_panels()
    draw_edges(canvas, graph, left.place)
    draw_nodes(canvas, graph, left.place, [None] * 18)
    canvas.line(left.place([(1.62, 0.0), (1.5, 0.9), (1.6, 1.85)]), color=canvas.theme.ink, **CUT)
    canvas.heading(left.x, "documents, cut at weak edges")
    arrows_between(canvas, (left, right))
    laplacian = np.eye(18) - normalized(graph.weights)
    points = smooth_coordinates(laplacian, graph.degrees)
    places = coordinates(canvas, right, points, graph.is_source, graph.classes.tolist())
    means = [places[graph.classes == label].mean(axis=0) for label in (0, 1)]
    centers(canvas, means, [canvas.theme.ink] * 2)
    canvas.heading(right.x, "K-means on eigenvectors")
    legend(canvas, "target: document", "labeled target: clusters", "center", "cut")


def draw_sc(canvas: Canvas) -> None:
    """Similarities that the labels overwrite: 1 within a class, 0 between classes."""
    theme = canvas.theme
    graph = two_domains(3.0, 1.8, count=4, cross=3, gap=0.3)
    left, right = two_panels()
    points = left.place(graph.points)
    weights = graph.weights.copy()
    for i in range(8):
        for j in range(i):
            same = graph.classes[i] == graph.classes[j]
            weights[i, j] = weights[j, i] = float(same)
            if same:
                canvas.line(points[[i, j]], color=theme.accent, lw=2.4, zorder=1.9)
    for i, j in ((1, 4), (2, 5), (0, 6)):
        canvas.line(points[[i, j]], color=theme.muted, lw=1.3, ls=(0, (2, 2)), zorder=1.6)
    rest = weights.copy()
    rest[:8, :8] = 0
    draw_edges(
        canvas,
        Graph(graph.points, graph.is_source, graph.classes, rest),
        left.place,
        color=theme.faint,
    )
    draw_nodes(canvas, graph, left.place, source_labels(graph))
    canvas.heading(left.x, "labels overwrite similarities")
    arrows_between(canvas, (left, right))
    laplacian = np.eye(16) - normalized(weights)
    places = coordinates(
        canvas,
        right,
        smooth_coordinates(laplacian, weights.sum(axis=1)),
        graph.is_source,
        graph.classes.tolist(),
    )
    _classifier(canvas, right, places, graph)
    canvas.heading(right.x, "classifier on eigenvectors")
    legend(canvas, "source", "target", "accent line: same class: 1", "dashed line: other class: 0")


def draw_cdsc(canvas: Canvas) -> None:
    """A cut that separates all documents and the target alone."""
    theme = canvas.theme
    graph = two_domains(2.4, 1.75, count=4, cross=3, gap=0.26)
    whole, alone = Panel(0.15, 0.52, 2.4, 1.75), Panel(3.0, 0.52, 1.2, 1.75)
    right = Panel(5.0, 0.52, 2.05, 1.85)
    draw_edges(canvas, graph, whole.place)
    draw_nodes(canvas, graph, whole.place, source_labels(graph))
    target = Graph(
        graph.points[8:] - (1.4, 0), graph.is_source[8:], graph.classes[8:], graph.weights[8:, 8:]
    )
    draw_edges(canvas, target, alone.place)
    draw_nodes(canvas, target, alone.place, [None] * 8)
    for panel in (whole, alone):
        canvas.line([(panel.left, 1.4), (panel.right, 1.4)], color=theme.ink, **CUT)
    canvas.text(2.78, 1.4, "+", size=18)
    canvas.arrow((4.35, 1.4), (4.9, 1.4))
    canvas.heading(whole.x, "all documents")
    canvas.heading(alone.x, "target alone")
    laplacian = np.diag(graph.degrees) - graph.weights
    laplacian[8:, 8:] += 0.5 * (np.diag(target.degrees) - target.weights)
    roots = np.sqrt(graph.degrees)
    places = coordinates(
        canvas,
        right,
        smooth_coordinates(laplacian / roots[:, None] / roots[None], graph.degrees),
        graph.is_source,
        graph.classes.tolist(),
    )
    _classifier(canvas, right, places, graph)
    canvas.heading(right.x, "classifier")
    legend(canvas, "source", "target", "accent line: edge between domains", "cut")


def draw_pca_kmeans(canvas: Canvas) -> None:
    """Documents in their leading directions, and K-means there."""
    theme = canvas.theme
    left, right = two_panels()
    points = np.vstack(
        [cloud((0.75, 0.7), 6, (0.6, 0.5), 3, 0.25), cloud((2.25, 1.25), 6, (0.6, 0.5), 6, 0.25)]
    )
    middle = points.mean(axis=0)
    direction = np.linalg.svd(points - middle)[2][0]
    direction *= np.sign(direction[0])
    along = (points - middle) @ direction
    classes = (along > 0).astype(int)
    for panel in (left, right):
        panel.frame(canvas)
    start, end = left.place(middle + np.outer([-1.55, 1.55], direction))
    canvas.arrow(tuple(start), tuple(end), color=theme.accent, lw=3, zorder=2)
    for point, step in zip(points, along, strict=True):
        canvas.line(left.place([point, middle + step * direction]), color=theme.faint, lw=1.1)
    documents(canvas, left.place(points), "target")
    canvas.heading(left.x, "the leading direction")
    arrows_between(canvas, (left, right))
    canvas.arrow((right.left + 0.1, 1.45), (right.right - 0.1, 1.45), color=theme.accent, lw=3)
    spots = right.x + 0.88 * on_a_line(along, 0.16)
    places = np.column_stack([spots, np.full(len(along), 1.63)])
    documents(canvas, places, "target", classes.tolist(), scale=1.2)
    means = [(float(spots[classes == label].mean()), 1.45) for label in (0, 1)]
    centers(canvas, means, [theme.ink] * 2)
    canvas.heading(right.x, "K-means along it")
    legend(canvas, "target: document", "labeled target: clusters", "center")


PICTURES = {"cdsc": draw_cdsc, "sc": draw_sc, "pca-kmeans": draw_pca_kmeans, "ncut": draw_ncut}
