"""A report with every kind of block, and the page that it becomes."""

from __future__ import annotations

from functools import cache

from isthmus_bench.report.blocks import (
    Chart,
    Grid,
    Grids,
    Panels,
    RankDiagram,
    Report,
    Section,
    Series,
    bullets,
    details,
    table,
)
from isthmus_bench.report.page import render_page

__all__ = ["LINES", "RANKS", "REPORT", "made_page"]

PROBLEMS = ("books to dvd", "dvd & <books>", "kitchen to dvd")
LINES = Chart(
    "Accuracy per problem",
    "problem",
    "accuracy (%)",
    (
        Series("LG", (1.0, 2.0, 3.0), (60.0, 70.0, 80.0), PROBLEMS),
        Series("_MTrick $x$", (1.0, 2.0, 3.0), (90.0, 91.0, float("nan")), PROBLEMS),
    ),
    marks=(("below 65 %", 1.5), ("below 66 %", 1.6)),
    note="Sorted by `LG`.",
)
POINTS = Chart(
    "Accuracy against seconds",
    "seconds",
    "accuracy (%)",
    (
        *(Series(f"method {i}", (10.0**i,), (80.0 + i,), joined=False) for i in range(4)),
        Series("peers", (5.0, 50.0), (70.0, 71.0), ("CORAL", "TCA"), joined=False),
    ),
    log_x=True,
    label_points=True,
)
NAMED = Chart(
    "By language",
    "",
    "F1",
    tuple(Series(f"series {i}", (0.0, 1.0), (i, i + 1.0)) for i in range(9)),
    categories=("German", "French"),
)
GROUPS = Chart(
    "Two coordinates",
    "first",
    "second",
    (
        Series("rec, source", (0.0, 1.0), (1.0, 2.0), joined=False, style=(0, True)),
        Series("rec, target", (0.5, 1.5), (1.0, 2.0), joined=False, style=(0, False)),
    ),
    own_axes=True,
)
GRIDS = Grids(
    "Patterns",
    (
        Grid("input", ("90", "09"), (("rec, source", 1), ("rec, target", 1))),
        Grid("<SC>", ("95", "59"), (("rec, source", 1), ("rec, target", 1))),
    ),
)
RANKS = RankDiagram("Ranks", (("A", 1.2), ("B", 1.9), ("C", 2.9)), 1.0, "Nemenyi's test.")
TABLE = table(
    ["method", "mean", "p", "settings"],
    [
        ["LG", "70.52", "-", "`C`"],
        ["MTrick", "**96.57** (paper 92.01)", ".037", "a < b"],
        ["<script>alert(1)</script>", "8.5", "1e-5", "-"],
    ],
)
REPORT = Report(
    "Benchmarks & <script>alert(0)</script>",
    "Written by `isthmus-bench report`.\n\nSecond paragraph.",
    (
        Section(
            "tiny",
            "Tiny <b>tasks</b> & others",
            (
                "A paragraph with `code <i>`.",
                "### sci & talk",
                "Evidence, 3 problems:",
                TABLE,
                bullets(("first remark", "second `remark`"), "Not complete:"),
                details("How it was run", ("seeds 0, 1", "one thread")),
                LINES,
            ),
        ),
        Section(
            "other",
            "Others",
            (
                *("### sci & talk", POINTS, Panels("Two", (LINES, NAMED))),
                *(Panels("Both", (GROUPS, GROUPS)), GRIDS),
            ),
        ),
        Section("ranks", "Ranks", ("### sci & talk", RANKS, RANKS)),
    ),
)


@cache
def made_page() -> str:
    """The page of the report."""
    return render_page(REPORT)
