"""CDSC."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus import CDSC
from toy import make_toy


def fit(estimator, toy):
    return estimator.fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_eigenvectors": 0}, "n_eigenvectors must be at least 1"),
        ({"beta": -1}, "beta must be at least 0"),
        ({"lam": "much"}, "lam must be a finite number"),
        ({"relative_beta": "no"}, "relative_beta must be True or False, got 'no'"),
        ({"self_similarity": 3}, "self_similarity must be True or False"),
        ({"diffusion_time": 1000}, "diffusion_time must be at most 20"),
        ({"cross_share": 1.5}, "cross_share must be at most 0.99"),
        ({"cross_share": "half"}, "cross_share must be 'auto', None or a number, got 'half'"),
        ({"scaling": "both"}, "scaling must be one of 'columns', 'rows'"),
        ({"n_neighbors": 0}, "n_neighbors must be at least 1"),
        ({"n_rounds": -1}, "n_rounds must be at least 0"),
        ({"eigen_tol": 0}, "eigen_tol must be at least 1e-12"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(CDSC(**parameters), make_toy())


def test_embedding_of_the_paper_has_unit_norm_rows():
    toy = make_toy()
    estimator = fit(CDSC.from_preset("paper"), toy)
    assert estimator.embedding_.shape == (80, 6)
    np.testing.assert_allclose(np.linalg.norm(estimator.embedding_, axis=1), 1, atol=1e-6)
    assert estimator.eigenvalues_[0] == pytest.approx(0, abs=1e-6)
    assert estimator.n_rounds_ == 0


def test_default_leaves_out_the_constant_eigenvector():
    toy = make_toy()
    estimator = fit(CDSC(5), toy)
    assert estimator.eigenvalues_[0] > 0.05
    assert (np.diff(estimator.eigenvalues_) >= -1e-9).all()
    np.testing.assert_allclose(estimator.embedding_.mean(axis=0), 0, atol=1e-6)
    spread = estimator.embedding_.std(axis=0)
    walk = (1 - estimator.eigenvalues_) / (1 - estimator.eigenvalues_[1])  # two classes: the second
    np.testing.assert_allclose(spread, np.maximum(walk, 0) ** 2, rtol=1e-4)


def test_must_links_bring_documents_of_a_class_closer():
    toy = make_toy()
    source = ~toy.is_target

    def variance_within(beta):
        Z = fit(CDSC(2, beta=beta, scaling="rows", n_rounds=0), toy).embedding_
        return sum(Z[source & (toy.truth == c)].var(axis=0).sum() for c in (0, 1))

    assert variance_within(10.0) < 0.2 * variance_within(0.0)


def test_lam_weights_the_cut_of_the_target():
    toy = make_toy()
    plain, strong = (fit(CDSC(3, lam=lam), toy).eigenvalues_ for lam in (0.0, 2.0))
    assert (strong > plain + 0.01).all()


def test_relative_beta_has_the_same_effect_on_twice_the_documents():
    toy = make_toy()
    twice = sparse.vstack([toy.X, toy.X]).tocsr()
    y, domains = np.tile(toy.y, 2), np.tile(toy.sample_domain, 2)
    # With self-similarities, every degree doubles.
    options = {"self_similarity": True, "cross_share": None, "idf_power": 0.0, "beta": 0.5}
    one = CDSC(3, **options).fit(toy.X, toy.y, toy.sample_domain).eigenvalues_
    two = CDSC(3, **options).fit(twice, y, domains).eigenvalues_
    np.testing.assert_allclose(two, one, rtol=1e-6)
    other = CDSC(3, **{**options, "relative_beta": False}).fit(twice, y, domains).eigenvalues_
    assert np.abs(other - two).max() > 1e-4


def test_self_training_stops_when_no_label_changes():
    toy = make_toy()
    calls = []
    estimator = CDSC().fit(toy.X, toy.y, toy.sample_domain, callback=calls.append)
    assert [progress.iteration for progress in calls] == list(range(1, estimator.n_rounds_ + 1))
    assert 1 <= estimator.n_rounds_ < 20
    stopped = CDSC().fit(toy.X, toy.y, toy.sample_domain, callback=lambda progress: True)
    assert stopped.n_rounds_ == 1


def test_neighbor_graph():
    toy = make_toy()
    estimator = fit(CDSC(n_neighbors=10), toy)
    assert toy.target_accuracy(estimator.transduction_) > 0.9
    new = make_toy(seed=5)
    assert np.mean(estimator.predict(new.X[new.is_target]) == new.truth[new.is_target]) > 0.9
    empty = sparse.csr_array((1, toy.X.shape[1]))
    np.testing.assert_allclose(estimator.predict_proba(empty), [[0.5, 0.5]])


def fit_with_unconnected(n_pairs, n_single, dtype):
    """Fit a problem whose target ends with pairs and single documents that use other terms."""
    toy = make_toy(n_per_class=100)
    n_more = 2 * n_pairs + n_single
    own = np.zeros((n_more, 3 * (n_pairs + n_single)))
    for i in range(n_more):
        group = i // 2 if i < 2 * n_pairs else i - n_pairs
        own[i, 3 * group : 3 * group + 3] = [0.3, 1.7, 0.9]
    X = sparse.block_diag([toy.X, sparse.csr_array(own)]).tocsr().astype(dtype)
    y = np.concatenate([toy.y, np.full(n_more, -1)])
    domains = np.concatenate([toy.sample_domain, np.full(n_more, -1)])
    estimator = CDSC().fit(X, y, domains)
    target = np.flatnonzero(toy.is_target)
    return estimator, np.mean(estimator.transduction_[target] == toy.truth[target])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("n_pairs", "n_single"), [(0, 30), (25, 0), (10, 10)])
def test_unconnected_documents_change_nothing(n_pairs, n_single, dtype):
    estimator, accuracy = fit_with_unconnected(n_pairs, n_single, dtype)
    assert accuracy > 0.95
    assert (estimator.eigenvalues_ > 0).all()
    # Unconnected documents get the class prior.
    np.testing.assert_allclose(estimator.label_distributions_[400:], 0.5)


def test_a_small_component_gets_its_own_label():
    toy = make_toy(n_per_class=60)
    pair = np.array([[2.0, 1.0], [1.0, 2.0]])
    X = sparse.block_diag([toy.X, sparse.csr_array(pair)]).tocsr()
    y = np.concatenate([toy.y, [1, -1]])
    domains = np.concatenate([toy.sample_domain, [0, -1]])
    assert CDSC().fit(X, y, domains).transduction_[-1] == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_target_of_two_documents(seed):
    generator = np.random.default_rng(seed)
    truth = np.arange(102) % 2
    X = np.zeros((102, 40))
    for row, label in enumerate(truth):
        X[row, 20 * label + generator.choice(20, 8, replace=False)] = 1
    model = CDSC().fit(X, np.where(np.arange(102) < 100, truth, -1))
    assert model.transduction_[100:].tolist() == [0, 1]


def test_a_target_without_shared_terms_gives_a_warning():
    toy = make_toy()
    X = sparse.block_diag([toy.X[~toy.is_target], toy.X[toy.is_target]]).tocsr()
    with (
        pytest.warns(UserWarning, match="40 of 40 unlabeled documents are not connected"),
        pytest.warns(UserWarning, match="None of the 40 documents"),
    ):
        estimator = CDSC().fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(estimator.label_distributions_[toy.is_target], 0.5)
    np.testing.assert_allclose(estimator.predict_proba(X[toy.is_target]), 0.5)
