"""Colors of the pictures, on a light and on a dark page.

Teal and orange are the two classes. They differ for all common kinds of color blindness.
The accent color marks what source and target share, or what carries the labels over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_hex, to_rgb


@dataclass(frozen=True)
class Theme:
    """The colors of one variant."""

    name: str
    paper: str
    """Background of the page, as the filling of hollow markers."""
    ink: str
    muted: str
    faint: str
    accent: str
    teal: str
    orange: str

    @property
    def classes(self) -> tuple[str, str]:
        return self.teal, self.orange

    def mix(self, color: str, share: float, other: str | None = None) -> str:
        """A share of one color, the rest of another one or of the page."""
        first, second = np.array(to_rgb(color)), np.array(to_rgb(other or self.paper))
        return to_hex(share * first + (1 - share) * second)

    def class_color(self, label: float | None) -> str:
        """Class 0 or 1, or a value between them; None means no label."""
        if label is None:
            return self.paper
        # Halfway the colors would cancel out: pale, then the other class.
        strength = 0.15 + 0.85 * abs(2 * label - 1) ** 0.6
        return self.mix(self.classes[int(label > 0.5)], strength)


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1f2933",
    muted="#5f6b7a",
    faint="#c3cad3",
    accent="#6d3fc4",
    teal="#0f8f82",
    orange="#e07b1f",
)
DARK = Theme(
    name="dark",
    paper="#14181e",
    ink="#e6e9ee",
    muted="#a3adba",
    faint="#4b5563",
    accent="#b79bff",
    teal="#3fc1b0",
    orange="#f2a154",
)
THEMES = (LIGHT, DARK)
