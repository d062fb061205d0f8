"""Draw the picture of the README and write its table, from the stored benchmark results.

    python benchmarks/studies/readme_figure.py

The numbers are mean accuracies over evidence problems. A set counts the problems on which the
source-only classifiers, the method of Isthmus and the methods of other libraries were all run. The
method of Isthmus is the default, without a choice; for topics across languages, where the suite
does not run it, DKT. "Source only" is the better of two classifiers, and "other library" the best
of all methods of other libraries, both chosen by the results shown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from isthmus_bench.peers.registry import COMPETITORS
from isthmus_bench.plan.reading import find_suite
from isthmus_bench.run.results import ResultFile

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
SOURCE_ONLY = ("lg", "svm")


@dataclass(frozen=True)
class ProblemSet:
    """One row of the picture."""

    title: str
    suite: str
    sets: tuple[str, ...]
    entry: str
    """The entry of Isthmus in the suite."""
    method: str
    in_table: str = ""
    """Title of the row in the README's table; empty if it has none."""


SETS = (
    ProblemSet(
        "topics: newsgroups", "mtrick-table1", ("sci vs talk", "rec vs sci"), "auto", "Auto",
        "topics (20 Newsgroups)",
    ),
    ProblemSet(
        "topics: newsgroups, small samples", "cdsc-table2", ("six newsgroup tasks",), "auto",
        "Auto",
    ),
    ProblemSet(
        "topics: Reuters", "mtrick-table3",
        (
            "orgs vs places", "people vs places", "orgs vs people, reversed",
            "orgs vs places, reversed", "people vs places, reversed",
        ),
        "auto", "Auto",
    ),
    ProblemSet(
        "opinions: product reviews", "amazon", ("reviews",), "auto", "Auto",
        "opinions (Amazon reviews)",
    ),
    ProblemSet(
        "opinions across languages", "webis-sentiment", ("sentiment, dictionary",), "auto", "Auto",
        "opinions across languages (Webis-CLS-10)",
    ),
    ProblemSet(
        "topics across languages", "dkt-table3", ("product category, dictionary",), "dkt", "DKT",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Mean accuracies of a problem set, in percent."""

    problems: ProblemSet
    n_problems: int
    source_only: float
    isthmus: float
    other: float | None
    other_name: str
    by_entry: dict[str, float]


def read_accuracies(
    suite_name: str, split: str = "evidence"
) -> dict[str, dict[tuple[str, str], float]]:
    """Mean accuracy over seeds, in percent: by entry, then by set and problem.

    Results of older revisions of a method do not count.
    """
    runs: dict[str, dict[tuple[str, str], list[float]]] = {}
    places = {
        task.name: (group.name, task.name)
        for group in find_suite(suite_name).sets
        for task in group.tasks
        if task.split == split
    }
    for record in ResultFile(RESULTS / f"{suite_name}.jsonl").read().values():
        place = places.get(record.get("problem", record)["task"])
        setup = record["setup"]
        is_current = setup["revision"] == COMPETITORS[setup["method"]].revision
        if place is not None and record["error"] is None and is_current:
            runs.setdefault(record["entry"], {}).setdefault(place, []).append(record["accuracy"])
    return {
        entry: {place: 100 * fmean(values) for place, values in by_task.items()}
        for entry, by_task in runs.items()
    }


def read_row(problems: ProblemSet) -> Row:
    """The means of one problem set."""
    entries = {entry.id: entry for entry in find_suite(problems.suite).entries}
    accuracies = {
        name: {place: value for place, value in values.items() if place[0] in problems.sets}
        for name, values in read_accuracies(problems.suite).items()
        if name in entries
    }
    peers = [name for name in accuracies if entries[name].is_peer]
    # A method that failed on a problem has no mean.
    most = max((len(accuracies[name]) for name in peers), default=0)
    peers = [name for name in peers if len(accuracies[name]) == most]
    shown = [problems.entry, *SOURCE_ONLY, *peers]
    common = set.intersection(*(set(accuracies[name]) for name in shown))
    means = {
        name: fmean(values[place] for place in common)
        for name, values in accuracies.items()
        if common <= set(values)
    }
    best = max(peers, key=lambda name: means[name], default="")
    return Row(
        problems,
        len(common),
        max(means[name] for name in SOURCE_ONLY),
        means[problems.entry],
        means[best] if best else None,
        entries[best].label if best else "",
        means,
    )


def read_rows() -> list[Row]:
    return [read_row(problems) for problems in SETS]


def table(rows: Iterable[Row]) -> str:
    """The README's table."""
    lines = [
        "| accuracy on the target, % | problems | source only | Isthmus | best other library |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        if row.problems.in_table:
            other = f"{row.other:.1f} ({row.other_name})" if row.other is not None else "-"
            lines.append(
                f"| {row.problems.in_table} | {row.n_problems} | {row.source_only:.1f} "
                f"| **{row.isthmus:.1f}** ({row.problems.method}) | {other} |"
            )
    return "\n".join(lines)


def with_table(readme: str, rows: Iterable[Row]) -> str:
    """The README with the table of these rows."""
    pattern = r"(<!-- generated: results -->\n).*?(<!-- end -->)"
    return re.sub(
        pattern, lambda match: f"{match[1]}\n{table(rows)}\n\n{match[2]}", readme, flags=re.DOTALL
    )


_THEMES = {
    "light": {"text": "#1f2328", "grid": "#d0d7de", "source": "#8c959f", "other": "#bc4c00",
              "isthmus": "#0969da"},
    "dark": {"text": "#e6edf3", "grid": "#30363d", "source": "#7d8590", "other": "#f0883e",
             "isthmus": "#58a6ff"},
}  # fmt: skip


def draw(rows: list[Row], path: Path, theme: str) -> None:
    """Write the picture as SVG with a transparent background."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    colors = _THEMES[theme]
    settings = {
        "font.family": "sans-serif",
        "font.size": 11,
        "svg.fonttype": "none",
        "svg.hashsalt": "isthmus",
        "text.color": colors["text"],
        "xtick.color": colors["text"],
        "ytick.color": colors["text"],
    }
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(figsize=(8.6, 0.52 * len(rows) + 1.1))
        heights = list(range(len(rows)))[::-1]
        for height, row in zip(heights, rows, strict=True):
            axes.plot(
                [row.source_only, row.isthmus], [height, height],
                color=colors["isthmus"], linewidth=5, alpha=0.25, solid_capstyle="round", zorder=1,
            )  # fmt: skip
            axes.annotate(
                f"{row.isthmus:.1f}", (row.isthmus, height), (0, 8), textcoords="offset points",
                ha="center", color=colors["isthmus"], fontweight="bold",
            )  # fmt: skip
        axes.scatter(
            [row.source_only for row in rows], heights, s=60, color=colors["source"],
            label="source only", zorder=2,
        )  # fmt: skip
        others = [(row.other, h) for row, h in zip(rows, heights, strict=True) if row.other]
        axes.scatter(
            *zip(*others, strict=True), s=38, marker="D", color=colors["other"],
            label="best of other libraries", zorder=4,
        )  # fmt: skip
        axes.scatter(
            [row.isthmus for row in rows], heights, s=90, color=colors["isthmus"], label="Isthmus",
            zorder=3,
        )  # fmt: skip
        axes.set_yticks(heights, [f"{row.problems.title}  ({row.problems.method})" for row in rows])
        axes.set_xlim(60, 100)
        axes.set_ylim(-0.5, len(rows) - 0.25)
        axes.set_xlabel("accuracy on target documents", color=colors["text"])
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
        axes.grid(axis="x", color=colors["grid"], linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.legend(
            loc="lower center", bbox_to_anchor=(0.3, 1.0), ncols=3, frameon=False,
            handletextpad=0.2, columnspacing=1.4,
        )  # fmt: skip
        figure.savefig(path, transparent=True, bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)


def main() -> int:
    rows = read_rows()
    for theme in _THEMES:
        draw(rows, ROOT / "docs" / "images" / f"results-{theme}.svg", theme)
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text("utf-8"), rows), encoding="utf-8")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
