"""The suites about class priors, and their tables with one row per entry."""

from __future__ import annotations

import pytest

from isthmus_bench.plan.reading import find_suite, parse_suite, suites
from isthmus_bench.report.settings import _name_problems, _protocol
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.results import Record, record_key
from tiny_suite import CLUSTERS, render_report, replace

KEPT = {"80/20": {"negative": 0.25}, "20/80": {"positive": 0.25}}


def test_balanced_problems_are_those_of_pjnmf() -> None:
    suite, other = find_suite("amazon-priors"), find_suite("pjnmf-table1")
    (group,), (paper,) = suite.sets, other.sets
    assert group.tasks == tuple(replace(task, set_name="balanced") for task in paper.tasks)
    assert group.paper == paper.paper
    assert (suite.text, suite.dtype) == (other.text, other.dtype)
    svm = [next(e for e in s.entries if e.id == "svm") for s in (suite, other)]
    assert svm[0] == svm[1]


def test_skewed_problems_are_the_same_pairs_with_either_class_rare() -> None:
    suite, balanced = find_suite("amazon-priors-skewed"), find_suite("amazon-priors").tasks
    assert [group.name for group in suite.sets] == list(KEPT)
    for group in suite.sets:
        for task, other in zip(group.tasks, balanced, strict=True):
            changed = {
                "name": f"{other.name}, {group.name}",
                "set_name": group.name,
                "keep_target": KEPT[group.name],
                "target_pools": (),
                "paper": {},
            }
            assert task == replace(other, **changed)


@pytest.mark.parametrize("name", ["amazon-priors", "amazon-priors-skewed"])
def test_every_method_runs_with_every_prior(name: str) -> None:
    suite = find_suite(name)
    by_method: dict[str, list[str]] = {}
    for entry in suite.entries:
        prior = "known" if entry.known_class_prior else entry.params.get("class_prior")
        by_method.setdefault(entry.id.removesuffix(f"-{prior}"), []).append(str(prior))
    # If the target is balanced, the source prior is the true one.
    priors = ["source", "estimate", "known"] if "skewed" in name else ["source", "estimate"]
    for method, given in by_method.items():
        assert [prior for prior in given if prior != "None"] == priors, method
    # The skewed suite has only fast methods.
    plain = ["svm", "sfa"] if "skewed" in name else ["svm", "sfa", "pjnmf"]
    assert [m for m, given in by_method.items() if "None" in given] == plain


def test_a_goal_compares_the_estimate_with_the_source_on_skewed_targets() -> None:
    suite = find_suite("amazon-priors-skewed")
    expected = {
        (group.name, entry.id, entry.id.replace("-estimate", "-source"))
        for group in suite.sets
        for entry in suite.entries
        if entry.params.get("class_prior") == "estimate"
    }
    assert {(goal.set, goal.entry, goal.above) for goal in suite.goals} == expected


def test_the_report_says_which_documents_are_kept() -> None:
    lines = _protocol(find_suite("amazon-priors-skewed"))
    assert lines[0] == (
        "of the target, 25 % of the class negative are kept, drawn by the seed (the set 80/20)"
    )
    assert [line.rpartition("(")[2] for line in lines[1:]] == ["the set 20/80)", "all problems)"]


def test_problems_of_two_sets_and_of_parts_of_a_set() -> None:
    suite = find_suite("amazon-priors-skewed")
    first, second = (group.tasks for group in suite.sets)
    assert _name_problems(suite, first[:2]) == "B to D, 80/20, E to D, 80/20"
    assert _name_problems(suite, [*first, second[0]]).startswith("B to D, 80/20, E to D")
    dkt = find_suite("dkt-table3")
    both = [task for group in dkt.sets[:2] for task in group.tasks]
    assert _name_problems(dkt, both) == f"the set {dkt.sets[0].name}, the set {dkt.sets[1].name}"


def test_suites_are_sorted_by_name() -> None:
    assert list(suites()) == sorted(suites())


PAPER = 'paper.total = { KM = 61.5, "KM, twice" = 70.25 }\n'
SCORES = {("km", "first"): 0.62, ("km", "second"): 0.70, ("all", "first"): 0.6}


def page(text: str) -> list[str]:
    """The lines of a report on generated results."""
    suite = parse_suite(text, "tiny.toml")
    records: dict[str, Record] = {}
    for run in plan_runs(suite, Choice()):
        score = SCORES.get((run.entry.id, run.task.name))
        if score is not None:
            rest = {
                "seconds": 9.0,
                "cpu_seconds": 0.5,
                "memory": 3 * 2**20,
                "error": None,
                "versions": {"numpy": "2.0"},
            }
            scores = {"accuracy": score, "nmi_geometric": score / 2}
            record = {**run.identity(), **scores, **rest}
            records[record_key(record)] = record
    return render_report([(suite, records)]).splitlines()


def test_one_row_per_entry_and_one_column_per_split() -> None:
    text = CLUSTERS.replace('table = "problems"', 'table = "means"')
    text = text.replace('name = "a"\n', f'name = "a"\n{PAPER}')
    lines = page(text)
    begin = lines.index("### a")
    assert lines[begin + 2 : begin + 18] == [
        "The paper's numbers are for all 2 problems.",
        "",
        "Accuracy:",
        "",
        "| method | paper | development (1) | evidence (1) | all (2) | worst problem | "
        "seconds per fit (median) | MiB per fit (median) |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| KM | 61.50 | **62.00** | 70.00 | 66.00 | 62.00 | 0.50 | 3 |",
        "| All KM | - | 60.00 | - | 60.00 (incomplete) | 60.00 | 0.50 | 3 |",
        "| KM, twice (paper only) | 70.25 | - | - | - | - | - | - |",
        "",
        "NMI (geometric):",
        "",
        "| method | development (1) | evidence (1) | all (2) | worst problem | "
        "seconds per fit (median) | MiB per fit (median) |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| KM | **.310** | .350 | .330 | .310 | 0.50 | 3 |",
        "| All KM | .300 | - | .300 (incomplete) | .300 | 0.50 | 3 |",
    ]
