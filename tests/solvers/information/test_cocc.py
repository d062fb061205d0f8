"""CoCC: properties, and a comparison with its definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.information._divergence import mutual_information
from isthmus.solvers.information.cocc import cocc


def grouped(matrix, rows, columns, n_rows, n_columns):
    """The joint distribution of groups of rows and groups of columns."""
    return np.eye(n_rows)[rows].T @ matrix @ np.eye(n_columns)[columns]


def with_background(X, n_classes, smoothing):
    """The documents divided by their total, and a background document for every class."""
    p = X / X.sum()
    return np.vstack([p, np.tile(smoothing * p.sum(axis=0), (n_classes, 1))])


class Tiny:
    """A target and labeled documents with few words, some of which occur in one of them only."""

    def __init__(self, seed, n_classes=2, density=0.5):
        generator = np.random.default_rng(seed)
        self.n_classes = n_classes
        self.X = generator.random((7, 6)) * (generator.random((7, 6)) < density)
        self.X[0, 0] += 1.0
        self.Q = generator.random((6, n_classes)) * (generator.random((6, n_classes)) < density)
        self.Q[1, 0] += 1.0
        self.first = generator.dirichlet(np.ones(n_classes), 7)
        self.fixed = np.zeros(7, bool)
        self.fixed[:2] = True
        self.first[:2] = np.eye(n_classes)[[0, 1]]

    def solve(self, n_word_clusters=3, weight=0.25, smoothing=0.05, stopping=None, **options):
        return cocc(
            [as_documents(self.X[:4]), as_documents(self.X[4:])],
            [self.first[:4], self.first[4:]],
            [self.fixed[:4], self.fixed[4:]],
            self.Q,
            n_word_clusters=n_word_clusters,
            weight=weight,
            smoothing=smoothing,
            engine=HostEngine(),
            stopping=stopping or Stopping(12, 0.0, criterion="labels"),
            **options,
        )

    def joints(self, smoothing):
        """``p(d, w)`` and ``q(c, w)``, background documents last."""
        p = with_background(self.X, self.n_classes, smoothing)
        q = with_background(self.Q.T, self.n_classes, smoothing)
        own = np.arange(self.n_classes)
        return p / p.sum(), grouped(q, np.r_[own, own], np.arange(6), self.n_classes, 6) / q.sum()

    def objective(self, labels, clusters, n_word_clusters, weight, smoothing):
        p, q = self.joints(smoothing)
        rows = np.r_[labels, np.arange(self.n_classes)]
        kept = mutual_information(grouped(p, rows, clusters, self.n_classes, n_word_clusters))
        classes = np.arange(self.n_classes)
        labeled = mutual_information(grouped(q, classes, clusters, self.n_classes, n_word_clusters))
        lost = mutual_information(p) - kept
        return lost + weight * (mutual_information(q) - labeled)


settings = given(
    st.integers(0, 10**6),
    st.integers(2, 3),
    st.sampled_from([0.0, 0.05, 1.0]),
    st.sampled_from([0.0, 0.25, 3.0]),
    st.integers(1, 8),
)


@settings
def test_objective_never_rises_and_is_what_it_says(seed, n_classes, smoothing, weight, k):
    tiny = Tiny(seed, n_classes)
    result = tiny.solve(k, weight, smoothing)
    assert len(result.objective) == 13
    assert (np.diff(result.objective) <= 1e-12).all()
    labels = np.concatenate(result.labels)
    clusters = np.where(result.word_clusters < 0, 0, result.word_clusters)
    full = tiny.objective(labels, clusters, k, weight, smoothing)
    constant = mutual_information(tiny.joints(smoothing)[0])
    assert result.objective[-1] + constant == pytest.approx(full, abs=1e-10)
    assert full >= -1e-10


@settings
def test_the_objective_is_a_divergence(seed, n_classes, smoothing, weight, k):
    """``I(D;W) - I(D^;W^) = KL(p(D,W) || p(d^,w^) p(d|d^) p(w|w^))``, by enumeration."""
    tiny = Tiny(seed, n_classes)
    generator = np.random.default_rng(seed)
    labels, clusters = generator.integers(0, n_classes, 7), generator.integers(0, k, 6)
    p, _ = tiny.joints(smoothing)
    rows = np.r_[labels, np.arange(n_classes)]
    joint = grouped(p, rows, clusters, n_classes, k)
    divergence = 0.0
    for d, w in np.argwhere(p):
        alone = p[d].sum() / p[rows == rows[d]].sum() * p[:, w].sum()
        model = joint[rows[d], clusters[w]] * alone / p[:, clusters == clusters[w]].sum()
        divergence += p[d, w] * np.log(p[d, w] / model)
    expected = tiny.objective(labels, clusters, k, 0.0, smoothing)
    assert divergence == pytest.approx(expected, abs=1e-10)


def divergence(p, q):
    positive = p > 0
    return np.sum(p[positive] * np.log(p[positive] / q[positive]))


@given(st.integers(0, 10**6), st.integers(2, 3))
def test_converged_assignments_minimize_the_divergences_of_the_paper(seed, n_classes):
    """Documents and words have the smallest divergence, computed from the full tables."""
    tiny, k, weight, smoothing = Tiny(seed, n_classes, density=0.8), 3, 0.25, 0.05
    result = tiny.solve(k, weight, smoothing, Stopping(60, 1e-14, criterion="absolute"))
    assert result.converged
    labels, clusters = np.concatenate(result.labels), result.word_clusters
    p, q = tiny.joints(smoothing)
    rows = np.r_[labels, np.arange(n_classes)]
    joint = grouped(p, rows, clusters, n_classes, k)
    in_labeled = grouped(q, np.arange(n_classes), clusters, n_classes, k)
    # Words of one domain only are tested below; clusters may be empty.
    assume((p.sum(axis=0) > 0).all() and (q.sum(axis=0) > 0).all())
    assume((joint.sum(axis=0) > 0).all())
    word_of = p.sum(axis=0) / joint.sum(axis=0)[clusters]  # p(w | w^)
    document_of = p.sum(axis=1) / joint.sum(axis=1)[rows]  # p(d | d^)
    for d in np.flatnonzero(~tiny.fixed & tiny.X.any(axis=1)):
        costs = [
            divergence(p[d] / p[d].sum(), word_of * joint[c, clusters] / joint[c].sum())
            for c in range(n_classes)
        ]
        assert costs[labels[d]] == pytest.approx(min(costs), abs=1e-9)
    for w in range(6):
        costs = []
        for cluster in range(k):
            model = document_of * joint[rows, cluster] / joint[:, cluster].sum()
            given = in_labeled[:, cluster] / in_labeled[:, cluster].sum()
            own = p[:, w].sum() * divergence(p[:, w] / p[:, w].sum(), model)
            costs.append(own + weight * q[:, w].sum() * divergence(q[:, w] / q[:, w].sum(), given))
        assert costs[clusters[w]] == pytest.approx(min(costs), abs=1e-9)


def clear_problem():
    """Two classes with different words, and uncertain initial memberships."""
    tiny = Tiny(0)
    block = np.array([[3, 2, 0, 0, 2, 0], [2, 3, 1, 0, 3, 0], [3, 3, 0, 0, 3, 0]], float)
    swapped = block[:, [2, 3, 0, 1, 5, 4]]
    tiny.X = np.vstack([block, swapped, [[2, 2, 1, 0, 1, 0]]])
    tiny.Q = np.array([[5, 1], [4, 1], [1, 5], [1, 4], [0, 0], [0, 0]], float)
    tiny.fixed = np.zeros(7, bool)
    tiny.first = np.array([[0.6, 0.4], [0.45, 0.55], [0.8, 0.2], *[[0.4, 0.6]] * 3, [0.7, 0.3]])
    return tiny


def min_objective(tiny, weight, smoothing):
    """Over all ways to put 7 documents into 2 classes and 6 words into 2 clusters."""
    p, q = tiny.joints(smoothing)
    rows = np.array([[*labels, 0, 1] for labels in product(range(2), repeat=7)])
    words = np.array(list(product(range(2), repeat=6)))
    own = np.einsum("adi,dw,bwj->abij", np.eye(2)[rows], p, np.eye(2)[words])
    labeled = np.einsum("cw,bwj->bcj", q, np.eye(2)[words])
    kept = informations(own) + weight * informations(labeled)
    return mutual_information(p) + weight * mutual_information(q) - kept.max()


def informations(joints):
    """Mutual information of many joint distributions, in the last two axes."""
    alone = joints.sum(axis=-1, keepdims=True) * joints.sum(axis=-2, keepdims=True)
    ratios = np.divide(joints, alone, out=np.ones_like(joints), where=joints > 0)
    return (joints * np.log(ratios)).sum(axis=(-1, -2))


@pytest.mark.parametrize("weight", [0.0, 0.25, 2.0])
def test_global_optimum_of_a_clear_problem(weight):
    tiny = clear_problem()
    result = tiny.solve(2, weight, 0.05)
    best = min_objective(tiny, weight, 0.05)
    constant = mutual_information(tiny.joints(0.05)[0])
    assert result.objective[-1] + constant == pytest.approx(best, abs=1e-10)
    assert np.concatenate(result.labels).tolist() == [0, 0, 0, 1, 1, 1, 0]
    words = result.word_clusters
    assert words[0] == words[1] == words[4]
    assert words[2] == words[3] == words[5] != words[0]


def test_a_word_of_one_domain_is_clustered_by_that_domain():
    tiny = clear_problem()
    tiny.X[:, 0] = 0  # occurs in labeled rows of the first class only
    result = tiny.solve(2)
    assert result.word_clusters[0] == result.word_clusters[1] == result.word_clusters[4]
    alone = tiny.solve(64)  # one cluster per word, so that cluster has no target word
    assert alone.log_word_probabilities[0, 0] > alone.log_word_probabilities[0, 1]
    assert alone.labeled_log_word_probabilities[4, 0] > alone.labeled_log_word_probabilities[4, 1]


def test_an_unused_word_is_in_no_cluster():
    tiny = clear_problem()
    tiny.X[:, 3], tiny.Q[3] = 0, 0
    result = tiny.solve(2)
    assert result.word_clusters[3] == -1
    np.testing.assert_array_equal(result.log_word_probabilities[3], 0)


def test_fixed_documents_keep_their_class():
    tiny = clear_problem()
    tiny.fixed[0], tiny.first[0] = True, [0, 1]
    assert np.concatenate(tiny.solve(2).labels).tolist() == [1, 0, 0, 1, 1, 1, 0]


def test_without_a_target_the_labeled_table_is_used():
    tiny = clear_problem()
    result = cocc(
        [],
        [],
        [],
        tiny.Q,
        n_word_clusters=8,
        weight=0.25,
        smoothing=0.0,
        engine=HostEngine(),
        stopping=Stopping(5, 0.0, criterion="labels"),
    )
    np.testing.assert_allclose(
        np.exp(result.log_word_probabilities[:4]), tiny.Q[:4] / tiny.Q.sum(axis=0)
    )
    assert np.isfinite(result.objective).all()


def test_callback_stops_the_iterations():
    result = clear_problem().solve(2, callback=lambda progress: progress.iteration == 2)
    assert result.n_iter == 2
    assert result.interrupted
