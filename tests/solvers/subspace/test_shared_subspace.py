"""Properties of the steps of LSSMTC and LSSTTC."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh

from common import examples
from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Stopping
from isthmus.solvers.subspace._shared_subspace import (
    Group,
    Task,
    binary_scores,
    discriminant_directions,
    multiplicative_step,
    quadratic,
    shared_subspaces,
    smallest_directions,
    smallest_in_span,
)

HOST = HostEngine()
FOLDER = Path(__file__).parents[1] / "known_answers"


def value(X, P, M_k, W, M, lam):
    """The objective of one task by its definition."""
    return lam * ((X.T - M_k @ P.T) ** 2).sum() + (1 - lam) * ((W.T @ X.T - M @ P.T) ** 2).sum()


def test_known_answer():
    answers = json.loads((FOLDER / "lss_p_step.json").read_text())
    names = ("X_k", "P", "M_k", "W", "M", "P_after")
    X, P, M_k, W, M, expected = (np.array(answers[name]) for name in names)
    lam = answers["lam"]
    profile, B = quadratic(M_k, W, M, lam, 1 - lam)
    after = multiplicative_step(P, X @ profile, B, HOST)
    np.testing.assert_allclose(after, expected, rtol=1e-10)
    np.testing.assert_allclose(value(X, P, M_k, W, M, lam), answers["J_before"], rtol=1e-10)
    np.testing.assert_allclose(value(X, after, M_k, W, M, lam), answers["J_after"], rtol=1e-10)


@st.composite
def steps(draw):
    """Random documents (some with negative values), memberships with zeros, and centroids."""
    generator = np.random.default_rng(draw(st.integers(0, 2**20)))
    n_rows, n_terms, c = draw(st.integers(1, 8)), draw(st.integers(1, 6)), draw(st.integers(1, 4))
    X = generator.standard_normal((n_rows, n_terms)) * draw(st.sampled_from([1e-3, 1.0, 1e3]))
    if draw(st.booleans()):
        X = np.abs(X)
    X[generator.random(n_rows) < 0.2] = 0
    P = generator.random((n_rows, c)) * (generator.random((n_rows, c)) < 0.8)
    W = np.linalg.qr(generator.standard_normal((n_terms, n_terms)))[0][:, : draw(st.integers(1, 6))]
    M_k, M = generator.standard_normal((n_terms, c)), generator.standard_normal((W.shape[1], c))
    return X, P, M_k, W, M, draw(st.floats(0, 1))


@examples(200)
@given(steps())
def test_multiplicative_step_never_increases_the_objective(step):
    X, P, M_k, W, M, lam = step
    profile, B = quadratic(M_k, W, M, lam, 1 - lam)
    after = multiplicative_step(P, X @ profile, B, HOST)
    assert np.isfinite(after).all()
    assert (after >= 0).all()
    assert (after[P == 0] == 0).all()
    before = value(X, P, M_k, W, M, lam)
    assert value(X, after, M_k, W, M, lam) <= before * (1 + 1e-9) + 1e-9


@examples(100)
@given(steps())
def test_binary_step_finds_the_best_class_of_every_row(step):
    X, _, M_k, W, M, lam = step
    profile, B = quadratic(M_k, W, M, lam, 1 - lam)
    nearest = binary_scores(X @ profile, B).argmax(axis=1)
    choices = np.eye(M.shape[1])
    for row, choice in zip(X, nearest, strict=True):
        costs = [value(row[None], p[None], M_k, W, M, lam) for p in choices]
        assert costs[choice] <= min(costs) * (1 + 1e-9) + 1e-9


def problem(n_coordinates=6, n_clusters=3, sizes=(12, 9), seed=0):
    """Tasks with diagonal F'F, and the singular values."""
    generator = np.random.default_rng(seed)
    U, s, _ = np.linalg.svd(
        generator.standard_normal((sum(sizes), n_coordinates)), full_matrices=False
    )
    labels = generator.integers(0, n_clusters, sum(sizes))
    labels[:n_clusters] = np.arange(n_clusters)
    P = np.eye(n_clusters)[labels]
    cuts = np.cumsum(sizes)[:-1]
    parts = zip(np.split(U * s, cuts), np.split(P, cuts), strict=True)
    return [Task(F, own, np.zeros(len(F), bool), 0.3, HOST) for F, own in parts], s


