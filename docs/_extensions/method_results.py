"""What the stored benchmark results say about each method, read once per build."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

from isthmus.bench.documents.tasks import BenchmarkTask
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.metrics import METRICS as MEASURES
from isthmus.bench.plan.reading import suites
from isthmus.bench.plan.suite import Suite, TaskSet
from isthmus.bench.report.blocks import table
from isthmus.bench.report.method_cost import COST_NOTE, memory_table, seconds_table
from isthmus.bench.report.ranking import Ranking, Standing, rank_methods
from isthmus.bench.report.source_only import losses
from isthmus.bench.report.summary import EntryResults, Results, collect, summarise
from isthmus.bench.run.method_costs import COST_FILE, Costs, read_costs
from isthmus.bench.run.results import ResultFile
from isthmus.estimators.registry import METHODS

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
BENCHMARKS = "/project/benchmarks.md"
BASELINE = "lg"
PAPER_PRESET = "paper"

# What the problems of a suite are about; a set may differ from its suite.
_FAMILIES = {
    "mtrick-table1": "topics: newsgroups",
    "cdsc-table2": "topics: newsgroups, small samples",
    "cdsc-table2: three Reuters tasks": "topics: Reuters news, small samples",
    "lssttc-tables6-8": "topics: newsgroups, new documents",
    "lssttc-tables6-8: WebKB4": "web pages of universities",
    "mtrick-table3": "topics: Reuters news",
    "amazon": "opinions: reviews, single words",
    "pjnmf-table1": "opinions: reviews, word pairs and unlabelled pools",
    "dkt-table3": "languages: product categories",
    "webis-sentiment": "languages: opinions",
    "everyday": "everyday problems",
    "lssmtc-tables3-5": "clusters of newsgroups",
    "lssmtc-tables3-5: WebKB4": "clusters of web pages",
}


@cache
def collected() -> tuple[tuple[Suite, Results], ...]:
    """Every suite that has stored results."""
    files = [(suite, ResultFile(FOLDER / f"{suite.name}.jsonl")) for suite in suites().values()]
    return tuple(
        (suite, collect(suite, file.read())) for suite, file in files if file.path.exists()
    )


@cache
def costs() -> Costs | None:
    return read_costs(FOLDER / COST_FILE)


@cache
def _ranking(kind: str) -> Ranking | None:
    return rank_methods(collected(), kind, "evidence")


def files() -> list[Path]:
    """What a page with results depends on."""
    return sorted(FOLDER.glob("*.jsonl"))


def prepare() -> None:
    """Read everything: processes that are started later need not."""
    costs()
    for kind in ("classifier", "clusterer"):
        _ranking(kind)


def standing(name: str) -> tuple[Standing, Ranking] | None:
    """The place of a method among all that were run on the common problems."""
    ranking = _ranking(METHODS[name].kind)
    for found in ranking.standings if ranking is not None else ():
        if found.label == METHODS[name].short and not found.is_peer:
            return found, ranking
    return None


def default_entry(suite: Suite, name: str) -> Entry | None:
    """The entry of a suite that is a method with its defaults, or stands for it."""
    entries = [e for e in suite.entries if e.method == name and e.sweep is None]
    entries = [e for e in entries if e.represents_method]
    # An entry that runs on all problems comes before one for the named problems only.
    return min(entries, key=lambda e: e.is_named_only, default=None)


# Figures of the paper


def paper_table(name: str) -> str:
    """One row per set for which the paper of a suite has a figure of the method."""
    rows = []
    seen = set()
    for row in _paper_rows(name):
        # Two suites may show the same problems.
        if row[2:] not in seen:
            rows.append(row)
            seen.add(row[2:])
    if not rows:
        return ""
    titles = ["problems", "measure", "paper", "ours", f"ours, preset `{PAPER_PRESET}`"]
    titles.append("ours, evidence problems")
    shown = [place for place in range(len(titles)) if any(row[place] != "-" for row in rows)]
    return table([titles[n] for n in shown], [[row[n] for n in shown] for row in rows])


def _paper_rows(name: str) -> Iterator[tuple[str, ...]]:
    for suite, results in collected():
        if suite.layout == "figures":
            continue
        entries = [e for e in suite.entries if e.method == name and e.sweep is None]
        for group in suite.sets:
            for metric in suite.metrics:
                yield from _rows_of_set(suite, group, metric, entries, results)


def _rows_of_set(
    suite: Suite, group: TaskSet, metric: str, entries: Sequence[Entry], results: Results
) -> Iterator[tuple[str, ...]]:
    preset = next((e for e in entries if e.preset == PAPER_PRESET and not e.params), None)
    columns = dict.fromkeys(
        e.paper for e in entries if e.paper and not (e.preset is not None and e.params)
    )
    for column in columns:
        paper = group.paper_score(column, group.tasks, metric, single=False)
        if paper is None:
            continue
        with_column = [e for e in entries if e.paper == column and e.preset is None]
        own_preset = preset if preset is not None and preset.paper == column else None
        default = default_entry(suite, entries[0].method)
        if not with_column and own_preset is not None:
            with_column = [default] if default is not None else [own_preset]
        for entry in with_column:
            is_first = entry is with_column[0]
            yield (
                _problems(suite, group, "" if entry is default else entry.label),
                metric,
                MEASURES[metric].show(paper) if is_first else '"',
                "-" if entry is own_preset else _mean(results, entry, group.tasks, metric),
                _mean(results, own_preset if is_first else None, group.tasks, metric),
                _mean(results, entry, _evidence(group.tasks), metric),
            )


def _problems(suite: Suite, group: TaskSet, variant: str) -> str:
    """The problems of a row, with a link to all results on them."""
    slug = re.sub(r"[^\w\- ]", "", suite.title.lower()).replace(" ", "-")
    text = f"[{suite.name}]({BENCHMARKS}#{slug}): {group.name}"
    return f"{text}; {variant}" if variant else text


def _evidence(tasks: Sequence[BenchmarkTask]) -> list[BenchmarkTask]:
    return [task for task in tasks if task.split == "evidence"]


def _mean(
    results: Results, entry: Entry | None, tasks: Sequence[BenchmarkTask], metric: str
) -> str:
    """The mean over problems; where it was not run on all, how many they are."""
    if entry is None or not tasks:
        return "-"
    summary = summarise(results[entry.id], tasks, metric)
    if summary.mean is None:
        return summary.failure or "-"
    text = MEASURES[metric].show(summary.mean)
    return text if summary.problems == len(tasks) else f"{text} ({summary.problems} problems)"


# Families of problems


@dataclass
class _Line:
    """A method on the evidence problems of a family."""

    scores: list[float]
    base_scores: list[float]
    losses: list[float]


def family_table(name: str) -> str:
    """One row per family of problems: the mean accuracy beside that of the source-only classifier.

    Both are with default parameters, on the evidence problems that both were run on.
    """
    lines: dict[str, _Line] = {}
    has_base = METHODS[name].kind == "classifier" and name != BASELINE
    for suite, results in collected():
        entry, base = default_entry(suite, name), default_entry(suite, BASELINE)
        # Suites that are not ranked repeat problems, except for the everyday ones.
        if entry is None or not (suite.ranked or suite.name == "everyday"):
            continue
        for group in suite.sets:
            tasks = _evidence(group.tasks)
            mine = results[entry.id]
            other = results[base.id] if has_base and base is not None else None
            line = lines.setdefault(_family(suite, group), _Line([], [], []))
            _extend(line, tasks, mine, other)
    rows = [_family_row(family, line, has_base) for family, line in lines.items() if line.scores]
    if not rows:
        return ""
    titles = ["problems", "number", "accuracy"]
    if has_base:
        titles += ["source-only", "below it on", "largest loss"]
    return table(titles, rows)


def _family(suite: Suite, group: TaskSet) -> str:
    own = _FAMILIES.get(f"{suite.name}: {group.name}")
    return own or _FAMILIES.get(suite.name) or f"{suite.name}: {group.name}"


def _extend(
    line: _Line, tasks: Sequence[BenchmarkTask], mine: EntryResults, other: EntryResults | None
) -> None:
    for task in tasks:
        score = mine.complete_mean(task.name)
        base = None if other is None else other.complete_mean(task.name)
        if score is None or (other is not None and base is None):
            continue
        line.scores.append(score)
        if other is not None and base is not None:
            line.base_scores.append(base)
            line.losses += losses(mine, other, [task], "accuracy")


def _family_row(family: str, line: _Line, has_base: bool) -> list[str]:
    show = MEASURES["accuracy"].show
    row = [family, f"{len(line.scores)}", show(fmean(line.scores))]
    if not has_base:
        return row
    if not line.base_scores:
        return [*row, "-", "-", "-"]
    below = sum(loss > 0 for loss in line.losses)
    return [*row, show(fmean(line.base_scores)), f"{below}", show(max(line.losses))]


# Costs


def cost_table(name: str) -> str:
    """Seconds and memory of a fit by the number of documents."""
    measured = costs()
    if measured is None:
        return ""
    own = tuple(cost for cost in measured.costs if cost.entry.method == name)
    if not own:
        return ""
    part = replace(measured, costs=own)
    (titles, seconds), (_, memory) = seconds_table(part), memory_table(part)
    several = len(seconds) > 1
    rows = []
    for unit, cells in (("seconds", seconds), ("memory in MB", memory)):
        rows += [[f"{label}, {unit}" if several else unit, *row] for label, _, *row in cells]
    return table(["documents", *titles[2:]], rows)


__all__ = [
    "BASELINE", "BENCHMARKS", "COST_NOTE", "cost_table", "costs", "family_table", "files",
    "paper_table", "prepare", "standing",
]  # fmt: skip
