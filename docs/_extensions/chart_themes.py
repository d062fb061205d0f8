"""Charts for light and dark pages: the same drawing with two sets of colors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

THEMES = {
    "light": {"text": "#1f2328", "grid": "#d0d7de", "other": "#8c959f", "source": "#bc4c00",
              "isthmus": "#0b6e63"},
    "dark": {"text": "#e6edf3", "grid": "#30363d", "other": "#9aa4ae", "source": "#f0883e",
             "isthmus": "#4cc3b4"},
}  # fmt: skip


def chart_files(folder: Path, name: str) -> dict[str, Path]:
    """The files of a chart by theme."""
    return {theme: folder / f"{name}-{theme}.svg" for theme in THEMES}


@contextmanager
def drawing(path: Path, size: tuple[float, float], theme: str) -> Iterator[Any]:
    """Axes to draw into; the file is written at the end, with the same bytes every time."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    colors = THEMES[theme]
    settings = {
        "font.size": 10.5,
        "svg.hashsalt": "isthmus",
        "text.color": colors["text"],
        "axes.labelcolor": colors["text"],
        "xtick.color": colors["text"],
        "ytick.color": colors["text"],
    }
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set_axisbelow(True)
        yield axes
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, transparent=True, metadata={"Date": None})
        plt.close(figure)
