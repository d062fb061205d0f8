"""The idea of every method in a picture, for a light and for a dark page.

The build of the documentation calls :func:`draw_all`. A picture is a function of a
:class:`~method_pictures.canvas.Canvas`; the modules named like the families of estimators hold one
per method. All pictures use the same signs: circles are documents of the source, triangles those of
the target, teal and orange are the classes, hollow and gray is unlabeled, and violet is what is
shared or carried over.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from matplotlib import rc_context

from method_pictures import (
    baselines,
    ensemble,
    graph,
    information,
    pivots,
    reweighting,
    self_training,
    spectral,
    subspace,
    tri_factorization,
)
from method_pictures.canvas import SETTINGS, Canvas
from method_pictures.theme import THEMES

__all__ = ["PICTURES", "draw", "draw_all"]

FAMILIES = (
    ensemble,
    tri_factorization,
    spectral,
    subspace,
    pivots,
    self_training,
    reweighting,
    information,
    graph,
    baselines,
)
PICTURES: dict[str, Callable[[Canvas], None]] = {
    name: function for family in FAMILIES for name, function in family.PICTURES.items()
}


def draw(name: str, folder: Path) -> list[Path]:
    """Write both variants of the picture of a method, and return their paths."""
    paths = []
    with rc_context(SETTINGS):
        for theme in THEMES:
            canvas = Canvas(theme)
            PICTURES[name](canvas)
            paths.append(folder / f"{name}-{theme.name}.svg")
            canvas.save(paths[-1])
    return paths


def draw_all(folder: Path) -> None:
    """Write the pictures of all methods that are missing or older than this package."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = max(path.stat().st_mtime for path in Path(__file__).parent.glob("*.py"))
    for name in PICTURES:
        files = [folder / f"{name}-{theme.name}.svg" for theme in THEMES]
        if not all(file.exists() and file.stat().st_mtime > changed for file in files):
            draw(name, folder)
