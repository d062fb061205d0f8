"""The choice of pivots."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import mutual_info_score

from isthmus import PivotSelector
from isthmus.solvers.pivots._pivot_scores import Frequencies, evenness, largest, mutual_information
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


def test_mutual_information_is_the_textbooks():
    toy = make_toy(n_classes=3)
    rows = ~toy.is_target
    present = toy.X[rows].toarray() > 0
    groups = [present[toy.truth[rows] == c] for c in range(3)]
    table = Frequencies(
        np.array([group.sum(axis=0) for group in groups], float),
        np.array([len(group) for group in groups], float),
    )
    expected = [mutual_info_score(toy.truth[rows], column) for column in present.T]
    np.testing.assert_allclose(mutual_information(table), expected, atol=1e-12)


def test_by_label():
    chosen = PivotSelector(2, min_df=1).fit(pd.DataFrame(X, columns=TERMS), Y)
    assert chosen.get_feature_names_out().tolist() == ["good", "bad"]
    assert chosen.pivots_.tolist() == [0, 1]  # equal scores: the first column first
    assert chosen.pivot_labels_.tolist() == ["+", "-"]
    kept = chosen.transform(pd.DataFrame(X, columns=TERMS))
    np.testing.assert_array_equal(kept, X[:, :2])


def test_min_df_holds_in_every_domain():
    assert PivotSelector(5, min_df=2).fit(X, Y).pivots_.tolist() == [1, 4]
    with pytest.raises(ValueError, match="of the 3 terms that all domains share none stands in 9"):
        PivotSelector(5, min_df=9).fit(X, Y)


def test_by_frequency_and_by_domain_need_no_label():
    numbers = [0, 0, 0, 0, -1, -1, -1]
    frequent = PivotSelector(2, by="frequency", min_df=1).fit(X, sample_domain=numbers)
    assert frequent.pivots_.tolist() == [4, 1]
    assert not hasattr(frequent, "pivot_labels_")
    alike = PivotSelector(5, by="domain", min_df=1).fit(X, sample_domain=numbers)
    assert alike.pivots_[0] == 4  # the only term as common in both
    with pytest.raises(ValueError, match="chosen by their label but no row has one"):
        PivotSelector(2, min_df=1).fit(X, sample_domain=numbers)


def test_shared_pivots_are_as_common_in_every_domain():
    toy = make_toy()
    own = np.arange(12, 44)  # words that one domain has and the other hardly
    chosen = {
        by: PivotSelector(by=by, min_df=1).fit(toy.X, toy.y, toy.sample_domain).pivots_
        for by in ("label", "shared")
    }
    inside = {by: np.isin(columns, own).sum() for by, columns in chosen.items()}
    assert inside["shared"] < inside["label"]


def test_a_list_of_ones_own():
    frame = pd.DataFrame(X, columns=TERMS)
    assert PivotSelector(terms=["the", "good", "the"]).fit(frame, Y).pivots_.tolist() == [4, 0]
    assert PivotSelector(terms=[3, 1]).fit(X, Y).pivots_.tolist() == [3, 1]
    with pytest.warns(UserWarning, match="1 of the 2 pivots given are no terms"):
        assert PivotSelector(terms=["good", "Good"]).fit(frame, Y).pivots_.tolist() == [0]
    with pytest.raises(ValueError, match="None of the 1 pivots given is a term"):
        PivotSelector(terms=["Good"]).fit(frame, Y)
    with pytest.raises(ValueError, match="given by name but the columns have none"):
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
        ({"terms": []}, "must hold names or numbers"),
        ({"terms": "good"}, "must hold names or numbers"),
        ({"terms": iter([1])}, "must hold names or numbers"),
        ({"terms": ["good", 1]}, "holds names and numbers: give either"),
        ({"terms": [-1]}, "A pivot's column must be at least 0"),
        ({"terms": [[1, 2]]}, "A pivot's column must be a whole number"),
        ({"terms": [10**30]}, "A pivot's column must be at most"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        PivotSelector(**parameters).fit(X, Y)


def test_nothing_shared():
    apart = sparse.csr_array(np.kron(np.eye(2), np.ones((3, 2))))
    with pytest.raises(ValueError, match="no term stands in documents of every domain"):
        PivotSelector().fit(apart, ["a", "b", "a", None, None, None])


def test_auto_adapts_to_few_documents_and_terms():
    chosen = PivotSelector().fit(make_toy().X, make_toy().y, make_toy().sample_domain)
    shared = 2 * 6  # words of the classes that all domains use
    assert len(chosen.pivots_) == make_toy().X.shape[1] // 4
    assert np.count_nonzero(chosen.pivots_ < shared) >= 8


def test_the_first_of_equals_comes_first_whatever_rounding_says():
    scores = np.array([0.5, 0.5 + 1e-15, 0.7])
    assert largest(scores, np.ones(3, bool), 2).tolist() == [2, 0]


def test_evenness_is_of_shares_not_of_numbers():
    counts = np.array([[10.0, 1, 0, 0], [20, 10, 5, 0], [5, 10, 5, 0]])
    found = evenness(Frequencies(counts, np.array([100.0, 200, 50])))
    np.testing.assert_allclose(found, [1, 0.05, 0, 0])


def test_pivots_that_one_domain_lacks_are_told():
    with pytest.warns(UserWarning, match=r"1 of the 2 pivots given stand in no document of some"):
        PivotSelector(terms=[0, 3]).fit(X, Y)  # only the target has a knife


def test_one_class_tells_nothing():
    with pytest.raises(ValueError, match="y holds one class only"):
        PivotSelector(min_df=1).fit(X, ["+"] * 4 + [None] * 3)
