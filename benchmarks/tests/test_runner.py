"""The runner: resumes, records failures, never runs twice."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run import worker
from isthmus_bench.run.planning import Choice, plan_runs, split_pending
from isthmus_bench.run.results import Record, ResultFile, record_key
from isthmus_bench.run.runner import run_pending
from isthmus_bench.run.runs import Run
from tiny_suite import CLUSTERS, TINY, replace

SUITE = (
    TINY
    + """
[[entries]]
id = "short"
label = "MTrick"
method = "mtrick"
weighting = "log-tfidf"
params = { max_iter = 3, init = "plsa", n_word_clusters = 4 }
"""
)


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE, "tiny.toml")


def run(suite: Suite, file: ResultFile, choice: Choice | None = None) -> list[Record]:
    pending, _ = split_pending(plan_runs(suite, choice or Choice()), file)
    seen: list[Record] = []
    with ThreadPoolExecutor(1) as executor:
        run_pending(pending, file, on_result=seen.append, executor=executor)
    return seen


def lasting(record: Record) -> Record:
    measured = ("seconds", "cpu_seconds", "memory")
    return {name: value for name, value in record.items() if name not in measured}


def test_plan_gives_seeds_only_to_random_methods(suite: Suite) -> None:
    runs = plan_runs(suite, Choice())
    assert [(r.entry.id, r.seed) for r in runs[:3]] == [("lg", None), ("short", 0), ("short", 1)]
    assert len(runs) == 4 * 3
    assert len(plan_runs(suite, Choice(seeds=(5, 6, 7)))) == 4 * 4


def test_choice(suite: Suite) -> None:
    assert {r.task.split for r in plan_runs(suite, Choice(split="evidence"))} == {"evidence"}
    assert len({r.task.name for r in plan_runs(suite, Choice(limit=2))}) == 2
    assert {r.entry.id for r in plan_runs(suite, Choice(methods=("mtrick",)))} == {"short"}
    with pytest.raises(ValueError, match="no entry 'svm': choose from lg, short"):
        plan_runs(suite, Choice(methods=("svm",)))
    with pytest.raises(ValueError, match="--split 'test' is unknown: choose from development"):
        Choice(split="test")
    with pytest.raises(ValueError, match="--limit 0 must be at least 1"):
        Choice(limit=0)


def test_resumes_after_an_incomplete_line(suite: Suite, tmp_path: Path) -> None:
    whole = ResultFile(tmp_path / "whole.jsonl")
    few = Choice(limit=2)
    assert len(run(suite, whole, few)) == 6
    expected = whole.read()
    assert all(record["error"] is None for record in expected.values())

    torn = ResultFile(tmp_path / "torn.jsonl")
    content = whole.path.read_bytes()
    ends = [i for i, byte in enumerate(content) if byte == ord("\n")]
    torn.path.write_bytes(content[: ends[-3] + 40])
    kept = len(torn.read())
    assert 0 < kept < 6
    assert len(run(suite, torn, few)) == 6 - kept
    again = torn.read()
    assert {k: lasting(r) for k, r in again.items()} == {k: lasting(r) for k, r in expected.items()}
    assert sum("accuracy" in line for line in torn.path.read_text().splitlines()) == 6
    assert run(suite, torn, few) == []


def test_record_describes_the_run(suite: Suite, tmp_path: Path) -> None:
    (record,) = run(
        suite, ResultFile(tmp_path / "r"), Choice(methods=("short",), seeds=(3,), limit=1)
    )
    assert record["setup"]["params"]["max_iter"] == 3
    assert "random_state" not in record["setup"]["params"]
    assert (record["seed"], record["entry"]) == (3, "short")
    assert record["sizes"]["n_source"] + record["sizes"]["n_target"] == 800
    assert record["n_iter"] == 3
    assert {"numpy", "scipy", "sklearn", "numba", "isthmus"} <= set(record["versions"])


def test_other_parameters_give_another_key(suite: Suite, tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "r.jsonl")
    run(suite, file, Choice(limit=1))
    changed = parse_suite(SUITE.replace("max_iter = 3", "max_iter = 4"), "tiny.toml")
    pending, done = split_pending(plan_runs(changed, Choice(limit=1)), file)
    assert {r.entry.id for r in pending} == {"short"}
    assert done == 1


def test_failures_are_recorded_and_tried_again(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ResultFile(tmp_path / "r.jsonl")
    choice = Choice(methods=("lg",), limit=1)

    def broken(run: Run) -> Record:
        raise MemoryError("no\nroom")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "_fit", broken)
        (failed,) = run(suite, file, choice)
    assert failed["error"] == "MemoryError: no room"
    (good,) = run(suite, file, choice)
    assert good["error"] is None
    assert list(file.read()) == [record_key(good)]
    assert run(suite, file, choice) == []


def test_worker_processes(suite: Suite, tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "new" / "r.jsonl")
    before = os.environ.get("OMP_NUM_THREADS")
    runs = plan_runs(suite, Choice(methods=("lg",), limit=2))
    run_pending(runs, file, jobs=1)
    assert len(file.read()) == 2
    assert os.environ.get("OMP_NUM_THREADS") == before


def test_unknown_corpus(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no corpus 'brown': choose among 20newsgroups"):
        parse_suite(SUITE.replace('"synthetic"', '"brown"'), "tiny.toml")


MIXED = (
    SUITE.replace('kind = "ordered-pairs"', 'kind = "listed"')
    .replace("development_every = 4", "")
    .replace(
        """positive = ["books.positive", "kitchen.positive"]
