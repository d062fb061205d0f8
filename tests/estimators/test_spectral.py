"""CDSC and the spectral classifier: what is their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from isthmus import CDSC, SpectralClassifier
from isthmus.estimators.components.neighbors import neighbour_graph
from isthmus.estimators.spectral._embedding_classifier import CLASSIFIERS
from isthmus.estimators.spectral._scaled_ridge import ScaledRidge
from toy import make_toy


def fit(estimator, toy):
    return estimator.fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_spectral_classifier_learns_within_a_domain(n_classes):
    toy = make_toy((0,), n_classes, n_per_class=30)
    shown = np.arange(len(toy.y)) % 3 == 0
    found = SpectralClassifier(n_classes).fit(toy.X, np.where(shown, toy.truth, -1))
    assert np.mean(found.transduction_[~shown] == toy.truth[~shown]) > 0.9


@pytest.mark.parametrize("method", [CDSC, SpectralClassifier])
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, KNeighborsClassifier(3)], ids=str)
def test_any_classifier_sits_on_top(method, classifier):
    toy = make_toy(n_classes=3)
    estimator = fit(method(classifier=classifier), toy)
    assert estimator.embedding_.shape == (len(toy.y), estimator.n_eigenvectors)
    if not isinstance(classifier, str):
        assert estimator.classifier_ is not classifier  # the caller's stays unfitted
        assert not hasattr(classifier, "classes_")
    again = estimator.predict(toy.X[toy.is_target])
    assert np.mean(again == estimator.transduction_[toy.is_target]) > 0.9


@pytest.mark.parametrize("method", [CDSC, SpectralClassifier])
def test_a_classifier_that_is_none_is_refused(method):
    toy = make_toy()
    with pytest.raises(ValueError, match=r"classifier must be one of 'ridge', .*, got 'forest'"):
        fit(method(classifier="forest"), toy)
    with pytest.raises(ValueError, match="or a scikit-learn classifier, got 3"):
        fit(method(classifier=3), toy)


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
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(CDSC(**parameters), make_toy())


def test_the_embedding_of_the_paper_has_rows_of_length_one():
    toy = make_toy()
    estimator = fit(CDSC.from_preset("paper"), toy)
    assert estimator.embedding_.shape == (80, 6)
    np.testing.assert_allclose(np.linalg.norm(estimator.embedding_, axis=1), 1, atol=1e-6)
    assert estimator.eigenvalues_[0] == pytest.approx(0, abs=1e-6)
    assert estimator.n_rounds_ == 0


def test_the_default_leaves_out_the_constant_eigenvector():
    toy = make_toy()
    estimator = fit(CDSC(5), toy)
    assert estimator.eigenvalues_[0] > 0.05
    assert (np.diff(estimator.eigenvalues_) >= -1e-9).all()
    np.testing.assert_allclose(estimator.embedding_.mean(axis=0), 0, atol=1e-6)
    spread = estimator.embedding_.std(axis=0)
    walk = (1 - estimator.eigenvalues_) / (1 - estimator.eigenvalues_[1])  # two classes: the second
    np.testing.assert_allclose(spread, np.maximum(walk, 0) ** 2, rtol=1e-4)


def test_must_links_draw_labelled_documents_of_a_class_together():
    toy = make_toy()
    source = ~toy.is_target

    def distance_within(beta):
        Z = fit(CDSC(2, beta=beta, scaling="rows", n_rounds=0), toy).embedding_
        return sum(Z[source & (toy.truth == c)].var(axis=0).sum() for c in (0, 1))

    assert distance_within(10.0) < 0.2 * distance_within(0.0)


def test_the_weight_of_the_targets_cut_matters():
    toy = make_toy()
    plain, strong = (fit(CDSC(3, lam=lam), toy).eigenvalues_ for lam in (0.0, 2.0))
    assert (strong > plain + 0.01).all()


def test_relative_beta_means_the_same_for_twice_the_documents():
    toy = make_toy()
    twice = sparse.vstack([toy.X, toy.X]).tocsr()
    y, domains = np.tile(toy.y, 2), np.tile(toy.sample_domain, 2)
    # With their diagonals all similarities double, and with them every degree.
    options = {"self_similarity": True, "cross_share": None, "idf_power": 0.0, "beta": 0.5}
    one = CDSC(3, **options).fit(toy.X, toy.y, toy.sample_domain).eigenvalues_
    two = CDSC(3, **options).fit(twice, y, domains).eigenvalues_
    np.testing.assert_allclose(two, one, rtol=1e-6)
    other = CDSC(3, **{**options, "relative_beta": False}).fit(twice, y, domains).eigenvalues_
    assert np.abs(other - two).max() > 1e-4


def test_rounds_end_when_no_label_changes():
    toy = make_toy()
    seen = []
    estimator = CDSC().fit(toy.X, toy.y, toy.sample_domain, callback=seen.append)
    assert [progress.iteration for progress in seen] == list(range(1, estimator.n_rounds_ + 1))
    assert 1 <= estimator.n_rounds_ < 20
    stopped = CDSC().fit(toy.X, toy.y, toy.sample_domain, callback=lambda progress: True)
    assert stopped.n_rounds_ == 1


def embeddings(seed=0, n=200, width=12):
    """Dense documents of both signs: two classes, and a shift between the domains."""
    generator = np.random.default_rng(seed)
    truth, domain = np.arange(n) % 2, np.where(np.arange(n) < n // 2, 0, -1)
    X = generator.standard_normal((n, width))
    X[:, 0] += 3 * (2 * truth - 1)
    X[:, 1] += 2 * (domain < 0)
    return X, truth, domain


@pytest.mark.parametrize("method", [CDSC, SpectralClassifier])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dense_documents_of_any_sign(method, dtype):
    X, truth, domain = embeddings()
    X = X.astype(dtype)
    estimator = method().fit(X, np.where(domain < 0, -1, truth), domain)
    target = domain < 0
    assert np.isfinite(estimator.embedding_).all()
    assert np.mean(estimator.transduction_[target] == truth[target]) > 0.9
    new, new_truth, new_domain = embeddings(seed=1)
    rows = new_domain < 0
    assert np.mean(estimator.predict(new[rows].astype(dtype)) == new_truth[rows]) > 0.9


def test_only_neighbours():
    toy = make_toy()
    estimator = fit(CDSC(n_neighbors=10), toy)
    assert toy.target_accuracy(estimator.transduction_) > 0.9
    new = make_toy(seed=5)
    assert np.mean(estimator.predict(new.X[new.is_target]) == new.truth[new.is_target]) > 0.9
    empty = sparse.csr_array((1, toy.X.shape[1]))
    np.testing.assert_allclose(estimator.predict_proba(empty), [[0.5, 0.5]])


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("with_self", [False, True])
def test_the_graph_holds_the_nearest(signed, with_self):
    X, _, _ = embeddings(n=30)
    X = X if signed else np.abs(X)
    graph = neighbour_graph(X, 4, signed=signed, with_self=with_self).toarray()
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = unit @ unit.T
    similar = (1 + cosines) / 2 if signed else cosines
    np.fill_diagonal(cosines, -2)
    near = cosines >= np.sort(cosines, axis=1)[:, [-4]]
    expected = np.where(near | near.T, similar, 0)
    np.fill_diagonal(expected, float(with_self))
    np.testing.assert_allclose(graph, expected, atol=1e-9)


def test_ridge_is_least_squares_with_weights_and_says_how_sure_it_is():
    generator = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = generator.standard_normal((300, 4)) + 2 * np.eye(4)[y]
    weights = generator.random(300)
    model = ScaledRidge(0.2).fit(X, y, sample_weight=weights)
    w = weights / weights.sum()
    centred = X - w @ X
    covariance = (centred * w[:, None]).T @ centred
    penalty = 0.2 * np.eye(4)
    Y = 2 * np.eye(3)[y] - 1  # scikit-learn codes a class as 1 and the others as -1
    B = np.linalg.solve(covariance + penalty, (centred * w[:, None]).T @ (Y - w @ Y))
    scores = centred @ B + w @ Y
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))
    right = np.mean(model.predict(X) == y)
    assert model.predict_proba(X).max(axis=1).mean() == pytest.approx(right, abs=0.02)
    reference = LogisticRegression().fit(X, y)
    assert right > reference.score(X, y) - 0.03


@pytest.mark.parametrize("method", [CDSC(), CDSC(n_neighbors=3), SpectralClassifier()], ids=str)
def test_documents_without_a_word_in_common(method):
    y, domains = [0, 0, 1, None, None], [0, 0, 0, -1, -1]
    for X in (np.zeros((5, 4)), np.eye(5), np.eye(5)[:, [0, 0, 0, 3, 4]]):
        estimator = method.fit(X, y, domains)
        assert np.isfinite(estimator.label_distributions_).all()
        assert np.isfinite(estimator.predict_proba(X)).all()
    alone = method.fit(np.eye(5) * [0, 0, 0, 1, 1], y, domains)  # the labelled ones are empty
    assert alone.transduction_.tolist()[:3] == [0, 0, 1]


def with_strangers(n_pairs, n_loners, dtype):
    """A toy with pairs of twins, and documents, in words of their own at the end of its target."""
    toy = make_toy(n_per_class=100)
    n_more = 2 * n_pairs + n_loners
    own = np.zeros((n_more, 3 * (n_pairs + n_loners)))
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
@pytest.mark.parametrize(("n_pairs", "n_loners"), [(0, 30), (25, 0), (10, 10)])
def test_documents_in_words_of_their_own_spoil_nothing(n_pairs, n_loners, dtype):
    estimator, right = with_strangers(n_pairs, n_loners, dtype)
    assert right > 0.95
    assert (estimator.eigenvalues_ > 0).all()
    strangers = estimator.label_distributions_[400:]
    np.testing.assert_allclose(strangers, 0.5)  # the shares of the source


def test_a_small_part_has_the_label_of_its_own():
    toy = make_toy(n_per_class=60)
    twins = np.array([[2.0, 1.0], [1.0, 2.0]])
    X = sparse.block_diag([toy.X, sparse.csr_array(twins)]).tocsr()
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
    found = CDSC().fit(X, np.where(np.arange(102) < 100, truth, -1))
    assert found.transduction_[100:].tolist() == [0, 1]


@pytest.mark.parametrize("method", [CDSC(), SpectralClassifier(), CDSC(n_neighbors=5)], ids=str)
def test_an_empty_document_among_signed_ones_is_like_nobody(method):
    X, truth, domain = embeddings()
    X[-1] = 0
    method.fit(X, np.where(domain < 0, -1, truth), domain)
    np.testing.assert_allclose(method.label_distributions_[-1], 0.5)
    np.testing.assert_allclose(method.predict_proba(np.zeros((1, 12))), 0.5)


def test_a_target_in_other_words_is_told_of():
    toy = make_toy()
    X = sparse.block_diag([toy.X[~toy.is_target], toy.X[toy.is_target]]).tocsr()
    with pytest.warns(UserWarning, match="40 of 40 documents without a label have no term that"):
        estimator = CDSC().fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(estimator.label_distributions_[toy.is_target], 0.5)
    np.testing.assert_allclose(estimator.predict_proba(X[toy.is_target]), 0.5)
