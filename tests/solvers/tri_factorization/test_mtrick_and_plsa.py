"""Properties of MTrick, PLSA and fold-in on random problems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.domains.parse import make_problem
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.tri_factorization._base import (
    DomainFactors,
    InitialFactors,
    class_conditional,
    factorize,
    fold_in,
    smoothed_memberships,
)
from isthmus.solvers.tri_factorization.mtrick import mtrick
from isthmus.solvers.tri_factorization.plsa import plsa, random_topics

ENGINE = HostEngine()


@st.composite
def counts(draw):
    """A matrix of counts with possibly empty rows and columns."""
    shape = (draw(st.integers(3, 12)), draw(st.integers(2, 9)))
    generator = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = generator.poisson(draw(st.sampled_from([0.2, 1.0, 4.0])), shape).astype(float)
    if X.sum() == 0:
        X[0, 0] = 1
    return X, generator


def random_factors(generator, X, k, c):
    F, G, S = (generator.random(size) + 0.01 for size in ((X.shape[1], k), (len(X), c), (k, c)))
    return F, G, S


@given(counts(), st.integers(1, 4), st.integers(2, 3), st.booleans())
@examples(60)
def test_exact_updates_never_increase_the_objective(problem, k, c, sparse_input):
    X, generator = problem
    X = X / X.sum()
    F, G, S = random_factors(generator, X, k, c)
    documents = as_documents(sparse.csr_array(X) if sparse_input else X)
    fixed = generator.random(len(X)) < 0.3
    pull = np.full(len(X), generator.random())
    anchor = np.eye(c)[generator.integers(0, c, len(X))]
    domain_factors = DomainFactors(
        documents, F, G, fixed=fixed, weight=1.5, anchor=anchor, pull=pull
    )
    result = factorize(
        [domain_factors], S, engine=ENGINE, stopping=Stopping(30, 0.0), normalize=False
    )
    curve = np.array(result.objective)
    assert np.isfinite(curve).all()
    assert (np.diff(curve) <= 1e-10 * curve[0]).all()
    np.testing.assert_array_equal(result.memberships[0][fixed], G[fixed])


@given(counts(), st.integers(1, 4), st.integers(2, 3))
@examples(40)
def test_objective_matches_its_definition(problem, k, c):
    X, generator = problem
    F, G, S = random_factors(generator, X, k, c)
    result = factorize(
        [DomainFactors(as_documents(sparse.csr_array(X)), F, G)],
        S,
        engine=ENGINE,
        stopping=Stopping(3, 0.0),
    )
    F, G, S = result.clusters[0], result.memberships[0], result.associations
    plain = ((X - G @ S.T @ F.T) ** 2).sum()
    np.testing.assert_allclose(result.objective[-1], plain, rtol=1e-8, atol=1e-10)


@given(counts(), st.floats(0, 0.4), st.floats(0, 100))
@examples(40)
def test_mtrick_keeps_rows_normalized_and_finite(problem, smoothing, alpha):
    X, generator = problem
    labels = [0, 1, *[None] * (len(X) - 2)]
    domains = make_problem(sparse.csr_array(X), labels).domains
    predicted = [generator.dirichlet([1, 1], domain.documents.shape[0]) for domain in domains]
    memberships = smoothed_memberships(domains, predicted, smoothing)
    start = class_conditional([d.documents for d in domains], memberships, ENGINE)
    result = mtrick(domains, start, engine=ENGINE, stopping=Stopping(50, 0.0), alpha=alpha)
    for domain, G, F in zip(domains, result.memberships, result.clusters, strict=True):
        assert np.isfinite(G).all()
        assert np.isfinite(F).all()
        # An empty document gets zeros unless its label is fixed or has a penalty.
        is_fixed = 1 - smoothing == 1 or domain.is_target  # a label of one class does not move
        has_label_penalty = domain.labeled & (is_fixed or alpha > 0)
        empty = (domain.documents.row_sums() == 0) & ~has_label_penalty
        np.testing.assert_allclose(G[~empty].sum(axis=1), 1)
        assert (G[empty] == 0).all()
        unused = domain.documents.column_sums() == 0
        assert (F[unused] == 0).all()
    if smoothing == 0:
        np.testing.assert_array_equal(result.memberships[0], memberships[0])


def test_alpha_matters_only_for_smoothed_labels():
    generator = np.random.default_rng(3)
    X = generator.poisson(1.0, (12, 8)).astype(float)
    domains = make_problem(sparse.csr_array(X), [0, 1] * 3 + [None] * 6).domains
    predicted = [generator.dirichlet([1, 1], 6) for _ in domains]

    def solve(smoothing, alpha):
        memberships = smoothed_memberships(domains, predicted, smoothing)
        start = class_conditional([d.documents for d in domains], memberships, ENGINE)
        return mtrick(domains, start, engine=ENGINE, stopping=Stopping(20, 0.0), alpha=alpha)

    for alpha in (0.0, 1000.0):
        np.testing.assert_array_equal(
            solve(0.0, alpha).memberships[1], solve(0.0, 1.0).memberships[1]
        )
    soft, hard = solve(0.2, 0.0).memberships[0], solve(0.2, 1e6).memberships[0]
    truth = np.eye(2)[[0, 1] * 3]
    assert abs(hard - truth).max() < 0.02
    assert abs(soft - hard).max() > 0.05


@given(counts(), st.integers(1, 4))
@examples(40)
def test_plsa_likelihood_never_decreases(problem, k):
    X, generator = problem
    topics = random_topics(X.shape[1], k, generator, np.float64)
    result = plsa(
        [as_documents(sparse.csr_array(X))], topics, engine=ENGINE, stopping=Stopping(25, 0.0)
    )
    curve = np.array(result.log_likelihood)
    assert (np.diff(curve) >= -1e-9 * abs(curve[0])).all()
    np.testing.assert_allclose(result.topics.sum(axis=0), 1)


@given(counts(), st.floats(1e-6, 1e6))
@examples(40)
def test_fold_in_ignores_scale_and_other_rows(problem, scale):
    X, generator = problem
    profiles = generator.random((X.shape[1], 3))
    alone = [fold_in(as_documents(row[None]), profiles, engine=ENGINE)[0] for row in X]
    together = fold_in(as_documents(sparse.csr_array(X)), profiles, engine=ENGINE)
    np.testing.assert_allclose(together, alone, atol=1e-9)
    scaled = fold_in(as_documents(sparse.csr_array(X * scale)), profiles, engine=ENGINE)
    np.testing.assert_allclose(scaled, together, atol=1e-6)


def test_tiny_and_huge_values_in_float32_stay_finite():
    generator = np.random.default_rng(0)
    for scale in (1e-12, 1e12):
        X = sparse.csr_array((generator.poisson(1.0, (30, 20)) * scale).astype(np.float32))
        domains = make_problem(X, [0, 1] * 8 + [None] * 14).domains
        predicted = [generator.dirichlet([1, 1], d.documents.shape[0]) for d in domains]
        memberships = smoothed_memberships(domains, predicted, 0.0)
        start = class_conditional([d.documents for d in domains], memberships, ENGINE)
        result = mtrick(domains, start, engine=ENGINE, stopping=Stopping(100, 0.0))
        assert isinstance(start, InitialFactors)
        assert all(np.isfinite(G).all() and G.dtype == np.float32 for G in result.memberships)


def test_patience_requires_consecutive_small_changes():
    from isthmus.numerics.progress import Monitor

    monitor = Monitor(Stopping(100, 0.01, patience=3))
    monitor.begin(100.0)
    values = [99.9, 99.8, 90.0, 89.9, 89.8, 89.7]
    ends = [monitor.finished(value, 0.0) for value in values]
    assert ends == [False, False, False, False, False, True]
    assert monitor.n_iter == 6


@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
def test_initial_factors_are_not_changed(container):
    generator = np.random.default_rng(0)
    X = generator.poisson(1.0, (8, 6)).astype(float)
    F, G, S = random_factors(generator, X, 3, 2)
    kept = [factor.copy() for factor in (F, G, S)]
    domain_factors = DomainFactors(as_documents(container(X / X.sum())), F, G)
    factorize([domain_factors, domain_factors], S, engine=ENGINE, stopping=Stopping(3, 0.0))
    topics = random_topics(6, 3, generator, X.dtype)
    mixtures = generator.random((8, 3))
    kept += [topics.copy(), mixtures.copy()]
    documents = as_documents(container(X))
    plsa([documents], topics, engine=ENGINE, stopping=Stopping(3, 0.0), mixtures=[mixtures])
    for now, before in zip((F, G, S, topics, mixtures), kept, strict=True):
        np.testing.assert_array_equal(now, before)
