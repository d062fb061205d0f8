"""Folds: the seed is the number of the fold that is scored."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus_bench.documents import corpora
from isthmus_bench.documents.rows import choose_rows
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run.planning import Choice, plan_runs
from made_reviews import SUITE, made_corpus
from tiny_suite import make_task, replace

FOLDS = 5
TASK = make_task(
    "t", "s", "evidence", "x",
    sources=((("n", ("a",)), ("p", ("b",))),),
    targets=((("n", ("c",)), ("p", ("d",))), (("n", ("e",)),)),
    source_pools=(("f",),),
    folds=FOLDS,
)  # fmt: skip
SIZES = {"a": 50, "b": 25, "c": 30, "d": 20, "e": 7, "f": 9}
GROUPS = np.random.default_rng(1).permutation(np.repeat(list(SIZES), list(SIZES.values())))


def rows_of(task: BenchmarkTask, number: int, seed: int) -> set[int]:
    """Rows of a domain that have a class."""
    chosen = choose_rows(GROUPS, task, seed)
    return set(chosen.rows[(chosen.sample_domain == number) & (chosen.labels >= 0)].tolist())


def in_groups(*names: str) -> set[int]:
    return set(np.flatnonzero(np.isin(GROUPS, names)).tolist())


def test_targets_are_scored_once_and_sources_left_out_once() -> None:
    for number, names in ((0, "ab"), (-1, "cd"), (-2, "e")):
        parts = [rows_of(TASK, number, seed) for seed in range(FOLDS)]
        if number >= 0:
            parts = [in_groups(*names) - part for part in parts]
        assert set.union(*parts) == in_groups(*names)
        assert sum(map(len, parts)) == sum(SIZES[name] for name in names)


def test_folds_are_stratified() -> None:
    for seed in range(FOLDS):
        chosen = choose_rows(GROUPS, TASK, seed)
        sizes = {name: int(np.sum(GROUPS[chosen.rows] == name)) for name in SIZES}
        # Seven rows give folds of two and of one; a pool is always complete.
        assert sizes == {"a": 40, "b": 20, "c": 6, "d": 4, "e": 2 if seed < 2 else 1, "f": 9}


def test_folds_are_drawn_at_random() -> None:
    rows = np.array(sorted(in_groups("a")))
    fold = np.flatnonzero(~np.isin(rows, list(rows_of(TASK, 0, 0))))
    assert fold.tolist() not in (list(range(10)), list(range(0, 50, FOLDS)))
    assert rows_of(TASK, 0, 0) == rows_of(TASK, 0, 0)


def test_a_domain_has_the_same_folds_as_source_and_as_target() -> None:
    there = replace(TASK, targets=TASK.targets[:1])
    back = replace(there, sources=there.targets, targets=there.sources)
    for seed in range(FOLDS):
        assert rows_of(back, 0, seed) == in_groups("c", "d") - rows_of(there, -1, seed)


@pytest.mark.parametrize("seed", [None, 5, -1])
def test_the_seed_must_be_the_number_of_a_fold(seed: int | None) -> None:
    message = f"seed {seed} names no fold of the problem 't': with folds=5 use seeds from 0 to 4"
    with pytest.raises(ValueError, match=message):
        choose_rows(GROUPS, TASK, seed)


def test_a_class_too_small_for_the_folds_is_named() -> None:
    message = "Domain 2 of task 't' has 7 rows of the class 'n', fewer than folds=8: lower it"
    with pytest.raises(ValueError, match=message):
        choose_rows(GROUPS, replace(TASK, folds=8), 0)


def test_every_method_runs_once_per_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    suite = parse_suite(SUITE.replace("target_pool", "folds = 2\ntarget_pool"), "made.toml")
    runs = plan_runs(suite, Choice())
    assert [(run.entry.id, run.seed) for run in runs] == [("svm", 0), ("svm", 1)]
    assert [run.identity()["problem"]["folds"] for run in runs] == [2, 2]
    with pytest.raises(ValueError, match="seed 2 names no fold of the problem 's to t'"):
        plan_runs(suite, Choice(seeds=(1, 2)))
