"""LSSTTC and LSSMTC."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import isthmus.numerics.truncated_svd as module
from isthmus import (
    LSSMTC,
    LSSTTC,
    KMeansClusterer,
    ModelFileError,
    Transfer,
    clustering_accuracy,
    load,
)
from isthmus.datasets import make_corpus
from toy import make_toy

NEGLIGIBLE = "contains a proportion of .* of the data.*use w_step='discriminant'"


def accuracies(toy, labels):
    numbers = np.unique(toy.sample_domain)
    parts = [toy.sample_domain == number for number in numbers]
    return [clustering_accuracy(toy.truth[rows], labels[rows]) for rows in parts]


def embedding(toy, n_columns=30, seed=0, shift=0.0):
    """A few dense coordinates with negative values; the target is shifted by ``shift``."""
    generator = np.random.default_rng(seed)
    X = toy.X.toarray() @ generator.standard_normal((toy.X.shape[1], n_columns))
    for number in np.unique(toy.sample_domain):
        rows = toy.sample_domain == number
        X[rows] -= X[rows].mean(axis=0)
    return X + shift * toy.is_target[:, None] * generator.standard_normal(n_columns)


@pytest.mark.parametrize("p_step", ["binary", "multiplicative"])
@pytest.mark.parametrize("w_step", ["discriminant", "smallest", "smallest_in_span"])
def test_every_combination_of_steps_labels_the_target(w_step, p_step):
    toy = make_toy(n_classes=3)
    model = LSSTTC(w_step=w_step, p_step=p_step, max_iter=20, tol=0, n_subspace=20)
    model.fit(toy.X, toy.y, toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.9
    assert model.n_iter_ == 20
    W = model.subspace_
    assert W.shape[0] == toy.X.shape[1]
    assert W.shape[1] == (min(3, W.shape[1]) if w_step == "discriminant" else 20)
    np.testing.assert_allclose(W.T @ W, np.eye(W.shape[1]), atol=1e-10)
    clusterer = LSSMTC(3, w_step=w_step, p_step=p_step, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusterer.fit(toy.X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, clusterer.labels_)) > 0.9


def test_subspace_share_is_the_proportion_of_the_data():
    toy = make_toy()
    model = LSSTTC(center=False, unit_rows=False).fit(toy.X, toy.y, toy.sample_domain)
    share = np.linalg.norm(toy.X @ model.subspace_) ** 2 / np.linalg.norm(toy.X.toarray()) ** 2
    np.testing.assert_allclose(model.subspace_share_, share)
    assert 0.01 < share < 1


def test_smallest_subspace_is_empty_with_more_terms_than_documents():
    toy = make_toy()
    X = sparse.hstack([toy.X, toy.X[:, ::-1], toy.X[::-1]]).tocsr()  # 162 terms, 80 documents
    with pytest.warns(UserWarning, match=NEGLIGIBLE):
        model = LSSTTC(w_step="smallest", n_subspace=5).fit(X, toy.y, toy.sample_domain)
    assert model.subspace_share_ == 0
    assert model.subspace_.shape == (162, 5)
    np.testing.assert_allclose(model.subspace_.T @ model.subspace_, np.eye(5), atol=1e-10)
    unit = X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True)
    for rows in (toy.is_target, ~toy.is_target):  # orthogonal to all documents, however centered
        centered = unit[rows] - unit[rows].mean(axis=0)
        np.testing.assert_allclose(centered @ model.subspace_, 0, atol=1e-9)
    with pytest.warns(UserWarning, match=NEGLIGIBLE):
        LSSMTC(w_step="smallest", random_state=0).fit(X, sample_domain=toy.sample_domain)
    # In the span of the documents there are equally good directions.
    inside = LSSTTC(w_step="smallest_in_span", n_subspace=2, center=False, lam=0, max_iter=0)
    inside.fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(inside.objective_, 0, atol=1e-9)
    assert inside.subspace_share_ > 0.01
    W = inside.subspace_
    np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(unit.T @ np.linalg.lstsq(unit.T, W)[0], W, atol=1e-9)


@pytest.mark.parametrize("w_step", ["discriminant", "smallest"])
def test_with_lam_1_every_task_has_its_own_kmeans(w_step):
    X, numbers = np.random.default_rng(0).standard_normal((150, 6)), np.repeat([0, -1], 75)
    options = {"init": "together", "tol": 0, "center": False, "random_state": 0}
    model = LSSMTC(3, lam=1, w_step=w_step, max_iter=3, **options)
    model.fit(X, sample_domain=numbers)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    moved = 0
    for number in (0, -1):
        rows = numbers == number
        labels = model.init_labels_[rows]
        for _ in range(3):  # Lloyd's algorithm
            centers = np.array([unit[rows][labels == c].mean(axis=0) for c in range(3)])
            labels = (((unit[rows][:, None] - centers) ** 2).sum(axis=2)).argmin(axis=1)
        moved += int((labels != model.init_labels_[rows]).sum())
        np.testing.assert_array_equal(model.labels_[rows], labels)
    assert moved > 5


@pytest.mark.parametrize("p_step", ["binary", "multiplicative"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_clusters_of_kmeans_get_the_classes_of_similar_labeled_rows(p_step, preset):
    toy = make_toy((0, 1, -1, -2), n_classes=3)
    cls = LSSTTC if preset == "default" else LSSTTC.from_preset("paper").set_params
    options = {"init_classifier": "kmeans", "p_step": p_step, "random_state": 0}
    start = cls(max_iter=0, **options).fit(toy.X, toy.y, toy.sample_domain)
    for number in (-1, -2):
        rows = toy.sample_domain == number
        clusters = KMeansClusterer(3, random_state=0).fit_predict(toy.X[rows])
        assert clustering_accuracy(clusters, start.transduction_[rows]) > 0.95
        assert np.mean(start.transduction_[rows] == toy.truth[rows]) > 0.9
    model = cls(n_subspace=20, **options).fit(toy.X, toy.y, toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.9
    # Unlabeled rows of a source are clustered with the rest of it.
    y = np.where(np.arange(len(toy.y)) % 5 == 0, -1, toy.y)
    model = cls(max_iter=0, **options).fit(toy.X, y, toy.sample_domain)
    assert np.mean(model.transduction_ == toy.truth) > 0.9
    np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])


def test_smallest_subspace_is_refused_for_large_data(monkeypatch):
    monkeypatch.setattr(module, "MAX_GRAM_SIZE", 30)
    toy = make_toy()
    with pytest.raises(ValueError, match=r"80 documents with 54 terms have too many .* at most 30"):
        LSSTTC(w_step="smallest").fit(toy.X, toy.y, toy.sample_domain)
    with pytest.raises(ValueError, match="w_step='smallest_in_span' computes all"):
        LSSMTC(w_step="smallest_in_span").fit(toy.X, sample_domain=toy.sample_domain)
    LSSTTC().fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("p_step", ["binary", "multiplicative"])
def test_no_iteration_returns_the_initial_labels(p_step):
    toy = make_toy(n_classes=3)
    initial = LogisticRegression(C=10, max_iter=500)
    model = LSSTTC(max_iter=0, p_step=p_step).fit(toy.X, toy.y, toy.sample_domain)
    unit = toy.X.toarray() / np.linalg.norm(toy.X.toarray(), axis=1, keepdims=True)
    initial.fit(unit[~toy.is_target], toy.truth[~toy.is_target])
    expected = initial.predict_proba(unit[toy.is_target])
    np.testing.assert_allclose(model.label_distributions_[toy.is_target], expected, atol=1e-6)
    assert len(model.objective_) == 1
    clusterer = LSSMTC(3, max_iter=0, p_step=p_step, random_state=0)
    clusterer.fit(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(clusterer.labels_, clusterer.init_labels_)
    assert clusterer.n_iter_ == 0


def test_presets_of_the_paper():
    for cls, directions in ((LSSTTC, 100), (LSSMTC, 4)):
        model = cls.from_preset("paper")
        assert (model.w_step, model.p_step) == ("smallest", "multiplicative")
        assert (model.n_subspace, model.max_iter, model.center) == (directions, 20, False)
    toy = make_toy(n_classes=3)
    model = LSSMTC.from_preset("paper").set_params(n_clusters=3, random_state=0)
    model.fit(toy.X, sample_domain=toy.sample_domain)
    assert model.n_iter_ == 20
    # This W minimizes the objective, so it never increases.
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert ((model.memberships_ > 0).sum(axis=1) > 1).any()


def test_several_sources_and_targets_with_unlabeled_rows_in_all():
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
def test_rotated_documents_get_the_same_labels(dtype):
    toy = make_toy(n_classes=3)
    size = toy.X.shape[1]
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]
    X = (toy.X @ rotation).astype(dtype)
    assert (X < 0).mean() > 0.3
    model, expected = (
        LSSTTC(random_state=0).fit(rows, toy.y, toy.sample_domain) for rows in (X, toy.X)
    )
    np.testing.assert_allclose(model.label_distributions_, expected.label_distributions_, atol=2e-3)
    assert model.label_distributions_.dtype == dtype
    clusterer = LSSMTC(3, random_state=0).fit(X, sample_domain=toy.sample_domain)
    assert min(accuracies(toy, clusterer.labels_)) > 0.9


def test_centering_removes_the_difference_between_domains():
    toy = make_toy()
    X = embedding(toy, 60, shift=5.0)
    models = {
        center: LSSMTC(init="together", center=center, unit_rows=False, random_state=0)
        for center in (True, False)
    }
    labels = {
        center: model.fit_predict(X, sample_domain=toy.sample_domain)
        for center, model in models.items()
    }
    assert min(accuracies(toy, labels[True])) > 0.9
    assert min(accuracies(toy, labels[False])) < 0.6  # one cluster per domain


def test_domains_with_little_in_common_start_apart():
    toy = make_toy(n_classes=3)
    X = embedding(toy)
    models = {
        init: LSSMTC(3, init=init, random_state=0).fit(X, sample_domain=toy.sample_domain)
        for init in ("together", "apart", "best")
    }
    worst = {init: min(accuracies(toy, model.labels_)) for init, model in models.items()}
    assert worst["together"] < 0.8
    assert worst["apart"] > 0.9
    assert models["apart"].objective_[-1] < models["together"].objective_[-1]
    np.testing.assert_allclose(models["best"].objective_, models["apart"].objective_)
    # Cluster numbers mean the same in both domains.
    assert clustering_accuracy(toy.truth, models["best"].labels_) > 0.9


def test_one_domain():
    toy = make_toy((0,))
    for init in ("together", "apart", "best"):
        model = LSSMTC(init=init, random_state=0).fit(toy.X)
        assert clustering_accuracy(toy.truth, model.labels_) > 0.9


def test_empty_documents_have_no_influence():
    toy = make_toy()
    X = toy.X.toarray()
    empty = np.flatnonzero(toy.is_target)[::4]
    X[empty] = 0
    model = LSSTTC().fit(X, toy.y, toy.sample_domain)
    assert not model.memberships_[empty].any()
    prior = np.broadcast_to(model.class_prior_, (len(empty), 2))
    np.testing.assert_allclose(model.label_distributions_[empty], prior)
    keep = np.setdiff1d(np.arange(len(X)), empty)
    without = LSSTTC().fit(X[keep], toy.y[keep], toy.sample_domain[keep])
    np.testing.assert_allclose(
        model.label_distributions_[keep], without.label_distributions_, atol=1e-6
    )
    padded = np.hstack([X, np.zeros((len(X), 1))])
    model = LSSTTC().fit(padded, toy.y, toy.sample_domain)
    new = np.zeros((2, padded.shape[1]))
    new[0, -1] = 3  # a term that no fitted document contains
    new[1] = padded[-2]
    first, second = model.predict_proba(new)
    np.testing.assert_allclose(first, model.class_prior_)
    np.testing.assert_allclose(second, model.predict_proba(padded[[-2]])[0])
    new[1, -1] = 50
    np.testing.assert_allclose(model.predict_proba(new)[1], second)


def test_terms_whose_values_sum_to_zero_are_used():
    toy = make_toy()
    X = toy.X.toarray()
    X[1::2] = -X[::2]  # every column sums to zero
    with pytest.warns(UserWarning, match="None of the 40 documents"):
        model = LSSTTC(unit_rows=False).fit(X, toy.y, toy.sample_domain)
    assert not model.term_totals_[-1].any()
    assert model.used_terms_.all()


@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_one_term_of_the_objective_alone(lam):
    toy = make_toy()
    y = toy.y.copy()
    unlabeled = np.arange(15, 25)  # of the source, of both classes
    y[unlabeled] = -1
    model = LSSTTC(lam).fit(toy.X, y, toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.9
    np.testing.assert_array_equal(model.transduction_[unlabeled], toy.truth[unlabeled])


def test_new_documents_are_predicted_by_the_fitted_centroids():
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


def test_targets_with_one_or_two_documents():
    toy = make_toy()
    for n_rows in (1, 2):
        n_correct = 0
        for row in np.flatnonzero(toy.is_target):
            keep = np.flatnonzero(~toy.is_target).tolist() + [row] * n_rows
            model = LSSTTC().fit(toy.X[keep], toy.y[keep], toy.sample_domain[keep])
            n_correct += model.transduction_[-1] == toy.truth[row]
        assert n_correct > 0.7 * toy.is_target.sum()


def test_top_words():
    toy = make_toy()
    words = LSSTTC().fit(toy.X, toy.y, toy.sample_domain).top_words(n_words=8)
    ranges = {0: [(0, 6), (12, 20), (28, 36)], 1: [(6, 12), (20, 28), (36, 44)]}
    own = {label: {j for a, b in ranges[label] for j in range(a, b)} for label in (0, 1)}
    for label in (0, 1):
        for number in (0, -1):
            top = set(words[label][number])
            assert not top & own[1 - label]
            assert len(top & own[label]) >= 6  # the others are frequent in both classes


def test_labels_that_still_change_give_a_warning():
    toy = make_toy(n_classes=4)
    X = embedding(toy, 4)
    with pytest.warns(ConvergenceWarning, match="before the labels converged"):
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


def test_bad_initialization():
    toy = make_toy()
    with pytest.raises(ValueError, match="init_classifier must be"):
        LSSTTC(init_classifier=3).fit(toy.X, toy.y, toy.sample_domain)
    with pytest.raises(ValueError, match="init must be one of 'best', 'together', 'apart'"):
        LSSMTC(init="random").fit(toy.X, sample_domain=toy.sample_domain)
    other = LSSTTC(init_classifier="complement_nb").fit(toy.X, toy.y, toy.sample_domain)
    assert toy.target_accuracy(other.transduction_) > 0.9


@pytest.mark.ends_early
@pytest.mark.parametrize("max_iter", [1, 2, 50])
def test_fitted_and_new_documents_have_the_same_probabilities(max_iter):
    toy = make_toy()
    model = LSSTTC(max_iter=max_iter, random_state=0).fit(toy.X, toy.y, toy.sample_domain)
    rows = toy.is_target
    np.testing.assert_allclose(
        model.predict_proba(toy.X[rows]), model.label_distributions_[rows], atol=1e-6
    )


def test_a_saved_temperature_must_be_finite(tmp_path):
    corpus = make_corpus(n_source=80, n_target=60)
    model = Transfer(LSSTTC(random_state=0))
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    estimator = model.estimator_
    estimator.model_ = replace(estimator.model_, inverse_temperature=float("nan"))
    model.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="inverse_temperature is not a finite number"):
        load(tmp_path / "model")
