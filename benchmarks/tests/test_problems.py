"""Selecting the rows and terms of a task, and drawing the labeled rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus_bench.documents.counts import Counted
from isthmus_bench.documents.problems import (
    BenchmarkProblem,
    cut_problem,
    draw_labeled,
    scored_rows,
)
from isthmus_bench.documents.rows import choose_rows
from tiny_suite import make_task, replace

N, P = ("n", ("a",)), ("p", ("b",))
ONE_TO_ONE = make_task("t", "s", "evidence", "x", ((N, P),), ((("n", ("c",)),),))


def test_cut_keeps_terms_by_frequency_over_all_domains() -> None:
    matrix = sparse.csr_matrix(np.array([[1, 0, 5], [2, 1, 0], [0, 1, 0], [9, 9, 9]], float))
    counted = Counted(matrix, np.array(["b", "a", "c", "other"]), None)
    problem = cut_problem(counted, ONE_TO_ONE, min_df=2, dtype="float32")
    assert problem.counts.dtype == np.float32
    assert problem.counts.toarray().tolist() == [[1, 0], [2, 1], [0, 1]]
    assert problem.labels.tolist() == [1, 0, 0]
    assert problem.sample_domain.tolist() == [0, 0, -1]
    with pytest.raises(ValueError, match="lower min_df"):
        cut_problem(counted, ONE_TO_ONE, min_df=4, dtype="float32")


def test_terms_with_the_highest_document_frequency_are_kept() -> None:
    counts = np.array([[1, 1, 0, 9, 0], [1, 1, 1, 0, 0], [1, 0, 1, 0, 1], [1, 9, 9, 9, 9]], float)
    counted = Counted(sparse.csr_matrix(counts), np.array(["b", "a", "c", "other"]), None)

    def kept(max_terms: int, min_df: int = 1) -> list[list[float]]:
        problem = cut_problem(counted, ONE_TO_ONE, min_df, "float32", max_terms=max_terms)
        return problem.counts.toarray().tolist()

    # Terms 1 and 2 occur in two documents each: the first one is kept.
    assert kept(2) == counts[:3, [0, 1]].tolist()
    assert kept(3) == kept(5, min_df=2) == counts[:3, [0, 1, 2]].tolist()
    assert kept(9) == counts[:3].tolist()


def test_cut_stacks_the_domains_in_order() -> None:
    counted = Counted(sparse.csr_matrix(np.diag([1.0, 2, 3, 4])), np.array(list("dcba")), None)
    targets = ((("p", ("c",)),), (("n", ("d",)),))
    task = make_task("t", "s", "evidence", "x", ((N,), (P,)), targets)
    problem = cut_problem(counted, task, min_df=1, dtype="float64")
    assert problem.counts.sum(axis=1).ravel().tolist() == [[4, 3, 2, 1]]
    assert problem.sample_domain.tolist() == [0, 1, -1, -2]
    assert problem.labels.tolist() == [0, 1, 1, 0]
    assert problem.classes == ("n", "p")


TASK = make_task(
    "t", "s", "evidence", "x", ((N, P),), ((("n", ("c",)), ("p", ("d",))), (("n", ("e",)),)),
    labeled_source=0.7, labeled_target=0.2,
)  # fmt: skip
LABELS = np.repeat([0, 1, 0, 1, 0], [10, 20, 10, 30, 5])
DOMAIN = np.repeat([0, -1, -2], [30, 40, 5])
PROBLEM = BenchmarkProblem(sparse.csr_matrix((75, 1)), LABELS, DOMAIN, ("n", "p"))


def counts_of(shown: np.ndarray) -> dict[tuple[int, int], int]:
    cells = [(int(d), int(c)) for d, c in zip(DOMAIN[shown], LABELS[shown], strict=True)]
    return {cell: cells.count(cell) for cell in cells}


def test_draw_is_stratified_and_repeatable() -> None:
    shown = draw_labeled(PROBLEM, TASK, 0)
    assert counts_of(shown) == {(0, 0): 7, (0, 1): 14, (-1, 0): 2, (-1, 1): 6, (-2, 0): 1}
    assert np.array_equal(shown, draw_labeled(PROBLEM, TASK, 0))
    assert not np.array_equal(shown, draw_labeled(PROBLEM, TASK, 1))


def test_by_default_all_source_rows_and_no_target_rows_are_labeled() -> None:
    usual = replace(TASK, labeled_source=1.0, labeled_target=0.0)
    assert np.array_equal(draw_labeled(PROBLEM, usual, None), DOMAIN >= 0)


def test_a_larger_fraction_adds_rows_and_does_not_change_the_other_domain() -> None:
    shown = draw_labeled(PROBLEM, TASK, 3)
    more = draw_labeled(PROBLEM, replace(TASK, labeled_target=0.5), 3)
    assert np.array_equal(shown[:30], more[:30])
    assert np.all(more[shown])
    assert more.sum() > shown.sum()


def test_every_class_keeps_a_label_and_a_row_to_score() -> None:
    small = replace(TASK, labeled_target=0.01)
    assert counts_of(draw_labeled(PROBLEM, small, 0))[-1, 1] == 1
    single = BenchmarkProblem(PROBLEM.counts[:31], LABELS[:31], DOMAIN[:31], ("n", "p"))
    with pytest.raises(ValueError, match="lower labeled_target"):
        draw_labeled(single, small, 0)


def test_a_draw_needs_a_seed() -> None:
    with pytest.raises(ValueError, match="'t' draws documents: give a seed"):
        draw_labeled(PROBLEM, TASK, None)


GROUPS = np.repeat(list("abcde"), [10, 20, 10, 30, 5])
KEPT = replace(TASK, labeled_source=1.0, labeled_target=0.0, keep_target=(("p", 0.4),))


def test_a_fraction_of_a_target_class_is_kept() -> None:
    chosen = choose_rows(GROUPS, KEPT, 0)
    assert np.bincount(chosen.labels[chosen.sample_domain == -1]).tolist() == [10, 12]
    assert np.bincount(chosen.labels[chosen.sample_domain == -2]).tolist() == [5]
    assert np.count_nonzero(chosen.sample_domain == 0) == 30
    again, other = choose_rows(GROUPS, KEPT, 0), choose_rows(GROUPS, KEPT, 1)
    assert np.array_equal(chosen.rows, again.rows)
    assert not np.array_equal(chosen.rows, other.rows)


def test_a_larger_fraction_contains_the_rows_of_a_smaller_one() -> None:
    more = choose_rows(GROUPS, replace(KEPT, keep_target=(("p", 0.7), ("n", 0.01))), 0)
    rows = choose_rows(GROUPS, KEPT, 0)
    assert set(rows.rows[rows.labels == 1]) < set(more.rows[more.labels == 1])
    # At least one row per class in every target.
    assert np.count_nonzero((more.labels == 0) & (more.sample_domain < 0)) == 2


def test_kept_and_labeled_rows_are_drawn_independently() -> None:
    """Otherwise the kept rows would be labeled first."""
    task = replace(TASK, labeled_target=0.5, keep_target=(("p", 0.5),))
    kept = set(choose_rows(GROUPS, task, 0).rows.tolist())
    labeled = np.flatnonzero(draw_labeled(PROBLEM, task, 0) & (PROBLEM.sample_domain == -1))
    of_class = labeled[PROBLEM.labels[labeled] == 1].tolist()
    assert 0 < len(kept.intersection(of_class)) < len(of_class)


def test_removed_rows_are_not_counted() -> None:
    counts = np.ones((75, 75))
    # Each of the thirty rows of a class has its own term; twelve rows are kept.
    counts[:, 40:70] = np.eye(75)[:, 40:70]
    counted = Counted(sparse.csr_matrix(counts), GROUPS, None)
    problem = cut_problem(counted, KEPT, 1, "float32", 0)
    assert problem.counts.shape == (57, 45 + 12)


def test_kept_rows_need_a_seed() -> None:
    with pytest.raises(ValueError, match="'t' draws documents: give a seed"):
        choose_rows(GROUPS, KEPT)


SAMPLED = replace(TASK, labeled_source=1.0, labeled_target=0.0, sample=5)


def test_a_sample_has_equal_classes_in_every_domain() -> None:
    chosen = choose_rows(GROUPS, SAMPLED, 0)
    cells = list(zip(chosen.sample_domain.tolist(), chosen.labels.tolist(), strict=True))
    assert {cell: cells.count(cell) for cell in cells} == dict.fromkeys(
        [(0, 0), (0, 1), (-1, 0), (-1, 1), (-2, 0)], 5
    )
    assert len(set(chosen.rows.tolist())) == 25
    assert np.array_equal(chosen.rows, choose_rows(GROUPS, SAMPLED, 0).rows)
    assert not np.array_equal(chosen.rows, choose_rows(GROUPS, SAMPLED, 1).rows)


def test_a_sample_is_reproducible() -> None:
    """Other programs draw the same documents, and results are compared with theirs."""
    groups = np.random.default_rng(0).permutation(GROUPS)
    chosen = choose_rows(groups, SAMPLED, 7)
    for position, (number, selection) in enumerate(SAMPLED.domains.items()):
        expected = []
        for name, (group,) in selection.items():
            code = ("n", "p").index(name)
            rows = np.flatnonzero(groups == group)
            drawn = np.random.default_rng([7, position, code, 2]).permutation(rows)[:5]
            expected += [(row, code) for row in drawn.tolist()]
        of_domain = chosen.sample_domain == number
        rows, labels = chosen.rows[of_domain].tolist(), chosen.labels[of_domain].tolist()
        assert list(zip(rows, labels, strict=True)) == sorted(expected)


def test_a_larger_sample_contains_the_smaller_one() -> None:
    larger = replace(SAMPLED, targets=SAMPLED.targets[:1], sample=9)
    smaller = replace(larger, sample=4)
    assert set(choose_rows(GROUPS, smaller, 0).rows) < set(choose_rows(GROUPS, larger, 0).rows)


def test_sources_may_have_a_different_sample_size() -> None:
    several = {
        size: choose_rows(GROUPS, replace(SAMPLED, sample_source=size), 0) for size in (3, 8)
    }
    for size, chosen in several.items():
        assert np.bincount(chosen.labels[chosen.sample_domain == 0]).tolist() == [size, size]
    targets = [chosen.rows[chosen.sample_domain < 0] for chosen in several.values()]
    assert np.array_equal(*targets)
    assert np.array_equal(targets[0], choose_rows(GROUPS, SAMPLED, 0).rows[-15:])
    assert set(several[3].rows) < set(several[8].rows)
    # Without a sample size for all domains the targets are complete.
    alone = choose_rows(GROUPS, replace(SAMPLED, sample=None, sample_source=3), 0)
    assert np.count_nonzero(alone.sample_domain < 0) == np.count_nonzero(DOMAIN < 0)
    message = "Domain 0 of task 't' has .* fewer than sample_source=99: lower it"
    with pytest.raises(ValueError, match=message):
        choose_rows(GROUPS, replace(SAMPLED, sample_source=99), 0)


def test_a_class_too_small_for_the_sample_is_named() -> None:
    message = r"Domain 2 of task 't' has 5 rows of the class 'n', fewer than sample=6: lower it"
    with pytest.raises(ValueError, match=message):
        choose_rows(GROUPS, replace(SAMPLED, sample=6), 0)
    with pytest.raises(ValueError, match="'t' draws documents: give a seed"):
        choose_rows(GROUPS, SAMPLED)


def test_terms_are_counted_within_the_sample() -> None:
    counted = Counted(sparse.csr_matrix(np.eye(75)), GROUPS, None)
    assert cut_problem(counted, SAMPLED, 1, "float32", 0).counts.shape == (25, 25)


def test_scored_rows() -> None:
    shown = np.zeros(75, bool)
    shown[35:45] = True
    hidden = (DOMAIN < 0) & ~shown
    assert np.array_equal(scored_rows(PROBLEM, TASK, shown), hidden)
    second = scored_rows(PROBLEM, replace(TASK, scored=2), shown)
    assert np.array_equal(second, DOMAIN == -2)
