"""Documents as points: circles in the source, triangles in the target, filled by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from method_pictures.canvas import Canvas, Point

MARKERS = {"source": "o", "target": "^"}
AREA = {"source": 62.0, "target": 68.0}
"""Areas in square points with which both shapes look equally large."""
Label = float | None


def cloud(center: Point, count: int, spread: Point, seed: int, gap: float = 0.15) -> np.ndarray:
    """Points around a center, none of them on top of another one."""
    random = np.random.default_rng(seed)
    points: list[np.ndarray] = []
    for _ in range(5000):
        step = random.uniform(-1, 1, size=2)
        point = np.array(center) + step * spread
        if step @ step < 1 and all(np.hypot(*(point - other)) > gap for other in points):
            points.append(point)
        if len(points) == count:
            return np.array(points)
    raise ValueError(f"no room for {count} points around {center}")


def ring(center: Point, count: int, spread: Point, seed: int, gap: float) -> np.ndarray:
    """Points around a center, none of them where the mean of all is marked."""
    for attempt in range(seed, seed + 1000, 10):
        points = cloud(center, count, spread, attempt, gap)
        if np.hypot(*(points - points.mean(axis=0)).T).min() > 0.18:
            return points
    raise ValueError(f"no room for {count} points around {center}")


def on_a_line(values: np.ndarray, gap: float = 0.14) -> np.ndarray:
    """Values along an axis, pushed apart where documents would hide others."""
    return apart(np.column_stack([values, np.zeros(len(values))]), gap)[:, 0]


def apart(points: np.ndarray, gap: float) -> np.ndarray:
    """The same points, pushed apart where one would hide another."""
    points = points.astype(float).copy()
    for _ in range(200):
        for i in range(len(points)):
            step = points - points[i]
            far = np.maximum(np.hypot(*step.T), 1e-3)
            push = np.where((far < gap) & (np.arange(len(points)) != i), (gap - far) / far, 0)
            points += 0.3 * step * push[:, None]
    return points


def documents(
    canvas: Canvas,
    points: Sequence[Point] | np.ndarray,
    domain: str,
    labels: Sequence[Label] | Label = None,
    *,
    scale: float | np.ndarray = 1.0,
    **options: Any,
) -> None:
    """Draw documents; no label means hollow and gray."""
    theme = canvas.theme
    points = np.asarray(points, dtype=float).reshape(-1, 2)
    if labels is None or np.isscalar(labels):
        labels = [labels] * len(points)
    fillings = [theme.class_color(label) for label in labels]
    # Pale documents need an outline.
    edges = [
        theme.muted if label is None or 0.2 < label < 0.8 else filling
        for label, filling in zip(labels, fillings, strict=True)
    ]
    settings: dict[str, Any] = {"linewidths": 1.3, "zorder": 3, "edgecolors": edges}
    canvas.ax.scatter(
        *points.T,
        marker=MARKERS[domain],
        s=AREA[domain] * np.broadcast_to(scale, len(points)),
        facecolors=fillings,
        clip_on=False,
        **(settings | options),
    )


def centers(canvas: Canvas, points: Sequence[Point] | np.ndarray, colors: Sequence[str]) -> None:
    """Centers of groups: large crosses with an outline."""
    x, y = np.asarray(points, dtype=float).T
    canvas.ax.scatter(
        x, y, marker="P", s=190, c=canvas.theme.paper, linewidths=0, zorder=4, clip_on=False
    )
    canvas.ax.scatter(
        x, y, marker="P", s=120, c=list(colors), linewidths=0, zorder=4.1, clip_on=False
    )


def wrong(canvas: Canvas, points: np.ndarray) -> None:
    """Rings around documents with a wrong label."""
    canvas.ax.scatter(
        *points.T,
        marker="o",
        s=190,
        facecolors="none",
        edgecolors=canvas.theme.ink,
        lw=1.3,
        zorder=3.5,
        clip_on=False,
    )
