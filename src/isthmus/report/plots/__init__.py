"""Plots of a fitted model with matplotlib, from plain facts.

Every function draws on the given axes, or on those of a new figure, and returns them. Nothing
changes the settings of matplotlib, so the plots follow the style of the notebook.
"""

from __future__ import annotations

from isthmus.report.plots.axes import check_matplotlib
from isthmus.report.plots.clusters import draw_word_clusters
from isthmus.report.plots.curves import draw_confidence, draw_convergence
from isthmus.report.plots.map import draw_map
from isthmus.report.plots.shares import draw_label_shares
from isthmus.report.plots.words import draw_words

__all__ = [
    "check_matplotlib",
    "draw_confidence",
    "draw_convergence",
    "draw_label_shares",
    "draw_map",
    "draw_word_clusters",
    "draw_words",
]
