"""Swapped classes if the initial classifier is poor."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from isthmus import DKT, KTW, MTrick, MTrick0
from isthmus.estimators.base.result_checks import class_moments
from isthmus.matrices.rows import as_documents
from toy import make_toy

ESTIMATORS = pytest.mark.parametrize("Estimator", [MTrick, MTrick0, DKT, KTW])


class AlmostRight(ClassifierMixin, BaseEstimator):
    """Predicts the true class for a proportion of the target documents, else the next class."""

    def __init__(self, truth=None, right=0.5):
        self.truth = truth
        self.right = right

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        truth = np.asarray(self.truth)
        right = np.random.default_rng(0).random(len(truth)) < self.right
        n_classes = len(self.classes_)
        predicted = np.where(right, truth, (truth + 1) % n_classes)
        return (0.3 / (n_classes - 1)) + (0.7 - 0.3 / (n_classes - 1)) * np.eye(n_classes)[
            predicted
        ]


def fit(right, Estimator=MTrick, toy=None, **options):
    toy = make_toy(n_per_class=60) if toy is None else toy
    first = AlmostRight(toy.truth[toy.is_target].tolist(), right)
    model = Estimator(init_classifier=first, **options)
    return toy, model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)


def with_many_words(toy, n_words=100):
    """Additional words that all domains share, each more frequent in one class."""
    n_classes = len(np.unique(toy.truth))
    classes = np.arange(n_words) % n_classes
    rates = np.where(toy.truth[:, None] == classes, 0.4, 0.2)
    words = np.random.default_rng(0).poisson(rates)
    return replace(toy, X=sparse.csr_array(sparse.hstack([toy.X, sparse.csr_array(words)])))


def swap_warnings(caught):
    return [str(one.message) for one in caught if "may be swapped" in str(one.message)]


def test_init_agreement_and_alignment_certainty():
    toy, swapped = fit(0.48, check_class_swap=False)
    assert toy.target_accuracy(swapped.transduction_) < 0.1
    assert swapped.init_agreement_ < 0.6
    assert swapped.alignment_certainty_ < -2
    toy, good = fit(0.9)
    assert toy.target_accuracy(good.transduction_) > 0.9
    assert good.init_agreement_ > 0.8
    assert good.alignment_certainty_ > 2


@pytest.mark.ends_early
@pytest.mark.parametrize("Estimator", [MTrick, MTrick0, DKT])
def test_swapped_classes_are_corrected(Estimator):
    toy, swapped = fit(0.2, Estimator, check_class_swap=False)
    assert toy.target_accuracy(swapped.transduction_) < 0.1
    toy, corrected = fit(0.2, Estimator)
    assert toy.target_accuracy(corrected.transduction_) > 0.9
    assert corrected.alignment_certainty_ > 2
    assert (corrected.predict(toy.X[toy.is_target]) == toy.truth[toy.is_target]).mean() > 0.9


def test_three_permuted_classes_are_corrected():
    toy = with_many_words(make_toy(n_classes=3, n_per_class=60))
    assert toy.target_accuracy(fit(0.1, toy=toy, check_class_swap=False)[1].transduction_) < 0.1
    assert toy.target_accuracy(fit(0.1, toy=toy)[1].transduction_) > 0.9


def test_only_the_swapped_target_is_corrected():
    toy = make_toy(domains=(0, -1, -2), n_per_class=60)
    first = AlmostRight(np.where(toy.sample_domain == -2, 1 - toy.truth, toy.truth)[toy.is_target])
    first.right = 1.0
    options = {"init_classifier": first}
    for check, expected in ((False, 0.5), (True, 1.0)):
        model = MTrick(**options, check_class_swap=check).fit(toy.X, toy.y, toy.sample_domain)
        assert toy.target_accuracy(model.transduction_) == pytest.approx(expected, abs=0.1)


def test_a_warning_if_shared_words_give_no_evidence():
    """All classes of the source use the shared words equally."""
    generator = np.random.default_rng(0)
    rates = np.full((4, 300), 0.2)
    rates[0, :50], rates[1, 50:100] = 1.0, 1.0  # words of the source classes only
    rates[2, 100:150], rates[3, 150:200] = 1.0, 1.0  # words of the target classes only
    rates[:2, 100:200] = rates[2:, :100] = 0.0
    X = np.vstack([generator.poisson(row, (80, 300)) for row in rates]).astype(float)
    y = np.repeat([0, 1, -1], [80, 80, 160])
    with pytest.warns(UserWarning, match="Classes in target domain -1 may be swapped"):
        model = MTrick().fit(X, y)
    assert abs(model.alignment_certainty_) < 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MTrick(check_class_swap=False).fit(X, y)
    assert not swap_warnings(caught)


@ESTIMATORS
@pytest.mark.parametrize("n_per_class", [1, 3, 40])
def test_no_warning_if_the_evidence_is_clear(Estimator, n_per_class):
    toy = make_toy(n_per_class=n_per_class)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Estimator().fit(toy.X, toy.y, toy.sample_domain)
    assert not swap_warnings(caught)


def test_paper_presets_do_not_check_for_swaps():
    for Estimator in (MTrick, MTrick0, DKT, KTW):
        assert not Estimator.from_preset("paper").check_class_swap


def test_an_interrupted_fit_does_not_restart():
    toy = make_toy(n_per_class=60)
    first = AlmostRight(toy.truth[toy.is_target].tolist(), 0.2)
    seen = []

    def stop(progress):
        seen.append(progress.iteration)
        return progress.iteration == 4

    MTrick(init_classifier=first).fit(toy.X, toy.y, toy.sample_domain, callback=stop)
    assert seen == [1, 2, 3, 4]


@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_array])
def test_moments_by_hand(as_stored):
    X = as_stored(np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    blocks = [as_documents(X, rows).unit_rows() for rows in (slice(0, 3), slice(3, 4))]
    moments = class_moments(blocks, [np.array([1, -1, 0]), np.array([1])], 2)
    assert moments.counts.tolist() == [1, 2]
    np.testing.assert_allclose(moments.sums, [[1.0, 0.6], [0.0, 1.8]])
    np.testing.assert_allclose(moments.squares, [[1.0, 0.36], [0.0, 1.64]])
