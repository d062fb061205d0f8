"""Class shares from scores: known answers, and what must hold for any scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from isthmus.matrices.conversion import as_documents
from isthmus.solvers.class_prior.candidates import drawn_in, find_candidates
from isthmus.solvers.class_prior.cluster_shares import choose_clusters, skewed_starts
from isthmus.solvers.class_prior.interval import prior_interval, resampled_means, resampled_shares
from isthmus.solvers.class_prior.quantifiers import (
    black_box_shares,
    calibrate,
    class_means,
    maximum_likelihood_shares,
    score_mismatch,
)
from isthmus.solvers.class_prior.word_mixture import mixture_memberships


def scores_of(labels, n_classes, seed, strength=1.5):
    """Log odds of documents whose class shows in a noisy number, true up to a constant."""
    generator = np.random.default_rng(seed)
    noisy = np.eye(n_classes)[labels] * strength + generator.standard_normal(
        (len(labels), n_classes)
    )
    return noisy * strength


def labels_of(shares, n_documents, seed):
    return np.random.default_rng(seed).choice(len(shares), n_documents, p=shares)


def test_two_by_two_by_hand():
    # 9 of 10 of the first class and 2 of 10 of the second are called first: with shares 3/7 and 4/7
    # half of all documents are.
    means = np.array([[0.9, 0.1], [0.2, 0.8]])
    found = black_box_shares(means, np.array([0.5, 0.5]), 100, [0.5, 0.5], pseudo_count=0)
    np.testing.assert_allclose(found, [3 / 7, 4 / 7], atol=1e-6)


def test_shares_out_of_reach_end_at_the_border():
    means = np.array([[0.9, 0.1], [0.2, 0.8]])
    found = black_box_shares(means, np.array([0.95, 0.05]), 100, [0.5, 0.5], pseudo_count=0)
    np.testing.assert_allclose(found, [1, 0], atol=1e-6)


def test_classes_that_look_alike_keep_their_old_proportion():
    means = np.array([[0.8, 0.1, 0.1], [0.2, 0.4, 0.4], [0.2, 0.4, 0.4]])
    found = black_box_shares(means, means[0] / 2 + means[1] / 2, 1e6, [0.2, 0.6, 0.2])
    assert found[0] == pytest.approx(0.5, abs=1e-3)
    assert found[1] - found[2] == pytest.approx(0.4, abs=1e-3)


def test_likelihood_of_two_kinds_of_documents_by_hand():
    # Odds 4 and 1/4 under even shares: the likelihood (.8q+.2p)^75 (.2q+.8p)^25 is largest where
    # .8q+.2p = .75.
    probabilities = np.repeat([[0.8, 0.2], [0.2, 0.8]], [75, 25], axis=0)
    found = maximum_likelihood_shares(probabilities, np.array([0.5, 0.5]), pseudo_count=0)
    np.testing.assert_allclose(found, [0.55 / 0.6, 0.05 / 0.6], atol=1e-6)


def test_weights_count_as_copies():
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet([1, 1, 1], 20)
    copies = generator.integers(0, 4, 20)
    prior = np.array([0.2, 0.3, 0.5])
    weighted = maximum_likelihood_shares(probabilities, prior, weights=copies.astype(float))
    copied = maximum_likelihood_shares(np.repeat(probabilities, copies, axis=0), prior)
    np.testing.assert_allclose(weighted, copied, atol=1e-8)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 0.9), (0.6, 0.3, 0.1)])
def test_label_shift_alone_is_recovered(shares):
    n_classes = len(shares)
    known = labels_of(np.full(n_classes, 1 / n_classes), 8000, 1)
    scores, asked = scores_of(known, n_classes, 2), labels_of(shares, 8000, 3)
    unknown = scores_of(asked, n_classes, 4)
    truth = np.bincount(asked, minlength=n_classes) / len(asked)
    calibration = calibrate(scores, known)
    prior = calibration(scores).mean(axis=0)
    likeliest = maximum_likelihood_shares(calibration(unknown), prior)
    np.testing.assert_allclose(likeliest, truth, atol=0.02)
    means = class_means(calibration(scores), known, n_classes)
    black_box = black_box_shares(means, calibration(unknown).mean(axis=0), 8000, prior)
    np.testing.assert_allclose(black_box, truth, atol=0.02)
    assert score_mismatch(scores, known, unknown) < 0.03


def test_calibration_undoes_a_slope_and_biases():
    labels = labels_of([0.3, 0.3, 0.4], 20000, 0)
    # Densities are normal with unit variance around 1.5 e_c: log odds are 1.5 x.
    scores = scores_of(labels, 3, 1) + np.log([0.3, 0.3, 0.4])
    found = calibrate(2.5 * scores + np.array([0.7, 0.0, -0.4]), labels)
    assert found.slope == pytest.approx(1 / 2.5, rel=0.05)
    biases = found.biases - found.biases[1]
    np.testing.assert_allclose(biases, [-0.7 / 2.5, 0.0, 0.4 / 2.5], atol=0.06)
    shares = np.bincount(labels) / len(labels)
    np.testing.assert_allclose(found(2.5 * scores).sum(axis=1), 1)
    np.testing.assert_allclose(
        found(2.5 * scores + np.array([0.7, 0.0, -0.4])).mean(axis=0), shares, atol=1e-3
    )


def test_moved_scores_are_a_mismatch():
    labels = labels_of([0.5, 0.5], 4000, 0)
    scores, same = scores_of(labels, 2, 1), scores_of(labels, 2, 2)
    assert score_mismatch(scores, labels, same) < 0.05
    assert score_mismatch(scores, labels, same / 4) > 0.2


def two_topics(n_documents=400, share=0.8, seed=0):
    """Documents of two kinds with words of their own, and their kinds."""
    generator = np.random.default_rng(seed)
    kinds = (generator.random(n_documents) < share).astype(int)
    rates = np.full((2, 60), 0.1)
    rates[0, :25] = rates[1, 25:50] = 1.0
    return sparse.csr_matrix(generator.poisson(rates[kinds]).astype(float)), kinds


def test_clusters_of_words_from_a_poor_start():
    X, kinds = two_topics()
    generator = np.random.default_rng(1)
    hints = np.clip(0.35 + 0.2 * kinds + 0.1 * generator.standard_normal(len(kinds)), 0.05, 0.95)
    found = mixture_memberships(as_documents(X), np.column_stack([1 - hints, hints]))
    np.testing.assert_array_equal(found.argmax(axis=1), kinds)
    assert found[:, 1].mean() == pytest.approx(kinds.mean(), abs=0.01)


def test_skewed_starts_hold_their_shares():
    memberships = np.random.default_rng(0).dirichlet([1, 1], 500)
    starts = skewed_starts(memberships, np.array([0.5, 0.5]))
    means = [start.mean(axis=0)[0] for start in starts]
    np.testing.assert_allclose(means, [0.5, 0.8, 0.2], atol=1e-3)
    assert len(skewed_starts(np.full((10, 6), 1 / 6), np.full(6, 1 / 6))) == 1


def test_one_start_that_goes_astray_is_outvoted():
    X, kinds = two_topics()
    hints = np.column_stack([0.7 - 0.4 * kinds, 0.3 + 0.4 * kinds])
    # Half of the larger kind on either side, against the scores for nothing.
    astray = np.eye(2)[np.arange(len(kinds)) % 2] * 0.98 + 0.01
    found = choose_clusters(as_documents(X), [astray, hints, hints], np.log(hints))
    np.testing.assert_array_equal(found.memberships.argmax(axis=1), kinds)
    assert found.parting > 0.9


def test_clusters_are_believed_where_scores_do_not_fit():
    X, kinds = two_topics()
    labels = labels_of([0.5, 0.5], 2000, 0)
    known = scores_of(labels, 2, 1, strength=3.0)
    moved = scores_of(kinds, 2, 2, strength=1.0) / 3 + np.array([0.3, 0.0])
    found = find_candidates(known, labels, moved, as_documents(X))
    assert found.trust == 0
    assert found.shares["auto"][1] == pytest.approx(kinds.mean(), abs=0.01)
    fitting = find_candidates(known, labels, scores_of(kinds, 2, 3, strength=3.0), as_documents(X))
    assert fitting.trust == 1
    np.testing.assert_array_equal(fitting.shares["auto"], fitting.cautious)
    np.testing.assert_allclose(fitting.cautious, fitting.shares["likelihood"], atol=0.02)


def test_documents_that_do_not_part_are_not_believed():
    generator = np.random.default_rng(0)
    X = sparse.csr_matrix(generator.poisson(0.5, (300, 30)) / 4)  # all of one kind
    labels = labels_of([0.5, 0.5], 2000, 0)
    known = scores_of(labels, 2, 1, strength=3.0)
    found = find_candidates(known, labels, known[:300] / 6, as_documents(X))
    assert found.mismatch > 0.16
    assert found.clusters.parting < 0.1
    np.testing.assert_array_equal(found.shares["auto"], found.cautious)


def test_shares_near_the_prior_are_no_evidence_against_it():
    prior = np.array([0.5, 0.5])
    np.testing.assert_allclose(drawn_in(np.array([0.54, 0.46]), prior, 0.05), prior)
    # Twice the error away: a quarter of the way is given up.
    np.testing.assert_allclose(drawn_in(np.array([0.6, 0.4]), prior, 0.05), [0.575, 0.425])
    np.testing.assert_allclose(drawn_in(prior, prior, 0.05), prior)


def test_resampling_has_the_spread_of_new_samples():
    found = []
    for seed in range(40):
        known, asked = labels_of([0.5, 0.5], 500, seed), labels_of([0.7, 0.3], 500, 100 + seed)
        scores, unknown = scores_of(known, 2, 200 + seed), scores_of(asked, 2, 300 + seed)
        calibration = calibrate(scores, known)
        prior = calibration(scores).mean(axis=0)
        found.append(maximum_likelihood_shares(calibration(unknown), prior)[0])
    drawn, black_box = resampled_shares(scores, known, unknown, 60, np.random.default_rng(0))
    assert 0.6 < drawn[:, 0].std() / np.std(found) < 1.6
    np.testing.assert_allclose(black_box.sum(axis=1), 1)


def test_resampled_means_have_the_spread_of_the_mean():
    memberships = np.eye(2)[labels_of([0.5, 0.5], 400, 0)]
    drawn = resampled_means(memberships, 300, np.random.default_rng(0))
    assert drawn[:, 0].std() == pytest.approx(0.025, rel=0.2)


problems = st.tuples(
    st.integers(2, 4), st.integers(1, 40), st.integers(0, 10_000), st.floats(0.1, 4.0)
)


@settings(deadline=None, max_examples=25)
@given(problems)
def test_shares_lie_on_the_simplex_and_follow_the_classes(problem):
    n_classes, n_documents, seed, strength = problem
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, 30)])
    known = scores_of(labels, n_classes, seed, strength)
    unknown = strength * generator.standard_normal((n_documents, n_classes))
    X = sparse.csr_matrix(generator.poisson(0.5, (n_documents, 12)).astype(float))
    found = find_candidates(known, labels, unknown, as_documents(X))
    order = generator.permutation(n_classes)
    other = find_candidates(
        known[:, order], np.argsort(order)[labels], unknown[:, order], as_documents(X)
    )
    for method, shares in found.shares.items():
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
        np.testing.assert_allclose(other.shares[method], shares[order], atol=1e-3)


@settings(deadline=None, max_examples=12)
@given(problems, st.sampled_from(["auto", "likelihood", "black_box", "clusters"]))
def test_an_interval_holds_its_estimate(problem, method):
    n_classes, n_documents, seed, strength = problem
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, 30)])
    known = scores_of(labels, n_classes, seed, strength)
    unknown = strength * generator.standard_normal((n_documents, n_classes))
    X = sparse.csr_matrix(generator.poisson(0.5, (n_documents, 12)).astype(float))
    found = find_candidates(known, labels, unknown, as_documents(X))
    low, high = prior_interval(found, method, known, labels, unknown, 0.9, 5, generator)
    assert (low <= found.shares[method]).all()
    assert (found.shares[method] <= high).all()
    assert low.min() >= 0
    assert high.max() <= 1


def test_starts_that_lead_apart_make_the_interval_wider():
    X, kinds = two_topics()
    labels = labels_of([0.5, 0.5], 500, 0)
    known, unknown = scores_of(labels, 2, 1), scores_of(kinds, 2, 2) / 5
    found = find_candidates(known, labels, unknown, as_documents(X))
    possible = np.array([[0.5, 0.5], [0.2, 0.8]])
    apart = replace(found, clusters=replace(found.clusters, possible=possible))
    options = ("clusters", known, labels, unknown, 0.95, 50)
    near = prior_interval(found, *options, np.random.default_rng(0))
    far = prior_interval(apart, *options, np.random.default_rng(0))
    assert far[0][1] < 0.5 < near[0][1]
