"""Documents as the nodes of a graph of neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import Label, cloud, documents

CUT = {"lw": 2.4, "ls": (0, (4, 2)), "zorder": 5}
"""The line along which a graph is cut."""


@dataclass(frozen=True)
class Graph:
    """Documents of two domains and two classes, and which of them are neighbors."""

    points: np.ndarray
    is_source: np.ndarray
    classes: np.ndarray
    weights: np.ndarray
    """Similarities, symmetric; 0 without an edge."""

    @property
    def degrees(self) -> np.ndarray:
        return self.weights.sum(axis=1)

    def crosses(self, i: int, j: int) -> bool:
        """Whether an edge leads from one domain to the other."""
        return bool(self.is_source[i] != self.is_source[j])

    def edges(self) -> list[tuple[int, int]]:
        return [(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(self.weights)), strict=True)]


def neighbor_weights(points: np.ndarray, neighbors: int) -> np.ndarray:
    """Weights of the edges to the nearest points, decreasing with the distance."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    order = np.argsort(distances, axis=1)[:, 1 : neighbors + 1]
    chosen = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(chosen, order, values=True, axis=1)
    return np.where(chosen | chosen.T, np.exp(-((distances / 0.45) ** 2)), 0.0)


def two_domains(
    width: float = 3.0, height: float = 1.8, *, count: int = 5, cross: int = 3, gap: float = 0.26
) -> Graph:
    """Source on the left, target on the right; class 0 on top, class 1 below."""
    spread = (0.2 * width, 0.22 * height)
    places = [
        (0.22 * width, 0.77 * height),
        (0.22 * width, 0.23 * height),
        (0.78 * width, 0.72 * height),
        (0.78 * width, 0.28 * height),
    ]
    points = np.vstack(
        [cloud(place, count, spread, seed + 5, gap) for seed, place in enumerate(places)]
    )
    is_source = np.repeat([True, True, False, False], count)
    classes = np.repeat([0, 1, 0, 1], count)
    weights = np.zeros((4 * count, 4 * count))
    for domain in (True, False):
        rows = np.flatnonzero(is_source == domain)
        weights[np.ix_(rows, rows)] = neighbor_weights(points[rows], 3)
    _connect_domains(points, is_source, classes, weights, cross)
    return Graph(points, is_source, classes, weights)


def _connect_domains(
    points: np.ndarray, is_source: np.ndarray, classes: np.ndarray, weights: np.ndarray, cross: int
) -> None:
    """Add the shortest edges between the domains, as many in every class."""
    for label in (0, 1):
        pairs = [
            (np.linalg.norm(points[i] - points[j]), i, j)
            for i in np.flatnonzero(is_source & (classes == label))
            for j in np.flatnonzero(~is_source & (classes == label))
        ]
        used: set[int] = set()
        for _, i, j in sorted(pairs):
            if not used & {i, j} and len(used) < 2 * cross:
                weights[i, j] = weights[j, i] = 0.35
                used |= {i, j}


def draw_edges(
    canvas: Canvas, graph: Graph, place: Any, *, equal: bool = False, **options: Any
) -> None:
    """All edges, thicker where documents are more similar; those between domains in violet."""
    theme = canvas.theme
    points = place(graph.points)
    for i, j in graph.edges():
        crosses = graph.crosses(i, j)
        settings: dict[str, Any] = {
            "color": theme.accent if crosses else theme.faint,
            "lw": 1.4 if equal else round(0.8 + 2.2 * graph.weights[i, j], 1),
            "zorder": 1.8 if crosses else 1.7,
        }
        canvas.line(points[[i, j]], **(settings | options))


def draw_nodes(
    canvas: Canvas, graph: Graph, place: Any, labels: list[Label], **options: Any
) -> None:
    """The documents with their labels."""
    points = place(graph.points)
    for domain, rows in (("source", graph.is_source), ("target", ~graph.is_source)):
        chosen = np.flatnonzero(rows)
        documents(canvas, points[chosen], domain, [labels[i] for i in chosen], **options)


def source_labels(graph: Graph) -> list[Label]:
    """Labels of the source, none in the target."""
    return [
        float(label) if known else None
        for label, known in zip(graph.classes, graph.is_source, strict=True)
    ]


def normalized(weights: np.ndarray) -> np.ndarray:
    """Weights divided by the square roots of both degrees."""
    roots = np.sqrt(weights.sum(axis=1))
    return weights / roots[:, None] / roots[None]
