"""Two domains in a plane: what separates the classes of the source does not fit the target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from method_pictures.canvas import Canvas, Point
from method_pictures.documents import cloud, documents
from method_pictures.panels import Panel

SOURCE = np.vstack(
    [cloud((0.48, 0.55), 8, (0.42, 0.46), 0, 0.2), cloud((1.65, 0.43), 8, (0.44, 0.36), 4, 0.2)]
)
TARGET = np.vstack(
    [cloud((1.12, 1.5), 8, (0.48, 0.34), 5, 0.2), cloud((2.52, 1.05), 8, (0.43, 0.55), 2, 0.2)]
)
CLASSES = np.repeat([0, 1], 8)
Boundary = tuple[Point, float]
"""A point of a line, and its angle in degrees."""


def side(points: np.ndarray, boundary: Boundary) -> np.ndarray:
    """The class that a line gives to points: 0 on its left, 1 on its right."""
    (x, y), angle = boundary
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    dx, dy = (points - (x, y)).T
    return (direction[0] * dy - direction[1] * dx < 0).astype(int)


def distance(points: np.ndarray, boundary: Boundary) -> np.ndarray:
    """Distances of points from a line."""
    (x, y), angle = boundary
    normal = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
    return np.abs((points - (x, y)) @ normal)


def draw_boundary(
    canvas: Canvas, panel: Panel, boundary: Boundary, offset: float = 0, **options: Any
) -> None:
    """A line from edge to edge of the panel, moved sideways by an offset."""
    (x, y), angle = boundary
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    start = np.array([x, y]) + offset * np.array([direction[1], -direction[0]])
    size = np.array([panel.width, panel.height]) / panel.scale
    steps = np.linspace(-6, 6, 2401)
    points = start + steps[:, None] * direction
    inside = points[np.all((points > 0.02) & (points < size - 0.02), axis=1)]
    settings = {"color": canvas.theme.ink, "lw": 2.0}
    canvas.line(panel.place(inside[[0, -1]]), **(settings | options))


def draw_source(canvas: Canvas, panel: Panel, **options: Any) -> None:
    documents(canvas, panel.place(SOURCE), "source", CLASSES, **options)


def draw_target(canvas: Canvas, panel: Panel, labels: Any = None, **options: Any) -> None:
    documents(canvas, panel.place(TARGET), "target", labels, **options)


def fitted_boundary(points: np.ndarray, labels: np.ndarray, weights: Any = 1.0) -> Boundary:
    """The line of the weighted least squares between two classes."""
    roots = np.sqrt(np.broadcast_to(weights, len(points)))[:, None]
    columns = np.column_stack([points, np.ones(len(points))])
    a, b, c = np.linalg.lstsq(roots * columns, roots[:, 0] * (2 * labels - 1), rcond=None)[0]
    start = -c * np.array([a, b]) / (a * a + b * b)
    # Class 1 lies on the right of the line.
    return (float(start[0]), float(start[1])), float(np.degrees(np.arctan2(a, -b)))


def widest_margin(
    points: np.ndarray, labels: np.ndarray, angles: Iterable[float] = range(20, 91)
) -> tuple[Boundary, float]:
    """The line with the largest distance from both classes, and this distance."""
    best: tuple[Boundary, float] = (((0.0, 0.0), 0.0), -np.inf)
    for angle in angles:
        normal = np.array([np.sin(np.radians(angle)), -np.cos(np.radians(angle))])
        heights = points @ normal
        low, high = heights[labels == 0].max(), heights[labels == 1].min()
        if (high - low) / 2 > best[1]:
            start = (low + high) / 2 * normal
            best = ((float(start[0]), float(start[1])), float(angle)), float(high - low) / 2
    return best


SOURCE_BOUNDARY, SOURCE_MARGIN = widest_margin(SOURCE, CLASSES, [90])
"""The line between the classes of the source; it does not fit the target."""
TRUE_BOUNDARY, TRUE_MARGIN = widest_margin(
    np.vstack([SOURCE, TARGET]), np.concatenate([CLASSES, CLASSES])
)
"""The line between the classes of both domains."""
