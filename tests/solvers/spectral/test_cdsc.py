"""The solver of CDSC against dense matrices from the formulas of the paper."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import isthmus.numerics.eigen as eigen
from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import CosineAffinity
from isthmus.solvers.spectral._coordinates import extend
from isthmus.solvers.spectral.cdsc import balance, cdsc, cdsc_system, must_links, target_boost

KNOWN = json.loads((Path(__file__).parents[1] / "known_answers" / "cdsc.json").read_text())
LABELS = np.array(KNOWN["y_s"] + [-1] * len(KNOWN["X_t"]))
SIZES = [len(KNOWN["X_s"]), len(KNOWN["X_t"])]


def known_affinity(container=np.asarray, **options):
    blocks = [as_documents(container(np.array(KNOWN[name]))) for name in ("X_s", "X_t")]
    return CosineAffinity.of(blocks, **options)


def known_spectrum(affinity, k, **options):
    system = cdsc_system(
        affinity,
        LABELS,
        [False, True],
        beta=KNOWN["beta"],
        lam=KNOWN["lam"],
        relative_beta=False,
    )
    return cdsc(system, k, np.arange(1.0, 12.0), **options)


@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("solver", ["dense", "lanczos"])
def test_known_answer(container, solver, monkeypatch):
    if solver == "lanczos":
        monkeypatch.setattr(eigen, "_SMALL", 0)
    spectrum = known_spectrum(known_affinity(container), 3, tol=1e-14)
    np.testing.assert_allclose(spectrum.degrees, KNOWN["degrees"], rtol=1e-10)
    np.testing.assert_allclose(spectrum.eigenvalues, KNOWN["eigenvalues"][:3], atol=1e-10)
    vectors = spectrum.embedding * np.sqrt(spectrum.degrees)[:, None]
    np.testing.assert_allclose(vectors @ vectors.T, KNOWN["projector3"], atol=1e-10)


def test_all_eigenvalues():
    spectrum = known_spectrum(known_affinity(), 11)
    np.testing.assert_allclose(spectrum.eigenvalues, KNOWN["eigenvalues"], atol=1e-10)


def test_penalty_equals_the_constraint_matrix_of_the_paper():
    """U has one column per pair of documents of a class (Algorithm 1)."""
    n = len(LABELS)
    pairs = [(i, j) for i in range(n) for j in range(i) if LABELS[i] == LABELS[j] >= 0]
    U = np.zeros((n, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        U[i, column], U[j, column] = 1, -1
    links = must_links(LABELS, np.ones(n), 0.3, relative=False)
    np.testing.assert_allclose(links.times(np.eye(n)), 0.3 * U @ U.T, atol=1e-12)


def test_relative_penalty_is_proportional_to_the_mean_degree():
    degrees = np.where(np.arange(11) == 0, 0.0, 5.0)  # the first document is isolated
    links = must_links(LABELS, degrees, 0.1, relative=True)
    assert [len(rows) for rows in links.rows] == [2, 3]
    np.testing.assert_allclose(links.weights, [0.1 * 5 / 2, 0.1 * 5 / 3])


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("with_self", [True, False])
def test_balance_fixes_the_proportion_across_domains(share, with_self):
    affinity = known_affinity(with_self=with_self)
    weights = balance(affinity, SIZES, [False, True], share)
    W = affinity.reweighted(weights).times(np.eye(11))
    source = np.arange(11) < SIZES[0]
    for rows, size in ((source, SIZES[0]), (~source, SIZES[1])):
        within = (1 - share) * size / (size + 10)  # less for few documents
        assert W[np.ix_(rows, rows)].sum() / W[rows].sum() == pytest.approx(within)
    unweighted = affinity.times(np.eye(11))
    np.testing.assert_allclose(W[np.ix_(source, ~source)], unweighted[np.ix_(source, ~source)])


def test_balance_without_targets_changes_nothing():
    affinity = known_affinity()
    np.testing.assert_array_equal(balance(affinity, SIZES, [False, False], 0.5), 1)


@pytest.mark.parametrize("with_self", [True, False])
def test_nystrom_extension_of_fitted_documents(with_self):
    affinity = known_affinity(with_self=with_self)
    spectrum = known_spectrum(affinity, 2)  # further eigenvalues are near 1
    boosted = affinity.reweighted(target_boost([False, True], KNOWN["lam"]))
    ones = np.ones((11, 1))
    extended = extend(
        boosted.times(spectrum.embedding),
        boosted.times(ones)[:, 0],
        affinity.times(ones)[:, 0],
        spectrum.eigenvalues,
    )
    target = LABELS < 0
    np.testing.assert_allclose(extended[target], spectrum.embedding[target], atol=1e-9)
    isolated = extend(np.zeros((1, 2)), np.zeros(1), np.zeros(1), spectrum.eigenvalues)
    np.testing.assert_array_equal(isolated, 0)


def test_isolated_documents_do_not_change_the_spectrum():
    blocks = [np.array([[1.0, 0], [1, 1], [0, 0]]), np.array([[0, 1.0], [0, 0]])]
    affinity = CosineAffinity.of([as_documents(block) for block in blocks])
    labels = np.array([0, 0, 1, -1, -1])
    system = cdsc_system(affinity, labels, [False, True], beta=0.1, lam=0.1, relative_beta=True)
    spectrum = cdsc(system, 5, np.ones(5))
    assert np.isfinite(spectrum.embedding).all()
    np.testing.assert_array_equal(spectrum.embedding[[2, 4]], 0)
    assert spectrum.eigenvalues[0] == pytest.approx(0, abs=1e-12)
    assert spectrum.eigenvalues[1] > 0.1
