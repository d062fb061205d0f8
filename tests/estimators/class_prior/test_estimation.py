"""Estimation of the class prior of a target, from stacked rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from isthmus import PriorEstimate, estimate_class_prior
from isthmus.domains.parse import make_problem
from isthmus.estimators.class_prior.estimation import PRIOR_METHODS, estimate_target_priors

FEW = {"n_resamples": 10}


def documents(prior, n_documents, seed):
    """Documents with class-specific words."""
    generator = np.random.default_rng(seed)
    classes = generator.choice(len(prior), n_documents, p=prior)
    rates = np.full((len(prior), 60), 0.1)
    for code, words in enumerate(np.array_split(np.arange(40), len(prior))):
        rates[code, words] = 1.0
    return generator.poisson(rates[classes]).astype(float), classes


def problem(source=(0.5, 0.5), target=(0.2, 0.8), n_source=300, n_target=400):
    """Stacked rows, labels with None for the target, and the true target prior."""
    X, truth = zip(
        documents(source, n_source, seed=1), documents(target, n_target, seed=2), strict=True
    )
    y = np.concatenate(truth).astype(object)
    y[n_source:] = None
    prior = np.bincount(truth[1], minlength=len(target)) / n_target
    return np.vstack(X), y, prior


@pytest.mark.parametrize("method", PRIOR_METHODS)
@pytest.mark.parametrize("target", [(0.2, 0.8), (0.6, 0.1, 0.3)])
def test_prior_of_a_shifted_target(method, target):
    X, y, truth = problem(np.full(len(target), 1 / len(target)), target)
    estimate = estimate_class_prior(X, y, method=method, **FEW)
    assert isinstance(estimate, PriorEstimate)
    assert estimate.method == method
    np.testing.assert_allclose(estimate.prior, truth, atol=0.06)
    assert sum(estimate.prior) == pytest.approx(1)
    assert all(
        low <= proportion <= high
        for low, proportion, high in zip(estimate.low, estimate.prior, estimate.high, strict=True)
    )
    assert (np.array(estimate.low) <= truth).all()
    assert (truth <= np.array(estimate.high)).all()


def test_the_order_of_rows_has_no_influence():
    X, y, _ = problem()
    order = np.random.default_rng(0).permutation(len(y))
    one = estimate_class_prior(X, y, **FEW)
    other = estimate_class_prior(X[order], y[order], **FEW)
    np.testing.assert_allclose(one.prior, other.prior, atol=1e-6)
    np.testing.assert_allclose(one.low, other.low, atol=1e-6)


def test_sparse_equals_dense_and_float32_float64():
    X, y, _ = problem()
    dense = estimate_class_prior(X, y, **FEW)
    for other in (sparse.csr_matrix(X), sparse.csc_matrix(X), X.astype(np.float32)):
        estimate = estimate_class_prior(other, y, **FEW)
        np.testing.assert_allclose(estimate.prior, dense.prior, atol=1e-5)
        np.testing.assert_allclose(estimate.high, dense.high, atol=1e-5)


def test_results_are_repeatable_and_input_is_not_changed():
    X, y, _ = problem()
    X = sparse.csr_matrix(X)
    before = X.copy()
    assert estimate_class_prior(X, y, **FEW) == estimate_class_prior(X, y, **FEW)
    np.testing.assert_array_equal(X.toarray(), before.toarray())


def test_only_the_interval_depends_on_random_state():
    X, y, _ = problem()
    one, other = (estimate_class_prior(X, y, random_state=seed, **FEW) for seed in (0, 1))
    assert one.prior == other.prior
    assert one.low != other.low
    inner = estimate_target_priors(make_problem(X, y), X)
    np.testing.assert_allclose(inner[-1], one.prior, atol=1e-12)


def test_string_labels_and_json():
    X, y, _ = problem()
    names = np.array([None if label is None else ("bad", "good")[label] for label in y])
    estimate = estimate_class_prior(X, names, **FEW)
    assert estimate.classes == ("bad", "good")
    assert estimate.prior == estimate_class_prior(X, y, **FEW).prior
    written = json.loads(json.dumps(estimate.to_dict()))
    assert written["prior"] == list(estimate.prior)
    assert set(written["by_method"]) == set(PRIOR_METHODS)
    first = str(estimate).splitlines()[0]
    assert first.startswith(f"bad: {100 * estimate.prior[0]:.1f} % (")


def test_several_targets():
    X, y, truth = problem()
    more, classes = documents((0.9, 0.1), 300, seed=3)
    rows, labels = np.vstack([X, more]), np.concatenate([y, [None] * 300])
    domain = np.repeat([0, -1, -2], [300, 400, 300])
    estimate = estimate_class_prior(rows, labels, domain, target=-2, **FEW)
    assert (estimate.target, estimate.n_documents) == (-2, 300)
    assert estimate.prior[0] == pytest.approx(np.mean(classes == 0), abs=0.06)
    assert estimate_class_prior(rows, labels, domain, target=-1, **FEW).prior[0] == pytest.approx(
        truth[0], abs=0.06
    )
    inner = estimate_target_priors(make_problem(rows, labels, domain), rows)
    assert sorted(inner) == [-2, -1]
    assert inner[-2][0] == pytest.approx(np.mean(classes == 0), abs=0.06)
    with pytest.raises(ValueError, match="There are 2 targets: pass one of -1, -2 as target"):
        estimate_class_prior(rows, labels, domain, **FEW)
    with pytest.raises(ValueError, match="target=0 is not a target: the targets are -1, -2"):
        estimate_class_prior(rows, labels, domain, target=0, **FEW)


def test_labeled_target_rows_are_used():
    X, y, _ = problem()
    domain = np.repeat([0, -1], [300, 400])
    without = estimate_class_prior(X, y, domain, **FEW)
    # The labels contradict the documents, so their influence is visible.
    some = y.copy()
    some[300:370] = 0
    estimate = estimate_class_prior(X, some, domain, **FEW)
    assert (estimate.n_documents, estimate.n_labeled) == (330, 70)
    assert estimate.prior[0] > without.prior[0] + 0.3
    assert sum(estimate.prior) == pytest.approx(1)


@pytest.mark.parametrize("n_labeled", [50, 200, 600])
def test_coverage_with_labeled_target_rows(n_labeled):
    covered = []
    for seed in range(6):
        X = np.vstack(
            [documents([0.5, 0.5], 200, 2 * seed)[0], documents([0.3, 0.7], 800, 99 + seed)[0]]
        )
        truth = np.concatenate(
            [documents([0.5, 0.5], 200, 2 * seed)[1], documents([0.3, 0.7], 800, 99 + seed)[1]]
        )
        y = truth.astype(object)
        y[200 + n_labeled :] = None
        estimate = estimate_class_prior(X, y, np.repeat([0, -1], [200, 800]), **FEW)
        proportion = np.mean(truth[200 + n_labeled :] == 0)
        covered.append(estimate.low[0] <= proportion <= estimate.high[0])
        # The interval includes the sampling error of the unlabeled rows.
        min_width = 2 * 1.96 * np.sqrt(0.2 / (800 - n_labeled))
        assert estimate.high[0] - estimate.low[0] > 0.9 * min_width
    assert sum(covered) >= 5


def test_duplicates_are_in_the_same_fold():
    from isthmus.estimators.class_prior.proportions import _folds

    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    groups = np.array([5, 5, 5, 2, 7, 1, 7, 3])
    fold = _folds(labels, groups, 2)
    assert fold[0] == fold[1] == fold[2] != fold[3]
    assert fold[4] == fold[6]
    assert sorted(fold[[4, 5, 7]].tolist()) == [0, 0, 1]


def test_duplicates_count_once():
    X, y, _ = problem()
    repeated = np.vstack([X, np.repeat(X[-1:], 300, axis=0)])
    with_duplicates = estimate_class_prior(repeated, [*y, *[None] * 300], **FEW)
    assert with_duplicates.prior == estimate_class_prior(X, y, **FEW).prior


def test_all_target_rows_labeled():
    X, _, _ = problem()
    y, domain = np.arange(700) % 2, np.repeat([0, -1], [300, 400])
    with pytest.raises(ValueError, match="Every document of target domain -1 has a label"):
        estimate_class_prior(X, y, domain)


def test_another_classifier():
    X, y, truth = problem()
    for classifier in ("complement_nb", MultinomialNB()):
        estimate = estimate_class_prior(X, y, classifier=classifier, **FEW)
        np.testing.assert_allclose(estimate.prior, truth, atol=0.08)


def test_negative_values_use_scores_only():
    X, y, truth = problem()
    estimate = estimate_class_prior(X - 0.5, y, **FEW)
    np.testing.assert_allclose(estimate.prior, truth, atol=0.08)
    np.testing.assert_allclose(
        estimate.by_method["clusters"], estimate.by_method["likelihood"], atol=0.02
    )


def test_a_rare_class_keeps_its_source_prior():
    X, y, truth = problem()
    y[:3] = 2
    estimate = estimate_class_prior(X, y, **FEW)
    assert estimate.prior[2] == pytest.approx(3 / 300)
    assert (estimate.low[2], estimate.high[2]) == (0, 1)
    np.testing.assert_allclose(estimate.prior[:2], truth, atol=0.08)


def test_few_documents_stay_near_the_source_prior():
    X, y, _ = problem(source=(0.3, 0.7), n_target=1)
    estimate = estimate_class_prior(X, y, **FEW)
    np.testing.assert_allclose(estimate.prior, estimate.source_prior, atol=0.1)


@pytest.mark.parametrize("case", ["no words in the target", "two documents of a class"])
def test_without_evidence_the_source_prior_is_returned(case):
    X, y, _ = problem(source=(0.3, 0.7), n_target=20)
    if case == "no words in the target":
        X[300:] = 0
    else:
        X, y = X[290:], np.array([0, 0] + [1] * 8 + [None] * 20, object)
    estimate = estimate_class_prior(X, y, **FEW)
    assert estimate.prior == estimate.source_prior
    assert estimate.mismatch is None
    assert (set(estimate.low), set(estimate.high)) == ({0.0}, {1.0})


def test_empty_documents_are_ignored():
    X, y, _ = problem()
    estimate = estimate_class_prior(X, y, **FEW)
    rows = np.vstack([X, np.zeros((50, X.shape[1]))])
    more = estimate_class_prior(rows, np.concatenate([y, [None] * 50]), **FEW)
    np.testing.assert_allclose(more.prior, estimate.prior, atol=1e-6)
    assert more.n_documents == estimate.n_documents + 50


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "guess"}, "method must be one of 'auto', 'likelihood'"),
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"confidence_level": 1.5}, "confidence_level must be at most 0.999"),
        ({"n_resamples": 0}, "n_resamples must be at least 1"),
        ({"classifier": "oracle"}, "classifier must be one of 'logistic', 'complement_nb'"),
        ({"classifier": 3}, "classifier must be 'logistic', 'complement_nb' or a scikit-learn"),
    ],
)
def test_invalid_parameters(options, message):
    X, y, _ = problem(n_target=10)
    with pytest.raises(ValueError, match=message):
        estimate_class_prior(X, y, **options)


def test_no_target():
    X, y, _ = problem()
    with pytest.raises(ValueError, match="There is no target"):
        estimate_class_prior(X[:300], y[:300], **FEW)
