"""Properties of DKT and KTW on random problems with any pattern of labels."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.domains.parse import make_problem
from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Stopping
from isthmus.solvers.tri_factorization._base import InitialFactors
from isthmus.solvers.tri_factorization.dkt import dkt
from isthmus.solvers.tri_factorization.ktw import ktw, mean_source_clusters

ENGINE = HostEngine()
GAMMAS = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))


@st.composite
def problems(draw):
    """Up to two sources and two targets, labels in any domain, empty rows and unused terms."""
    numbers = draw(st.sampled_from([(0, -1), (0, 1, -1), (0, -1, -2), (0, 1, -1, -2)]))
    n_classes = draw(st.integers(2, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**20)))
    sample_domain = np.concatenate([np.repeat(n, draw(st.integers(1, 7))) for n in numbers])
    n_rows, n_terms = len(sample_domain), draw(st.integers(2, 9))
    X = generator.poisson(draw(st.sampled_from([0.2, 1.0, 4.0])), (n_rows, n_terms)).astype(float)
    X[generator.random(n_rows) < draw(st.sampled_from([0.0, 0.4]))] = 0
    X[:, generator.random(n_terms) < draw(st.sampled_from([0.0, 0.4]))] = 0
    y = generator.integers(0, n_classes, n_rows).astype(object)
    y[generator.random(n_rows) < draw(st.sampled_from([0.0, 0.5, 0.9]))] = None
    labeled = generator.permutation(n_rows)[:2]
    y[labeled] = [0, 1][: len(labeled)]
    container = draw(st.sampled_from([sparse.csr_array, np.asarray]))
    problem = make_problem(container(X), y, sample_domain, sources_need_labels=False)
    k = draw(st.integers(1, 4))
    sizes = [d.documents.shape[0] for d in problem.domains]
    start = InitialFactors(
        generator.random((n_terms, k)) + 0.01,
        [generator.random((n, problem.n_classes)) + 0.01 for n in sizes],
        generator.random((k, problem.n_classes)) + 0.01,
    )
    return problem, start


def assert_never_increases(curve):
    curve = np.asarray(curve)
    assert np.isfinite(curve).all()
    assert (np.diff(curve) <= 1e-9 * abs(curve[0]) + 1e-12).all()


@given(problems(), GAMMAS, st.floats(0, 100), st.floats(0, 100))
@examples(150)
def test_dkt_never_increases_its_objective(case, gamma, alpha, beta):
    problem, start = case
    result = dkt(
        problem.domains,
        start,
        engine=ENGINE,
        stopping=Stopping(25, 0.0),
        alpha=alpha,
        beta=beta,
        gammas=[gamma] * len(problem.domains),
    )
    assert_never_increases(result.objective)
    for domain, F, G in zip(problem.domains, result.clusters, result.memberships, strict=True):
        assert np.isfinite(F).all()
        assert np.isfinite(G).all()
        assert not F[domain.documents.column_sums() == 0].any()
        assert not G[(domain.documents.row_sums() == 0) & ~domain.labeled].any()


@given(problems(), st.floats(0, 1e4))
@examples(40)
def test_dkt_objective_matches_its_definition(case, gamma):
    problem, start = case
    result = dkt(
        problem.domains,
        start,
        engine=ENGINE,
        stopping=Stopping(2, 0.0),
        alpha=0.7,
        beta=1.3,
        gammas=[gamma] * len(problem.domains),
    )
    plain = 0.0
    for domain, F, G in zip(problem.domains, result.clusters, result.memberships, strict=True):
        X = domain.documents.times(np.eye(F.shape[0]))
        truth = np.eye(problem.n_classes)[domain.labels[domain.labeled]]
        plain += ((X - G @ result.associations.T @ F.T) ** 2).sum()
        plain += (1.3 if domain.is_target else 0.7) * ((G[domain.labeled] - truth) ** 2).sum()
    for a, source in enumerate(problem.domains):
        for t, target in enumerate(problem.domains):
            if target.is_target and not source.is_target:
                used = [d.documents.column_sums() > 0 for d in (source, target)]
                difference = (result.clusters[a] - result.clusters[t]) ** 2
                plain += gamma * difference[used[0] & used[1]].sum()
    np.testing.assert_allclose(result.objective[-1], plain, rtol=1e-8, atol=1e-10)


@given(problems())
@examples(30)
def test_a_large_gamma_makes_the_clusters_equal(case):
    problem, start = case
    gammas = [1e9] * len(problem.domains)
    result = dkt(problem.domains, start, engine=ENGINE, stopping=Stopping(80, 0.0), gammas=gammas)
    used = [d.documents.column_sums() > 0 for d in problem.domains]
    for a, source in enumerate(problem.domains):
        for t, target in enumerate(problem.domains):
            if target.is_target and not source.is_target:
                both = used[a] & used[t]
                np.testing.assert_allclose(
                    result.clusters[a][both], result.clusters[t][both], rtol=1e-3, atol=1e-6
                )


@given(problems(), GAMMAS, st.floats(0, 100))
@examples(60)
def test_ktw_never_increases_its_objective(case, carry, alpha):
    problem, start = case
    carries = [carry] * len(problem.domains)
    result = ktw(
        problem.domains,
        start,
        engine=ENGINE,
        stopping=Stopping(25, 0.0),
        alpha=alpha,
        carries=carries,
    )
    assert_never_increases(result.objective)
    assert len(result.clusters) == len(problem.domains)


def test_ktw_solves_the_two_problems_in_turn():
    generator = np.random.default_rng(4)
    X = generator.poisson(1.5, (9, 6)).astype(float)
    y = [0, 1, 0, 1, None, None, None, None, None]
    problem = make_problem(sparse.csr_array(X), y, [0] * 5 + [-1] * 4)
    F0, S0 = generator.random((6, 3)) + 0.1, generator.random((3, 2)) + 0.1
    G0 = [generator.random((5, 2)) + 0.1, generator.random((4, 2)) + 0.1]
    result = ktw(
        problem.domains,
        InitialFactors(F0, G0, S0),
        engine=ENGINE,
        stopping=Stopping(4, 0.0),
        alpha=0.7,
        carries=[0.0, 2.5],
    )

    def plain(X, F, G, S, Y, C, anchor, carry):
        for _ in range(4):
            denominator = F @ S @ G.T @ G @ S.T + carry * F
            F = F * np.sqrt((X.T @ G @ S.T + carry * anchor) / denominator)
            denominator = G @ S.T @ F.T @ F @ S + 0.7 * C * G
            G = G * np.sqrt((X @ F @ S + 0.7 * C * Y) / denominator)
            S = S * np.sqrt((F.T @ X.T @ G) / (F.T @ F @ S @ G.T @ G))
        return F, G, S

    truth = np.eye(2)[[0, 1, 0, 1, 0]]
    labeled = np.array([1, 1, 1, 1, 0])[:, None]
    F, G, S = plain(X[:5], F0, G0[0], S0, truth, labeled, F0, 0.0)
    F_t, G_t, S_t = plain(X[5:], F, G0[1], S, 0 * G0[1], 0, F, 2.5)
    for ours, expected in (
        (result.clusters, [F, F_t]),
        (result.memberships, [G, G_t]),
        (result.own_associations, [S, S_t]),
    ):
        for one, other in zip(ours, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)
    np.testing.assert_allclose(result.profiles[1], F_t @ S_t)


def test_mean_source_clusters():
    X = np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]])
    problem = make_problem(X, [0, 1, None], [0, 1, -1])
    clusters = [np.full((3, 2), 2.0), np.full((3, 2), 4.0)]
    start = np.full((3, 2), 7.0)
    mean, in_sources = mean_source_clusters(problem.sources, clusters, start, ENGINE)
    np.testing.assert_array_equal(mean[:, 0], [3.0, 4.0, 7.0])
    np.testing.assert_array_equal(in_sources, [True, True, False])
