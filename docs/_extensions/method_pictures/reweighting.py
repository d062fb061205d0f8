"""Pictures of weighted source documents, aligned correlations and weighted ensembles."""

from __future__ import annotations

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import apart, centers, cloud, documents
from method_pictures.legends import legend
from method_pictures.panels import arrows_between, three_panels, two_panels
from method_pictures.shifted_domains import Boundary, draw_boundary, fitted_boundary, side

LEFT, RIGHT = two_panels()


def _bell(x: np.ndarray, center: float, width: float) -> np.ndarray:
    return np.exp(-(((x - center) / width) ** 2) / 2)


# Documents of the source, fewer near the target; a curve separates the classes.
POINTS = apart(
    np.vstack(
        [
            cloud((0.9, 0.95), 19, (0.82, 0.85), 3, 0.24),
            cloud((2.15, 0.95), 9, (0.6, 0.8), 8, 0.28),
            cloud((2.25, 1.0), 11, (0.68, 0.78), 5, 0.3),
        ]
    ),
    0.2,
)
SOURCE, TARGET = POINTS[:28], POINTS[28:]
LABELS = (SOURCE[:, 1] < 0.65 + 0.13 * SOURCE[:, 0] ** 2.2).astype(int)


def draw_covariate_shift(canvas: Canvas) -> None:
    """The ratio of two densities is the weight of a source document."""
    theme = canvas.theme
    x = np.linspace(0.05, 3.0, 90)
    for center, width, style in ((1.05, 0.5, "-"), (2.0, 0.45, (0, (3, 2)))):
        curve = np.column_stack([x, 0.66 + 1.1 * _bell(x, center, width)])
        canvas.line(LEFT.place(curve), color=theme.ink, ls=style)
    places = np.linspace(0.15, 2.2, 10)
    ratio = _bell(places, 2.0, 0.45) / _bell(places, 1.05, 0.5)
    canvas.line(LEFT.place([(0.02, 0.3), (3.02, 0.3)]), color=theme.faint)
    documents(
        canvas,
        LEFT.place(np.column_stack([places, np.full(len(places), 0.3)])),
        "source",
        [0, 1, 0, 0, 1, 1, 0, 1, 0, 1],
        scale=0.2 + np.minimum(0.6 * ratio, 3.2),
    )
    canvas.text(LEFT.left + 0.32, LEFT.bottom + 1.6, "source")
    canvas.text(LEFT.left + 2.75, LEFT.bottom + 1.6, "target")
    canvas.heading(LEFT.x, "weight = ratio of densities")
    weights = np.exp(3.2 * (SOURCE[:, 0] - 2.2))
    RIGHT.frame(canvas)
    documents(canvas, RIGHT.place(TARGET), "target")
    documents(
        canvas, RIGHT.place(SOURCE), "source", LABELS, scale=0.2 + 1.5 * np.minimum(weights, 1)
    )
    plain = fitted_boundary(SOURCE, LABELS)
    draw_boundary(canvas, RIGHT, plain, ls=(0, (3, 2)), lw=1.5, color=theme.muted)
    weighted = fitted_boundary(SOURCE, LABELS, weights)
    draw_boundary(canvas, RIGHT, weighted, color=theme.accent, lw=2.6)
    canvas.heading(RIGHT.x, "classifier of weighted source")
    arrows_between(canvas, (LEFT, RIGHT))
    legend(
        canvas,
        "source: source, size = weight",
        "target",
        "dashed line: unweighted",
        "accent line: weighted",
    )


