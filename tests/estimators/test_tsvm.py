"""TSVM: what the contract does not say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from isthmus import TSVM, SourceSVM, Transfer, load
from isthmus.datasets import make_corpus
from toy import make_toy


def fit(toy, **options):
    return TSVM(**options).fit(toy.X, toy.y, sample_domain=toy.sample_domain)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scaling", [1.0, 4.0])
def test_without_unlabelled_documents_it_is_scikit_learns(n_classes, scaling):
    toy = make_toy(n_classes=n_classes)
    source = ~toy.is_target
    svm = LinearSVC(C=0.5, dual=False, intercept_scaling=scaling, tol=1e-8)
    svm.fit(normalize(toy.X[source]), toy.truth[source])
    model = fit(toy, C=0.5, unlabelled_C=0, intercept_scaling=scaling)
    scores = normalize(toy.X) @ model.coef_.T + model.intercept_
    found = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    np.testing.assert_allclose(found, svm.decision_function(normalize(toy.X)), atol=5e-3)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [{}, TSVM._presets["paper"]], ids=["default", "paper"])
def test_it_learns_what_the_source_alone_does_not_know(n_classes, options):
    toy = make_toy((0, 1, -1), n_classes, n_per_class=60)
    alone = SourceSVM(class_prior="source")
    alone.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    model = fit(toy, **options)
    assert toy.target_accuracy(model.transduction_) > toy.target_accuracy(alone.transduction_)
    # Weights of words that the target alone uses.
    use = np.asarray([toy.X[rows].sum(axis=0) for rows in (toy.is_target, ~toy.is_target)])
    own = use[0] > 5 * use[1]
    assert own.any()
    shares = [np.abs(svm.coef_[:, own]).sum() / np.abs(svm.coef_).sum() for svm in (model, alone)]
    assert shares[0] > 2 * shares[1]


def test_the_objective_falls_at_every_weight_and_the_weight_doubles():
    toy = make_toy(n_per_class=40)
    model = fit(toy, unlabelled_C=0.4, initial_C_ratio=0.25, max_iter=3)
    curve, weights = np.array(model.objective_), np.array(model.unlabelled_C_)
    assert sorted(set(weights.tolist())) == [0.0, 0.1, 0.2, 0.4]
    assert len(curve) == len(weights) == model.n_iter_
    same = weights[1:] == weights[:-1]
    assert (np.diff(curve)[same] <= 0).all()
    assert max(np.unique(weights, return_counts=True)[1]) <= 3


def test_every_target_has_a_quota_of_its_own():
    toy = make_toy((0, -1, -2), n_per_class=40)
    skewed = (toy.sample_domain == -2) & (toy.truth == 1)
    keep = np.setdiff1d(np.arange(len(toy.y)), np.flatnonzero(skewed)[10:])
    model = TSVM(class_prior="estimate")
    model.fit(toy.X[keep], toy.y[keep], sample_domain=toy.sample_domain[keep])
    numbers = toy.sample_domain[keep]
    for number in (-1, -2):
        labels = model.transduction_[numbers == number]
        share = model.domain_prior_[number][1]
        assert np.mean(labels == 1) == pytest.approx(share, abs=0.02)
    assert model.domain_prior_[-2][1] < model.domain_prior_[-1][1]
    assert np.mean(model.transduction_ == toy.truth[keep]) > 0.95


def test_without_shares_those_of_the_first_machine_are_taken():
    toy = make_toy(n_per_class=40)
    drop = np.flatnonzero(toy.is_target & (toy.truth == 1))[:30]
    keep = np.setdiff1d(np.arange(len(toy.y)), drop)
    rows, y, numbers = toy.X[keep], toy.y[keep], toy.sample_domain[keep]
    first = TSVM(C=1.0, unlabelled_C=0, class_prior=None).fit(rows, y, numbers)
    model = TSVM(C=1.0, unlabelled_C=1.0, class_prior=None).fit(rows, y, numbers)
    held = TSVM(C=1.0, unlabelled_C=1.0).fit(rows, y, numbers)
    target = numbers < 0
    said, found, half = (np.mean(m.transduction_[target]) for m in (first, model, held))
    assert abs(found - said) < 0.05
    assert half == pytest.approx(0.5, abs=0.02)
    assert said < 0.4


def test_labelled_target_documents_are_learnt():
    toy = make_toy(n_per_class=40)
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[::4]
    y[given] = toy.truth[given]
    settings = {"unlabelled_C": 0, "C": 1.0}
    told = TSVM(**settings).fit(toy.X, y, sample_domain=toy.sample_domain)
    asked = np.setdiff1d(np.flatnonzero(toy.is_target), given)
    right = [
        np.mean(m.transduction_[asked] == toy.truth[asked]) for m in (told, fit(toy, **settings))
    ]
    assert right[0] > right[1]


def test_documents_without_a_term_and_source_rows_without_a_label_say_nothing():
    toy = make_toy()
    model = fit(toy)
    empty, silent = sparse.csr_array((7, toy.X.shape[1])), toy.X[:5]
    X = sparse.vstack([toy.X, empty, silent]).tocsr()
    y = np.concatenate([toy.y, np.full(12, -1)])
    numbers = np.concatenate([toy.sample_domain, np.full(7, -1), np.full(5, 0)])
    more = TSVM().fit(X, y, sample_domain=numbers)
    np.testing.assert_allclose(more.coef_, model.coef_, atol=1e-6)
    np.testing.assert_allclose(
        more.label_distributions_[: len(toy.y)], model.label_distributions_, atol=1e-6
    )
    assert np.isfinite(more.label_distributions_).all()


def test_float32_weights_and_a_model_file(tmp_path):
    corpus = make_corpus()
    model = Transfer("tsvm").fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    model.save(tmp_path / "m.isthmus")
    texts = corpus.target_texts[:30]
    again = load(tmp_path / "m.isthmus")
    np.testing.assert_array_equal(model.predict_proba(texts), again.predict_proba(texts))
    toy = make_toy(dtype=np.float32)
    assert fit(toy).coef_.dtype == np.float32


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be above 0, got 0"),
        ({"C": 1e11}, "C must be at most"),
        ({"unlabelled_C": -1.0}, "unlabelled_C must be at least 0"),
        ({"initial_C_ratio": 0.0}, "initial_C_ratio must be at least"),
        ({"initial_C_ratio": 2.0}, "initial_C_ratio must be at most 1"),
        ({"intercept_scaling": 0.0}, "intercept_scaling must be above 0"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": -0.1}, "tol must be at least 0"),
        ({"tol": "none"}, "tol must be a finite number"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(make_toy(), **parameters)
