"""Points: documents of both domains in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isthmus.inspection.facts import DocumentMap
from isthmus.report.formatting import count, label_text
from isthmus.report.plots.axes import GRAY, N_COLORS, color, legend, new_axes
from isthmus.report.plots.texts import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_map"]

_MARKERS = {False: "o", True: "^"}
_MAX_NAME = 28


def draw_map(
    ax: Axes | None, shown: DocumentMap, classes: Sequence[Any], domains: tuple[str, str]
) -> Axes:
    """Draw classes as colors, and the domain as a marker.

    ``domains`` are the names of source and target. With more classes than colors, the most
    frequent ones have a color, and all others are gray.
    """
    from matplotlib.lines import Line2D

    if ax is None:
        ax = new_axes(7.5, 5.5)
    colored = _colored(shown, len(classes))
    palette = np.array([GRAY] * len(classes))
    for place, code in enumerate(colored):
        palette[code] = color(code if len(classes) <= N_COLORS else place)
    for is_target, marker in _MARKERS.items():
        rows = shown.is_target == is_target
        ax.scatter(
            shown.places[rows, 0],
            shown.places[rows, 1],
            c=palette[shown.codes[rows]],
            marker=marker,
            s=22 if is_target else 16,
            alpha=0.75,
            linewidths=0,
        )
    ax.set(xticks=[], yticks=[])
    keys = [
        *((f"{role}: {printable(name, _MAX_NAME)}", _MARKERS[role == "target"], GRAY)
          for role, name in zip(("source", "target"), domains, strict=True)),
        *((printable(label_text(classes[code]), _MAX_NAME), "s", palette[code])
          for code in colored),
    ]  # fmt: skip
    n_others = len(np.setdiff1d(shown.codes, colored))
    if n_others:
        keys.append((count(n_others, "other class", "other classes"), "s", GRAY))
    handles = [
        Line2D([], [], color=key_color, marker=marker, linestyle="", markersize=5)
        for _, marker, key_color in keys
    ]
    names = [name for name, _, _ in keys]
    legend(ax, handles, names, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def _colored(shown: DocumentMap, n_classes: int) -> list[int]:
    """Classes with a color: all of them, or the most frequent ones if there are too many."""
    sizes = np.bincount(shown.codes, minlength=n_classes)
    used = np.flatnonzero(sizes)
    if len(used) > N_COLORS:
        # The last color is gray, which the other classes have.
        used = np.sort(np.argsort(-sizes, kind="stable")[: N_COLORS - 1])
    return [int(code) for code in used]
