"""The estimate of a target's class shares, from stacked rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from isthmus import PriorEstimate, estimate_class_prior
from isthmus.domains.parse import make_problem
from isthmus.estimators.class_prior.estimation import PRIOR_METHODS, estimate_shares

FEW = {"n_resamples": 10}


def documents(shares, n_documents, seed):
    """Documents whose class shows in some words."""
    generator = np.random.default_rng(seed)
    classes = generator.choice(len(shares), n_documents, p=shares)
    rates = np.full((len(shares), 60), 0.1)
    for code, words in enumerate(np.array_split(np.arange(40), len(shares))):
        rates[code, words] = 1.0
    return generator.poisson(rates[classes]).astype(float), classes


def problem(source=(0.5, 0.5), target=(0.2, 0.8), n_source=300, n_target=400):
    """Stacked rows, labels with None for the target, and the target's true shares."""
    X, truth = zip(
        documents(source, n_source, seed=1), documents(target, n_target, seed=2), strict=True
    )
    y = np.concatenate(truth).astype(object)
    y[n_source:] = None
    shares = np.bincount(truth[1], minlength=len(target)) / n_target
    return np.vstack(X), y, shares


@pytest.mark.parametrize("method", PRIOR_METHODS)
@pytest.mark.parametrize("target", [(0.2, 0.8), (0.6, 0.1, 0.3)])
def test_finds_the_shares_of_a_shifted_target(method, target):
    X, y, truth = problem(np.full(len(target), 1 / len(target)), target)
    found = estimate_class_prior(X, y, method=method, **FEW)
    assert isinstance(found, PriorEstimate)
    assert found.method == method
    np.testing.assert_allclose(found.shares, truth, atol=0.06)
    assert sum(found.shares) == pytest.approx(1)
    assert all(
        low <= share <= high
        for low, share, high in zip(found.low, found.shares, found.high, strict=True)
    )
    assert (np.array(found.low) <= truth).all()
    assert (truth <= np.array(found.high)).all()


def test_order_of_rows_does_not_matter():
    X, y, _ = problem()
    order = np.random.default_rng(0).permutation(len(y))
    one = estimate_class_prior(X, y, **FEW)
    other = estimate_class_prior(X[order], y[order], **FEW)
    np.testing.assert_allclose(one.shares, other.shares, atol=1e-6)
    np.testing.assert_allclose(one.low, other.low, atol=1e-6)


def test_sparse_equals_dense_and_float32_float64():
    X, y, _ = problem()
    dense = estimate_class_prior(X, y, **FEW)
    for other in (sparse.csr_matrix(X), sparse.csc_matrix(X), X.astype(np.float32)):
        found = estimate_class_prior(other, y, **FEW)
        np.testing.assert_allclose(found.shares, dense.shares, atol=1e-5)
        np.testing.assert_allclose(found.high, dense.high, atol=1e-5)


def test_same_call_same_answer_and_the_callers_arrays_stay():
    X, y, _ = problem()
    X = sparse.csr_matrix(X)
    before = X.copy()
    assert estimate_class_prior(X, y, **FEW) == estimate_class_prior(X, y, **FEW)
    np.testing.assert_array_equal(X.toarray(), before.toarray())


def test_chance_has_a_part_in_the_interval_alone():
    X, y, _ = problem()
    one, other = (estimate_class_prior(X, y, random_state=seed, **FEW) for seed in (0, 1))
    assert one.shares == other.shares
    assert one.low != other.low
    inner = estimate_shares(make_problem(X, y), X)
    np.testing.assert_allclose(inner[-1], one.shares, atol=1e-12)


def test_labels_of_text_in_their_order():
    X, y, _ = problem()
    names = np.array([None if label is None else ("bad", "good")[label] for label in y])
    found = estimate_class_prior(X, names, **FEW)
    assert found.classes == ("bad", "good")
    assert found.shares == estimate_class_prior(X, y, **FEW).shares
    written = json.loads(json.dumps(found.to_dict()))
    assert written["shares"] == list(found.shares)
    assert set(written["by_method"]) == set(PRIOR_METHODS)
    first = str(found).splitlines()[0]
    assert first.startswith(f"bad: {100 * found.shares[0]:.1f} % (")


def test_one_of_several_targets():
    X, y, truth = problem()
    more, classes = documents((0.9, 0.1), 300, seed=3)
    rows, labels = np.vstack([X, more]), np.concatenate([y, [None] * 300])
    domain = np.repeat([0, -1, -2], [300, 400, 300])
    found = estimate_class_prior(rows, labels, domain, target=-2, **FEW)
    assert (found.target, found.n_documents) == (-2, 300)
    assert found.shares[0] == pytest.approx(np.mean(classes == 0), abs=0.06)
    assert estimate_class_prior(rows, labels, domain, target=-1, **FEW).shares[0] == pytest.approx(
        truth[0], abs=0.06
    )
    inner = estimate_shares(make_problem(rows, labels, domain), rows)
    assert sorted(inner) == [-2, -1]
    assert inner[-2][0] == pytest.approx(np.mean(classes == 0), abs=0.06)
    with pytest.raises(ValueError, match="There are 2 targets: name one of -1, -2 as target"):
        estimate_class_prior(rows, labels, domain, **FEW)
    with pytest.raises(ValueError, match="target=0 is no target: the targets are -1, -2"):
        estimate_class_prior(rows, labels, domain, target=0, **FEW)