def shared_subspace(tasks, singular_values, *, subspace, **options):
    """The result of one group of tasks."""
    (result,) = shared_subspaces([Group(tasks, singular_values, *subspace)], **options)
    return result


@pytest.mark.parametrize("step", ["discriminant", "smallest"])
@pytest.mark.parametrize("binary", [True, False])
def test_objective_is_that_of_the_best_centroids(step, binary):
    tasks, s = problem()
    start = Stopping(0, 0.0)
    result = shared_subspace(tasks, s, lam=0.3, subspace=(step, 2), binary=binary, stopping=start)
    W = result.centroids.directions
    F, P = (np.vstack([getattr(t, n) for t in tasks]) for n in ("coordinates", "memberships"))
    M = np.linalg.lstsq(P, F @ W, rcond=None)[0]
    expected = 0.7 * ((F @ W - P @ M) ** 2).sum()
    for task in tasks:
        M_k = np.linalg.lstsq(task.memberships, task.coordinates, rcond=None)[0]
        expected += 0.3 * ((task.coordinates - task.memberships @ M_k) ** 2).sum()
    np.testing.assert_allclose(result.objective, [expected])
    scale = 1.0 if step == "smallest" else np.linalg.norm(F) ** 2 / np.linalg.norm(F @ W) ** 2
    np.testing.assert_allclose(scale, 1.0)  # W is already scaled
    if step == "smallest":
        np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("binary", [True, False])
def test_objective_never_increases_with_the_smallest_subspace(binary):
    tasks, s = problem(seed=3)
    soft = [Task(t.coordinates, t.memberships + 0.2, t.fixed, t.weight, HOST) for t in tasks]
    result = shared_subspace(
        tasks if binary else soft,
        s,
        lam=0.3,
        subspace=("smallest", 2),
        binary=binary,
        stopping=Stopping(30, 0.0),
    )
    assert len(result.objective) == 31
    assert (np.diff(result.objective) <= 1e-9).all()
    assert result.objective[-1] < result.objective[0] - 1e-3


@pytest.mark.parametrize("n_coordinates", [30, 450])
def test_smallest_directions_equal_those_of_the_dense_matrix(n_coordinates):
    generator = np.random.default_rng(1)
    F = generator.standard_normal((600, n_coordinates)) * np.linspace(3, 0.3, n_coordinates)
    U, s, _ = np.linalg.svd(F, full_matrices=False)
    F, P = U * s, np.eye(4)[generator.integers(0, 4, 600)]
    W = smallest_directions(F.T @ P, P.T @ P, s, 7)
    within = F.T @ (F - P @ np.linalg.lstsq(P, F, rcond=None)[0])
    dense = eigh(within, subset_by_index=(0, 6))[1]
    np.testing.assert_allclose(W.T @ W, np.eye(7), atol=1e-9)
    np.testing.assert_allclose(W @ W.T, dense @ dense.T, atol=1e-7)


def test_discriminant_directions_solve_the_generalized_eigenproblem():
    tasks, s = problem(n_coordinates=8)
    F, P = (np.vstack([getattr(t, n) for t in tasks]) for n in ("coordinates", "memberships"))
    W = discriminant_directions(F.T @ P, P.T @ P, s, 2, 0.1)
    between = F.T @ P @ np.linalg.inv(P.T @ P) @ P.T @ F
    _, vectors = eigh(between, np.diag(s**2) + 0.1 * s[0] ** 2 * np.eye(8))
    dense = np.linalg.qr(vectors[:, -2:])[0]
    np.testing.assert_allclose(W @ W.T, dense @ dense.T, atol=1e-10)


def test_directions_without_differences_are_left_out():
    generator = np.random.default_rng(0)
    F = generator.standard_normal((20, 5))
    F -= F.mean(axis=0)
    U, s, _ = np.linalg.svd(F, full_matrices=False)
    P = np.eye(3)[np.arange(20) % 3]
    # Three means that sum to zero have two contrasts.
    assert discriminant_directions((U * s).T @ P, P.T @ P, s, 3, 0.1).shape == (5, 2)
    assert discriminant_directions(np.zeros((5, 3)), P.T @ P, s, 3, 0.1).shape == (5, 0)


