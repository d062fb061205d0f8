"""MTrick and MTrick0: tests beyond the contract."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from isthmus import MTrick, MTrick0
from toy import make_toy

BOTH = pytest.mark.parametrize("cls", [MTrick, MTrick0])


def fit(estimator, toy):
    return estimator.fit(toy.X, toy.y, sample_domain=toy.sample_domain)


@pytest.mark.ends_early
@BOTH
@pytest.mark.parametrize("init", ["class_conditional", "plsa", "two_stage"])
def test_every_init_transfers(cls, init):
    toy = make_toy(n_classes=3)
    estimator = fit(cls(init=init, n_word_clusters="auto", random_state=0), toy)
    # The two-step variant does not fit the associations to the target.
    assert toy.target_accuracy(estimator.transduction_) > (0.9 if cls is MTrick else 0.8)


@pytest.mark.ends_early
def test_fitted_attributes():
    toy = make_toy()
    estimator = fit(MTrick(5, init="plsa", random_state=0, max_iter=30), toy)
    assert set(estimator.word_clusters_) == {0, -1}
    for clusters in estimator.word_clusters_.values():
        assert clusters.shape == (toy.X.shape[1], 5)
        np.testing.assert_allclose(clusters.sum(axis=1), 1)
    assert estimator.associations_.shape == (5, 2)
    assert estimator.objective_.shape == (31,)
    assert estimator.n_iter_ == 30
    assert estimator.objective_[-1] < estimator.objective_[0]


def test_paper_preset_sets_parameters():
    parameters = MTrick.from_preset("paper").get_params()
    assert parameters["n_word_clusters"] == 50
    assert parameters["init"] == "plsa"
    assert parameters["stopping"] == "absolute"
    assert parameters["tol"] == 1e-11
    assert parameters["unit_rows"] is False
    assert parameters["init_classifier"] == "logistic"


@pytest.mark.ends_early
@BOTH
def test_words_unknown_to_the_target_use_the_source_profile(cls):
    toy = make_toy()
    X = toy.X.toarray()
    word = int(X[toy.truth == 1][:, :12].sum(axis=0).argmax())
    X[toy.is_target, word] = 0
    estimator = cls().fit(X, toy.y, sample_domain=toy.sample_domain)
    document = np.zeros((1, X.shape[1]))
    document[0, word] = 1
    assert estimator.predict(document) == estimator.predict(document, sample_domain=[0]) == [1]


def test_tol_stops_the_fit_or_gives_a_warning():
    toy = make_toy()
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        fit(MTrick(max_iter=2, tol=1e-12), toy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopped = fit(MTrick(max_iter=500, tol=1e-4), toy)
        fit(MTrick(max_iter=3, tol=0.0), toy)
    assert stopped.n_iter_ < 500
    absolute = fit(MTrick(max_iter=500, tol=1e9, stopping="absolute"), toy)
    assert absolute.n_iter_ == 1


@pytest.mark.parametrize("classifier", [MultinomialNB(), LinearSVC(), "complement_nb"])
def test_any_init_classifier(classifier):
    toy = make_toy()
    estimator = fit(MTrick(init_classifier=classifier), toy)
    assert toy.target_accuracy(estimator.transduction_) > 0.9
    assert not hasattr(classifier, "classes_")  # it was cloned


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_word_clusters": 1000, "init": "plsa"}, r"n_word_clusters=1000 \(k1\) is larger"),
        ({"n_word_clusters": 3}, r"has one word cluster per class \(2\)"),
        ({"n_word_clusters": 0}, "at least 1"),
        ({"n_word_clusters": "many"}, "whole number"),
        ({"alpha": -1}, "alpha must be at least 0"),
        ({"beta": "big"}, "beta must be a finite number"),
        ({"beta": float("inf")}, "beta must be a finite number"),
        (
            {"init_classifier": "svm"},
            "init_classifier must be one of 'logistic', 'complement_nb'",
        ),
        ({"init_classifier": 3}, "or a scikit-learn classifier, got 3"),
        ({"init": "somewhere"}, "init must be one of"),
        ({"max_iter": 2.5}, "max_iter must be a whole number"),
        ({"tol": float("nan")}, "tol must be a finite number"),
        ({"stopping": "odd"}, "stopping must be one of"),
        ({"label_smoothing": 0.7}, "at most 0.4"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(MTrick(**parameters), make_toy())


def test_scikit_learn_callbacks_get_every_iteration_and_can_stop():
    pytest.importorskip("sklearn.callback", reason="requires scikit-learn 1.9")

    class Recorder:
        def __init__(self):
            self.metadata_list, self.ended = [], 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            self.ended += 1

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, metadata=None):
            if metadata:
                self.metadata_list.append(metadata)
            return len(self.metadata_list) == 4

    recorder = Recorder()
    toy = make_toy()
    estimator = fit(MTrick().set_callbacks(recorder), toy)
    assert [figure["iteration"] for figure in recorder.metadata_list] == [1, 2, 3, 4]
    assert estimator.n_iter_ == 4
    assert recorder.ended == 1


@pytest.mark.parametrize(
    ("estimator", "iterations"),
    [
        (MTrick(init="two_stage", random_state=0), 8),
        (MTrick0(), 8),
        (MTrick0(init="two_stage", random_state=0), 16),
    ],
)
def test_callback_counts_over_all_steps(estimator, iterations):
    toy = make_toy()
    seen = []
    estimator.set_params(max_iter=4, tol=0.0).fit(
        toy.X, toy.y, sample_domain=toy.sample_domain, callback=lambda p: seen.append(p.iteration)
    )
    assert seen == list(range(1, iterations + 1))


def test_an_interrupted_first_step_keeps_the_initial_target_factors():
    toy = make_toy()
    estimator = MTrick0().fit(
        toy.X, toy.y, sample_domain=toy.sample_domain, callback=lambda progress: True
    )
    assert estimator.n_iter_ == 0
    assert np.isfinite(estimator.label_distributions_).all()


def test_label_smoothing_does_not_change_labeled_target_rows():
    toy = make_toy()
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[0]
    y[given] = toy.truth[given]
    estimator = MTrick(label_smoothing=0.2).fit(toy.X, y, sample_domain=toy.sample_domain)
    assert estimator.transduction_[given] == y[given]
    assert toy.target_accuracy(estimator.transduction_) > 0.9


@pytest.mark.ends_early
@pytest.mark.parametrize("init", ["class_conditional", "plsa"])
def test_top_words_of_the_classes(init):
    toy = make_toy()
    names = np.array([f"w{j}" for j in range(toy.X.shape[1])])
    words = fit(MTrick(init=init, random_state=0), toy).top_words(names, 8)
    assert set(words) == {0, 1}
    # The words of make_toy: six shared words per class, then eight per class and domain.
    own = {(0, 0): range(12, 20), (1, 0): range(20, 28), (0, -1): range(28, 36)}
    for (label, domain), columns in own.items():
        expected = {f"w{j}" for j in [*range(6 * label, 6 * label + 6), *columns]}
        assert len(set(words[label][domain]) & expected) >= 7


def test_top_words_use_the_names_of_a_data_frame():
    toy = make_toy()
    frame = pd.DataFrame(toy.X.toarray(), columns=[f"t{j}" for j in range(toy.X.shape[1])])
    model = MTrick().fit(frame, toy.y, sample_domain=toy.sample_domain)
    assert all(word.startswith("t") for word in model.top_words(n_words=3)[0][-1])
    with pytest.raises(ValueError, match="feature_names has 2 names"):
        model.top_words(["a", "b"])
    with pytest.raises(ValueError, match="n_words must be at least 1"):
        model.top_words(n_words=0)


@pytest.mark.ends_early
def test_a_warning_if_domains_share_no_words():
    toy = make_toy()
    X = sparse.block_diag([toy.X[~toy.is_target], toy.X[toy.is_target]]).tocsr()
    with pytest.warns(UserWarning, match="target domain -1 shares no term with the sources"):
        MTrick(random_state=0).fit(X, toy.y, sample_domain=toy.sample_domain)


@pytest.mark.ends_early
def test_plsa_init_uses_a_sample():
    toy = make_toy(n_per_class=60)
    settings = {"init": "plsa", "n_word_clusters": 8}
    runs = {
        (sample, seed): fit(MTrick(**settings, plsa_sample=sample, random_state=seed), toy)
        for sample, seed in ((40, 0), (40, 1), (240, 0), (None, 0))
    }
    distributions = {key: run.label_distributions_ for key, run in runs.items()}
    for run in runs.values():
        assert toy.target_accuracy(run.transduction_) > 0.9
    assert not np.array_equal(distributions[40, 0], distributions[40, 1])
    assert not np.array_equal(distributions[40, 0], distributions[None, 0])
    np.testing.assert_array_equal(distributions[240, 0], distributions[None, 0])
    again = fit(MTrick(**settings, plsa_sample=40, random_state=0), toy)
    np.testing.assert_array_equal(again.label_distributions_, distributions[40, 0])


@pytest.mark.ends_early
def test_a_word_outside_the_plsa_sample_is_used():
    toy = make_toy(n_per_class=60)
    # A word of a single document, which is probably not in a sample of 10 %.
    rare = sparse.csr_array(([3.0], ([200], [0])), shape=(toy.X.shape[0], 1))
    X = sparse.hstack([toy.X, rare]).tocsr()
    estimator = MTrick(8, init="plsa", plsa_sample=24, random_state=0, max_iter=20)
    estimator.fit(X, toy.y, sample_domain=toy.sample_domain)
    row = estimator.word_clusters_[-1][-1]
    assert row.max() > 1 / 8 + 1e-6  # it was updated, so its initial value was above zero


def test_invalid_plsa_sample():
    with pytest.raises(ValueError, match="plsa_sample"):
        fit(MTrick(plsa_sample=0), make_toy())
