"""Charts and tables that compare the methods, from the stored benchmark results."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmark_results import Scores, evidence_scores, mean_scores, ranking, result_files
from chart_themes import THEMES, chart_files, drawing
from docutils import nodes
from method_pages import page_of
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from isthmus import METHODS
from isthmus_bench.report.blocks import table

_SHOWN_RANKS = 20


@dataclass(frozen=True)
class Kind:
    """A kind of problems: one line of the chart."""

    title: str
    suite: str
    sets: tuple[str, ...] = ()

    def scores(self) -> Scores:
        return evidence_scores(self.suite, self.sets)


KINDS = (
    Kind("newsgroup topics", "mtrick-table1"),
    Kind("newsgroup topics, 250 texts per class", "cdsc-table2", ("six newsgroup tasks",)),
    Kind("topics of news agency articles", "mtrick-table3"),
    Kind("web pages of universities", "lssttc-tables6-8", ("WebKB4",)),
    Kind("opinions in product reviews", "amazon"),
    Kind("opinions across languages", "webis-sentiment"),
    Kind("everyday: opinions of different origin", "everyday", ("sentiment_kinds",)),
    Kind("everyday: types of issues", "everyday", ("issue_types",)),
    Kind("everyday: purposes of citations", "everyday", ("citation_function",)),
    Kind("everyday: deceptive reviews", "everyday", ("deceptive_reviews",)),
    Kind("everyday: opinions of tweets, other language", "everyday", ("tweet_languages",)),
)


def short_name(method: str) -> str:
    return METHODS[method].short


def single_methods(means: dict[str, float]) -> list[str]:
    return [name for name in means if name not in ("auto", "source-only")]


def best_single(means: dict[str, float]) -> str:
    """The method with the highest mean, other than the automatic one."""
    return max(single_methods(means), key=lambda name: means[name])


def write_beside(axes: Any, text: str, x: float, height: float) -> None:
    """Write to the right of a dot."""
    axes.annotate(text, (x, height), (9, 0), textcoords="offset points", va="center", fontsize=9)


def draw_kinds(axes: Any, colors: dict[str, str]) -> None:
    """Every method as a dot, one line per kind of problems."""
    for height, kind in enumerate(reversed(KINDS)):
        means = mean_scores(kind.scores())
        axes.axhline(height, color=colors["grid"], linewidth=0.8, zorder=0)
        others = [means[name] for name in single_methods(means)]
        axes.scatter(others, [height] * len(others), s=22, color=colors["other"], alpha=0.45)
        best = best_single(means)
        write_beside(axes, f"{short_name(best)} {means[best]:.0f}", max(means.values()), height)
        # A new revision of a method has no results yet.
        source_only, auto = means["source-only"], means.get("auto", nan)
        axes.scatter(source_only, height, s=60, marker="s", color=colors["source"], zorder=3)
        axes.scatter(auto, height, s=80, color=colors["isthmus"], zorder=4)
    axes.scatter([], [], s=60, marker="s", color=colors["source"], label="logistic regression")
    axes.scatter([], [], s=80, color=colors["isthmus"], label="auto")
    axes.scatter([], [], s=22, color=colors["other"], label="other methods, the best of them named")
    axes.set_yticks(range(len(KINDS)), [kind.title for kind in reversed(KINDS)])
    axes.set_xlim(28, 104)
    axes.set_xlabel("mean accuracy on target documents, per cent")
    axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=3, frameon=False)


def draw_ranks(axes: Any, colors: dict[str, str]) -> None:
    """Mean ranks of the best methods, those of other libraries in another color."""
    with_rank = [standing for standing in ranking().standings if standing.rank is not None]
    shown = with_rank[:_SHOWN_RANKS]
    heights = range(len(shown))[::-1]
    for height, standing in zip(heights, shown, strict=True):
        color = colors["source"] if standing.is_peer else colors["isthmus"]
        axes.plot([0, standing.rank], [height, height], color=color, linewidth=2, alpha=0.5)
        axes.scatter(standing.rank, height, s=50, color=color)
        write_beside(axes, f"{standing.rank:.1f}", standing.rank, height)
    axes.scatter([], [], s=50, color=colors["isthmus"], label="Isthmus")
    axes.scatter([], [], s=50, color=colors["source"], label="other libraries")
    axes.set_yticks(heights, [standing.label for standing in shown])
    axes.set_xlim(0, 1.12 * shown[-1].rank)
    axes.set_xlabel(f"mean rank of {len(with_rank)} methods; 1 is the best")
    axes.grid(axis="x", color=colors["grid"], linewidth=0.8)
    axes.legend(loc="upper right", frameon=False)


CHARTS = {"method-kinds": (draw_kinds, (8.6, 5.4)), "method-ranks": (draw_ranks, (8.6, 6.0))}


def draw_charts(app: Sphinx) -> None:
    """Draw the charts, unless they are newer than the results and this file."""
    folder = Path(app.srcdir) / "_pictures"
    inputs = [*Path(__file__).parent.glob("*.py"), *result_files()]
    changed = max(path.stat().st_mtime for path in inputs)
    for name, (draw, size) in CHARTS.items():
        files = chart_files(folder, name)
        if all(path.exists() and path.stat().st_mtime > changed for path in files.values()):
            continue
        for theme, path in files.items():
            with drawing(path, size, theme) as axes:
                draw(axes, THEMES[theme])


class ResultsTable(SphinxDirective):
    """A table of stored results, as Markdown."""

    def run(self) -> list[nodes.Node]:
        for path in result_files():
            self.env.note_dependency(path)
        return self.parse_text_to_nodes(self.markdown())

    def markdown(self) -> str:
        raise NotImplementedError


class RankTable(ResultsTable):
    """Mean ranks of all methods."""

    def markdown(self) -> str:
        rows = [
            [
                f"{standing.label}{' (other library)' if standing.is_peer else ''}",
                "-" if standing.rank is None else f"{standing.rank:.1f}",
                "-" if standing.score is None else f"{standing.score:.1f}",
                str(standing.best),
                "-" if standing.seconds is None else f"{standing.seconds:.2f}",
            ]
            for standing in ranking().standings
        ]
        titles = ["method", "mean rank", "mean accuracy", "best on", "seconds per fit"]
        return table(titles, rows)


class BestMethods(ResultsTable):
    """The best three methods of every kind of problems."""

    def markdown(self) -> str:
        rows = []
        for kind in KINDS:
            scores = kind.scores()
            means = mean_scores(scores)
            order = sorted(single_methods(means), key=lambda name: -means[name])
            best = [
                f"[{short_name(n)}]({page_of(METHODS[n])}.md) {means[n]:.1f}" for n in order[:3]
            ]
            n_problems = len(next(iter(scores.values())))
            compared = [
                f"{means[name]:.1f}" if name in means else "-" for name in ("source-only", "auto")
            ]
            rows.append([kind.title, ", ".join(best), str(n_problems), *compared])
        titles = ["documents", "best single methods", "problems", "logistic regression", "auto"]
        return table(titles, rows)


class AutoSummary(ResultsTable):
    """How often the automatic method suffices."""

    def markdown(self) -> str:
        papers = [kind for kind in KINDS if kind.suite != "everyday"]
        everyday = [kind for kind in KINDS if kind.suite == "everyday"]
        rows = [
            self.row("problems like those of the papers", papers),
            self.row("everyday problems", everyday),
        ]
        titles = [
            "", "problems", "logistic regression", "auto", "best single method",
            "best method of each problem (oracle)", "auto below logistic regression",
            "auto within 2 points of the best",
        ]  # fmt: skip
        return table(titles, rows)

    def row(self, title: str, kinds: list[Kind]) -> list[str]:
        problems = [
            {name: by_problem[problem] for name, by_problem in scores.items()}
            for kind in kinds
            for scores in [kind.scores()]
            for problem in scores["source-only"]
        ]
        common = set.intersection(*(set(problem) for problem in problems))
        means = {name: fmean(problem[name] for problem in problems) for name in common}
        best = [problem[best_single(problem)] for problem in problems]
        first = best_single(means)
        # A new revision of a method has no results yet.
        counts = ["-", "-"]
        if "auto" in common:
            below = sum(problem["auto"] < problem["source-only"] for problem in problems)
            near = sum(p["auto"] >= score - 2 for p, score in zip(problems, best, strict=True))
            counts = [str(below), str(near)]
        return [
            title,
            str(len(problems)),
            f"{means['source-only']:.1f}",
            f"{means['auto']:.1f}" if "auto" in common else "-",
            f"{short_name(first)} {means[first]:.1f}",
            f"{fmean(best):.1f}",
            *counts,
        ]


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("rank-table", RankTable)
    app.add_directive("best-methods", BestMethods)
    app.add_directive("auto-summary", AutoSummary)
    app.connect("builder-inited", draw_charts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