def test_fixed_rows_and_a_cluster_missing_from_a_task():
    tasks, s = problem()
    P = tasks[1].memberships.copy()
    P[:, 0] += P[:, 2]
    P[:, 2] = 0  # the third cluster has no document in the second task
    first = Task(tasks[0].coordinates, tasks[0].memberships, np.ones(12, bool), 0.0, HOST)
    second = Task(tasks[1].coordinates, P, np.zeros(9, bool), 0.3, HOST)
    result = shared_subspace(
        [first, second],
        s,
        lam=0.3,
        subspace=("discriminant", 3),
        binary=True,
        stopping=Stopping(10, 1e-9, criterion="labels"),
    )
    np.testing.assert_array_equal(result.memberships[0], first.memberships)
    np.testing.assert_array_equal(result.memberships[1].sum(axis=1), 1)
    assert result.converged
    assert np.isfinite(result.objective).all()
    end = result.centroids
    scores = binary_scores(second.coordinates @ end.profiles[1], end.grams[1])
    again = np.where(end.nonempty, scores, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(result.memberships[1].argmax(axis=1), again)


def test_smallest_directions_with_nearly_equal_eigenvalues():
    squares = np.logspace(0, -13, 600)
    generator = np.random.default_rng(0)
    P = np.eye(3)[generator.integers(0, 3, 50)]
    products = np.sqrt(squares)[:, None] * generator.standard_normal((600, 3)) * 0.01
    W = smallest_directions(products, P.T @ P, np.sqrt(squares), 20)
    np.testing.assert_allclose(W.T @ W, np.eye(20), atol=1e-8)
    assert ((W**2) * squares[:, None]).sum(axis=0).max() < 1e-5


def coordinates(n_rows, n_coordinates, n_clusters=4, seed=1):
    """``F`` with diagonal ``F'F``, hard memberships, ``F'P``, ``P'P`` and the singular values."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n_rows, n_coordinates)) * np.linspace(3, 0.3, n_coordinates)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    F, P = U * s, np.eye(n_clusters)[generator.integers(0, n_clusters, n_rows)]
    return F, P, F.T @ P, P.T @ P, s


@pytest.mark.parametrize("n_directions", [2, 4, 7])
def test_ties_in_the_span_of_the_documents(n_directions):
    F, P, products, gram, s = coordinates(30, 30)  # as many documents as directions
    W = smallest_in_span(products, gram, s, n_directions)
    np.testing.assert_allclose(W.T @ W, np.eye(n_directions), atol=1e-9)
    within = F.T @ (F - P @ np.linalg.inv(gram) @ products.T)
    values, vectors = eigh(within)
    # Four directions in which every document coincides with the centroid of its cluster.
    np.testing.assert_allclose(np.diag(W.T @ within @ W), values[:n_directions], atol=1e-9)
    ties = vectors[:, :4]
    contained = np.linalg.svd(F @ ties)[1] ** 2
    first = min(n_directions, 4)
    np.testing.assert_allclose(((F @ W[:, :first]) ** 2).sum(axis=0), contained[:first])
    assert contained[-1] > 0.01
    np.testing.assert_allclose(F @ W[:, :first], P @ np.linalg.lstsq(P, F @ W[:, :first])[0])


@pytest.mark.parametrize(("n_rows", "n_coordinates"), [(60, 30), (600, 450)])
def test_without_ties_the_span_makes_no_difference(n_rows, n_coordinates):
    _, _, products, gram, s = coordinates(n_rows, n_coordinates)
    W = smallest_in_span(products, gram, s, 6)
    expected = smallest_directions(products, gram, s, 6)
    np.testing.assert_allclose(W @ W.T, expected @ expected.T, atol=1e-9)


def test_a_span_without_memberships_has_directions():
    W = smallest_in_span(np.zeros((5, 3)), np.zeros((3, 3)), np.arange(5.0, 0.0, -1), 2)
    np.testing.assert_allclose(np.abs(W), np.eye(5)[:, [4, 3]], atol=1e-12)
