"""When clusters and label shift take the place of the members' class proportions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isthmus import SFA, CoCC, SelfTraining
from isthmus.domains.parse import make_problem
from isthmus.estimators.class_prior import estimation
from isthmus.estimators.class_prior.parameter import priors_of_targets
from isthmus.estimators.class_prior.proportions import (
    ConsensusEstimate,
    CrossValScores,
    combine_estimates,
)
from isthmus.solvers.class_prior.estimation import Clustering, PriorEstimates

N_DOCUMENTS = 400
SOURCE = np.array([0.5, 0.5])
MEMBERS = np.array([0.45, 0.55])


def labels_with(proportion):
    """The first documents have class 0."""
    return (np.arange(N_DOCUMENTS) >= round(proportion * N_DOCUMENTS)).astype(np.intp)


def ordered_scores():
    """Scores that rank the documents from class 0 to class 1."""
    margins = np.linspace(2, -2, N_DOCUMENTS)
    return np.column_stack([margins, -margins])


def cross_val():
    rows = {-1: np.arange(N_DOCUMENTS)}
    return CrossValScores(
        known=np.zeros((4, 2)),
        labels=np.array([0, 0, 1, 1]),
        targets={-1: ordered_scores()},
        documents={-1: np.zeros((N_DOCUMENTS, 1))},
        rows=rows,
        document_of_row=dict(rows),
        codes=np.array([0, 1]),
    )


def estimates(clusters=0.2, likelihood=0.8, mismatch=0.5):
    memberships = np.eye(2)[labels_with(clusters)]
    probabilities = np.exp(ordered_scores())
    return PriorEstimates(
        priors={
            "likelihood": np.array([likelihood, 1 - likelihood]),
            "clusters": memberships.mean(axis=0),
        },
        source_prior=SOURCE,
        mismatch=0.0,
        likelihood_mismatch=mismatch,
        probabilities=probabilities / probabilities.sum(axis=1, keepdims=True),
        shrunk=np.array([likelihood, 1 - likelihood]),
        clustering=Clustering(memberships, memberships.mean(axis=0)[None], 1.0),
    )


def consensus(kappa=0.95, scores=None):
    return ConsensusEstimate(
        rows=np.arange(N_DOCUMENTS),
        scores=ordered_scores() if scores is None else scores,
        prior=MEMBERS,
        low=MEMBERS - 0.05,
        high=MEMBERS + 0.05,
        learnability=lambda labels: kappa,
    )


def unrelated_scores():
    return ordered_scores()[np.random.default_rng(0).permutation(N_DOCUMENTS)]


def test_predictable_clusters_that_agree_are_used():
    result = combine_estimates(cross_val(), -1, estimates(), consensus())
    assert result.cluster_weight == 1
    assert result.prior[0] == pytest.approx(0.2)


@pytest.mark.parametrize("kappa", [0.5, float("nan")])
def test_unpredictable_clusters_are_not_used(kappa):
    result = combine_estimates(cross_val(), -1, estimates(), consensus(kappa))
    assert result.cluster_weight == 0
    # The members' prior, with ten documents of the source prior.
    assert result.prior[0] == pytest.approx((400 * 0.45 + 10 * 0.5) / 410)


def test_clusters_that_are_less_predictable_than_the_consensus_are_not_used():
    clusters = labels_with(0.2)

    def learnability(labels):
        return 0.9 if np.array_equal(labels, clusters) else 0.93

    less = replace(consensus(), learnability=learnability)
    assert combine_estimates(cross_val(), -1, estimates(), less).cluster_weight == 0


def test_clusters_that_disagree_with_the_members_are_not_used():
    result = combine_estimates(cross_val(), -1, estimates(), consensus(scores=unrelated_scores()))
    assert result.cluster_weight == 0


def test_clusters_without_a_class_are_not_used():
    result = combine_estimates(cross_val(), -1, estimates(clusters=0.01), consensus())
    assert result.cluster_weight == 0


def test_label_shift_that_explains_the_scores_is_used():
    result = combine_estimates(cross_val(), -1, estimates(mismatch=0.02), consensus(kappa=0.5))
    assert (result.likelihood_weight, result.consensus_weight) == (1, 0)
    assert result.prior[0] == pytest.approx(0.8)
    halfway = combine_estimates(cross_val(), -1, estimates(mismatch=0.1), consensus(kappa=0.5))
    assert halfway.likelihood_weight == pytest.approx(0.5)


def test_label_shift_that_disagrees_with_the_members_is_not_used():
    result = combine_estimates(
        cross_val(), -1, estimates(mismatch=0.0), consensus(0.5, unrelated_scores())
    )
    assert result.likelihood_weight == 0


def test_few_documents_stay_near_the_source_prior():
    scores = cross_val()
    scores = replace(
        scores, rows={-1: np.arange(N_DOCUMENTS)}, document_of_row={-1: np.arange(N_DOCUMENTS)}
    )
    few = replace(consensus(float("nan")), rows=np.arange(2), scores=unrelated_scores()[:2])
    few = replace(few, prior=np.array([0.99, 0.01]))
    result = combine_estimates(scores, -1, estimates(), few)
    assert result.prior[0] == pytest.approx((2 * 0.99 + 10 * 0.5) / 12)


def two_domains(n_source=120, n_target=120):
    generator = np.random.default_rng(0)
    classes = np.concatenate([np.arange(n_source) % 2, (np.arange(n_target) % 5 > 0).astype(int)])
    rates = np.full((2, 30), 0.2)
    rates[0, :12] = rates[1, 12:24] = 1.0
    y = classes.astype(object)
    y[n_source:] = None
    return generator.poisson(rates[classes]).astype(float), y


def test_methods_on_the_same_data_share_one_estimate(monkeypatch):
    calls = []
    original = estimation._consensus

    def counted(problem, X):
        calls.append(1)
        return original(problem, X)

    monkeypatch.setattr(estimation, "_consensus", counted)
    X, y = two_domains()
    data = CoCC()._read_training_data(X, y, None)
    priors = [
        method._with_class_prior(data).target_prior[-1]
        for method in (CoCC(class_prior="estimate"), SFA(class_prior="estimate"))
    ]
    assert len(calls) == 1
    np.testing.assert_array_equal(*priors)
    # The stored estimate cannot be changed through the result.
    priors_of_targets("estimate", data.problem, data.X, data.shared).clear()
    assert priors_of_targets("estimate", data.problem, data.X, data.shared)


def test_the_parameter_is_the_estimate_of_the_function():
    X, y = two_domains()
    model = SelfTraining(class_prior="estimate").fit(X, y)
    estimate = estimation.estimate_class_prior(X, y, n_resamples=5)
    np.testing.assert_allclose(model.domain_prior_[-1], estimate.prior, atol=1e-9)
    assert sum(estimate.weights.values()) == pytest.approx(1)


def test_interval_of_the_members_follows_the_level(monkeypatch):
    X, y = two_domains()
    problem = make_problem(X, y)
    automatic = estimation._consensus(problem, X)
    # Nothing but the members.
    prior = automatic[-1].prior
    unusable = replace(
        automatic[-1], learnability=lambda labels: 0.0, low=prior - 0.05, high=prior + 0.05
    )
    monkeypatch.setattr(estimation, "_consensus", lambda problem, X: {-1: unusable})
    monkeypatch.setattr(
        "isthmus.estimators.class_prior.proportions._likelihood_weight", lambda *_: 0.0
    )
    widths = {}
    for level in (0.8, 0.95):
        estimate = estimation.estimate_class_prior(X, y, confidence_level=level, n_resamples=5)
        assert estimate.weights == {"consensus": 1, "clusters": 0, "likelihood": 0}
        widths[level] = estimate.high[0] - estimate.low[0]
    assert widths[0.8] == pytest.approx(0.1, abs=1e-6)
    assert widths[0.95] / widths[0.8] == pytest.approx(1.96 / 1.2816, rel=0.01)
