"""What every classifier promises about the class shares that it is told."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.estimators.registry import METHODS
from toy import make_toy

CLASSIFIERS = [
    method
    for method in METHODS.values()
    if method.kind == "classifier"
    # The nearest labelled document has a class, and no second likeliest; nor have documents that
    # labels of one class alone have reached.
    and method.name not in ("sc", "sklearn-label-spreading")
]
ALL = pytest.mark.parametrize("method", CLASSIFIERS, ids=lambda method: method.name)


def skewed_toy(domains=(0, -1), n_classes=2):
    """A toy whose targets have a quarter of the last class's documents; its target's shares."""
    toy = make_toy(domains, n_classes, n_per_class=40)
    last = np.flatnonzero(toy.is_target & (toy.truth == n_classes - 1))
    keep = np.setdiff1d(np.arange(len(toy.y)), last[np.arange(len(last)) % 4 > 0])
    counts = np.bincount(toy.truth[keep][toy.is_target[keep]].astype(int), minlength=n_classes)
    return toy, keep, counts / counts.sum()


def fit(method, class_prior, domains=(0, -1), n_classes=2):
    toy, keep, shares = skewed_toy(domains, n_classes)
    estimator = method.build()
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.set_params(class_prior=shares if class_prior is True else class_prior)
    estimator.fit(toy.X[keep], toy.y[keep], sample_domain=toy.sample_domain[keep])
    return toy, keep, shares, estimator


def shares_of(labels, n_classes):
    return np.bincount(labels.astype(int), minlength=n_classes) / len(labels)


@ALL
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("domains", [(0, -1), (0, -1, -2)], ids=["one target", "two targets"])
def test_labels_have_the_shares_that_were_given(method, domains, n_classes):
    toy, keep, shares, estimator = fit(method, True, domains, n_classes)
    numbers = toy.sample_domain[keep]
    for number in set(domains) - {0}:
        found = shares_of(estimator.transduction_[numbers == number], n_classes)
        # Documents that are as likely of two classes stay together.
        np.testing.assert_allclose(found, shares, atol=0.04)
        np.testing.assert_allclose(estimator.domain_prior_[number], shares)


@ALL
def test_the_true_shares_beat_wrong_ones(method):
    toy, keep, _, told = fit(method, True)
    target = toy.is_target[keep]
    truth = toy.truth[keep][target]
    _, _, _, wrong = fit(method, "source")
    right = [np.mean(model.transduction_[target] == truth) for model in (told, wrong)]
    assert right[0] > right[1]


@ALL
def test_new_documents_are_held_to_the_shares_too(method):
    toy, keep, shares, estimator = fit(method, True)
    target = toy.is_target[keep]
    again = estimator.predict(toy.X[keep][target])
    np.testing.assert_allclose(shares_of(again, 2), shares, atol=0.04)
    *_, all_of_one = fit(method, [0.0, 1.0])
    assert (all_of_one.transduction_[target] == 1).all()
    assert (all_of_one.predict(toy.X[keep][target]) == 1).all()


@ALL
def test_shares_that_speak_against_the_documents(method):
    """Fitted and new documents, which some methods read on another scale, come out alike."""
    toy = make_toy(n_per_class=40)
    estimator = method.build(class_prior=[0.8, 0.2])
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    estimator.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    for labels in (estimator.transduction_[toy.is_target], estimator.predict(toy.X[toy.is_target])):
        np.testing.assert_allclose(shares_of(labels, 2), [0.8, 0.2], atol=0.04)


@ALL
def test_shares_by_label_are_those_in_the_order_of_the_classes(method):
    *_, by_place = fit(method, [0.7, 0.3])
    *_, by_label = fit(method, {1: 0.3, 0: 0.7})
    np.testing.assert_array_equal(by_place.label_distributions_, by_label.label_distributions_)


@ALL
@pytest.mark.parametrize("class_prior", ["source", "estimate"])
def test_shares_by_a_word(method, class_prior):
    *_, estimator = fit(method, class_prior)
    assert set(estimator.domain_prior_) == {0, -1}
    for shares in estimator.domain_prior_.values():
        assert shares.sum() == pytest.approx(1)
        assert (shares >= 0).all()
    np.testing.assert_allclose(estimator.domain_prior_[0], [0.5, 0.5])
    if class_prior == "source":
        np.testing.assert_allclose(estimator.domain_prior_[-1], [0.5, 0.5])


@ALL
@pytest.mark.parametrize(
    ("class_prior", "message"),
    [
        ("sauce", "class_prior='sauce' is unknown: give 'source', 'estimate'"),
        ([0.5, 0.6], r"add up to 1\.1: they must add up to 1"),
        ([1.5, -0.5], "must hold shares from 0 to 1 alone"),
        ([0.2, 0.3, 0.5], "class_prior has 3 shares and there are 2 classes"),
        ({0: 0.5, 2: 0.5}, "class_prior has no share for the class 1"),
        ({0: 0.5, 1: 0.4, 2: 0.1}, "a share for 2, which is no class"),
        ([float("nan"), 1.0], "must hold shares from 0 to 1 alone"),
        (0.3, "is no list of shares"),
        ([1.0], "class_prior has 1 shares and there are 2 classes"),
        (["a", "b"], "holds no numbers"),
    ],
    ids=["word", "sum", "negative", "count", "missing", "unknown", "nan", "number", "one", "text"],
)
def test_a_prior_that_makes_no_sense(method, class_prior, message):
    toy = make_toy(n_per_class=5)
    estimator = method.build(class_prior=class_prior)
    with pytest.raises(ValueError, match=message):
        estimator.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
