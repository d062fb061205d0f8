"""Figures of a fitted model in the gallery.

The page of an example shows the figure that a block ends with, as a notebook does. This scraper
also saves it, for the thumbnail of the example.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isthmus.report.figure import Figure


def save_figure(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure that a block ends with; it adds nothing to the page."""
    # The value of the last expression, which stays until another block has one.
    names = block_vars["example_globals"]
    figure = names.get("___")
    if isinstance(figure, Figure) and figure is not names.get("__saved_figure"):
        names["__saved_figure"] = figure
        figure.save(Path(next(block_vars["image_path_iterator"])).with_suffix(".svg"))
    return ""
