"""PJNMF: known answers, and properties of the updates on any problem."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.matrices.host import HostEngine
from isthmus.matrices.rows import as_documents
from isthmus.numerics.progress import Stopping
from isthmus.solvers.pivots.pjnmf import (
    Penalties,
    first_coefficients,
    fold_in_coefficients,
    pjnmf,
    random_factors,
)

ANSWERS = json.loads((Path(__file__).parents[1] / "known_answers" / "pjnmf.json").read_text())


def array(name):
    return np.array(ANSWERS[name], float)


@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("steps", [1, 5])
def test_known_answers(container, steps):
    result = pjnmf(
        [as_documents(container(array("X_s"))), as_documents(container(array("X_t")))],
        array("U_0_start"),
        [array("U_s_start"), array("U_t_start")],
        [array("V_s_start"), array("V_t_start")],
        penalties=Penalties([ANSWERS["alpha"], ANSWERS["beta"]], ANSWERS["gamma"]),
        engine=HostEngine(),
        stopping=Stopping(steps, 0.0),
    )
    after = ANSWERS["after"][str(steps)]
    for factor, name in (
        (result.shared, "U_0"),
        (result.own[0], "U_s"),
        (result.own[1], "U_t"),
        (result.coefficients[0], "V_s"),
        (result.coefficients[1], "V_t"),
    ):
        np.testing.assert_allclose(factor, after[name], rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(result.objective, ANSWERS["objective"][: steps + 1], rtol=1e-10)
    assert result.n_iter == steps


def objective(documents, result, penalties):
    """The sum of eq. 3 and 4, computed directly."""
    total = 0.0
    for d, (X, U, V) in enumerate(zip(documents, result.own, result.coefficients, strict=True)):
        error = X - V @ np.hstack([result.shared, U]).T
        total += (error**2).sum() / max((X**2).sum(), 1e-300)
        total += penalties.shared[d] * ((result.shared.T @ U) ** 2).sum()
        for other in result.own[:d]:
            total += penalties.between * ((other.T @ U) ** 2).sum()
    return total


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 2**20))
    generator = np.random.default_rng(seed)
    n_terms = draw(st.integers(3, 9))
    documents = []
    for _ in range(draw(st.integers(1, 3))):
        X = generator.poisson(0.8, (draw(st.integers(2, 8)), n_terms)).astype(float)
        X[generator.random(len(X)) < 0.15] = 0  # some empty documents
        X[:, generator.random(n_terms) < 0.15] = 0  # and some unused terms
        documents.append(X)
    weights = st.sampled_from([0.0, 0.1, 2.0])
    penalties = Penalties([draw(weights) for _ in documents], draw(weights))
    return documents, penalties, draw(st.integers(1, 3)), draw(st.integers(0, 3)), generator


@given(problems())
@examples(60)
def test_the_objective_never_increases_and_is_exact(problem):
    dense, penalties, n_shared, n_domain_components, generator = problem
    documents = [as_documents(sparse.csr_array(X)) for X in dense]
    engine = HostEngine()
    shared, own = random_factors(documents, n_shared, n_domain_components, generator)
    start = [
        first_coefficients(block, np.hstack([shared, U]), engine)
        for block, U in zip(documents, own, strict=True)
    ]
    result = pjnmf(
        documents, shared, own, start,
        penalties=penalties, engine=engine, stopping=Stopping(25, 0.0),
    )  # fmt: skip
    values = np.array(result.objective)
    assert np.isfinite(values).all()
    assert (np.diff(values) <= 1e-9 * max(values[0], 1e-12)).all()
    np.testing.assert_allclose(values[-1], objective(dense, result, penalties), atol=1e-9)
    for X, V in zip(dense, result.coefficients, strict=True):
        assert not V[~X.any(axis=1)].any()  # empty documents have no topic
    unused = ~np.vstack(dense).any(axis=0)
    assert not result.shared[unused].any()  # nor have unused terms


def test_initial_zeros_stay_and_the_initial_factors_are_not_changed():
    generator = np.random.default_rng(0)
    documents = [as_documents(generator.random((6, 5))) for _ in range(2)]
    shared, own = random_factors(documents, 2, 1, generator)
    shared[1] = 0
    before = shared.copy()
    start = [
        first_coefficients(block, np.hstack([shared, U]), HostEngine())
        for block, U in zip(documents, own, strict=True)
    ]
    result = pjnmf(
        documents, shared, own, start,
        penalties=Penalties([0, 0], 0), engine=HostEngine(), stopping=Stopping(5, 0.0),
    )  # fmt: skip
    np.testing.assert_array_equal(shared, before)
    assert not result.shared[1].any()
    assert (result.shared[0] > 0).all()


def test_fold_in_recovers_the_coefficients():
    generator = np.random.default_rng(1)
    topics = generator.random((12, 3)) * (generator.random((12, 3)) < 0.6)
    truth = generator.random((20, 3))
    documents = as_documents(truth @ topics.T)
    coefficients = fold_in_coefficients(documents, topics, HostEngine(), n_steps=3000)
    np.testing.assert_allclose(coefficients, truth, atol=0.02)


def test_fold_in_of_a_document_does_not_depend_on_the_others():
    generator = np.random.default_rng(2)
    X, topics = generator.random((3000, 7)), generator.random((7, 4))
    together = fold_in_coefficients(as_documents(X), topics, HostEngine())
    single = fold_in_coefficients(as_documents(X[2500:2501]), topics, HostEngine())
    np.testing.assert_allclose(together[2500:2501], single, rtol=1e-12)
