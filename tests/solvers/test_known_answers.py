"""Exact results of small problems, computed independently from the equations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from isthmus.domains.parse import make_problem
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.tri_factorization._base import InitialFactors, factorize
from isthmus.solvers.tri_factorization.dkt import labeled_domain, ties_of
from isthmus.solvers.tri_factorization.mtrick import mtrick
from isthmus.solvers.tri_factorization.mtrick0 import mtrick0
from isthmus.solvers.tri_factorization.plsa import plsa

FOLDER = Path(__file__).parent / "known_answers"
CONTAINERS = pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])


def known(name):
    return json.loads((FOLDER / name).read_text())


def mtrick_problem(answers, container):
    X = container(np.vstack([answers["X_s"], answers["X_t"]]))
    problem = make_problem(X, answers["y_s"] + [None] * len(answers["X_t"]))
    memberships = [np.eye(2)[answers["y_s"]], np.array(answers["G_t0"])]
    return problem, InitialFactors(np.array(answers["F_0"]), memberships, np.array(answers["S_0"]))


@CONTAINERS
@pytest.mark.parametrize("steps", [1, 5])
def test_mtrick(container, steps):
    answers = known("mtrick.json")
    problem, start = mtrick_problem(answers, container)
    result = mtrick(
        problem.domains,
        start,
        engine=HostEngine(),
        stopping=Stopping(steps, 0.0),
        alpha=answers["alpha"],
        beta=answers["beta"],
    )
    after = answers["after"][str(steps)]
    for ours, name in (
        (result.clusters[0], "F_s"),
        (result.clusters[1], "F_t"),
        (result.memberships[0], "G_s"),
        (result.memberships[1], "G_t"),
        (result.associations, "S"),
    ):
        np.testing.assert_allclose(ours, after[name], rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(result.objective, answers["objective"][: steps + 1], rtol=1e-10)
    assert result.n_iter == steps


def plain_step(X, F, G, S, move_documents):
    """One iteration of eq. 3.12-3.19, written directly."""
    F = F * np.sqrt((X.T @ G @ S.T) / (F @ S @ G.T @ G @ S.T))
    F = F / F.sum(axis=1, keepdims=True)
    if move_documents:
        G = G * np.sqrt((X @ F @ S) / (G @ S.T @ F.T @ F @ S))
        G = G / G.sum(axis=1, keepdims=True)
    return F, G


def test_mtrick0_solves_the_two_problems_in_turn():
    answers = known("mtrick.json")
    problem, start = mtrick_problem(answers, sparse.csr_array)
    result = mtrick0(problem.domains, start, engine=HostEngine(), stopping=Stopping(4, 0.0))
    X_s, X_t = (np.array(answers[name]) for name in ("X_s", "X_t"))
    X_s, X_t = X_s / X_s.sum(), X_t / X_t.sum()
    F, G, S = np.array(answers["F_0"]), np.eye(2)[answers["y_s"]], np.array(answers["S_0"])
    for _ in range(4):
        F, G = plain_step(X_s, F, G, S, move_documents=False)
        S = S * np.sqrt((F.T @ X_s.T @ G) / (F.T @ F @ S @ G.T @ G))
    np.testing.assert_allclose(result.associations, S, rtol=1e-10)
    np.testing.assert_allclose(result.clusters[0], F, rtol=1e-10)
    F, G = np.array(answers["F_0"]), np.array(answers["G_t0"])
    for _ in range(4):
        F, G = plain_step(X_t, F, G, S, move_documents=True)
    np.testing.assert_allclose(result.clusters[1], F, rtol=1e-10)
    np.testing.assert_allclose(result.memberships[1], G, rtol=1e-10)


@CONTAINERS
@pytest.mark.parametrize("cut", [11, 4])
def test_plsa(container, cut):
    answers = known("plsa.json")
    X = np.array(answers["X"])
    mixtures = np.array(answers["P_z_d_start"])
    parts = [slice(0, cut), slice(cut, None)] if cut < len(X) else [slice(None)]
    result = plsa(
        [as_documents(container(X[part])) for part in parts],
        np.array(answers["P_w_z_start"]),
        engine=HostEngine(),
        stopping=Stopping(3, 0.0),
        mixtures=[mixtures[part] for part in parts],
    )
    np.testing.assert_allclose(result.topics, answers["P_w_z"], rtol=1e-10)
    np.testing.assert_allclose(np.vstack(result.mixtures), answers["P_z_d"], rtol=1e-10)
    np.testing.assert_allclose(result.word_topics, answers["P_z_w"], rtol=1e-10)
    np.testing.assert_allclose(
        result.log_likelihood, answers["log_likelihood_before_each_step"], rtol=1e-10
    )


def dkt_problem(answers, container):
    """Labels in both domains, and a term that the target does not use."""

    def labels(Y, C):
        return [int(np.argmax(row)) if known else None for row, known in zip(Y, C, strict=True)]

    X = container(np.vstack([answers["X_a"], answers["X_t"]]))
    y = labels(answers["Y_a"], answers["C_a"]) + labels(answers["Y_t"], answers["C_t"])
    sample_domain = [0] * len(answers["X_a"]) + [-1] * len(answers["X_t"])
    problem = make_problem(X, y, sample_domain, sources_need_labels=False)
    factors = [
        labeled_domain(
            domain,
            np.array(answers[f"F_{d}0"]),
            np.array(answers[f"G_{d}0"]),
            answers[weight],
        )
        for domain, d, weight in zip(problem.domains, "at", ("alpha", "beta"), strict=True)
    ]
    return problem, factors


@CONTAINERS
@pytest.mark.parametrize("steps", [1, 5])
def test_dkt(container, steps):
    answers = known("dkt.json")
    problem, factors = dkt_problem(answers, container)
    ties = ties_of(problem.domains, [answers["gamma"]] * 2)
    np.testing.assert_allclose(ties[0].pull, answers["gamma"] * np.array(answers["V"]))
    result = factorize(
        factors,
        np.array(answers["S_0"]),
        engine=HostEngine(),
        stopping=Stopping(steps, 0.0),
        ties=ties,
        normalize=False,
        targets_last=True,
    )
    after = answers["after"][str(steps)]
    for ours, name in (
        (result.clusters[0], "F_a"),
        (result.clusters[1], "F_t"),
        (result.memberships[0], "G_a"),
        (result.memberships[1], "G_t"),
        (result.associations, "S"),
    ):
        np.testing.assert_allclose(ours, after[name], rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(result.objective, answers["objective"][: steps + 1], rtol=1e-10)
    assert not result.clusters[1][2].any()
