"""Members of Auto: failures, the time limit, callbacks and the parameter ``members``."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.base import clone

from isthmus import Auto, CoCC, SourceLogistic, SourceSVM
from isthmus.estimators.ensemble import _members
from isthmus.estimators.ensemble._members import Member, MemberFitter, make_member, name_of
from isthmus.estimators.registry import METHODS
from toy import make_toy

TOY = make_toy(n_per_class=12)


class Clock:
    """A clock that only moves when a member says so."""

    now = 0.0

    def perf_counter(self):
        return self.now


CLOCK = Clock()


class Slow(SourceLogistic):
    """Takes ten seconds."""

    def _fit(self, data, callback):
        CLOCK.now += 10
        return super()._fit(data, callback)


class Iterative(SourceLogistic):
    """Takes a second per iteration and may be stopped."""

    n_iterations = 0

    def _fit(self, data, callback):
        Iterative.n_iterations = 0
        for _ in range(100):
            CLOCK.now += 1
            Iterative.n_iterations += 1
            if callback(None):
                break
        return super()._fit(data, callback)


class Failing(SourceLogistic):
    """Raises an error of its parameter ``C``, which is not a number here."""

    def _check_parameters(self):
        pass

    def _fit(self, data, callback):
        raise self.C


class NotFinite(SourceLogistic):
    """Has memberships that are not numbers."""

    def _fit(self, data, callback):
        fit = super()._fit(data, callback)
        return fit._replace(memberships=[np.full_like(part, np.nan) for part in fit.memberships])


@pytest.fixture
def clock(monkeypatch):
    CLOCK.now = 0.0
    monkeypatch.setattr(_members, "time", CLOCK)
    return CLOCK


def fit(members, effort="fast", callback=None, **parameters):
    auto = Auto(effort, members=members, **parameters)
    return auto.fit(TOY.X, TOY.y, sample_domain=TOY.sample_domain, callback=callback)


def names(auto, left_out):
    """Names of the members after the source-only classifier."""
    return [member.name for member in auto.members_[1:] if member.left_out == left_out]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("all is lost."),
        RuntimeError("all is lost"),
        np.linalg.LinAlgError("all\n is lost"),
        ImportError("all is lost"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_member_that_fails_is_left_out(error):
    auto = fit(["lg", Failing(error), "svm"])
    assert names(auto, left_out=True) == ["Failing"]
    assert names(auto, left_out=False) == ["lg", "svm"]
    assert auto.members_[2].note == "left out, because it failed: all is lost"
    assert "Failing, because it failed: all is lost" in auto.decision_
    expected = fit(["lg", "svm"])
    np.testing.assert_array_equal(auto.label_distributions_, expected.label_distributions_)


def test_error_without_a_message_is_named():
    assert "it failed: MemoryError" in fit(["lg", Failing(MemoryError())]).members_[2].note


def test_interrupt_is_not_a_failure():
    with pytest.raises(KeyboardInterrupt):
        fit(["lg", Failing(KeyboardInterrupt())])


def test_memberships_that_are_not_finite():
    auto = fit(["lg", NotFinite()])
    assert names(auto, left_out=True) == ["NotFinite"]
    assert auto.members_[2].note == "left out, because its class memberships are not finite"
    assert np.isfinite(auto.label_distributions_).all()


def test_member_whose_class_prior_does_not_fit_the_data_is_left_out():
    auto = fit(["lg", SourceSVM(class_prior=[0.2, 0.3, 0.5])])
    assert names(auto, left_out=True) == ["svm"]
    assert "2 classes" in auto.members_[2].note


@pytest.mark.parametrize("effort", ["fast", "normal"])
def test_labels_without_any_member(effort):
    auto = fit([Failing(ValueError("no")), Failing(ValueError("no"))], effort)
    assert names(auto, left_out=True) == ["Failing", "Failing (2)"]
    source_only = auto.members_[0].memberships.argmax(axis=1)
    np.testing.assert_array_equal(auto.transduction_[TOY.is_target], source_only[TOY.is_target])
    assert auto.predict(TOY.X[TOY.is_target]).shape == (24,)
    assert auto.decision_.startswith("Labels of the source-only classifier. Left out: Failing")
    reasons = " ".join(auto.verdicts_[-1].reasons)
    assert "members agree" not in reasons


def test_first_entry_is_the_source_only_classifier():
    auto = fit(["lg"])
    assert auto.members_[0].name == "source-only"
    assert auto.members_[0].memberships.shape == (len(TOY.y), 2)


def test_warnings_of_a_member_are_noted_and_not_given(recwarn):
    class Warns(SourceLogistic):
        def _fit(self, data, callback):
            import warnings

            warnings.warn("This is odd: look at it", UserWarning, stacklevel=2)
            return super()._fit(data, callback)

    auto = fit([Warns()])
    assert not auto.members_[1].left_out
    assert auto.members_[1].note == "This is odd"
    assert not [w for w in recwarn if "odd" in str(w.message)]


def test_time_limit_leaves_out_members(clock):
    auto = fit([Slow(), Slow(), "lg"], time_limit=15)
    assert names(auto, left_out=False) == ["Slow"]
    assert names(auto, left_out=True) == ["Slow (2)", "lg"]
    for member in auto.members_[2:]:
        assert member.note == "left out, because the time limit of 15 s was reached"
    assert [member.seconds for member in auto.members_[1:]] == [10, 10, 0]


def test_time_limit_that_is_not_reached(clock):
    auto = fit([Slow(), Slow()], time_limit=1000)
    assert names(auto, left_out=True) == []


def test_first_member_with_a_result_has_no_time_limit(clock):
    auto = fit([Slow(), "lg"], time_limit=0.001)
    assert names(auto, left_out=False) == ["Slow"]
    auto = fit([Failing(ValueError("no")), Slow(), "lg"], time_limit=0.001)
    assert names(auto, left_out=False) == ["Slow"]


def test_late_member_is_stopped_in_its_iterations(clock):
    auto = fit(["lg", Iterative()], time_limit=5)
    assert Iterative.n_iterations == 6
    assert names(auto, left_out=True) == ["Iterative"]


def test_time_limit_leaves_out_the_refits(clock):
    auto = fit([Slow()], effort="normal", time_limit=5)
    left_out = names(auto, left_out=True)
    assert left_out == [
        "self-training with the estimated class proportions",
        "cocc from the labels so far",
    ]


def test_refits_of_normal_effort():
    auto = fit(["lg"], effort="normal")
    assert names(auto, left_out=False) == [
        "lg",
        "self-training with the estimated class proportions",
        "cocc from the labels so far",
    ]


def test_callback_sees_every_member_and_may_stop():
    seen = []

    def stop_at_two(progress):
        seen.append(progress.iteration)
        return progress.iteration == 2

    auto = fit(["lg", "svm", "lg", "svm"], callback=stop_at_two)
    assert seen == [1, 2]
    assert names(auto, left_out=False) == ["lg", "svm"]
    assert names(auto, left_out=True) == ["lg (2)", "svm (2)"]
    assert "because the callback stopped the fit" in auto.members_[3].note


@pytest.mark.parametrize("effort", ["fast", "normal"])
def test_number_of_iterations(effort):
    seen = []
    auto = fit(["lg", "svm"], effort, callback=lambda progress: seen.append(progress.iteration))
    assert seen == list(range(1, auto.max_iterations + 1))


@pytest.mark.parametrize("effort", ["fast", "normal", "thorough"])
def test_default_members(effort):
    auto = fit(None, effort)
    assert names(auto, left_out=True) == []
    assert set(_members.default_members(effort)) <= set(names(auto, left_out=False))
    assert TOY.target_accuracy(auto.transduction_) > 0.9


def test_members_of_a_larger_effort_contain_those_of_a_smaller_one():
    efforts = [_members.default_members(effort) for effort in ("fast", "normal", "thorough")]
    for smaller, larger in itertools.pairwise(efforts):
        assert larger[: len(smaller)] == smaller
    assert all(METHODS[name].kind == "classifier" for name in efforts[-1])


def test_two_members_of_one_method_count_both():
    auto = fit([SourceLogistic(), SourceLogistic(C=50.0), "svm"])
    assert names(auto, left_out=False) == ["lg", "lg (2)", "svm"]
    first, second = (member.memberships for member in auto.members_[1:3])
    assert np.abs(first - second).max() > 0.01
    other = fit([SourceLogistic(C=50.0), "svm"])
    assert np.abs(auto.label_distributions_ - other.label_distributions_).max() > 1e-6


def test_estimators_as_members():
    by_name = fit(["cocc", "lg"])
    members = [CoCC(), SourceLogistic()]
    by_object = fit(members)
    np.testing.assert_array_equal(by_object.label_distributions_, by_name.label_distributions_)
    assert names(by_object, left_out=False) == ["cocc", "lg"]
    assert not hasattr(members[0], "classes_")  # the objects of the caller are not fitted
    assert isinstance(clone(Auto(members=members)).members[0], CoCC)


@pytest.mark.parametrize(
    "members", [("lg", "svm"), np.array(["lg", "svm"])], ids=["tuple", "array"]
)
def test_sequences_of_members(members):
    assert names(fit(members), left_out=False) == ["lg", "svm"]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ("cocc", r"members='cocc' must be a list of method names or classifiers"),
        ({"cocc": 1}, "must be a list"),
        ({"cocc"}, "must be a list"),
        (3, "members=3 must be a list"),
        (SourceLogistic(), "must be a list"),
        (iter(["cocc"]), "must be a list"),
        ([], "members is empty: name at least one method, or omit it"),
        ((), "members is empty"),
        (["cocc", "auto"], "members contains 'auto': name other methods"),
        ([Auto()], "members contains 'auto'"),
        (["cocc", "nonsense"], "nonsense"),
        (["kmeans"], "kmeans"),
        ([7], "The member 7 must be the name of a method"),
        ([SourceLogistic], "must be the name of a method"),
        ([SourceLogistic(C=-1)], "C must be"),
        ([SourceLogistic(class_prior="sauce")], "'sauce' is unknown"),
    ],
    ids=range(16),
)
def test_bad_members(members, words):
    with pytest.raises(ValueError, match=words) as error:
        fit(members)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"effort": "heroic"}, "effort"),
        ({"effort": None}, "effort"),
        ({"time_limit": 0}, "time_limit"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"time_limit": "soon"}, "time_limit"),
        ({"time_limit": float("nan")}, "time_limit"),
    ],
    ids=str,
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words) as error:
        Auto(**parameters).fit(TOY.X, TOY.y, sample_domain=TOY.sample_domain)
    assert "\n" not in str(error.value)


def test_named_members_repeat_and_estimators_keep_their_seed():
    assert make_member("lssttc").random_state == 0
    assert make_member(METHODS["lssttc"].build(random_state=5)).random_state == 5
    assert not Auto().is_random


def test_names():
    assert name_of("cocc") == "cocc"
    assert name_of(CoCC()) == "cocc"
    assert name_of(Slow()) == "Slow"


def test_members_have_a_short_representation():
    member = fit(["lg"]).members_[1]
    assert isinstance(member, Member)
    assert "memberships" not in repr(member)
    assert not member.left_out


def test_fitter_keeps_unique_names():
    fitter = MemberFitter(None, lambda progress: True)
    data = Auto()._read_training_data(TOY.X, TOY.y, TOY.sample_domain)
    fitter.fit("lg", SourceLogistic(), data)
    for _ in range(2):
        fitter.fit("lg", SourceLogistic(), data)  # left out, because the callback stopped
    assert [member.name for member in fitter.members] == ["lg", "lg (2)", "lg (3)"]
