"""Selection of pivots."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import mutual_info_score

from isthmus import PivotSelector
from isthmus.solvers.pivots._pivot_scores import (
    Frequencies,
    evenness,
    largest,
    term_mutual_information,
)
from toy import make_toy

TERMS = ["good", "bad", "plot", "knife", "the"]
X = np.array(
    [
        [1, 0, 1, 0, 1],
        [2, 0, 1, 0, 1],
        [0, 1, 1, 0, 1],
        [0, 3, 0, 0, 1],
        [1, 0, 0, 1, 1],
        [0, 1, 0, 2, 1],
        [0, 1, 0, 0, 1],
    ],
    float,
)
Y = ["+", "+", "-", "-", None, None, None]


def test_mutual_information_equals_scikit_learns():
    toy = make_toy(n_classes=3)
    rows = ~toy.is_target
    present = toy.X[rows].toarray() > 0
    groups = [present[toy.truth[rows] == c] for c in range(3)]
    table = Frequencies(
        np.array([group.sum(axis=0) for group in groups], float),
        np.array([len(group) for group in groups], float),
    )
    expected = [mutual_info_score(toy.truth[rows], column) for column in present.T]
    np.testing.assert_allclose(term_mutual_information(table), expected, atol=1e-12)


def test_by_label():
    selector = PivotSelector(2, min_df=1).fit(pd.DataFrame(X, columns=TERMS), Y)
    assert selector.get_feature_names_out().tolist() == ["good", "bad"]
    assert selector.pivots_.tolist() == [0, 1]  # equal scores: in the order of the columns
    assert selector.pivot_labels_.tolist() == ["+", "-"]
    kept = selector.transform(pd.DataFrame(X, columns=TERMS))
    np.testing.assert_array_equal(kept, X[:, :2])


def test_min_df_applies_to_every_domain():
    assert PivotSelector(5, min_df=2).fit(X, Y).pivots_.tolist() == [1, 4]
    with pytest.raises(ValueError, match="none of the 3 terms that all domains share occurs in 9"):
        PivotSelector(5, min_df=9).fit(X, Y)


def test_by_frequency_and_by_domain_need_no_labels():
    numbers = [0, 0, 0, 0, -1, -1, -1]
    frequent = PivotSelector(2, by="frequency", min_df=1).fit(X, sample_domain=numbers)
    assert frequent.pivots_.tolist() == [4, 1]
    assert not hasattr(frequent, "pivot_labels_")
    even = PivotSelector(5, by="domain", min_df=1).fit(X, sample_domain=numbers)
    assert even.pivots_[0] == 4  # the only term with the same frequency in both
    with pytest.raises(ValueError, match="selected by label but no row is labeled"):
        PivotSelector(2, min_df=1).fit(X, sample_domain=numbers)


def test_a_second_fit_without_labels_clears_the_labels_of_the_pivots():
    selector = PivotSelector(2, min_df=1).fit(X, Y)
    assert hasattr(selector, "pivot_labels_")
    selector.set_params(by="frequency").fit(X, sample_domain=[0, 0, 0, 0, -1, -1, -1])
    assert not hasattr(selector, "pivot_labels_")


def test_shared_pivots_are_frequent_in_every_domain():
    toy = make_toy()
    own = np.arange(12, 44)  # words that are frequent in one domain only
    pivots = {
        by: PivotSelector(by=by, min_df=1).fit(toy.X, toy.y, toy.sample_domain).pivots_
        for by in ("label", "shared")
    }
    n_own = {by: np.isin(columns, own).sum() for by, columns in pivots.items()}
    assert n_own["shared"] < n_own["label"]


def test_a_list_of_pivots():
    frame = pd.DataFrame(X, columns=TERMS)
    assert PivotSelector(terms=["the", "good", "the"]).fit(frame, Y).pivots_.tolist() == [4, 0]
    assert PivotSelector(terms=[4, 1]).fit(X, Y).pivots_.tolist() == [4, 1]
    with pytest.warns(UserWarning, match="1 of the 2 pivots given are not terms"):
        assert PivotSelector(terms=["good", "Good"]).fit(frame, Y).pivots_.tolist() == [0]
    with pytest.raises(ValueError, match="None of the 1 pivots given is a term"):
        PivotSelector(terms=["Good"]).fit(frame, Y)
    with pytest.raises(ValueError, match="given by name but the columns have no names"):
        PivotSelector(terms=["good"]).fit(X, Y)
    with pytest.raises(ValueError, match="There is no column 7 for a pivot"):
        PivotSelector(terms=[7]).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_pivots": 0}, "n_pivots must be at least 1"),
        ({"n_pivots": "many"}, "n_pivots must be .auto. or a whole number"),
        ({"by": "taste"}, "by must be one of"),
        ({"min_df": 0.5}, "min_df must be a whole number"),
        ({"terms": []}, "must hold column names or numbers"),
        ({"terms": "good"}, "must hold column names or numbers"),
        ({"terms": iter([1])}, "must hold column names or numbers"),
        ({"terms": ["good", 1]}, "mixes names and numbers"),
        ({"terms": [-1]}, "The column of a pivot must be at least 0"),
        ({"terms": [[1, 2]]}, "The column of a pivot must be a whole number"),
        ({"terms": [10**30]}, "The column of a pivot must be at most"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        PivotSelector(**parameters).fit(X, Y)


def test_domains_without_a_common_term():
    apart = sparse.csr_array(np.kron(np.eye(2), np.ones((3, 2))))
    with pytest.raises(ValueError, match="no term occurs in every domain"):
        PivotSelector().fit(apart, ["a", "b", "a", None, None, None])


def test_auto_adapts_to_few_documents_and_terms():
    toy = make_toy()
    selector = PivotSelector().fit(toy.X, toy.y, toy.sample_domain)
    n_shared = 2 * 6  # words of the classes that all domains use
    assert len(selector.pivots_) == toy.X.shape[1] // 4
    assert np.count_nonzero(selector.pivots_ < n_shared) >= 8


def test_rounding_does_not_change_the_order_of_ties():
    scores = np.array([0.5, 0.5 + 1e-15, 0.7])
    assert largest(scores, np.ones(3, bool), 2).tolist() == [2, 0]


def test_evenness_compares_relative_frequencies():
    counts = np.array([[10.0, 1, 0, 0], [20, 10, 5, 0], [5, 10, 5, 0]])
    ratios = evenness(Frequencies(counts, np.array([100.0, 200, 50])))
    np.testing.assert_allclose(ratios, [1, 0.05, 0, 0])


def test_warns_of_pivots_that_a_domain_does_not_use():
    with pytest.warns(UserWarning, match="1 of the 2 pivots given do not occur in every domain"):
        PivotSelector(terms=[0, 3]).fit(X, Y)  # only the target uses "knife"


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y holds one class only"):
        PivotSelector(min_df=1).fit(X, ["+"] * 4 + [None] * 3)
