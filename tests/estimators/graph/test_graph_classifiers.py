"""GFHF, LLGC, SGT and the label spreading of scikit-learn as estimators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import LabelSpreading

from isthmus import GFHF, LLGC, SGT, SklearnLabelSpreading
from toy import make_toy

METHODS = [GFHF, LLGC, SGT]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_labels_propagate_along_a_chain_of_shared_words(method):
    """Most documents share no word with a labeled one, but there is a chain of documents."""
    links = np.eye(12) + np.eye(12, k=1)  # document i holds the words i and i + 1
    X = np.kron(np.eye(2), links)
    y = np.full(24, None)
    y[0], y[12] = "left", "right"
    estimator = method(n_neighbors=3, cross_share=None).fit(X, y)
    assert estimator.transduction_.tolist() == ["left"] * 12 + ["right"] * 12


@pytest.mark.doubtful
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
@pytest.mark.parametrize("n_neighbors", [20, 30])
def test_four_classes_of_several_sources(method, n_neighbors):
    toy = make_toy((0, 1, -1), 4)
    estimator = method(n_neighbors).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert toy.target_accuracy(estimator.transduction_) > 0.9


@pytest.mark.parametrize("method", [GFHF, SGT], ids=lambda method: method.__name__)
def test_n_neighbors_none_connects_all_documents(method):
    toy = make_toy()
    complete = method(None).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    most = method(len(toy.y) - 1).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(complete.label_distributions_, most.label_distributions_, atol=1e-5)


def test_negative_values():
    generator = np.random.default_rng(0)
    truth = np.repeat([0, 1], 30)
    X = generator.standard_normal((60, 5)) + 3 * np.eye(5)[truth]
    y = np.where(np.arange(60) % 6 == 0, truth, -1)
    for method in METHODS:
        assert np.mean(method(10, cross_share=None).fit(X, y).transduction_ == truth) > 0.9


@pytest.mark.doubtful
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_cross_share_connects_domains_with_few_shared_words(method):
    """All nearest neighbors are in the same domain, so labels need cross-domain edges."""
    generator = np.random.default_rng(0)
    truth = np.tile(np.repeat([0, 1], 30), 2)
    own = generator.poisson(2.0, (120, 40)).astype(float)
    own *= np.kron(np.eye(4), np.ones((30, 10)))  # words of one class in one domain
    common = generator.random((120, 2)) * np.eye(2)[truth] * 0.3
    X = np.hstack([own, common])
    y = np.where(np.arange(120) < 60, truth, -1)
    domains = np.where(np.arange(120) < 60, 0, -1)
    accuracies = [
        float(np.mean(method(10, cross_share=value).fit(X, y, domains).transduction_ == truth))
        for value in (None, 0.5)
    ]
    assert accuracies[0] < 0.8
    assert accuracies[1] > 0.95


def test_class_masses_match_the_prior():
    toy = make_toy()
    proportions = []
    for prior in (None, {0: 0.2, 1: 0.8}):
        estimator = GFHF(class_prior=prior).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
        proportions.append(float(np.mean(estimator.transduction_[toy.is_target] == 0)))
    assert proportions[1] == pytest.approx(0.2, abs=0.03)
    assert proportions[0] > 0.4


@pytest.mark.doubtful
def test_the_larger_class_wins_with_the_paper_preset():
    toy = make_toy()
    fewer = (toy.truth == 1) | toy.is_target | (np.arange(len(toy.y)) % 3 == 0)
    rows = (toy.X[fewer], toy.y[fewer], toy.sample_domain[fewer])
    paper = LLGC.from_preset("paper").set_params(n_neighbors=30).fit(*rows)
    ours = LLGC(30).fit(*rows)
    target = toy.is_target[fewer]
    assert (paper.transduction_[target] == 1).mean() > 0.9
    assert (ours.transduction_[target] == toy.truth[fewer][target]).mean() > 0.9


def test_label_spreading_equals_scikit_learn():
    toy = make_toy()
    ours = SklearnLabelSpreading().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    rows = normalize(sparse.csr_matrix(toy.X))
    theirs = LabelSpreading(kernel="knn").fit(rows, toy.y)
    np.testing.assert_allclose(
        ours.label_distributions_[toy.is_target], theirs.label_distributions_[toy.is_target]
    )
    assert ours.n_iter_ == theirs.n_iter_


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_unconnected_documents_are_predicted_as_new(method):
    X = np.kron(np.eye(3), np.ones((4, 4)))
    X[3] = 0
    y = np.full(12, None)
    y[[0, 1, 4]] = ["a", "a", "b"]
    with pytest.warns(UserWarning, match="4 of 9 unlabeled documents are not connected"):
        estimator = method(n_neighbors=3).fit(X, y)
    predicted = estimator.predict_proba(X)
    np.testing.assert_allclose(estimator.label_distributions_[8:], predicted[8:])
    np.testing.assert_allclose(estimator.label_distributions_[3], [2 / 3, 1 / 3])  # empty
    assert estimator.transduction_[2] == "a"
    assert estimator.transduction_[5] == "b"


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GFHF(n_neighbors=0), "n_neighbors must be"),
        (SGT(n_neighbors="all"), "n_neighbors must be"),
        (GFHF(class_masses="yes"), "class_masses must be"),
        (GFHF(solver_tol=0), "solver_tol must be"),
        (LLGC(cross_share=0), "cross_share must be"),
        (LLGC(alpha=1), "alpha must be"),
        (LLGC(equal_classes=2), "equal_classes must be"),
        (SGT(n_eigenvectors=0), "n_eigenvectors must be"),
        (SGT(c=0), "c must be"),
        (SGT(eigen_tol=1), "eigen_tol must be"),
        (SklearnLabelSpreading(n_neighbors=1.5), "n_neighbors must be"),
        (SklearnLabelSpreading(alpha=0), "alpha must be"),
        (SklearnLabelSpreading(max_iter=0), "max_iter must be"),
    ],
    ids=str,
)
def test_invalid_parameters(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.eye(3), ["a", "b", None])


@pytest.mark.doubtful
@pytest.mark.parametrize("method", [GFHF, LLGC, SGT, SklearnLabelSpreading])
def test_duplicates_count_once_and_the_row_order_has_no_influence(method):
    toy = make_toy()
    some = np.flatnonzero(toy.is_target)[:1].repeat(60)
    labeled = np.flatnonzero(~toy.is_target)[[0, 20]].repeat(30)  # one of each class
    all_rows = np.concatenate([np.arange(len(toy.y)), some, labeled])
    alone = method().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    order = np.random.default_rng(0).permutation(len(all_rows))
    rows = all_rows[order]
    with_duplicates = method().fit(toy.X[rows], toy.y[rows], sample_domain=toy.sample_domain[rows])
    np.testing.assert_allclose(
        with_duplicates.label_distributions_, alone.label_distributions_[rows], atol=1e-6
    )


@pytest.mark.parametrize("method", [GFHF, LLGC, SGT, SklearnLabelSpreading])
def test_empty_documents_have_no_influence(method):
    toy = make_toy()
    X = sparse.vstack([toy.X, sparse.csr_array((100, toy.X.shape[1]))]).tocsr()
    y = np.append(toy.y, np.full(100, -1))
    domains = np.append(toy.sample_domain, np.full(100, -1))
    alone = method().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    more = method().fit(X, y, sample_domain=domains)
    np.testing.assert_allclose(
        more.label_distributions_[: len(toy.y)], alone.label_distributions_, atol=1e-6
    )
