"""Colors that people with any color vision can tell apart."""

from __future__ import annotations

__all__ = ["COLORS", "color_variables"]

COLORS = (
    # Okabe and Ito's colors on a light and on a dark page, with enough contrast on both.
    ("#0072b2", "#3d95e0"),
    ("#d55e00", "#e8703a"),
    ("#009e73", "#1fb98c"),
    ("#cc79a7", "#dd8fbb"),
    ("#e69f00", "#efb02e"),
    ("#56b4e9", "#a2dcff"),
    ("#8f8300", "#f0e442"),
    ("#5a5a5a", "#b4b4b4"),
)


def color_variables() -> str:
    """A style sheet that sets ``--series-1`` to ``--series-8``, light and dark."""
    light, dark = (
        " ".join(f"--series-{n}: {pair[mode]};" for n, pair in enumerate(COLORS, start=1))
        for mode in (0, 1)
    )
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