negative = ["books.negative", "kitchen.negative"]
""",
        """
[[sets.problems]]
name = "two and two"
split = "evidence"
sources = [{ pos = ["books.positive"] }, { neg = ["books.negative"] }]
targets = [{ pos = ["kitchen.positive"] }, { neg = ["kitchen.negative"] }]
labeled_source = 0.7
labeled_target = 0.2
""",
    )
)


def test_drawn_labels_are_drawn_once_per_seed_for_every_method(tmp_path: Path) -> None:
    suite = parse_suite(MIXED, "tiny.toml")
    runs = plan_runs(suite, Choice())
    assert [(r.entry.id, r.seed) for r in runs] == [
        ("lg", 0), ("lg", 1), ("short", 0), ("short", 1)
    ]  # fmt: skip
    file = ResultFile(tmp_path / "r.jsonl")
    records = run(suite, file)
    assert [record["error"] for record in records] == [None] * 4
    assert {record["sizes"]["n_labeled_target"] for record in records} == {80}
    assert {record["sizes"]["n_source"] for record in records} == {400}
    assert "random_state" not in records[0]["setup"]["params"]
    assert run(suite, file) == []


def test_another_fraction_gives_another_key(tmp_path: Path) -> None:
    runs = [
        plan_runs(parse_suite(text, "tiny.toml"), Choice())[0]
        for text in (SUITE, MIXED, MIXED.replace("0.7", "0.6"))
    ]
    usual, mixed, other = [r.identity() for r in runs]
    assert "labeled" not in usual["problem"]
    assert mixed["problem"]["labeled"] == {"source": 0.7, "target": 0.2}
    assert record_key(mixed) != record_key(other)


def test_the_key_of_a_usual_run_never_changes(suite: Suite) -> None:
    """Stored results are found by these keys."""
    key = record_key(plan_runs(suite, Choice(methods=("lg",)))[0].identity())
    assert key == (
        '[{"corpus": "synthetic", "dtype": "float32", '
        '"sources": [{"negative": ["books.negative"], "positive": ["books.positive"]}], '
        '"targets": [{"negative": ["kitchen.negative"], "positive": ["kitchen.positive"]}], '
        '"task": "a 000: books.positive, books.negative -> kitchen.positive, kitchen.negative", '
        '"text": {"min_df": 2, "stop_words": "english"}}, {"method": "lg", '
        '"params": {"C": 1.0, "max_iter": 1000, "missing_label": -1}, "revision": 1, '
        '"weighting": "log-tfidf"}, null]'
    )


def test_a_changed_problem_with_the_same_name_is_run_again(suite: Suite) -> None:
    before = plan_runs(suite, Choice(methods=("lg",)))[0]
    task = replace(before.task, sources=before.task.targets, targets=before.task.sources)
    assert record_key(replace(before, task=task).identity()) != record_key(before.identity())


SAMPLED = MIXED.replace(
    "labeled_source = 0.7\nlabeled_target = 0.2\n", "sample = 20\nseeds = [5, 6, 7]\n"
)


def test_a_sample_gives_every_method_the_seeds_of_the_problem(tmp_path: Path) -> None:
    suite = parse_suite(SAMPLED, "tiny.toml")
    runs = plan_runs(suite, Choice())
    expected = [(entry, seed) for seed in (5, 6, 7) for entry in ("lg", "short")]
    assert [(r.entry.id, r.seed) for r in runs] == expected
    assert [r.seed for r in plan_runs(suite, Choice(methods=("lg",), seeds=(1,)))] == [1]
    file = ResultFile(tmp_path / "r.jsonl")
    records = run(suite, file)
    assert [record["error"] for record in records] == [None] * 6
    sizes = [record["sizes"] for record in records]
    assert {(size["n_source"], size["n_target"]) for size in sizes} == {(40, 40)}
    assert len({record["accuracy"] for record in records if record["setup"]["method"] == "lg"}) > 1
    assert run(suite, file) == []


def test_problems_of_one_suite_may_have_different_seeds(suite: Suite) -> None:
    second = SAMPLED.split("[[sets.problems]]")[1].split("[[entries]]")[0]
    second = second.replace("two and two", "usual").replace("sample = 20\nseeds = [5, 6, 7]\n", "")
    text = SAMPLED.replace("[[entries]]", f"[[sets.problems]]{second}[[entries]]", 1)
    runs = plan_runs(parse_suite(text, "tiny.toml"), Choice())
    usual = [(r.entry.id, r.seed) for r in runs if r.task.name == "usual"]
    assert usual == [("lg", None), ("short", 0), ("short", 1)]
    assert len(runs) == 6 + 3


def test_samples_and_terms_are_part_of_the_key() -> None:
    texts = [
        SAMPLED,
        SAMPLED.replace("sample = 20", "sample = 30"),
        SAMPLED.replace("min_df = 2", 'min_df = 2\nstemmer = "porter"'),
        SAMPLED.replace("min_df = 2", "min_df = 2\nmax_terms = 50"),
    ]
    identities = [
        plan_runs(parse_suite(text, "tiny.toml"), Choice())[0].identity() for text in texts
    ]
    assert len({record_key(identity) for identity in identities}) == 4
    assert identities[1]["problem"]["sample"] == 30
    assert identities[2]["problem"]["text"] == {
        "stop_words": "english",
        "min_df": 2,
        "stemmer": "porter",
    }
    assert "keep_target" not in identities[0]["problem"]


def test_stems_and_the_most_frequent_terms(tmp_path: Path) -> None:
    text = SAMPLED.replace("min_df = 2", 'min_df = 2\nstemmer = "porter"\nmax_terms = 30')
    choice = Choice(methods=("lg",), seeds=(5,))
    few = run(parse_suite(text, "tiny.toml"), ResultFile(tmp_path / "few"), choice)
    assert [(record["error"], record["sizes"]["n_terms"]) for record in few] == [(None, 30)]


def test_clusters_of_the_scored_task(tmp_path: Path) -> None:
    suite = parse_suite(CLUSTERS, "tiny.toml")
    records = run(suite, ResultFile(tmp_path / "r"), Choice(seeds=(0,)))
    assert [(r["problem"]["task"], r["entry"], r["error"]) for r in records] == [
        ("first", "km", None), ("first", "all", None),
        ("second", "km", None), ("second", "all", None),
    ]  # fmt: skip
    for record in records:
        names = ("n_source", "n_target", "n_labeled_target")
        assert [record["sizes"][name] for name in names] == [0, 800, 0]
    # Both fit the same documents, and each score is for one of the tasks.
    first, second = records[0], records[2]
    assert (first["problem"]["scored"], second["problem"]["scored"]) == (1, 2)
    whole = CLUSTERS.replace("scored = 1\n", "")
    (both,) = run(
        parse_suite(whole, "tiny.toml"),
        ResultFile(tmp_path / "both"),
        Choice(methods=("km",), seeds=(0,), limit=1),
    )
    for name in ("accuracy", "nmi_geometric", "nmi_arithmetic"):
        assert both[name] == pytest.approx((first[name] + second[name]) / 2, abs=1e-6)
    assert "scored" not in both["problem"]
    assert record_key(both) != record_key(first)


def test_the_default_number_of_clusters_is_the_number_of_classes() -> None:
    more = CLUSTERS.replace('scope = "all"', 'scope = "all", n_clusters = 5')
    more = more.replace('bad = ["books.negative"] }', 'worse = ["books.negative"] }')
    runs = plan_runs(parse_suite(more, "tiny.toml"), Choice(limit=1, seeds=(0,)))
    assert [r.identity()["setup"]["params"]["n_clusters"] for r in runs] == [3, 5]
