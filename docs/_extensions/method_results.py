"""What the stored benchmark results say about each method, read once per build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import fmean

from benchmark_results import FOLDER, all_results, default_entry, ranking, source_only_entry

from isthmus.estimators.registry import METHODS
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.entries import Entry
from isthmus_bench.plan.metrics import METRICS as MEASURES
from isthmus_bench.plan.suite import Suite, TaskSet
from isthmus_bench.report.blocks import table
from isthmus_bench.report.method_cost import COST_NOTE, memory_table, seconds_table
from isthmus_bench.report.ranking import Ranking, Standing
from isthmus_bench.report.source_only import losses
from isthmus_bench.report.summary import EntryResults, Results, summarize
from isthmus_bench.run.method_costs import COST_FILE, Costs, read_costs

BENCHMARKS = "/project/tables/index.md"
BASELINE = "lg"
PAPER_PRESET = "paper"

# What the problems of a suite are about, in the order of the rows; a set may differ from its suite.
_FAMILIES = {
    "mtrick-table1": "topics: newsgroups",
    "cdsc-table2": "topics: newsgroups, 250 documents per class",
    "lssttc-tables6-8": "topics: newsgroups, two tasks",
    "mtrick-table3": "topics: Reuters news",
    "cdsc-table2: three Reuters tasks": "topics: Reuters news, 250 documents per class",
    "lssttc-tables6-8: WebKB4": "web pages of universities",
    "amazon": "opinions: reviews, single words",
    "pjnmf-table1": "opinions: reviews, word pairs and unlabeled pools",
    "dkt-table3": "languages: product categories",
    "webis-sentiment": "languages: opinions",
    "everyday": "everyday problems",
    "lssmtc-tables3-5": "clusters of newsgroups",
    "lssmtc-tables3-5: WebKB4": "clusters of web pages",
}


@cache
def costs() -> Costs | None:
    return read_costs(FOLDER / COST_FILE)


def prepare() -> None:
    """Read everything: processes that are started later need not."""
    costs()
    for kind in ("classifier", "clusterer"):
        ranking(kind)


def standing(name: str) -> tuple[Standing, Ranking] | None:
    """The place of a method among all that were run on the common problems."""
    if METHODS[name].kind == "transformer":
        return None
    ranked = ranking(METHODS[name].kind)
    for found in ranked.standings:
        if found.label == METHODS[name].short and not found.is_peer:
            return found, ranked
    return None


# Figures of the paper


def paper_table(name: str) -> str:
    """One row per set for which the paper of a suite has a figure of the method."""
    rows = list(_paper_rows(name))
    if not rows:
        return ""
    titles = ["problems", "measure", "paper", "ours", f"ours, preset `{PAPER_PRESET}`"]
    titles.append("ours, evidence problems")
    shown = [place for place in range(len(titles)) if any(row[place] != "-" for row in rows)]
    return table([titles[n] for n in shown], [[row[n] for n in shown] for row in rows])


def _paper_rows(name: str) -> Iterator[tuple[str, ...]]:
    seen: set[str] = set()
    # Those whose problems count in the ranks come first.
    for suite, results in sorted(all_results(), key=lambda pair: not pair[0].ranked):
        for group in suite.sets if suite.layout != "figures" else ():
            rows = [
                row
                for metric in suite.metrics
                for row in _rows_of_set(suite, results, group, metric, name)
            ]
            # Another suite may have the same problems.
            content = repr([task.model_copy(update={"set_name": ""}) for task in group.tasks])
            if rows and content not in seen:
                seen.add(content)
                yield from rows


def _rows_of_set(
    suite: Suite, results: Results, group: TaskSet, metric: str, name: str
) -> Iterator[tuple[str, ...]]:
    """One row per column of the paper and variant of the method."""
    entries = [e for e in suite.entries if e.method == name and e.sweep is None]
    default = default_entry(suite, name)
    plain = [e for e in entries if e.competes and not e.params]
    preset = next((e for e in plain if e.preset == PAPER_PRESET), None)
    columns = dict.fromkeys(e.paper for e in (*entries, preset) if e is not None and e.paper)
    for column in columns:
        paper = group.paper_score(column, group.tasks, metric, single=False)
        variants: list[Entry | None] = [e for e in entries if e.paper == column and e is not preset]
        variants.sort(key=lambda e: e is not default)
        shared = [column, None] if default is not None and default.paper == column else [column]
        own_preset = preset if preset is not None and preset.paper in shared else None
        if own_preset is not None and not any(e.competes for e in variants if e is not None):
            # The preset has the paper's number; the defaults are beside it unless they have one.
            beside = default if default is not None and default.paper is None else None
            variants = [beside, *variants]
        for entry in variants if paper is not None else ():
            notes = [entry.label] if entry not in (None, default) else []
            notes += [f"paper: {column}"] if len(columns) > 1 and not notes else []
            yield (
                "; ".join([_problems(suite, group), *notes]),
                metric,
                MEASURES[metric].show(paper),
                _mean(results, entry, group.tasks, metric),
                _mean(results, own_preset if entry is variants[0] else None, group.tasks, metric),
                _mean(results, entry, _evidence(group.tasks), metric),
            )


def _problems(suite: Suite, group: TaskSet) -> str:
    """The problems of a row, with a link to all results on them."""
    return f"[{suite.name}](/project/tables/{suite.name}.md): {group.name}"


def _evidence(tasks: Sequence[BenchmarkTask]) -> list[BenchmarkTask]:
    return [task for task in tasks if task.split == "evidence"]


def _mean(
    results: Results, entry: Entry | None, tasks: Sequence[BenchmarkTask], metric: str
) -> str:
    """The mean over problems; where it was not run on all, how many they are."""
    if entry is None or not tasks:
        return "-"
    summary = summarize(results[entry.id], tasks, metric)
    if summary.mean is None:
        return summary.failure or "-"
    text = MEASURES[metric].show(summary.mean)
    return text if summary.problems == len(tasks) else f"{text} ({summary.problems} problems)"


# Families of problems


@dataclass
class _Line:
    """A method on the evidence problems of a family, and the classifier to compare with."""

    base: str = BASELINE
    scores: list[float] = field(default_factory=list)
    base_scores: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)


def family_table(name: str) -> str:
    """One row per family of problems: the mean accuracy beside that of the source-only classifier.

    Both are with default parameters, on the evidence problems that both were run on.
    """
    lines = {family: _Line() for family in _FAMILIES.values()}
    for suite, results in all_results():
        entry = default_entry(suite, name)
        # Suites that are not ranked repeat problems, except for the everyday ones.
        if entry is None or not (suite.ranked or suite.name == "everyday"):
            continue
        base = source_only_entry(suite)
        for group in suite.sets:
            line = lines.setdefault(_family(suite, group), _Line())
            other = None
            if base is not None and base.method != name:
                line.base, other = base.method, results[base.id]
            _extend(line, _evidence(group.tasks), results[entry.id], other)
    compared = METHODS[name].kind == "classifier" and name != BASELINE
    rows = [_family_row(family, line, compared) for family, line in lines.items() if line.scores]
    if not rows:
        return ""
    titles = ["problems", "number", "accuracy"]
    titles += ["source-only", "below it on", "largest loss"] if compared else []
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


def _family_row(family: str, line: _Line, compared: bool) -> list[str]:
    show = MEASURES["accuracy"].show
    row = [family, f"{len(line.scores)}", show(fmean(line.scores))]
    if not compared:
        return row
    if not line.base_scores:
        return [*row, "-", "-", "-"]
    note = "" if line.base == BASELINE else f" ({METHODS[line.base].short})"
    below = sum(loss > 0 for loss in line.losses)
    return [*row, show(fmean(line.base_scores)) + note, f"{below}", show(max(line.losses))]


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
    "BASELINE", "BENCHMARKS", "COST_NOTE", "cost_table", "costs", "family_table",
    "paper_table", "prepare", "standing",
]  # fmt: skip
