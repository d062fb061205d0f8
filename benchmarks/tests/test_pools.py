"""Pools: rows that are fitted, have no class and are never scored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from isthmus_bench.documents import corpora
from isthmus_bench.documents.counts import Counted, count_corpus
from isthmus_bench.documents.problems import (
    BenchmarkProblem,
    cut_problem,
    draw_labeled,
    find_duplicates,
    scored_rows,
)
from isthmus_bench.documents.rows import NO_CLASS, choose_rows
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run import worker
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.worker import execute
from made_reviews import N_TERMS, POOL_TERMS, SUITE, forget, made_corpus, made_counts
from tiny_suite import make_task, replace

with pytest.MonkeyPatch.context() as patch:
    patch.setitem(corpora.CORPORA, "made", made_corpus())
    (TASK,) = parse_suite(SUITE, "made.toml").tasks


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    forget()
    yield
    forget()


def cut(
    monkeypatch: pytest.MonkeyPatch, counts: np.ndarray | None = None, task: BenchmarkTask = TASK,
    min_df: int = 1, seed: int | None = None,
) -> BenchmarkProblem:  # fmt: skip
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus(counts))
    count_corpus.cache_clear()
    counted = count_corpus("made", task.groups, None, None)
    return cut_problem(counted, task, min_df, "float64", seed)


def test_rows_of_a_pool_belong_to_its_domain_and_have_no_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = cut(monkeypatch)
    assert problem.sample_domain.tolist() == [0] * 26 + [-1] * 26
    assert problem.labels.tolist() == ([0] * 10 + [1] * 10 + [NO_CLASS] * 6) * 2
    expected = made_counts()
    rows = [*range(20), *range(40, 46), *range(20, 40), *range(46, 52)]
    assert np.array_equal(problem.counts.toarray(), expected[rows])
    shown = draw_labeled(problem, TASK, None)
    assert shown.tolist() == [True] * 20 + [False] * 32
    assert np.flatnonzero(scored_rows(problem, TASK, shown)).tolist() == list(range(26, 46))


def test_every_domain_has_its_own_pool() -> None:
    groups = np.array(["a", "b", "c", "d", "p", "q", "p"])
    task = make_task(
        "t", "s", "evidence", "x",
        sources=((("n", ("a",)),), (("m", ("b",)),)),
        targets=((("n", ("c",)),), (("m", ("d",)),)),
        source_pools=((), ("p",)), target_pools=(("q",), ()),
    )  # fmt: skip
    chosen = choose_rows(groups, task)
    assert chosen.rows.tolist() == [0, 1, 4, 6, 2, 5, 3]
    assert chosen.sample_domain.tolist() == [0, 1, 1, 1, -1, -1, -2]
    assert chosen.labels.tolist() == [0, 1, -1, -1, 0, -1, 1]
    assert task.groups == ("a", "b", "c", "d", "p", "q")


def test_a_target_needs_a_row_to_score_besides_its_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = cut(monkeypatch)
    kept = np.ones(52, bool)
    kept[[*range(27, 36), *range(37, 46)]] = False  # keep one target row per class
    small = BenchmarkProblem(
        problem.counts[kept], problem.labels[kept], problem.sample_domain[kept], ("x", "y")
    )
    with pytest.raises(ValueError, match="Every target row of task 's to t' is labeled"):
        draw_labeled(small, replace(TASK, labeled_target=0.5), 0)


def test_pools_are_complete_if_a_fraction_of_the_labels_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = replace(TASK, labeled_source=0.5, labeled_target=0.2)
    problem = cut(monkeypatch, task=task)
    shown = draw_labeled(problem, task, 0)
    assert np.count_nonzero(shown) == 2 * 5 + 2 * 2
    assert not shown[problem.pooled].any()
    assert np.count_nonzero(scored_rows(problem, task, shown)) == 16


def test_rows_equal_to_a_scored_one_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = made_counts()
    of_pool = counts[:, :POOL_TERMS]
    of_pool[41] = of_pool[21]  # in the source's pool
    of_pool[[46, 47]] = of_pool[[25, 39]]
    of_pool[48] = of_pool[3]  # a source row is not scored
    of_pool[49] = of_pool[26]
    of_pool[49, 2] += 1  # the same terms, another count
    problem = cut(monkeypatch, counts)
    assert problem.n_duplicates == 3
    stay = [*range(20), 40, *range(42, 46), *range(20, 40), *range(48, 52)]
    assert np.array_equal(problem.counts.toarray(), counts[stay])
    labeled = [0] * 10 + [1] * 10
    assert problem.labels.tolist() == [*labeled, *[-1] * 5, *labeled, *[-1] * 4]


def test_duplicates_are_compared_only_by_terms_of_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = made_counts()
    counts[46, :POOL_TERMS] = counts[25, :POOL_TERMS]
    assert counts[25, POOL_TERMS:].any()
    assert cut(monkeypatch, counts).n_duplicates == 1
    with_all = replace(made_corpus(counts), pool_terms=None)
    monkeypatch.setitem(corpora.CORPORA, "made", with_all)
    counted = count_corpus("made", TASK.groups, None, None)
    assert cut_problem(counted, TASK, 1, "float64").n_duplicates == 0


def test_empty_rows_are_no_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = made_counts()
    counts[[25, 46], :POOL_TERMS] = 0
    assert cut(monkeypatch, counts).n_duplicates == 0


def test_duplicates_do_not_depend_on_the_order_of_stored_terms() -> None:
    # The row (1, 2) stored in either order, and once with a term in two parts.
    matrix = sparse.csr_matrix(
        (np.array([1.0, 2, 2, 1, 1, 1, 1]), [0, 1, 1, 0, 0, 1, 1], [0, 2, 4, 7]), shape=(3, 2)
    )
    scored = np.array([True, False, False])
    assert find_duplicates(matrix, ~scored, scored).tolist() == [False, True, True]
    assert matrix.nnz == 7


def test_a_problem_without_a_pool_does_not_need_the_corpus() -> None:
    source, target = (("n", ("a",)), ("m", ("b",))), (("n", ("c",)),)
    task = make_task("t", "s", "evidence", "nowhere", (source,), (target,))
    counted = Counted(sparse.csr_matrix(np.eye(3)), np.array(list("abc")), None)
    assert cut_problem(counted, task, 1, "float64").n_duplicates == 0


def test_frequencies_are_counted_in_pools_too(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = made_counts()
    counts[:, 8] = 0
    counts[0, 8] = counts[20, 8] = 1
    assert cut(monkeypatch, counts, min_df=2).counts.shape[1] == N_TERMS
    assert cut(monkeypatch, counts, min_df=3).counts.shape[1] == N_TERMS - 1
    # A term that occurs only in pools, three times.
    counts[:, 0] = 0
    counts[[44, 45, 50], 0] = 7
    problem = cut(monkeypatch, counts, min_df=3)
    assert np.count_nonzero(problem.counts.toarray()[:, 0] == 7) == 3


class Recorder:
    """Records its input, and predicts class 0."""

    is_random = False

    def fit(self, X: Any, y: Any, sample_domain: Any) -> Recorder:
        self.y = list(y)
        self.transduction_ = np.zeros(len(y), object)
        return self


def test_methods_get_no_classes_of_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = made_counts()
    counts[46, :POOL_TERMS] = counts[25, :POOL_TERMS]
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus(counts))
    recorder = Recorder()
    monkeypatch.setattr(worker, "build", lambda *_: recorder)
    record = execute(plan_runs(parse_suite(SUITE, "made.toml"), Choice())[0])
    assert record["error"] is None
    assert recorder.y == [0] * 10 + [1] * 10 + [None] * (6 + 20 + 5)
    sizes = ("n_source", "n_target", "n_scored", "n_pool", "n_duplicates", "n_labeled_target")
    assert [record["sizes"][name] for name in sizes] == [26, 25, 20, 11, 1, 0]
    # Half of the scored rows have class 0; with a class of the pool there would be three.
    assert (record["accuracy"], record["macro_precision"]) == (0.5, 0.25)


def test_sizes_of_pools_are_stored_only_if_there_are_pools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(corpora.CORPORA, "made", made_corpus())
    text = SUITE.replace('source_pool = ["s.pool"]\ntarget_pool = ["t.pool"]\n', "")
    record = execute(plan_runs(parse_suite(text, "made.toml"), Choice())[0])
    assert (record["error"], record["sizes"]["n_scored"]) == (None, 20)
    assert "n_pool" not in record
    assert "n_duplicates" not in record
