"""Goals by metric, on each problem, and against another entry, from generated results."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import CLUSTERS, render_report

SCORES = {
    ("km", "first"): (0.62, 0.30),
    ("km", "second"): (0.70, 0.40),
    ("all", "first"): (0.60, 0.35),
    ("all", "second"): (0.72, 0.20),
}
GOAL = '[[goals]]\nset = "a"\nentry = "{entry}"\n{goal}\n'


def verdict(goal: str, entry: str = "km", lost: Mapping[str, str] | None = None) -> str:
    """The line of a goal, without the results of ``lost``."""
    suite = parse_suite(CLUSTERS + GOAL.format(entry=entry, goal=goal), "tiny.toml")
    records: dict[str, Record] = {}
    for run in plan_runs(suite, Choice()):
        if lost == {"entry": run.entry.id, "task": run.task.name}:
            continue
        accuracy, nmi = SCORES[run.entry.id, run.task.name]
        scores = {"accuracy": accuracy, "nmi_geometric": nmi, "nmi_arithmetic": nmi / 2}
        rest = {"seconds": 9.0, "cpu_seconds": 0.5, "error": None, "versions": {"numpy": "2.0"}}
        record = {**run.identity(), **scores, **rest}
        records[record_key(record)] = record
    page = render_report([(suite, records)])
    (line,) = page.split("Goals:\n\n")[1].split("\n\n")[0].strip().splitlines()
    return line.removeprefix("- ")


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (
            'metric = "error"\nmean = 0.34',
            "KM on a, all problems: mean error ≤ .340: **met** (mean .340)",
        ),
        (
            'metric = "error"\nmean = 0.339',
            "KM on a, all problems: mean error ≤ .339: **missed** (mean .340)",
        ),
        (
            'metric = "error"\nmean = 0.3\ntask = "second"',
            "KM on a, second: mean error ≤ .300: **met** (mean .300)",
        ),
        (
            'metric = "error"\nmean = 0.3\neach_problem = true',
            "KM on a, all problems: each error ≤ .300: **missed** "
            "(1 of 2 problems, not first (.380 against .300))",
        ),
        (
            'metric = "NMI (geometric)"\nmean = 0.35',
            "KM on a, all problems: mean NMI (geometric) ≥ .350: **met** (mean .350)",
        ),
        (
            'metric = "NMI (geometric)"\nabove_paper = true\ntask = "first"',
            "KM on a, first: NMI (geometric) above the paper: **met** (mean .300)",
        ),
        (
            # The paper has no mean over the set, but a number for each problem.
            "above_paper = true",
            "KM on a, all problems: above the paper: **met** "
            "(mean 66.00, 0 of 2 problems and 0 of 4 runs below 50 %)",
        ),
        (
            # "above" needs more than an equal value.
            "above_paper = true\neach_problem = true",
            "KM on a, all problems: each above the paper: **missed** "
            "(1 of 2 problems, not second (70.00 against 70.00))",
        ),
        (
            'above_paper = true\neach_problem = true\nsplit = "development"',
            "KM on a, development problems: each above the paper: **met** (1 of 1 problems)",
        ),
        (
            'not_below = "all"',
            "KM on a, all problems: not below All KM: **met** "
            "(mean 66.00, 0 of 2 problems and 0 of 4 runs below 50 %, All KM 66.00)",
        ),
        (
            'not_below = "all"\neach_problem = true',
            "KM on a, all problems: each not below All KM: **missed** "
            "(1 of 2 problems, not second (70.00 against 72.00))",
        ),
        (
            'not_below = "all"\nmetric = "error"\ntask = "first"',
            "KM on a, first: error not above All KM: **met** (mean .380, All KM .400)",
        ),
        (
            # "above" needs more than an equal value.
            'above = "all"',
            "KM on a, all problems: above All KM: **missed** "
            "(mean 66.00, 0 of 2 problems and 0 of 4 runs below 50 %, All KM 66.00)",
        ),
        (
            'above = "all"\ntask = "first"',
            "KM on a, first: above All KM: **met** "
            "(mean 62.00, 0 of 1 problems and 0 of 2 runs below 50 %, All KM 60.00)",
        ),
        (
            'above = "all"\nmetric = "error"\neach_problem = true',
            "KM on a, all problems: each error below All KM: **missed** "
            "(1 of 2 problems, not second (.300 against .280))",
        ),
        (
            'mean = 71\nnot_below = "all"\neach_problem = true',
            "KM on a, all problems: each ≥ 71, not below All KM: **missed** "
            "(0 of 2 problems, not first (62.00 against 71.00), second (70.00 against 71.00 and "
            "72.00))",
        ),
    ],
)
def test_verdicts(goal: str, expected: str) -> None:
    assert verdict(goal) == expected


def test_both_entries_have_to_be_complete() -> None:
    lost = {"entry": "all", "task": "second"}
    assert "**not complete** (2 of 4 runs of All KM)" in verdict('not_below = "all"', lost=lost)
    assert "**not complete** (2 of 4 runs of All KM)" in verdict('above = "all"', lost=lost)
    assert "**not complete** (2 of 4 runs)" in verdict('not_below = "km"', "all", lost)
    assert "**met**" in verdict('not_below = "all"\ntask = "first"', lost=lost)
