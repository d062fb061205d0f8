"""The information bottleneck: tests beyond the contract."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize

from isthmus import InformationBottleneck, SourceLogistic
from toy import make_toy


def fit(toy, callback=None, **options):
    return InformationBottleneck(**options).fit(
        toy.X, toy.y, sample_domain=toy.sample_domain, callback=callback
    )


@pytest.mark.doubtful
@pytest.mark.parametrize("n_classes", [2, 4])
def test_more_accurate_than_logistic_regression(n_classes):
    toy = make_toy(n_classes=n_classes, n_per_class=40)
    plain = SourceLogistic().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    accuracy = toy.target_accuracy(fit(toy).transduction_)
    assert accuracy > toy.target_accuracy(plain.transduction_)
    assert accuracy > 0.95


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_a_target_it_equals_naive_bayes(n_classes):
    toy = make_toy((0,), n_classes, n_per_class=30)
    X = toy.X.toarray() + 0.1  # every class has every word
    model = InformationBottleneck(smoothing=0.0).fit(X, toy.truth)
    new = make_toy((0,), n_classes, n_per_class=30, seed=5)
    bayes = MultinomialNB(alpha=1e-10, fit_prior=False).fit(normalize(X), toy.truth)
    expected = bayes.predict_log_proba(normalize(new.X))
    predicted = np.log(model.predict_proba(new.X))
    # The margins are equal up to a factor.
    margins = [scores[:, 1:] - scores[:, :1] for scores in (predicted, expected)]
    factor = np.sum(margins[0] * margins[1]) / np.sum(margins[1] ** 2)
    np.testing.assert_allclose(margins[0], factor * margins[1], rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(model.predict(new.X), bayes.predict(normalize(new.X)))


@pytest.mark.parametrize("init_classifier", [None, "logistic", "complement_nb", MultinomialNB()])
def test_target_only_words_are_learned(init_classifier):
    toy = make_toy(n_classes=3, n_per_class=40)
    model = fit(toy, init_classifier=init_classifier)
    # Terms that only target documents have, see make_toy.
    own = np.arange(3 * (6 + 8), 3 * (6 + 8 + 8))
    np.testing.assert_array_equal(model.coef_[:, own].argmax(axis=0), np.repeat(np.arange(3), 8))


def test_labeled_documents_keep_their_class():
    toy = make_toy()
    y = toy.y.copy()
    y[0] = 1 - y[0]
    model = InformationBottleneck().fit(toy.X, y, sample_domain=toy.sample_domain)
    assert model.transduction_[0] == y[0]
    assert model.predict(toy.X[[0]], sample_domain=[0])[0] == toy.truth[0]


def test_class_prior_of_a_skewed_target_is_matched():
    toy = make_toy(n_per_class=60)
    last = np.flatnonzero(toy.is_target & (toy.truth == 1))
    keep = np.setdiff1d(np.arange(len(toy.y)), last[6:])
    X, y, domain = toy.X[keep], toy.y[keep], toy.sample_domain[keep]
    model = InformationBottleneck(class_prior=[60 / 66, 6 / 66]).fit(X, y, sample_domain=domain)
    target = domain < 0
    assert np.bincount(model.transduction_[target].astype(int)).tolist() == [60, 6]
    assert np.mean(model.transduction_[target] == toy.truth[keep][target]) > 0.9


def test_paper_preset_has_no_initial_classifier():
    toy = make_toy(n_per_class=40)
    model = InformationBottleneck.from_preset("paper")
    assert model.init_classifier is None
    model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"smoothing": -0.1}, "smoothing must be at least 0"),
        ({"unit_rows": 1}, "unit_rows must be True or False"),
        ({"init_classifier": "magic"}, "init_classifier must be one of"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": -1}, "tol must be at least 0"),
        ({"class_prior": [0.5, 0.4]}, "add up to 0.9"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(make_toy(), **parameters)