def matching_weights(points: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Weights with a mean of 1 for which the weighted mean of the points is the given one."""
    tilt = np.zeros(2)
    for _ in range(60):
        weights = np.exp((points - mean) @ tilt)
        weights /= weights.sum()
        error = mean - weights @ points
        centered = points - weights @ points
        tilt += np.linalg.solve((weights[:, None] * centered).T @ centered, error)
    return weights * len(points)


def draw_kmm(canvas: Canvas) -> None:
    """The weighted mean of the source is moved onto the mean of the target."""
    theme = canvas.theme
    goal = TARGET.mean(axis=0)
    weights = matching_weights(SOURCE, goal)
    for panel, scale, heading in (
        (LEFT, np.full(len(SOURCE), 0.8), "all weights 1: the means differ"),
        (RIGHT, 0.2 + 0.8 * weights, "weighted: the same mean"),
    ):
        panel.frame(canvas)
        documents(canvas, panel.place(TARGET), "target")
        documents(canvas, panel.place(SOURCE), "source", LABELS, scale=scale)
        canvas.heading(panel.x, heading)
    start, end = LEFT.place([SOURCE.mean(axis=0), goal])
    near = start + 0.85 * (end - start)
    canvas.arrow(tuple(start), tuple(near), color=theme.accent, lw=2.6, zorder=3.8)
    centers(canvas, [start, end], [theme.ink] * 2)
    centers(canvas, RIGHT.place([goal]), [theme.accent])
    arrows_between(canvas, (LEFT, RIGHT))
    legend(
        canvas,
        "source: source, size = weight",
        "target",
        "center: mean",
        "shared center: common mean",
    )


SIDES = ((-0.42, 3), (0.42, 7))


def draw_coral(canvas: Canvas) -> None:
    """The source is whitened and given the covariance of the target."""
    theme = canvas.theme
    panels = three_panels()
    middle = np.array([1.02, 0.95])
    plain = np.vstack([cloud((x, 0), 6, (0.3, 0.62), seed, 0.25) for x, seed in SIDES])
    target = np.vstack([cloud((x, 0), 5, (0.3, 0.62), seed + 6, 0.25) for x, seed in SIDES])
    shapes = [(60, (0.45, 1.2)), (0, (1.0, 1.0)), (-28, (1.3, 0.62))]
    for panel, (angle, stretch), heading in zip(
        panels, shapes, ("source", "whitened", "as the target"), strict=True
    ):
        turn = np.radians(angle)
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        points = middle + (np.vstack([plain, target]) * stretch) @ rotation
        last = panel is panels[-1]
        panel.frame(canvas)
        canvas.ellipse(
            tuple(panel.place(middle)),
            *(1.6 * np.array(stretch)),
            angle=angle,
            ec=theme.accent if last else theme.muted,
            lw=2.4 if last else 1.6,
        )
        if last:
            points = apart(points, 0.17)
            documents(canvas, panel.place(points[12:]), "target", scale=0.8)
            draw_boundary(canvas, panel, (tuple(middle), angle + 90.0))
        labels = [0] * 6 + [1] * 6
        documents(canvas, panel.place(points[:12]), "source", labels, scale=0.8)
        canvas.heading(panel.x, heading)
    arrows_between(canvas, panels)
    legend(canvas, "source", "target", "accent line: covariance of the target")


def draw_lwe(canvas: Canvas) -> None:
    """Models of the source count where they agree with the clusters of the target."""
    theme = canvas.theme
    panels = three_panels(0.98, 1.42)
    first, second = (0.58, 0.82), (1.5, 0.6)
    points = np.vstack(
        [cloud(first, 7, (0.36, 0.42), 3, 0.2), cloud(second, 7, (0.36, 0.42), 8, 0.2)]
    )
    boundaries: list[Boundary] = [((1.04, 0.7), 80.0), ((1.3, 0.7), 70.0), ((1.05, 0.72), 12.0)]
    for panel, boundary, weight, name in zip(
        panels, boundaries, (0.55, 0.3, 0.15), ("model 1", "model 2", "model 3"), strict=True
    ):
        panel.frame(canvas)
        for center in (first, second):
            canvas.ellipse(tuple(panel.place(center)), 0.88, 1.1, ec=theme.accent, lw=1.8)
        draw_boundary(canvas, panel, boundary)
        documents(canvas, panel.place(points), "target", side(points, boundary).tolist())
        canvas.heading(panel.x, name)
        canvas.text(panel.left + 0.35, 0.7, "weight", size=11, color=theme.muted)
        canvas.bar(panel.left + 0.72, 0.62, 2.0 * weight, 0.17, theme.accent)
    legend(canvas, "labeled target: target, labeled by a source model", "accent line: clusters")


PICTURES = {
    "covariate-shift": draw_covariate_shift,
    "lwe": draw_lwe,
    "coral": draw_coral,
    "kmm": draw_kmm,
}
