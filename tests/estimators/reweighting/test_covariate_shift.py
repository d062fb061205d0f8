"""Covariate shift: tests beyond the contract."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC

from isthmus import CovariateShift
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy

RATIOS = ["classifier", "kliep", "kde"]


def fit(model, toy, **options):
    return model.fit(toy.X, toy.y, toy.sample_domain, **options)


def shifted_problem(seed=0, n_source=400, n_target=200):
    """Two kinds of documents in which the same term indicates opposite classes.

    Nine of ten source documents are of the kind that does not occur in the target.
    """
    generator = np.random.default_rng(seed)
    kind = np.concatenate([np.arange(n_source) % 10 == 0, np.full(n_target, True)])
    term = generator.integers(0, 2, n_source + n_target)
    truth = np.where(kind, term, 1 - term)
    X = np.zeros((len(kind), 4))
    X[np.arange(len(kind)), np.where(kind, 0, 1)] = 1.0
    X[np.arange(len(kind)), 2 + term] = 1.0
    X += 0.1 * generator.random(X.shape)
    y = np.where(np.arange(len(kind)) < n_source, truth, -1)
    return X, y, truth


@pytest.mark.parametrize("ratio", RATIOS)
def test_weights_correct_a_covariate_shift(ratio):
    X, y, truth = shifted_problem()
    target = y < 0
    plain = CovariateShift(ratio, power=0, C=10).fit(X, y)
    assert np.mean(plain.transduction_[target] == truth[target]) < 0.1
    weighted = CovariateShift(ratio, power=1, C=10).fit(X, y)
    assert np.mean(weighted.transduction_[target] == truth[target]) > 0.9
    assert 20 < weighted.effective_size_ < 80  # 40 source documents are like the target


@pytest.mark.parametrize("ratio", RATIOS)
def test_equal_domains_give_similar_weights(ratio):
    X = np.abs(np.random.default_rng(0).normal(size=(400, 5)))
    y = np.where(np.arange(400) < 200, np.arange(400) % 2, -1)
    model = CovariateShift(ratio, power=1, n_components=2).fit(X, y)
    assert model.effective_size_ > 100
    assert model.sample_weight_[:200].mean() == pytest.approx(1)
    assert not model.sample_weight_[200:].any()


@pytest.mark.parametrize(
    ("name", "model"),
    [("svm", LinearSVC(C=1.0, dual=False)), ("logistic", LogisticRegression(C=1.0, max_iter=1000))],
    ids=["svm", "logistic"],
)
def test_power_0_is_the_unweighted_classifier(name, model):
    toy = make_toy(n_classes=3)
    unweighted = fit(CovariateShift(power=0, classifier=name), toy)
    X = normalize(toy.X)
    model.fit(X[~toy.is_target], toy.y[~toy.is_target])
    expected = model.predict(X[toy.is_target])
    np.testing.assert_array_equal(unweighted.transduction_[toy.is_target], expected)
    np.testing.assert_allclose(unweighted.coef_, model.coef_, atol=1e-4)
    assert unweighted.effective_size_ == pytest.approx((~toy.is_target).sum())


def test_the_weights_reach_the_classifier():
    toy = make_toy()
    weighted = fit(CovariateShift(power=1, classifier=LogisticRegression(C=3.0)), toy)
    X = normalize(toy.X)
    rows = ~toy.is_target
    alone = LogisticRegression(C=3.0).fit(X[rows], toy.y[rows], weighted.sample_weight_[rows])
    np.testing.assert_allclose(weighted.coef_[1] - weighted.coef_[0], alone.coef_[0], atol=1e-6)
    assert weighted.sample_weight_[rows].std() > 0.05


@pytest.mark.doubtful
def test_ratios_are_cross_fitted():
    # Half of the documents have a unique term, the others a term of both domains. A unique term
    # identifies the domain only for a classifier that was trained on the document.
    X = np.eye(200)
    X[::2] = X[0]
    y = np.where(np.arange(200) < 100, np.arange(200) // 2 % 2, -1)
    model = CovariateShift(power=1, domain_C=1000.0).fit(X, y)
    np.testing.assert_allclose(model.sample_weight_[:100], 1, atol=0.7)
    seen = LogisticRegression(C=1000.0).fit(X, y < 0).predict_proba(X)[:100, 1]
    assert seen[1::2].max() < 0.1 < 0.4 < seen[::2].min()


def test_labeled_target_rows_have_weight_1():
    toy = make_toy()
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[:4]
    y[given] = toy.truth[given]
    model = CovariateShift(power=1).fit(toy.X, y, toy.sample_domain)
    np.testing.assert_array_equal(model.sample_weight_[given], 1)


def test_a_small_effective_size_gives_a_warning():
    X, y, _ = shifted_problem(n_source=2000)
    X[100:2000:10] = [0.0, 1.0, 1.0, 0.0]  # only ten of 2,000 are like the target
    with pytest.warns(UserWarning, match=r"reduce 2000 source documents to an effective"):
        CovariateShift(power=1, domain_C=1000.0).fit(X, y)


def test_without_a_target_weights_are_equal():
    toy = make_toy()
    rows = ~toy.is_target
    model = CovariateShift(power=1).fit(toy.X[rows], toy.y[rows])
    np.testing.assert_array_equal(model.sample_weight_, 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ratio": "guess"}, "ratio must be one of 'classifier', 'kliep', 'kde'"),
        ({"power": 1.5}, "power must be at most 1"),
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"C": 0}, "C must be above 0"),
        ({"domain_C": -1.0}, "domain_C must be above 0"),
        ({"classifier": "tree"}, "classifier must be one of 'svm', 'logistic'"),
        ({"classifier": 3}, "classifier must be 'svm', 'logistic' or a scikit-learn classifier"),
        ({"classifier": KNeighborsClassifier()}, "has no sample_weight"),
        ({"classifier": MultinomialNB()}, "has no coef_ and intercept_"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(value),
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(CovariateShift(**parameters), make_toy())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_linear_classifier(n_classes):
    toy = make_toy((0, 1, -1), n_classes)
    model = fit(CovariateShift(classifier=Perceptron()), toy)
    assert model.coef_.shape == (n_classes, toy.X.shape[1])
    assert toy.target_accuracy(model.transduction_) > 0.5


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_ratio_ignores_the_row_order(ratio, dtype):
    toy = make_toy((0, 1, -1, -2), 3, dtype=dtype)
    model = fit(CovariateShift(ratio), toy)
    assert model.label_distributions_.dtype == dtype
    order = np.random.default_rng(1).permutation(len(toy.y))
    again = CovariateShift(ratio).fit(toy.X[order], toy.y[order], toy.sample_domain[order])
    tolerance = 1e-5 if dtype == np.float64 else 2e-3
    np.testing.assert_allclose(
        again.label_distributions_, model.label_distributions_[order], atol=tolerance
    )


def test_save_and_load():
    toy = make_toy()
    model = fit(CovariateShift(class_prior=[0.3, 0.7]), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(model, packer))
    again = unpack_classifier(state, toy.X.shape[1])
    np.testing.assert_array_equal(
        again.predict_proba(toy.X[toy.is_target]), model.predict_proba(toy.X[toy.is_target])
    )
    predicted = model.transduction_[toy.is_target]
    assert np.mean(predicted == 0) == pytest.approx(0.3, abs=0.04)


def test_duplicates_have_equal_weights():
    generator = np.random.default_rng(0)
    X = generator.poisson(1.0, (1400, 12)).astype(float)
    X[11] = X[10]
    y = np.where(np.arange(1400) < 700, np.arange(1400) % 2, -1)
    weights = CovariateShift("kde", power=1).fit(X, y).sample_weight_
    assert weights[10] == pytest.approx(weights[11])


@pytest.mark.parametrize("ratio", ["classifier", "kliep", "kde"])
def test_empty_documents_change_no_weight(ratio):
    toy = make_toy()
    alone = CovariateShift(ratio).fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    X = np.vstack([toy.X.toarray(), np.zeros((40, toy.X.shape[1]))])
    y, domains = np.append(toy.y, [-1] * 40), np.append(toy.sample_domain, [-1] * 40)
    more = CovariateShift(ratio).fit(X, y, sample_domain=domains)
    np.testing.assert_allclose(
        more.sample_weight_[: len(toy.y)], alone.sample_weight_, rtol=1e-5, atol=1e-8
    )


def test_invalid_classifiers():
    toy = make_toy()
    for wrong in (Ridge(), LogisticRegression):
        with pytest.raises(ValueError, match="or a scikit-learn classifier"):
            CovariateShift(classifier=wrong).fit(toy.X, toy.y)
    model = CovariateShift(classifier=SVC(kernel="linear")).fit(toy.X, toy.y)
    assert model.coef_.shape == (2, toy.X.shape[1])
