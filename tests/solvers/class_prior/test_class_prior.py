"""Class priors from scores: known answers and properties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import examples
from isthmus.matrices.rows import as_documents
from isthmus.solvers.class_prior.estimation import (
    choose_clustering,
    estimate_priors,
    mixture_memberships,
    prior_interval,
    resampled_means,
    resampled_priors,
    shrunk_towards,
    skewed_memberships,
)
from isthmus.solvers.class_prior.quantifiers import (
    black_box_prior,
    calibrate,
    class_means,
    maximum_likelihood_prior,
    score_mismatch,
)


def scores_of(labels, n_classes, seed, strength=1.5):
    """Log odds of documents, given a noisy observation of their class, up to a constant."""
    generator = np.random.default_rng(seed)
    noisy = np.eye(n_classes)[labels] * strength + generator.standard_normal(
        (len(labels), n_classes)
    )
    return noisy * strength


def labels_of(prior, n_documents, seed):
    return np.random.default_rng(seed).choice(len(prior), n_documents, p=prior)


def test_black_box_prior_of_two_classes_by_hand():
    # 9 of 10 documents of the first class and 2 of 10 of the second are predicted as first. With a
    # prior of 3/7 and 4/7 half of all predictions are.
    means = np.array([[0.9, 0.1], [0.2, 0.8]])
    result = black_box_prior(means, np.array([0.5, 0.5]), 100, [0.5, 0.5], pseudo_count=0)
    np.testing.assert_allclose(result, [3 / 7, 4 / 7], atol=1e-6)


def test_black_box_prior_stays_on_the_simplex():
    means = np.array([[0.9, 0.1], [0.2, 0.8]])
    result = black_box_prior(means, np.array([0.95, 0.05]), 100, [0.5, 0.5], pseudo_count=0)
    np.testing.assert_allclose(result, [1, 0], atol=1e-6)


def test_classes_with_equal_scores_keep_their_ratio():
    means = np.array([[0.8, 0.1, 0.1], [0.2, 0.4, 0.4], [0.2, 0.4, 0.4]])
    result = black_box_prior(means, means[0] / 2 + means[1] / 2, 1e6, [0.2, 0.6, 0.2])
    assert result[0] == pytest.approx(0.5, abs=1e-3)
    assert result[1] - result[2] == pytest.approx(0.4, abs=1e-3)


def test_maximum_likelihood_prior_by_hand():
    # Odds 4 and 1/4 under a uniform prior: (.8q+.2p)^75 (.2q+.8p)^25 is largest where
    # .8q+.2p = .75.
    probabilities = np.repeat([[0.8, 0.2], [0.2, 0.8]], [75, 25], axis=0)
    result = maximum_likelihood_prior(probabilities, np.array([0.5, 0.5]), pseudo_count=0)
    np.testing.assert_allclose(result, [0.55 / 0.6, 0.05 / 0.6], atol=1e-6)


def test_weights_are_equivalent_to_duplicates():
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet([1, 1, 1], 20)
    copies = generator.integers(0, 4, 20)
    prior = np.array([0.2, 0.3, 0.5])
    weighted = maximum_likelihood_prior(probabilities, prior, weights=copies.astype(float))
    copied = maximum_likelihood_prior(np.repeat(probabilities, copies, axis=0), prior)
    np.testing.assert_allclose(weighted, copied, atol=1e-8)


@pytest.mark.parametrize("target_prior", [(0.5, 0.5), (0.1, 0.9), (0.6, 0.3, 0.1)])
def test_label_shift_is_recovered(target_prior):
    n_classes = len(target_prior)
    known = labels_of(np.full(n_classes, 1 / n_classes), 8000, 1)
    scores, target_labels = scores_of(known, n_classes, 2), labels_of(target_prior, 8000, 3)
    unknown = scores_of(target_labels, n_classes, 4)
    truth = np.bincount(target_labels, minlength=n_classes) / len(target_labels)
    calibration = calibrate(scores, known)
    prior = calibration(scores).mean(axis=0)
    likeliest = maximum_likelihood_prior(calibration(unknown), prior)
    np.testing.assert_allclose(likeliest, truth, atol=0.02)
    means = class_means(calibration(scores), known, n_classes)
    black_box = black_box_prior(means, calibration(unknown).mean(axis=0), 8000, prior)
    np.testing.assert_allclose(black_box, truth, atol=0.02)
    assert score_mismatch(scores, known, unknown) < 0.03


def test_calibration_inverts_a_slope_and_biases():
    labels = labels_of([0.3, 0.3, 0.4], 20000, 0)
    # Densities are normal with unit variance around 1.5 e_c: log odds are 1.5 x.
    scores = scores_of(labels, 3, 1) + np.log([0.3, 0.3, 0.4])
    result = calibrate(2.5 * scores + np.array([0.7, 0.0, -0.4]), labels)
    assert result.slope == pytest.approx(1 / 2.5, rel=0.05)
    biases = result.biases - result.biases[1]
    np.testing.assert_allclose(biases, [-0.7 / 2.5, 0.0, 0.4 / 2.5], atol=0.06)
    proportions = np.bincount(labels) / len(labels)
    np.testing.assert_allclose(result(2.5 * scores).sum(axis=1), 1)
    np.testing.assert_allclose(
        result(2.5 * scores + np.array([0.7, 0.0, -0.4])).mean(axis=0), proportions, atol=1e-3
    )


def test_mismatch_of_scores():
    labels = labels_of([0.5, 0.5], 4000, 0)
    scores, same = scores_of(labels, 2, 1), scores_of(labels, 2, 2)
    assert score_mismatch(scores, labels, same) < 0.05
    assert score_mismatch(scores, labels, same / 4) > 0.2


def two_topics(n_documents=400, proportion=0.8, seed=0):
    """Documents of two topics with different words, and their topics."""
    generator = np.random.default_rng(seed)
    kinds = (generator.random(n_documents) < proportion).astype(int)
    rates = np.full((2, 60), 0.1)
    rates[0, :25] = rates[1, 25:50] = 1.0
    return sparse.csr_matrix(generator.poisson(rates[kinds]).astype(float)), kinds


def test_mixture_from_poor_initial_memberships():
    X, kinds = two_topics()
    generator = np.random.default_rng(1)
    hints = np.clip(0.35 + 0.2 * kinds + 0.1 * generator.standard_normal(len(kinds)), 0.05, 0.95)
    result = mixture_memberships(as_documents(X), np.column_stack([1 - hints, hints]))
    np.testing.assert_array_equal(result.argmax(axis=1), kinds)
    assert result[:, 1].mean() == pytest.approx(kinds.mean(), abs=0.01)


def test_skewed_memberships_match_their_priors():
    memberships = np.random.default_rng(0).dirichlet([1, 1], 500)
    starts = skewed_memberships(memberships, np.array([0.5, 0.5]))
    means = [start.mean(axis=0)[0] for start in starts]
    np.testing.assert_allclose(means, [0.5, 0.8, 0.2], atol=1e-3)
    assert len(skewed_memberships(np.full((10, 6), 1 / 6), np.full(6, 1 / 6))) == 1


def test_one_poor_start_is_outvoted():
    X, kinds = two_topics()
    hints = np.column_stack([0.7 - 0.4 * kinds, 0.3 + 0.4 * kinds])
    # Random halves that do not agree with the scores.
    poor = np.eye(2)[np.arange(len(kinds)) % 2] * 0.98 + 0.01
    result = choose_clustering(as_documents(X), [poor, hints, hints], np.log(hints))
    np.testing.assert_array_equal(result.memberships.argmax(axis=1), kinds)
    assert result.separation > 0.9


def test_mismatch_with_a_given_prior():
    labels = labels_of([0.5, 0.5], 4000, 0)
    scores, same = scores_of(labels, 2, 1), scores_of(labels, 2, 2)
    assert score_mismatch(scores, labels, same, np.array([0.5, 0.5])) < 0.05
    assert score_mismatch(scores, labels, same, np.array([0.9, 0.1])) > 0.2


def test_clusters_and_likelihood_of_the_same_target():
    X, kinds = two_topics()
    labels = labels_of([0.5, 0.5], 2000, 0)
    known = scores_of(labels, 2, 1, strength=3.0)
    moved = scores_of(kinds, 2, 2, strength=1.0) / 3 + np.array([0.3, 0.0])
    result = estimate_priors(known, labels, moved, as_documents(X))
    assert result.priors["clusters"][1] == pytest.approx(kinds.mean(), abs=0.01)
    assert result.likelihood_mismatch >= result.mismatch > 0.16
    fitting = estimate_priors(known, labels, scores_of(kinds, 2, 3, strength=3.0), as_documents(X))
    assert fitting.likelihood_mismatch < 0.05
    np.testing.assert_allclose(fitting.shrunk, fitting.priors["likelihood"], atol=0.02)


def test_a_single_topic_has_no_separation():
    generator = np.random.default_rng(0)
    X = sparse.csr_matrix(generator.poisson(0.5, (300, 30)) / 4)
    labels = labels_of([0.5, 0.5], 2000, 0)
    known = scores_of(labels, 2, 1, strength=3.0)
    result = estimate_priors(known, labels, known[:300] / 6, as_documents(X))
    assert result.mismatch > 0.16
    assert result.clustering.separation < 0.1


def test_shrinkage_by_hand():
    prior = np.array([0.5, 0.5])
    np.testing.assert_allclose(shrunk_towards(np.array([0.54, 0.46]), prior, 0.05), prior)
    # At twice the error a quarter of the difference is removed.
    np.testing.assert_allclose(shrunk_towards(np.array([0.6, 0.4]), prior, 0.05), [0.575, 0.425])
    np.testing.assert_allclose(shrunk_towards(prior, prior, 0.05), prior)


def test_bootstrap_has_the_spread_of_new_samples():
    estimates = []
    for seed in range(40):
        known, target_labels = (
            labels_of([0.5, 0.5], 500, seed),
            labels_of([0.7, 0.3], 500, 100 + seed),
        )
        scores, unknown = scores_of(known, 2, 200 + seed), scores_of(target_labels, 2, 300 + seed)
        calibration = calibrate(scores, known)
        prior = calibration(scores).mean(axis=0)
        estimates.append(maximum_likelihood_prior(calibration(unknown), prior)[0])
    drawn, black_box = resampled_priors(scores, known, unknown, 60, np.random.default_rng(0))
    assert 0.6 < drawn[:, 0].std() / np.std(estimates) < 1.6
    np.testing.assert_allclose(black_box.sum(axis=1), 1)


def test_resampled_means_have_the_spread_of_the_mean():
    memberships = np.eye(2)[labels_of([0.5, 0.5], 400, 0)]
    drawn = resampled_means(memberships, 300, np.random.default_rng(0))
    assert drawn[:, 0].std() == pytest.approx(0.025, rel=0.2)


problems = st.tuples(
    st.integers(2, 4), st.integers(1, 40), st.integers(0, 10_000), st.floats(0.1, 4.0)
)


@examples(25)
@given(problems)
def test_priors_are_distributions_and_follow_the_class_order(problem):
    n_classes, n_documents, seed, strength = problem
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, 30)])
    known = scores_of(labels, n_classes, seed, strength)
    unknown = strength * generator.standard_normal((n_documents, n_classes))
    X = sparse.csr_matrix(generator.poisson(0.5, (n_documents, 12)).astype(float))
    result = estimate_priors(known, labels, unknown, as_documents(X))
    order = generator.permutation(n_classes)
    other = estimate_priors(
        known[:, order], np.argsort(order)[labels], unknown[:, order], as_documents(X)
    )
    for method, prior in result.priors.items():
        assert prior.min() >= 0
        assert prior.sum() == pytest.approx(1)
        np.testing.assert_allclose(other.priors[method], prior[order], atol=1e-3)


@examples(12)
@given(problems, st.sampled_from(["likelihood", "black_box", "clusters"]))
def test_interval_contains_the_estimate(problem, method):
    n_classes, n_documents, seed, strength = problem
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, 30)])
    known = scores_of(labels, n_classes, seed, strength)
    unknown = strength * generator.standard_normal((n_documents, n_classes))
    X = sparse.csr_matrix(generator.poisson(0.5, (n_documents, 12)).astype(float))
    result = estimate_priors(known, labels, unknown, as_documents(X))
    low, high = prior_interval(result, method, known, labels, unknown, 0.9, 5, generator)
    assert (low <= result.priors[method]).all()
    assert (result.priors[method] <= high).all()
    assert low.min() >= 0
    assert high.max() <= 1


def test_different_clusterings_widen_the_interval():
    X, kinds = two_topics()
    labels = labels_of([0.5, 0.5], 500, 0)
    known, unknown = scores_of(labels, 2, 1), scores_of(kinds, 2, 2) / 5
    result = estimate_priors(known, labels, unknown, as_documents(X))
    plausible = np.array([[0.5, 0.5], [0.2, 0.8]])
    apart = replace(result, clustering=replace(result.clustering, plausible_priors=plausible))
    options = ("clusters", known, labels, unknown, 0.95, 50)
    near = prior_interval(result, *options, np.random.default_rng(0))
    far = prior_interval(apart, *options, np.random.default_rng(0))
    assert far[0][1] < 0.5 < near[0][1]