def test_labelled_rows_of_the_target_are_counted_in():
    X, y, _ = problem()
    domain = np.repeat([0, -1], [300, 400])
    without = estimate_class_prior(X, y, domain, **FEW)
    # Labels that say something else than the documents show which way they pull.
    some = y.copy()
    some[300:370] = 0
    found = estimate_class_prior(X, some, domain, **FEW)
    assert (found.n_documents, found.n_labelled) == (330, 70)
    assert found.shares[0] > without.shares[0] + 0.3
    assert sum(found.shares) == pytest.approx(1)


@pytest.mark.parametrize("n_labelled", [50, 200, 600])
def test_the_interval_keeps_the_chance_in_which_rows_were_labelled(n_labelled):
    held = []
    for seed in range(6):
        X = np.vstack(
            [documents([0.5, 0.5], 200, 2 * seed)[0], documents([0.3, 0.7], 800, 99 + seed)[0]]
        )
        truth = np.concatenate(
            [documents([0.5, 0.5], 200, 2 * seed)[1], documents([0.3, 0.7], 800, 99 + seed)[1]]
        )
        y = truth.astype(object)
        y[200 + n_labelled :] = None
        found = estimate_class_prior(X, y, np.repeat([0, -1], [200, 800]), **FEW)
        share = np.mean(truth[200 + n_labelled :] == 0)
        held.append(found.low[0] <= share <= found.high[0])
        # Never narrower than the draw of the rows that are left.
        least = 2 * 1.96 * np.sqrt(0.2 / (800 - n_labelled))
        assert found.high[0] - found.low[0] > 0.9 * least
    assert sum(held) >= 5


def test_copies_of_a_document_are_held_out_together():
    from isthmus.estimators.class_prior.cross_val_scores import _folds

    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    copies = np.array([5, 5, 5, 2, 7, 1, 7, 3])
    fold = _folds(labels, copies, 2)
    assert fold[0] == fold[1] == fold[2] != fold[3]
    assert fold[4] == fold[6]
    assert sorted(fold[[4, 5, 7]].tolist()) == [0, 0, 1]


def test_a_text_that_stands_there_many_times_counts_once():
    X, y, _ = problem()
    copies = np.vstack([X, np.repeat(X[-1:], 300, axis=0)])
    with_copies = estimate_class_prior(copies, [*y, *[None] * 300], **FEW)
    assert with_copies.shares == estimate_class_prior(X, y, **FEW).shares


def test_nothing_is_left_to_estimate():
    X, _, _ = problem()
    y, domain = np.arange(700) % 2, np.repeat([0, -1], [300, 400])
    with pytest.raises(ValueError, match="Every document of target domain -1 has a label"):
        estimate_class_prior(X, y, domain)


def test_another_classifier():
    X, y, truth = problem()
    for classifier in ("complement_nb", MultinomialNB()):
        found = estimate_class_prior(X, y, classifier=classifier, **FEW)
        np.testing.assert_allclose(found.shares, truth, atol=0.08)


def test_numbers_below_zero_leave_the_scores():
    X, y, truth = problem()
    found = estimate_class_prior(X - 0.5, y, **FEW)
    np.testing.assert_allclose(found.shares, truth, atol=0.08)
    np.testing.assert_allclose(
        found.by_method["clusters"], found.by_method["likelihood"], atol=0.02
    )


def test_a_rare_class_keeps_its_share_of_the_source():
    X, y, truth = problem()
    y[:3] = 2
    found = estimate_class_prior(X, y, **FEW)
    assert found.shares[2] == pytest.approx(3 / 300)
    assert (found.low[2], found.high[2]) == (0, 1)
    np.testing.assert_allclose(found.shares[:2], truth, atol=0.08)


def test_few_documents_stay_near_the_source():
    X, y, _ = problem(source=(0.3, 0.7), n_target=1)
    found = estimate_class_prior(X, y, **FEW)
    np.testing.assert_allclose(found.shares, found.source_shares, atol=0.1)


@pytest.mark.parametrize("case", ["no words in the target", "two documents of a class"])
def test_nothing_to_go_by_gives_the_shares_of_the_source(case):
    X, y, _ = problem(source=(0.3, 0.7), n_target=20)
    if case == "no words in the target":
        X[300:] = 0
    else:
        X, y = X[290:], np.array([0, 0] + [1] * 8 + [None] * 20, object)
    found = estimate_class_prior(X, y, **FEW)
    assert found.shares == found.source_shares
    assert found.mismatch is None
    assert (set(found.low), set(found.high)) == ({0.0}, {1.0})


def test_empty_documents_count_for_nothing():
    X, y, _ = problem()
    found = estimate_class_prior(X, y, **FEW)
    rows = np.vstack([X, np.zeros((50, X.shape[1]))])
    more = estimate_class_prior(rows, np.concatenate([y, [None] * 50]), **FEW)
    np.testing.assert_allclose(more.shares, found.shares, atol=1e-6)
    assert more.n_documents == found.n_documents + 50


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
def test_parameters_that_make_no_sense(options, message):
    X, y, _ = problem(n_target=10)
    with pytest.raises(ValueError, match=message):
        estimate_class_prior(X, y, **options)


def test_no_target():
    X, y, _ = problem()
    with pytest.raises(ValueError, match="There is no target"):
        estimate_class_prior(X[:300], y[:300], **FEW)
