"""Auto on small problems: classes, domains, labeled targets, class priors and model files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse

from isthmus import Auto, CoCC, ModelFileError, SelfTraining, SourceLogistic
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from methods import assert_same_state
from toy import make_toy

# Small problems give weak evidence against swapped classes.
pytestmark = pytest.mark.doubtful

EFFORTS = pytest.mark.parametrize("effort", ["fast", "normal"])


def fit(toy, y=None, effort="fast", rows=slice(None), **parameters):
    auto = Auto(effort, **parameters)
    labels = toy.y if y is None else y
    return auto.fit(toy.X[rows], labels[rows], sample_domain=toy.sample_domain[rows])


def hard_toy(n_per_class=60, seed=0, domains=(0, -1), n_classes=2):
    """A toy in which most shared words are noise, so that transfer is difficult."""
    toy = make_toy(domains, n_classes, n_per_class, seed)
    X = toy.X.toarray()
    shared = n_classes * 6
    generator = np.random.default_rng(seed)
    X[:, :shared] *= generator.random((len(X), shared)) < 0.3
    X[:, :shared] += generator.poisson(0.4, (len(X), shared))
    return type(toy)(sparse.csr_array(X), toy.truth, toy.sample_domain, toy.y)


def rows_with_proportions(toy, by_target, seed=0):
    """Rows of all sources, and rows of each target in the given class proportions."""
    rows = [np.flatnonzero(~toy.is_target)]
    for number, counts in by_target.items():
        for k, count in enumerate(counts):
            of_class = (toy.sample_domain == number) & (toy.truth == k)
            rows.append(np.flatnonzero(of_class)[:count])
    return np.sort(np.concatenate(rows))


@EFFORTS
@pytest.mark.parametrize("seed", [1, 2])
def test_five_classes(effort, seed):
    toy = make_toy(n_classes=5, n_per_class=30, seed=seed)
    auto = fit(toy, effort=effort)
    assert toy.target_accuracy(auto.transduction_) > 0.9
    assert auto.label_distributions_.shape == (300, 5)
    verdict = auto.verdicts_[-1]
    assert list(verdict.class_prior) == [0, 1, 2, 3, 4]
    assert sum(part.value for part in verdict.class_prior.values()) == pytest.approx(1)
    for part in verdict.class_prior.values():
        assert 0 <= part.low <= part.value <= part.high <= 1


def test_proportions_of_a_small_target_on_which_all_members_agree():
    toy = make_toy(n_classes=5, n_per_class=30, seed=0)
    auto = fit(toy, effort="normal")
    first_round = auto.members_[1:6]
    assert all(toy.target_accuracy(m.memberships.argmax(axis=1)) > 0.98 for m in first_round)
    np.testing.assert_allclose(auto.domain_prior_[-1], 0.2, atol=0.05)
    assert toy.target_accuracy(auto.transduction_) > 0.95


@EFFORTS
def test_targets_with_different_proportions(effort):
    toy = make_toy((0, -1, -2), n_per_class=100)
    rows = rows_with_proportions(toy, {-1: (90, 20), -2: (20, 90)})
    auto = fit(toy, effort=effort, rows=rows)
    assert set(auto.verdicts_) == {-1, -2}
    np.testing.assert_allclose(auto.domain_prior_[-1], [9 / 11, 2 / 11], atol=0.07)
    np.testing.assert_allclose(auto.domain_prior_[-2], [2 / 11, 9 / 11], atol=0.07)
    np.testing.assert_allclose(auto.domain_prior_[0], [0.5, 0.5])
    numbers, truth = toy.sample_domain[rows], toy.truth[rows]
    for number in (-1, -2):
        of_target = numbers == number
        assert np.mean(auto.transduction_[of_target] == truth[of_target]) > 0.9
        new = auto.predict(toy.X[rows][of_target], numbers[of_target])
        assert np.mean(new == truth[of_target]) > 0.9


def test_targets_do_not_influence_the_proportions_of_each_other_much():
    toy = make_toy((0, -1, -2), n_per_class=60)
    rows = rows_with_proportions(toy, {-1: (60, 15), -2: (15, 60)})
    alone = rows[toy.sample_domain[rows] != -2]
    together = fit(toy, rows=rows).domain_prior_[-1]
    np.testing.assert_allclose(fit(toy, rows=alone).domain_prior_[-1], together, atol=0.1)


@EFFORTS
def test_several_sources(effort):
    toy = make_toy((0, 1, 2, -1), n_classes=3, n_per_class=25)
    auto = fit(toy, effort=effort)
    assert toy.target_accuracy(auto.transduction_) > 0.9
    assert set(auto.coef_) == {0, 1, 2, -1}
    # All sources have the rule of the source-only classifier.
    np.testing.assert_array_equal(auto.coef_[0], auto.coef_[2])
    assert auto.score(toy.X, toy.truth, sample_domain=toy.sample_domain) > 0.9


@EFFORTS
def test_labeled_rows_of_the_target_help(effort):
    accuracies = []
    for seed in range(3):
        toy = hard_toy(seed=seed)
        y = toy.y.copy()
        given = np.flatnonzero(toy.is_target)[::3]
        y[given] = toy.truth[given]
        open_rows = np.setdiff1d(np.flatnonzero(toy.is_target), given)
        without, with_labels = fit(toy, effort=effort), fit(toy, y, effort)
        np.testing.assert_array_equal(with_labels.transduction_[given], toy.truth[given])
        accuracies.append(
            [
                np.mean(auto.transduction_[open_rows] == toy.truth[open_rows])
                for auto in (without, with_labels)
            ]
        )
    before, after = np.array(accuracies).T
    assert (after >= before - 0.02).all()  # at most one document of 80
    assert after.mean() > before.mean() + 0.1
    assert after.min() > 0.95


def test_wrong_labels_of_the_target_are_kept():
    toy = make_toy(n_per_class=30)
    y = toy.y.copy()
    given = np.flatnonzero(toy.is_target)[::10]
    y[given] = 1 - toy.truth[given]
    auto = fit(toy, y, effort="normal")
    np.testing.assert_array_equal(auto.transduction_[given], y[given])
    np.testing.assert_array_equal(auto.label_distributions_[given], np.eye(2)[y[given]])


@EFFORTS
@pytest.mark.parametrize(
    "class_prior", [[0.2, 0.8], {1: 0.8, 0: 0.2}, "source"], ids=["list", "dict", "source"]
)
def test_given_class_prior(effort, class_prior):
    toy = make_toy(n_per_class=60)
    rows = rows_with_proportions(toy, {-1: (15, 60)})
    auto = fit(toy, effort=effort, rows=rows, class_prior=class_prior)
    expected = [0.5, 0.5] if class_prior == "source" else [0.2, 0.8]
    target = toy.is_target[rows]
    proportions = np.bincount(auto.transduction_[target], minlength=2) / target.sum()
    np.testing.assert_allclose(proportions, expected, atol=0.03)
    np.testing.assert_allclose(auto.domain_prior_[-1], expected)
    prior = auto.verdicts_[-1].class_prior
    np.testing.assert_allclose([prior[0].value, prior[1].value], expected)


@EFFORTS
def test_none_and_estimate_are_the_same(effort):
    toy = make_toy(n_per_class=150)
    rows = rows_with_proportions(toy, {-1: (150, 45)})
    none, estimate = (fit(toy, effort=effort, rows=rows, class_prior=p) for p in (None, "estimate"))
    np.testing.assert_array_equal(none.label_distributions_, estimate.label_distributions_)
    np.testing.assert_array_equal(none.domain_prior_[-1], estimate.domain_prior_[-1])
    np.testing.assert_allclose(none.domain_prior_[-1], [150 / 195, 45 / 195], atol=0.08)


def test_empty_document_gets_the_estimated_class_prior():
    toy = make_toy(n_per_class=40)
    X = toy.X.toarray()
    X[-1] = 0
    auto = Auto("fast").fit(X, toy.y, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(auto.label_distributions_[-1], auto.domain_prior_[-1])
    np.testing.assert_allclose(auto.predict_proba(X[-1:])[0], auto.domain_prior_[-1])


@EFFORTS
def test_mean_confidence_is_the_estimated_accuracy(effort):
    toy = hard_toy()
    auto = fit(toy, effort=effort)
    confidence = auto.label_distributions_[toy.is_target].max(axis=1).mean()
    accuracy = auto.verdicts_[-1].accuracy
    assert confidence == pytest.approx(accuracy.value, abs=0.01)
    assert accuracy.low <= accuracy.value <= accuracy.high
    # The rule for new documents has the same confidence.
    new = auto.predict_proba(toy.X[toy.is_target]).max(axis=1).mean()
    assert new == pytest.approx(confidence, abs=0.02)


@pytest.mark.parametrize("n_known", [1, 3, 4])
def test_few_labeled_documents_of_each_class(n_known):
    toy = make_toy(n_per_class=30)
    known = [np.flatnonzero(~toy.is_target & (toy.truth == k))[:n_known] for k in (0, 1)]
    auto = fit(toy, rows=np.concatenate([*known, np.flatnonzero(toy.is_target)]))
    assert 0 <= auto.verdicts_[-1].accuracy.value <= 1
    # One class with few documents, the other with many.
    rows = np.concatenate([np.flatnonzero(~toy.is_target & (toy.truth == 0)), known[1]])
    auto = fit(toy, rows=np.concatenate([rows, np.flatnonzero(toy.is_target)]))
    assert 0 <= auto.verdicts_[-1].accuracy.value <= 1


def test_text_labels():
    toy = make_toy(n_per_class=25)
    y = np.array(["cold", "warm", None], object)[toy.y]
    auto = fit(toy, y)
    assert list(auto.verdicts_[-1].class_prior) == ["cold", "warm"]
    assert set(auto.transduction_) == {"cold", "warm"}


def test_decision_names_the_members():
    auto = fit(make_toy(n_per_class=10), members=["cocc", "lg"])
    assert auto.decision_ == "Consensus of cocc, lg."


def test_self_training_of_auto():
    """Auto is an ordinary classifier, also inside other methods."""
    toy = make_toy(n_per_class=15)
    outer = SelfTraining(Auto("fast", members=["lg", "svm"]), n_rounds=2)
    outer.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert outer.transduction_.shape == toy.y.shape


class TestModelFiles:
    """Classifiers in ``members`` are stored by method and parameters."""

    toy = make_toy(n_per_class=10)

    def state(self, members):
        packer = Packer()
        packed = pack_classifier(fit(self.toy, members=members), packer)
        return Unpacker(packer.arrays).unpack(json.loads(json.dumps(packed)))

    def load(self, state):
        return unpack_classifier(state, self.toy.X.shape[1])

    @pytest.mark.parametrize(
        "members",
        [
            ["cocc", "lg"],
            [SourceLogistic(C=3.0), "cocc"],
            (CoCC(), SourceLogistic(class_weight={0: 1.0, 1: 2.0})),
            [SelfTraining(SourceLogistic(C=2.0))],
            [SelfTraining("svm")],
        ],
        ids=["names", "mixed", "tuple", "nested", "nested name"],
    )
    def test_round_trip(self, members):
        loaded, fitted = self.load(self.state(members)), fit(self.toy, members=members)
        np.testing.assert_array_equal(
            loaded.predict_proba(self.toy.X, self.toy.sample_domain),
            fitted.predict_proba(self.toy.X, self.toy.sample_domain),
        )
        assert type(loaded.members) is type(members)
        for member, expected in zip(loaded.members, members, strict=True):
            if isinstance(expected, str):
                assert member == expected
            else:
                assert type(member) is type(expected)
                assert_same_state(member.get_params(), expected.get_params())
        # The loaded parameters can be used for another fit.
        Auto(members=loaded.members, effort="fast").fit(
            self.toy.X, self.toy.y, sample_domain=self.toy.sample_domain
        )

    def test_classifier_that_is_not_a_method_of_isthmus(self):
        class Own(SourceLogistic):
            pass

        with pytest.raises(ValueError, match="Own is not a method of isthmus, so it cannot be"):
            self.state([Own()])

    @pytest.mark.parametrize(
        ("member", "words"),
        [
            ({"unfitted method": "nonsense", "parameters": {}}, "not a known classifier"),
            ({"unfitted method": "kmeans", "parameters": {}}, "not a known classifier"),
            ({"unfitted method": ["lg"], "parameters": {}}, "not a known classifier"),
            ({"unfitted method": "lg", "parameters": {"evil": 1}}, "does not have"),
            ({"unfitted method": "lg", "parameters": 3}, "does not have"),
        ],
        ids=["unknown", "clusterer", "list", "parameter", "number"],
    )
    def test_damaged_members(self, member, words):
        state = self.state(["lg", "svm"])
        state["parameters"]["members"] = [member, "svm"]
        with pytest.raises(ModelFileError, match=words):
            self.load(state)

    def test_too_many_or_too_deep(self):
        state = self.state(["lg"])
        member = {"unfitted method": "lg", "parameters": {}}
        state["parameters"]["members"] = [member] * 101
        with pytest.raises(ModelFileError, match="too many classifiers"):
            self.load(state)
        for _ in range(6):
            member = {"unfitted method": "self-training", "parameters": {"estimator": member}}
        state["parameters"]["members"] = [member]
        with pytest.raises(ModelFileError, match="nested too deeply"):
            self.load(state)

    def test_values_of_members_are_checked(self):
        state = self.state(["lg"])
        state["parameters"]["members"] = [{"unfitted method": "lg", "parameters": {"C": -1}}]
        with pytest.raises(ValueError, match="C must be"):
            self.load(state)


def test_copies_of_a_few_labeled_texts():
    """Copies are in one fold of the cross-validation, which would leave nothing to train on."""
    X = [[1, 0, 1], [0, 1, 1]] * 12
    y = ["good", "bad"] * 6 + [None] * 12
    model = Auto(effort="fast").fit(X, y)
    assert model.transduction_[12:].tolist() == ["good", "bad"] * 6
    assert model.verdicts_[-1].decision != "use"
