"""What every classifier guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from methods import build, fit_once, least_accuracy, methods_of, parametrize
from toy import make_toy

# Not every method converges on the toy problems, or is certain of its labels.
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

CLASSIFIERS = parametrize(methods_of("classifier"))


@CLASSIFIERS
@pytest.mark.parametrize(
    ("domains", "n_classes"), [((0, -1), 2), ((0, 1, -1), 4), ((0, 1, -1, -2), 3)], ids=str
)
def test_labels_the_targets(method, domains, n_classes):
    toy, estimator = fit_once(method, domains, n_classes)
    assert estimator.transduction_.shape == toy.y.shape
    assert estimator.label_distributions_.shape == (len(toy.y), n_classes)
    np.testing.assert_allclose(estimator.label_distributions_.sum(axis=1), 1, atol=1e-6)
    assert toy.target_accuracy(estimator.transduction_) > least_accuracy(method)
    for number in set(domains) - {0, 1}:
        rows = toy.sample_domain == number
        accuracy = np.mean(estimator.transduction_[rows] == toy.truth[rows])
        assert accuracy > least_accuracy(method) - 0.05, number
    source = ~toy.is_target
    np.testing.assert_array_equal(estimator.transduction_[source], toy.truth[source])
    assert set(estimator.domains_) == set(domains)


@CLASSIFIERS
def test_new_documents(method):
    new = make_toy(seed=7)
    _, estimator = fit_once(method)
    rows = new.is_target
    probabilities = estimator.predict_proba(new.X[rows])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    labels = estimator.predict(new.X[rows])
    np.testing.assert_array_equal(labels, estimator.classes_[probabilities.argmax(axis=1)])
    assert np.mean(labels == new.truth[rows]) > least_accuracy(method)
    in_domains = estimator.predict(new.X, sample_domain=new.sample_domain)
    np.testing.assert_array_equal(in_domains[rows], labels)
    assert np.mean(in_domains == new.truth) > least_accuracy(method)
    # The other documents of a call do not matter.
    np.testing.assert_allclose(
        estimator.predict_proba(new.X[rows][[3]]), probabilities[[3]], atol=1e-6
    )


@CLASSIFIERS
def test_fitted_target_rows_predicted_again_keep_their_label(method):
    toy, estimator = fit_once(method)
    again = estimator.predict(toy.X[toy.is_target])
    assert np.mean(again == estimator.transduction_[toy.is_target]) > 0.95


@CLASSIFIERS
def test_labeled_target_rows_keep_their_labels(method):
    toy = make_toy()
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[::5]
    y[given] = 1 - toy.truth[given]  # wrong on purpose: they must be kept all the same
    estimator = build(method).fit(toy.X, y, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(estimator.transduction_[given], y[given])


@CLASSIFIERS
def test_source_alone(method):
    toy = make_toy((0,))
    estimator = build(method).fit(toy.X, toy.truth)
    np.testing.assert_array_equal(estimator.transduction_, toy.truth)
    assert np.mean(estimator.predict(toy.X) == toy.truth) > least_accuracy(method)


@CLASSIFIERS
def test_target_without_unlabeled_rows(method):
    toy = make_toy(n_per_class=8)
    with pytest.warns(UserWarning, match="nothing to predict"):
        estimator = build(method).fit(toy.X, toy.truth, sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(estimator.transduction_, toy.truth)
    assert np.isfinite(estimator.predict_proba(toy.X)).all()


@CLASSIFIERS
def test_class_that_the_target_does_not_have(method):
    toy = make_toy(n_classes=3)
    keep = ~toy.is_target | (toy.truth != 2)
    estimator = build(method)
    if estimator.class_prior is not None:  # its default assumes the class prior of the source
        estimator.set_params(class_prior=[0.5, 0.5, 0.0])
    estimator.fit(toy.X[keep], toy.y[keep], sample_domain=toy.sample_domain[keep])
    target = toy.is_target[keep]
    assert np.isfinite(estimator.label_distributions_).all()
    # The absent class takes documents from the others, but never the majority of them.
    right = np.mean(estimator.transduction_[target] == toy.truth[keep][target])
    assert right > (0.7 if least_accuracy(method) > 0 else 0.0)


@CLASSIFIERS
def test_one_target_document(method):
    toy = make_toy()
    keep = ~toy.is_target
    keep[-1] = True
    estimator = build(method).fit(toy.X[keep], toy.y[keep], sample_domain=toy.sample_domain[keep])
    assert estimator.transduction_[-1] in estimator.classes_
    assert estimator.predict(toy.X[[-1]]).shape == (1,)


@CLASSIFIERS
def test_document_without_known_words_gets_the_class_prior_of_the_source(method):
    toy = make_toy()
    X = toy.X.toarray()
    X[-1] = 0
    drop = np.flatnonzero(~toy.is_target & (toy.truth == 1))[:10]
    keep = np.setdiff1d(np.arange(len(X)), drop)
    estimator = build(method).fit(
        sparse.csr_array(X[keep]), toy.y[keep], sample_domain=toy.sample_domain[keep]
    )
    row = estimator.label_distributions_[-1]
    assert np.isfinite(row).all()
    np.testing.assert_allclose(estimator.class_prior_, [2 / 3, 1 / 3])
    if not hasattr(estimator, "word_clusters_"):
        return  # a linear classifier predicts by its intercept
    np.testing.assert_allclose(row, [2 / 3, 1 / 3])
    np.testing.assert_allclose(estimator.predict_proba(X[[-1]] * 0), [[2 / 3, 1 / 3]])


@CLASSIFIERS
def test_top_words(method):
    toy, estimator = fit_once(method)
    names = [f"term{j}" for j in range(toy.X.shape[1])]
    words = estimator.top_words(names, 5)
    assert list(words) == [0, 1]
    for by_domain in words.values():
        assert set(by_domain) == {0, -1}
        assert all(len(found) == 5 and set(found) <= set(names) for found in by_domain.values())
