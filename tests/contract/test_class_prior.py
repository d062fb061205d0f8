"""What every classifier guarantees about the parameter ``class_prior``."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from methods import build, least_accuracy, methods_of, one_per_base_path, parameters_of, parametrize
from toy import make_toy

# Not every method converges on the toy problems, or is certain of its labels.
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

WITH_PRIOR = [m for m in methods_of("classifier") if "class_prior" in parameters_of(m)]
# A method that was made for one domain leaves documents of the target without a label.
CLASSIFIERS = parametrize(method for method in WITH_PRIOR if least_accuracy(method) > 0)
BASE_PATHS = parametrize(one_per_base_path(WITH_PRIOR))


def skewed_toy(domains=(0, -1), n_classes=2):
    """A toy whose targets have a quarter of the documents of the last class; the rows to keep and
    the class prior of the targets.
    """
    toy = make_toy(domains, n_classes, n_per_class=40)
    last = np.flatnonzero(toy.is_target & (toy.truth == n_classes - 1))
    keep = np.setdiff1d(np.arange(len(toy.y)), last[np.arange(len(last)) % 4 > 0])
    counts = np.bincount(toy.truth[keep][toy.is_target[keep]].astype(int), minlength=n_classes)
    return toy, keep, counts / counts.sum()


def fit_prior(method, class_prior, domains=(0, -1), n_classes=2):
    toy, keep, _ = skewed_toy(domains, n_classes)
    estimator = build(method, class_prior=class_prior)
    return estimator.fit(toy.X[keep], toy.y[keep], sample_domain=toy.sample_domain[keep])


@cache
def fit_true_prior(method, domains=(0, -1), n_classes=2):
    return fit_prior(method, skewed_toy(domains, n_classes)[2], domains, n_classes)


@cache
def fit_source_prior(method):
    return fit_prior(method, "source")


@cache
def fit_list(method):
    return fit_prior(method, [0.75, 0.25])


def proportions(labels, n_classes=2):
    return np.bincount(labels.astype(int), minlength=n_classes) / len(labels)


@CLASSIFIERS
@pytest.mark.parametrize(("domains", "n_classes"), [((0, -1), 2), ((0, -1, -2), 3)], ids=str)
def test_labels_match_the_class_prior(method, domains, n_classes):
    toy, keep, prior = skewed_toy(domains, n_classes)
    estimator = fit_true_prior(method, domains, n_classes)
    numbers = toy.sample_domain[keep]
    for number in set(domains) - {0}:
        found = proportions(estimator.transduction_[numbers == number], n_classes)
        # Documents with equal memberships get the same class, so the match may be inexact.
        np.testing.assert_allclose(found, prior, atol=0.04)
        np.testing.assert_allclose(estimator.domain_prior_[number], prior)


@CLASSIFIERS
def test_true_prior_is_more_accurate_than_a_wrong_one(method):
    toy, keep, _ = skewed_toy()
    target = toy.is_target[keep]
    truth = toy.truth[keep][target]
    right = [
        np.mean(estimator.transduction_[target] == truth)
        for estimator in (fit_true_prior(method), fit_source_prior(method))
    ]
    assert right[0] > right[1]


@CLASSIFIERS
def test_new_documents_match_the_class_prior(method):
    toy, keep, prior = skewed_toy()
    target = toy.is_target[keep]
    again = fit_true_prior(method).predict(toy.X[keep][target])
    np.testing.assert_allclose(proportions(again), prior, atol=0.04)
    one_class = fit_prior(method, [0.0, 1.0])
    assert (one_class.transduction_[target] == 1).all()
    assert (one_class.predict(toy.X[keep][target]) == 1).all()


@CLASSIFIERS
def test_prior_that_contradicts_the_documents(method):
    """Some methods predict new documents on another scale; both match the prior."""
    toy = make_toy(n_per_class=40)
    estimator = build(method, class_prior=[0.8, 0.2])
    estimator.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    for labels in (estimator.transduction_[toy.is_target], estimator.predict(toy.X[toy.is_target])):
        np.testing.assert_allclose(proportions(labels), [0.8, 0.2], atol=0.04)


@CLASSIFIERS
def test_prior_of_the_source(method):
    priors = fit_source_prior(method).domain_prior_
    assert set(priors) == {0, -1}
    for prior in priors.values():
        np.testing.assert_allclose(prior, [0.5, 0.5])


@BASE_PATHS
def test_estimated_prior(method):
    _, _, true_prior = skewed_toy()
    priors = fit_prior(method, "estimate").domain_prior_
    assert set(priors) == {0, -1}
    np.testing.assert_allclose(priors[0], [0.5, 0.5])
    np.testing.assert_allclose(priors[-1], true_prior, atol=0.15)
    assert priors[-1].sum() == pytest.approx(1)


@BASE_PATHS
@pytest.mark.parametrize(
    "prior",
    [{1: 0.25, 0: 0.75}, pd.Series({1: 0.25, 0: 0.75}), (0.75, 0.25), np.float32([0.75, 0.25])],
    ids=["dict", "series", "tuple", "float32"],
)
def test_forms_of_a_prior(method, prior):
    expected, other = fit_list(method), fit_prior(method, prior)
    np.testing.assert_allclose(other.label_distributions_, expected.label_distributions_, atol=1e-6)


@BASE_PATHS
def test_prior_is_scaled_to_sum_one(method):
    estimator = fit_prior(method, [0.7, 0.305])
    np.testing.assert_allclose(estimator.domain_prior_[-1], np.array([0.7, 0.305]) / 1.005)


@BASE_PATHS
@pytest.mark.parametrize(
    ("class_prior", "words"),
    [
        ("sauce", "'sauce' is unknown"),
        ([0.5, 0.6], r"1\.1:.* 1\."),
        ([1.5, -0.5], "from 0 to 1"),
        ([float("nan"), 1.0], "from 0 to 1"),
        ([0.2, 0.3, 0.5], "3 .*2 classes"),
        ([1.0], "1 .*2 classes"),
        ({0: 0.5, 2: 0.5}, "class 1"),
        ({0: 0.5, 1: 0.4, 2: 0.1}, "2, which is"),
        (0.3, "class_prior=0.3"),
        ([[0.5, 0.5]], "class_prior="),
        (["a", "b"], "numbers"),
    ],
    ids=[
        *("word", "sum", "negative", "nan", "too many", "too few", "missing", "unknown"),
        *("number", "nested", "text"),
    ],
)
def test_bad_priors(method, class_prior, words):
    toy = make_toy(n_per_class=5)
    estimator = build(method, class_prior=class_prior)
    with pytest.raises(ValueError, match=words) as error:
        estimator.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert "\n" not in str(error.value)
