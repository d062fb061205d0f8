"""MCT beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import normalize

from isthmus import MCT, SCL, SourceSVM
from isthmus.matrices.rows import duplicate_groups
from isthmus.solvers.self_training.mct import agreed_labels
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy

# Two lists of terms that all domains of the toy problem share, so that features need no labels.
PIVOTS = [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]]


def fit(model, toy, **options):
    return model.fit(toy.X, toy.y, toy.sample_domain, **options)


def fitted_members(toy, y):
    """The members, fitted separately on unit-norm rows."""
    X = normalize(toy.X)
    members = [SCL(pivots=pivots, feature_weight=1.0) for pivots in PIVOTS] + [SourceSVM(C=0.3)]
    return [member.fit(X, y, toy.sample_domain) for member in members]


def target_memberships(members, toy):
    return [m.predict_proba(normalize(toy.X)[toy.is_target], None) for m in members]


def test_without_rounds_it_is_the_mean_of_the_members():
    toy = make_toy()
    model = fit(MCT(PIVOTS, n_rounds=0, class_prior=None), toy)
    expected = np.mean(target_memberships(fitted_members(toy, toy.y), toy), axis=0)
    np.testing.assert_allclose(model.label_distributions_[toy.is_target], expected, atol=1e-6)
    assert model.n_rounds_ == 0


@pytest.mark.parametrize("class_prior", [None, [0.3, 0.7]])
def test_a_round_adds_the_labels_on_which_members_agree(class_prior):
    toy = make_toy()
    model = fit(MCT(PIVOTS, n_rounds=2, fraction=0.6, class_prior=class_prior), toy)
    target = np.flatnonzero(toy.is_target)
    prior = None if class_prior is None else np.array(class_prior)
    y = toy.y
    for n_rows in (12, 24):  # of 40
        memberships = target_memberships(fitted_members(toy, y), toy)
        groups = duplicate_groups(toy.X[target])
        agreement = agreed_labels(memberships, prior, n_rows, groups)
        assert 0 < len(agreement.rows) <= n_rows
        y = toy.y.copy()
        y[target[agreement.rows]] = agreement.labels
    # Predicted as new documents, because rows with a pseudo-label keep it.
    expected = np.mean(target_memberships(fitted_members(toy, y), toy), axis=0)
    predicted = np.mean(target_memberships(model.members_, toy), axis=0)
    np.testing.assert_allclose(predicted, expected, atol=1e-5)


def test_words_that_only_the_target_uses_get_weights():
    toy = make_toy(n_per_class=60, seed=3)
    X = toy.X.toarray()
    X[:, :4], X[:, 6:10] = 0, 0  # two shared terms per class remain
    X[~toy.is_target, 28:44] = 0
    first = MCT(n_rounds=0).fit(X, toy.y, toy.sample_domain)
    model = MCT().fit(X, toy.y, toy.sample_domain)
    assert toy.target_accuracy(model.transduction_) > toy.target_accuracy(first.transduction_)
    np.testing.assert_allclose(first.members_[-1].coef_[:, 28:44], 0, atol=1e-12)
    weights = model.members_[-1].coef_[1, 28:44]
    assert (weights[:8] < 0).all()
    assert (weights[8:] > 0).all()


@pytest.mark.parametrize("with_words", [True, False])
def test_one_member_per_kind_of_pivots(with_words):
    toy = make_toy()
    model = fit(MCT(["label", "frequency", [0, 1, 2]], with_bag_of_words=with_words), toy)
    assert [type(m) for m in model.members_] == [SCL] * 3 + [SourceSVM] * with_words
    assert model.members_[2].pivots_.tolist() == [0, 1, 2]
    assert len(model.members_[0].pivots_) == 54 // 4
    for member in model.members_:  # their own labels of all fitted rows
        assert toy.target_accuracy(member.transduction_) > 0.7
        assert (member.transduction_ == toy.truth)[~toy.is_target].all()


def test_pivots_by_name():
    toy = make_toy()
    frame = pd.DataFrame(toy.X.toarray(), columns=[f"w{i}" for i in range(54)])
    named = [[f"w{i}" for i in pivots] for pivots in PIVOTS]
    by_name = MCT(named).fit(frame, toy.y, toy.sample_domain)
    by_number = fit(MCT(PIVOTS), toy)
    np.testing.assert_allclose(
        by_name.label_distributions_, by_number.label_distributions_, atol=1e-6
    )
    words = by_name.top_words(n_words=3)
    assert all(word.startswith("w") for word in words[0][-1])


@pytest.mark.parametrize("domains", [(0, 1, -1), (0, 1, -1, -2)], ids=["one target", "two"])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_sources_and_classes(domains, n_classes):
    toy = make_toy(domains, n_classes, n_per_class=30)
    assert toy.target_accuracy(fit(MCT(), toy).transduction_) > 0.9


def test_labels_and_pseudo_labels_match_the_prior():
    toy = make_toy(n_per_class=40)
    keep = ~toy.is_target | (toy.truth == 1) | (np.arange(len(toy.y)) % 4 == 0)
    X, y, numbers = toy.X[keep], toy.y[keep], toy.sample_domain[keep]
    target, truth = numbers < 0, toy.truth[keep]
    accuracies = {}
    for prior in ("source", {0: 0.2, 1: 0.8}):
        model = MCT(class_prior=prior).fit(X, y, numbers)
        accuracies[str(prior)] = np.mean(model.transduction_[target] == truth[target])
        expected = 0.5 if prior == "source" else 0.8
        assert np.mean(model.transduction_[target] == 1) == pytest.approx(expected, abs=0.01)
    assert accuracies["source"] < 0.75
    assert accuracies[str({0: 0.2, 1: 0.8})] > 0.9


def test_duplicates_count_once():
    toy = make_toy()
    target = np.flatnonzero(toy.is_target)
    copied = np.concatenate([np.arange(len(toy.y)), np.repeat(target[:3], 30)])
    X, y, numbers = toy.X[copied], toy.y[copied], toy.sample_domain[copied]
    calls = []
    MCT(PIVOTS, n_rounds=1, class_prior=[0.5, 0.5]).fit(X, y, numbers, callback=calls.append)
    model = MCT(PIVOTS, n_rounds=1, class_prior=None).fit(X, y, numbers)
    groups = duplicate_groups(X[numbers < 0])
    assert len(np.unique(groups)) == 40
    labels = model.transduction_[numbers < 0]
    for group in np.unique(groups):
        assert len(np.unique(labels[groups == group])) == 1
    assert 0 < calls[0].objective < 0.5  # the proportion of 40 documents, without duplicates
    assert (40 * calls[0].objective) % 1 == pytest.approx(0, abs=1e-9)


def test_a_callback_can_stop_the_fit():
    toy = make_toy()
    calls = []

    def stop_at_two(progress):
        calls.append(progress)
        return progress.iteration == 2

    model = fit(MCT(n_rounds=6), toy, callback=stop_at_two)
    assert [progress.iteration for progress in calls] == [1, 2]
    assert model.n_rounds_ == 2
    assert calls[0].changed == 1
    assert 0 <= calls[1].changed < 0.3


def test_empty_documents_get_the_class_prior():
    toy = make_toy()
    X = toy.X.toarray()
    X[-15:] = 0
    model = MCT(class_prior={0: 0.6, 1: 0.4}).fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.label_distributions_[-15:], [[0.6, 0.4]] * 15)
    np.testing.assert_allclose(model.predict_proba(X[-2:]), [[0.6, 0.4]] * 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pivots": "label"}, "pivots must be a list with the pivots of every member"),
        ({"pivots": ()}, "pivots must be a list with the pivots of every member"),
        ({"pivots": ("best",)}, "must be one of 'label', 'shared', 'frequency', 'domain'"),
        ({"pivots": (["good"],)}, "given by name but the columns have no names"),
        ({"with_bag_of_words": 1}, "with_bag_of_words must be True or False"),
        ({"n_rounds": -1}, "n_rounds must be at least 0"),
        ({"fraction": 0}, "fraction must be above 0"),
        ({"fraction": 1.5}, "fraction must be at most 1"),
        ({"n_pivots": 0}, "n_pivots must be at least 1"),
        ({"n_components": 55}, "n_components=55 is more than the 54 terms"),
        ({"min_df": 81}, "occurs in 81 documents"),
        ({"feature_weight": -1}, "feature_weight must be at least 0"),
        ({"C": 0}, "C must be above 0"),
        ({"class_prior": "guess"}, "class_prior='guess' is unknown"),
    ],
    ids=lambda value: "-".join(f"{k}={v}" for k, v in value.items()) if type(value) is dict else "",
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message) as error:
        fit(MCT(**parameters), make_toy())
    assert "\n" not in str(error.value)


def test_model_file_round_trip():
    toy = make_toy()
    model = fit(MCT(["label", [0, 1, 2, 3]], n_rounds=1), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(model, packer))
    loaded = unpack_classifier(state, 54)
    assert loaded.pivots == ["label", [0, 1, 2, 3]]
    np.testing.assert_array_equal(loaded.predict_proba(toy.X), model.predict_proba(toy.X))
