"""Pictures of centroids in all directions and in a few of them."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import Label, centers, documents, on_a_line, ring
from method_pictures.legends import legend
from method_pictures.panels import Panel, two_panels

CLASSES = np.repeat([0, 1], 6)


def _groups(first: tuple, second: tuple, spread: tuple, seed: int) -> np.ndarray:
    """Two groups of six documents."""
    return np.vstack([ring(first, 6, spread, seed, 0.19), ring(second, 6, spread, seed + 1, 0.19)])


def _means(points: np.ndarray) -> np.ndarray:
    return np.array([points[label == CLASSES].mean(axis=0) for label in (0, 1)])


def draw_kmeans(canvas: Canvas) -> None:
    """Centers of each domain, or of all domains together."""
    theme = canvas.theme
    source = _groups((0.55, 1.35), (1.55, 0.6), (0.4, 0.36), 3)
    target = _groups((1.5, 1.5), (2.5, 0.85), (0.38, 0.34), 2)
    left, right = two_panels()
    for panel in (left, right):
        panel.frame(canvas)
    documents(canvas, left.place(source), "source", CLASSES)
    documents(canvas, left.place(target), "target", CLASSES)
    for points in (source, target):
        centers(canvas, left.place(_means(points)), [theme.ink] * 2)
    canvas.heading(left.x, "each domain by itself")
    both = np.vstack([source, target])
    middle = np.array([both[both[:, 0] < 1.52].mean(axis=0), both[both[:, 0] >= 1.52].mean(axis=0)])
    for _ in range(10):
        nearest = np.linalg.norm(both[:, None] - middle[None], axis=2).argmin(axis=1)
        middle = np.array([both[nearest == label].mean(axis=0) for label in (0, 1)])
    documents(canvas, right.place(source), "source", nearest[:12])
    documents(canvas, right.place(target), "target", nearest[12:])
    centers(canvas, right.place(middle), [theme.accent] * 2)
    canvas.heading(right.x, "or all domains together")
    legend(
        canvas,
        "source",
        "labeled target: target",
        "center: center of a domain",
        "shared center",
    )


def _subspace(canvas: Canvas, source_labels: list[Label], *, own_source: bool) -> None:
    """Two domains on the left, their common directions on the right."""
    theme = canvas.theme
    upper, lower = Panel(0.95, 1.52, 2.5, 0.92), Panel(0.95, 0.48, 2.5, 0.92)
    source = _groups((0.55, 0.36), (1.95, 0.55), (0.42, 0.3), 4)
    target = _groups((0.6, 0.6), (1.9, 0.32), (0.45, 0.26), 11)
    right = Panel(4.35, 0.62, 2.6, 1.7)
    for panel, points, domain, labels, own in (
        (upper, source, "source", source_labels, own_source),
        (lower, target, "target", CLASSES.tolist(), True),
    ):
        panel.frame(canvas)
        canvas.text(panel.left - 0.12, panel.bottom + 0.46, domain, ha="right", size=12.5)
        documents(canvas, panel.place(points), domain, labels)
        if own:
            centers(canvas, panel.place(_means(points)), [theme.ink] * 2)
        start = (panel.right + 0.1, panel.bottom + 0.46)
        canvas.arrow(start, (right.left - 0.12, 1.46 + 0.2 * (1 if domain == "source" else -1)))
    axis = 1.46
    canvas.line([(right.left, axis), (right.right, axis)], color=theme.accent, lw=3)
    for points, domain, labels, offset in (
        (source, "source", source_labels, 0.2),
        (target, "target", CLASSES.tolist(), -0.2),
    ):
        places = np.column_stack(
            [right.left + 0.05 + on_a_line(points[:, 0]), np.full(len(points), axis + offset)]
        )
        documents(canvas, places, domain, labels)
    means = (_means(source)[:, 0] + _means(target)[:, 0]) / 2
    centers(canvas, [(right.left + 0.05 + x, axis) for x in means], [theme.accent] * 2)
    canvas.heading(right.x, "shared subspace", color=theme.accent, y=2.3)
    canvas.text(right.x, 0.75, "one set of centers for all", color=theme.accent)


def draw_lssttc(canvas: Canvas) -> None:
    """Centers of the target, and of all domains in a subspace."""
    _subspace(canvas, CLASSES.tolist(), own_source=False)
    canvas.heading(2.2, "centers of the target alone")
    legend(
        canvas,
        "source",
        "labeled target: target, learned",
        "center: center of the target",
        "shared center",
    )


def draw_lssmtc(canvas: Canvas) -> None:
    """Centers of each domain, and of all domains in a subspace, without labels."""
    _subspace(canvas, CLASSES.tolist(), own_source=True)
    canvas.heading(2.2, "centers of each domain, no labels")
    legend(
        canvas,
        "source: clusters",
        "labeled target: the same clusters",
        "center: center of a domain",
        "shared center",
    )


def draw_asi(canvas: Canvas) -> None:
    """Clusters and the subspace that separates them, in turn."""
    theme = canvas.theme
    left, right = Panel(0.3, 0.5, 2.7, 1.9), Panel(4.2, 0.5, 2.7, 1.9)
    points = _groups((0.75, 0.75), (1.95, 1.15), (0.6, 0.55), 4)
    means, middle = _means(points), points.mean(axis=0)
    direction = (means[1] - means[0]) / np.linalg.norm(means[1] - means[0])
    beside = np.array([-direction[1], direction[0]])
    for panel in (left, right):
        panel.frame(canvas)
        ends = middle + np.outer([-1.2, 1.2], direction)
        canvas.line(panel.place(ends), color=theme.accent, lw=3)
    along = (points - middle) @ direction
    for point, step in zip(points, along, strict=True):
        canvas.line(left.place([point, middle + step * direction]), color=theme.faint, lw=1.1)
    documents(canvas, left.place(points), "target", CLASSES)
    projected = middle + np.outer(on_a_line(along), direction) + 0.17 * beside
    documents(canvas, right.place(projected), "target", CLASSES)
    new_means = middle + np.outer((means - middle) @ direction, direction)
    centers(canvas, right.place(new_means), [theme.ink] * 2)
    canvas.heading(left.x, "clusters give the subspace")
    canvas.heading(right.x, "the subspace gives the clusters")
    canvas.arrow((3.1, 1.75), (4.1, 1.75), bend=-0.35)
    canvas.arrow((4.1, 1.15), (3.1, 1.15), bend=-0.35)
    canvas.text(3.6, 1.45, "in turn", color=theme.muted)
    legend(canvas, "labeled target: clusters", "accent line: subspace", "center")


PICTURES = {
    "lssttc": draw_lssttc,
    "lssmtc": draw_lssmtc,
    "kmeans": draw_kmeans,
    "asi": draw_asi,
}
