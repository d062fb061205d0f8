"""Pictures of the tri-factorizations, X = G S' F', and of PLSA."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from method_pictures.canvas import Canvas
from method_pictures.documents import documents
from method_pictures.matrices import Block, low_rank, matrix

CLASSES = np.array([0, 1, 0, 0, 1])
ONE_HOT = np.eye(2)[CLASSES]
SOFT = np.array([[0.75, 0.3], [0.85, 0.2], [0.25, 0.8], [0.7, 0.35], [0.2, 0.85]])
ASSOCIATIONS = np.array([[0.95, 0.45, 0.1], [0.1, 0.45, 0.95]])
COMMON = 4
"""Words at the end of the vocabulary that both domains use."""
OTHER_ASSOCIATIONS = np.array([[0.2, 0.9, 0.5], [0.9, 0.15, 0.6]])


@dataclass(frozen=True)
class Product:
    """Where the four matrices of a factorization were drawn."""

    X: Block
    G: Block
    S: Block
    F: Block


def word_clusters(words: int, seed: int) -> np.ndarray:
    """Every word in one cluster, or between two."""
    random = np.random.default_rng(seed)
    values = random.uniform(0, 0.25, size=(3, words))
    values[random.permutation(np.arange(words) % 3), np.arange(words)] = 0.95
    return values


def factorization(
    canvas: Canvas,
    left: float,
    y: float,
    *,
    words: int,
    seed: int,
    memberships: np.ndarray = ONE_HOT,
    associations: np.ndarray = ASSOCIATIONS,
    clusters: np.ndarray | None = None,
    shared: str = "S",
    cell: float = 0.14,
    gap: float = 0.34,
) -> Product:
    """Documents as a product of classes, associations and word clusters; one is highlighted."""
    theme = canvas.theme
    clusters = word_clusters(words, seed) if clusters is None else clusters
    values = low_rank(memberships, associations, clusters, seed)
    frames = {name: theme.accent if name in shared else None for name in "SF"}
    blocks: dict[str, Block] = {}
    x = left
    for name, sign, shown, color in (
        ("X", "≈", values, theme.muted),
        ("G", "·", memberships, list(theme.classes)),
        ("S", "·", associations, theme.accent if "S" in shared else theme.muted),
        ("F", "", clusters, theme.accent if "F" in shared else theme.muted),
    ):
        width = shown.shape[1] * cell
        center = (x + width / 2, y)
        blocks[name] = matrix(canvas, center, shown, color, cell=cell, frame=frames.get(name))
        canvas.text(x + width + gap / 2, y, sign, size=18, color=theme.ink)
        x += width + gap
    return Product(**blocks)


def _joint(
    canvas: Canvas, source_memberships: np.ndarray, target_memberships: np.ndarray
) -> tuple[Product, Product]:
    """Source above target, with the same associations."""
    accent = canvas.theme.accent
    words = 10
    first, second = word_clusters(words, 1), word_clusters(words, 5)
    second[:, -COMMON:] = first[:, -COMMON:]
    products = []
    for name, y, seed, memberships, clusters in (
        ("source", 1.86, 2, source_memberships, first),
        ("target", 0.72, 6, target_memberships, second),
    ):
        products.append(
            factorization(
                canvas,
                1.28,
                y,
                words=words,
                seed=seed,
                memberships=memberships,
                clusters=clusters,
                cell=0.16,
                gap=0.48,
            )
        )
        canvas.text(1.1, y, name, size=12.5, ha="right")
    source, target = products
    canvas.heading(source.X.x, "documents")
    canvas.heading(source.G.x, "classes")
    canvas.heading(source.F.x, "word clusters")
    canvas.text(source.S.x, source.S.top + 0.19, "associations", color=accent)
    canvas.line([(source.S.x, source.S.bottom), (target.S.x, target.S.top)], color=accent, lw=3.2)
    canvas.text(source.S.x + 0.1, 1.29, "shared", color=accent, ha="left", size=12.5)
    return source, target


def draw_mtrick(canvas: Canvas) -> None:
    """Both domains at once, with the same associations of word clusters and classes."""
    source, target = _joint(canvas, ONE_HOT, SOFT)
    for block, text in ((source.G, "labels"), (target.G, "learned")):
        canvas.text(block.x, block.bottom - 0.16, text, size=11, color=canvas.theme.muted)


def draw_dkt(canvas: Canvas) -> None:
    """Labels in any domain, and word clusters tied for the words that both domains use."""
    theme = canvas.theme
    known = {"source": [0, 1, 3, 4], "target": [1]}
    memberships = {"source": ONE_HOT.copy(), "target": SOFT.copy()}
    memberships["source"][2] = SOFT[2]
    memberships["target"][known["target"]] = [1, 0]
    for domain, product in zip(
        known, _joint(canvas, memberships["source"], memberships["target"]), strict=True
    ):
        heights = [product.G.top - 0.16 * (row + 0.5) for row in known[domain]]
        canvas.ax.scatter(
            [product.G.left - 0.09] * len(heights), heights, marker=">", s=22, color=theme.ink
        )
        common = product.F.right - 0.16 * COMMON / 2
        size = (0.16 * COMMON + 0.03, product.F.height + 0.03)
        canvas.box(common, product.F.y, *size, ec=theme.accent, lw=2.2, zorder=4)
        x, y = product.G.x, 1.29
    canvas.ax.scatter([x - 0.42], [y], marker=">", s=22, color=theme.ink)
    canvas.text(x - 0.32, y, "labeled", ha="left", size=11)
    canvas.line([(common, 1.6), (common, 0.98)], color=theme.accent, lw=2.2, ls=(0, (1.5, 1.2)))
    canvas.text(common - 0.1, 1.29, "same words", color=theme.accent, ha="right")


def _two_steps(canvas: Canvas, carried: str, text: str) -> None:
    """Source, then target, with the part that is carried from one to the other."""
    theme = canvas.theme
    words, cell = 5, 0.165
    clusters = word_clusters(words, 1)
    y, gap = 1.56, 0.27
    first = factorization(
        canvas, 0.12, y, words=words, seed=2, clusters=clusters, shared=carried, cell=cell, gap=gap
    )
    second = factorization(
        canvas,
        3.68,
        y,
        words=words,
        seed=6,
        memberships=SOFT,
        associations=ASSOCIATIONS if carried == "S" else OTHER_ASSOCIATIONS,
        clusters=clusters if carried == "F" else word_clusters(words, 5),
        shared=carried,
        cell=cell,
        gap=gap,
    )
    for step, product in (("1  source", first), ("2  target", second)):
        canvas.heading((product.X.left + product.F.right) / 2, step)
        for block, name in (
            (product.X, "documents"),
            (product.G, "classes"),
            (product.F, "word clusters"),
        ):
            color = theme.accent if block is product.F and carried == "F" else theme.muted
            canvas.text(block.x, 2.2, name, size=11, color=color)
    start, end = getattr(first, carried), getattr(second, carried)
    low = 0.72
    canvas.route(
        [(start.x, start.bottom - 0.03), (start.x, low), (end.x, low), (end.x, end.bottom - 0.03)],
        color=theme.accent,
        lw=3,
    )
    canvas.text((start.x + end.x) / 2, low - 0.26, text, color=theme.accent, size=12.5)


def draw_mtrick0(canvas: Canvas) -> None:
    """The associations come from the source alone and are then kept."""
    _two_steps(canvas, "S", "associations, kept fixed")


def draw_ktw(canvas: Canvas) -> None:
    """The word clusters of the source are carried over; the associations are not."""
    _two_steps(canvas, "F", "word clusters, carried over")


TOPICS = (
    ("plot  author  chapter", 0.35),
    ("oven  blade  pan", 0.65),
    ("great  love  best", 1.0),
)
MIXTURES = {
    "source": [[0.6, 0.0, 0.4], [0.75, 0.05, 0.2], [0.45, 0.0, 0.55]],
    "target": [[0.0, 0.7, 0.3], [0.05, 0.4, 0.55], [0.0, 0.85, 0.15]],
}


def draw_plsa(canvas: Canvas) -> None:
    """Every document is a mixture of topics; all domains have the same topics."""
    theme = canvas.theme
    colors = [theme.mix(theme.accent, share) for _, share in TOPICS]
    y = 2.2
    for domain, rows in MIXTURES.items():
        canvas.text(0.85, y - 0.29, domain, ha="right", size=12.5)
        for row in rows:
            documents(canvas, [(1.1, y)], domain)
            left = 1.35
            for share, color in zip(row, colors, strict=True):
                canvas.bar(left, y - 0.085, 1.7 * share, 0.17, color)
                left += 1.7 * share
            y -= 0.29
        y -= 0.2
    canvas.heading(2.05, "documents: mixtures of topics")
    canvas.heading(5.55, "topics: shared by all domains", color=theme.accent)
    for (words, _), color, height in zip(TOPICS, colors, (2.1, 1.35, 0.6), strict=True):
        canvas.box(5.6, height, 2.5, 0.5, ec=theme.accent, lw=1.8)
        canvas.bar(4.47, height - 0.13, 0.16, 0.26, color)
        canvas.text(4.78, height, words, ha="left")
        canvas.line([(3.2, 1.35), (4.3, height)], color=theme.faint, lw=1.6)


PICTURES = {
    "mtrick": draw_mtrick,
    "mtrick0": draw_mtrick0,
    "dkt": draw_dkt,
    "ktw": draw_ktw,
    "plsa": draw_plsa,
}
