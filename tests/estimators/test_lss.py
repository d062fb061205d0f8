"""LSSTTC and LSSMTC as people use them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import isthmus.estimators.subspace._base as module
from isthmus import LSSMTC, LSSTTC, clustering_accuracy
from isthmus.estimators.components.temperature import fit_inverse_temperature
from toy import make_toy

NOTHING = "holds .* of the data.*take w_step='discriminant'"


def accuracies(toy, labels):
    numbers = np.unique(toy.sample_domain)
    parts = [toy.sample_domain == number for number in numbers]
    return [clustering_accuracy(toy.truth[rows], labels[rows]) for rows in parts]


def embedding(toy, n_columns=30, seed=0, shift=0.0):
    """Coordinates of any sign, few of them, with the target ``shift`` further on."""
    generator = np.random.default_rng(seed)
    X = toy.X.toarray() @ generator.standard_normal((toy.X.shape[1], n_columns))
    for number in np.unique(toy.sample_domain):
        rows = toy.sample_domain == number
        X[rows] -= X[rows].mean(axis=0)
    return X + shift * toy.is_target[:, None] * generator.standard_normal(n_columns)


@pytest.mark.parametrize("p_step", ["binary", "multiplicative"])
@pytest.mark.parametrize("w_step", ["discriminant", "smallest"])
def test_every_pair_of_steps_labels_the_target(w_step, p_step):
    toy = make_toy(n_classes=3)
    model = LSSTTC(w_step=w_step, p_step=p_step, max_iter=20, tol=0, n_subspace=20)
    model.fit(toy.X, toy.y, toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.9
    assert model.n_iter_ == 20
    W = model.subspace_
    assert W.shape[0] == toy.X.shape[1]
    assert W.shape[1] == (20 if w_step == "smallest" else min(3, W.shape[1]))
    np.testing.assert_allclose(W.T @ W, np.eye(W.shape[1]), atol=1e-10)
    clusterer = LSSMTC(3, w_step=w_step, p_step=p_step, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusterer.fit(toy.X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, clusterer.labels_)) > 0.9


def test_the_share_is_what_the_subspace_holds():
    toy = make_toy()
    model = LSSTTC(center=False, unit_rows=False).fit(toy.X, toy.y, toy.sample_domain)
    share = np.linalg.norm(toy.X @ model.subspace_) ** 2 / np.linalg.norm(toy.X.toarray()) ** 2
    np.testing.assert_allclose(model.subspace_share_, share)
    assert 0.01 < share < 1


def test_more_terms_than_documents_leave_the_papers_subspace_nothing():
    toy = make_toy()
    X = sparse.hstack([toy.X, toy.X[:, ::-1], toy.X[::-1]]).tocsr()  # 162 terms, 80 documents
    with pytest.warns(UserWarning, match=NOTHING):
        model = LSSTTC(w_step="smallest", n_subspace=5).fit(X, toy.y, toy.sample_domain)
    assert model.subspace_share_ == 0
    assert model.subspace_.shape == (162, 5)
    np.testing.assert_allclose(model.subspace_.T @ model.subspace_, np.eye(5), atol=1e-10)
    unit = X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True)
    for rows in (toy.is_target, ~toy.is_target):  # nothing of any document, however centred
        centred = unit[rows] - unit[rows].mean(axis=0)
        np.testing.assert_allclose(centred @ model.subspace_, 0, atol=1e-9)
    with pytest.warns(UserWarning, match=NOTHING):
        LSSMTC(w_step="smallest", random_state=0).fit(X, sample_domain=toy.sample_domain)


def test_the_papers_subspace_needs_a_short_side(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_GRAM", 30)
    toy = make_toy()
    with pytest.raises(ValueError, match=r"80 documents of 54 terms have too many .* at most 30"):
        LSSTTC(w_step="smallest").fit(toy.X, toy.y, toy.sample_domain)
    LSSTTC().fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("p_step", ["binary", "multiplicative"])
def test_no_iteration_returns_the_start(p_step):
    toy = make_toy(n_classes=3)
    start = LogisticRegression(C=10, max_iter=500)
    model = LSSTTC(max_iter=0, p_step=p_step).fit(toy.X, toy.y, toy.sample_domain)
    unit = toy.X.toarray() / np.linalg.norm(toy.X.toarray(), axis=1, keepdims=True)
    start.fit(unit[~toy.is_target], toy.truth[~toy.is_target])
    expected = start.predict_proba(unit[toy.is_target])
    np.testing.assert_allclose(model.label_distributions_[toy.is_target], expected, atol=1e-6)
    assert len(model.objective_) == 1
    clusterer = LSSMTC(3, max_iter=0, p_step=p_step, random_state=0)
    clusterer.fit(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(clusterer.labels_, clusterer.init_labels_)
    assert clusterer.n_iter_ == 0


def test_the_papers_presets():
    for cls, directions in ((LSSTTC, 100), (LSSMTC, 4)):
        model = cls.from_preset("paper")
        assert (model.w_step, model.p_step) == ("smallest", "multiplicative")
        assert (model.n_subspace, model.max_iter, model.center) == (directions, 20, False)
    toy = make_toy(n_classes=3)
    model = LSSMTC.from_preset("paper").set_params(n_clusters=3, random_state=0)
    model.fit(toy.X, sample_domain=toy.sample_domain)
    assert model.n_iter_ == 20
    # Where W minimises it, the objective never rises.
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert ((model.memberships_ > 0).sum(axis=1) > 1).any()


def test_several_sources_and_targets_with_open_rows_in_all():
    toy = make_toy((0, 1, -1, -2), n_classes=3)
    generator = np.random.default_rng(0)
    y = np.where(generator.random(len(toy.y)) < 0.3, toy.truth, -1)
    model = LSSTTC().fit(toy.X, y, toy.sample_domain)
    assert np.mean(model.transduction_ == toy.truth) > 0.9
    np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert set(model.profiles_) == {0, 1, -1, -2}
    again = model.predict(toy.X, toy.sample_domain)
    assert np.mean(again == model.transduction_) > 0.95


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_turned_documents_of_any_sign_get_the_same_labels(dtype):
    toy = make_toy(n_classes=3)
    size = toy.X.shape[1]
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]
    X = (toy.X @ turn).astype(dtype)
    assert (X < 0).mean() > 0.3
    model, expected = (
        LSSTTC(random_state=0).fit(rows, toy.y, toy.sample_domain) for rows in (X, toy.X)
    )
    np.testing.assert_allclose(model.label_distributions_, expected.label_distributions_, atol=2e-3)
    assert model.label_distributions_.dtype == dtype
    clusterer = LSSMTC(3, random_state=0).fit(X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, clusterer.labels_)) > 0.9


def test_the_mean_of_a_domain_tells_nothing_of_its_clusters():
    toy = make_toy()
    X = embedding(toy, 60, shift=5.0)
    found = {
        centre: LSSMTC(init="together", center=centre, unit_rows=False, random_state=0)
        for centre in (True, False)
    }
    labels = {
        centre: model.fit_predict(X, sample_domain=toy.sample_domain)
        for centre, model in found.items()
    }
    assert min(accuracies(toy, labels[True])) > 0.9
    assert min(accuracies(toy, labels[False])) < 0.6  # one cluster a domain


def test_domains_that_share_little_start_apart():
    toy = make_toy(n_classes=3)
    X = embedding(toy)
    found = {
        start: LSSMTC(3, init=start, random_state=0).fit(X, sample_domain=toy.sample_domain)
        for start in ("together", "apart", "best")
    }
    worst = {start: min(accuracies(toy, model.labels_)) for start, model in found.items()}
    assert worst["together"] < 0.8
    assert worst["apart"] > 0.9
    assert found["apart"].objective_[-1] < found["together"].objective_[-1]
    np.testing.assert_allclose(found["best"].objective_, found["apart"].objective_)
    # Cluster numbers mean the same in both domains.
    assert clustering_accuracy(toy.truth, found["best"].labels_) > 0.9


def test_one_domain_has_nothing_to_share():
    toy = make_toy((0,))
    for start in ("together", "apart", "best"):
        model = LSSMTC(init=start, random_state=0).fit(toy.X)
        assert clustering_accuracy(toy.truth, model.labels_) > 0.9


def test_empty_documents_have_no_say():
    toy = make_toy()
    X = toy.X.toarray()
    empty = np.flatnonzero(toy.is_target)[::4]
    X[empty] = 0
    model = LSSTTC().fit(X, toy.y, toy.sample_domain)
    assert not model.memberships_[empty].any()
    shares = np.broadcast_to(model.class_prior_, (len(empty), 2))
    np.testing.assert_allclose(model.label_distributions_[empty], shares)
    keep = np.setdiff1d(np.arange(len(X)), empty)
    without = LSSTTC().fit(X[keep], toy.y[keep], toy.sample_domain[keep])
    np.testing.assert_allclose(
        model.label_distributions_[keep], without.label_distributions_, atol=1e-6
    )
    padded = np.hstack([X, np.zeros((len(X), 1))])
    model = LSSTTC().fit(padded, toy.y, toy.sample_domain)
    new = np.zeros((2, padded.shape[1]))
    new[0, -1] = 3  # a word that nobody used
    new[1] = padded[-2]
    first, second = model.predict_proba(new)
    np.testing.assert_allclose(first, model.class_prior_)
    np.testing.assert_allclose(second, model.predict_proba(padded[[-2]])[0])
    new[1, -1] = 50
    np.testing.assert_allclose(model.predict_proba(new)[1], second)


def test_values_that_cancel_are_values():
    toy = make_toy()
    X = toy.X.toarray()
    X[1::2] = -X[::2]  # every column adds up to zero
    model = LSSTTC(unit_rows=False).fit(X, toy.y, toy.sample_domain)
    assert not model.term_totals_[-1].any()
    assert model.used_terms_.all()


@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_either_term_alone(lam):
    toy = make_toy()
    y = toy.y.copy()
    some = np.arange(15, 25)  # of the source, of both classes
    y[some] = -1
    model = LSSTTC(lam).fit(toy.X, y, toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.9
    np.testing.assert_array_equal(model.transduction_[some], toy.truth[some])


def test_new_documents_are_read_by_the_fitted_centroids():
    toy, new = make_toy(n_classes=3), make_toy(n_classes=3, seed=5)
    for p_step in ("binary", "multiplicative"):
        model = LSSTTC(p_step=p_step, max_iter=20, tol=0).fit(toy.X, toy.y, toy.sample_domain)
        again = model.predict(toy.X[toy.is_target])
        assert np.mean(again == model.transduction_[toy.is_target]) > 0.95
        assert np.mean(model.predict(new.X, new.sample_domain) == new.truth) > 0.9
        clusterer = LSSMTC(3, p_step=p_step, max_iter=20, tol=0, random_state=0)
        clusterer.fit(toy.X, sample_domain=toy.sample_domain)
        again = clusterer.predict(toy.X, toy.sample_domain)
        assert np.mean(again == clusterer.labels_) > 0.95


def test_a_few_target_documents_are_more_than_their_mean():
    toy = make_toy()
    for n_rows in (1, 2):
        right = 0
        for row in np.flatnonzero(toy.is_target):
            keep = np.flatnonzero(~toy.is_target).tolist() + [row] * n_rows
            model = LSSTTC().fit(toy.X[keep], toy.y[keep], toy.sample_domain[keep])
            right += model.transduction_[-1] == toy.truth[row]
        assert right > 0.7 * toy.is_target.sum()


def test_the_words_of_a_class():
    toy = make_toy()
    words = LSSTTC().fit(toy.X, toy.y, toy.sample_domain).top_words(n_words=8)
    ranges = {0: [(0, 6), (12, 20), (28, 36)], 1: [(6, 12), (20, 28), (36, 44)]}
    own = {label: {j for a, b in ranges[label] for j in range(a, b)} for label in (0, 1)}
    for label in (0, 1):
        for number in (0, -1):
            found = set(words[label][number])
            assert not found & own[1 - label]
            assert len(found & own[label]) >= 6  # of eight; others are frequent words of both


def test_sharpness_suits_the_labels():
    generator = np.random.default_rng(0)
    scores = generator.standard_normal((4000, 3))
    chances = np.exp(2.5 * scores)
    chances /= chances.sum(axis=1, keepdims=True)
    labels = (chances.cumsum(axis=1) < generator.random((4000, 1))).sum(axis=1)
    assert abs(fit_inverse_temperature(scores, labels) - 2.5) < 0.2
    assert np.isfinite(fit_inverse_temperature(scores, scores.argmax(axis=1)))


def test_labels_that_do_not_settle_are_told():
    toy = make_toy(n_classes=4)
    X = embedding(toy, 4)
    with pytest.warns(ConvergenceWarning, match="before the labels settled"):
        LSSTTC(max_iter=1).fit(X, toy.y, toy.sample_domain)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 2}, "lam must be at most 1"),
        ({"w_step": "largest"}, "w_step must be one of 'discriminant', 'smallest'"),
        ({"p_step": "soft"}, "p_step must be one of 'binary', 'multiplicative'"),
        ({"n_subspace": "some"}, "n_subspace .unless 'clusters'. must be a whole number"),
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"ridge": 0}, "ridge must be at least"),
        ({"max_iter": -1}, "max_iter must be at least 0"),
    ],
)
def test_bad_parameters(parameters, message):
    toy = make_toy()
    with pytest.raises(ValueError, match=message):
        LSSTTC(**parameters).fit(toy.X, toy.y, toy.sample_domain)
    with pytest.raises(ValueError, match=message):
        LSSMTC(**parameters).fit(toy.X, sample_domain=toy.sample_domain)


def test_bad_starts():
    toy = make_toy()
    with pytest.raises(ValueError, match="init_classifier must be"):
        LSSTTC(init_classifier=3).fit(toy.X, toy.y, toy.sample_domain)
    with pytest.raises(ValueError, match="init must be one of 'best', 'together', 'apart'"):
        LSSMTC(init="random").fit(toy.X, sample_domain=toy.sample_domain)
    other = LSSTTC(init_classifier="complement_nb").fit(toy.X, toy.y, toy.sample_domain)
    assert toy.target_accuracy(other.transduction_) > 0.9


@pytest.mark.parametrize("max_iter", [1, 2, 50])
def test_fitted_and_new_documents_have_one_scale_of_certainty(max_iter):
    toy = make_toy()
    model = LSSTTC(max_iter=max_iter, random_state=0).fit(toy.X, toy.y, toy.sample_domain)
    rows = toy.is_target
    np.testing.assert_allclose(
        model.predict_proba(toy.X[rows]), model.label_distributions_[rows], atol=1e-6
    )
