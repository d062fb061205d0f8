"""Verdicts on the labels of every method, and the source-only classifier behind them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from isthmus import Auto, SourceLogistic, TextVectorizer, Transfer, load
from isthmus._warnings import VerdictWarning
from isthmus.datasets import make_corpus
from isthmus.estimators.base.verdict import DO_NOT_USE, USE, Interval
from isthmus.estimators.ensemble import judge as module
from isthmus.numerics.class_alignment import ClassAlignment
from isthmus.transfer.fitting import fit_source_only
from verdicts import REASONS, set_verdicts

CORPUS = make_corpus(n_source=200, n_target=200)
TRUTH = np.array(CORPUS.target_labels)
TEXTS = (CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


def fitted(method: Any = None, **parameters: Any) -> Transfer:
    return Transfer(method, **parameters).fit(*TEXTS)


def accuracy(labels: Any) -> float:
    return float(np.mean(np.asarray(labels) == TRUTH))


def test_the_verdict_of_the_automatic_method_is_its_own() -> None:
    model = fitted(effort="fast")
    assert model.verdict_ is model.estimator_.verdicts_[-1]


def test_a_good_and_a_poor_method() -> None:
    models = fitted("mtrick"), fitted("lg")
    good, poor = (model.verdict_ for model in models)
    assert good.accuracy.value > poor.accuracy.value + 0.1
    assert good.decision == USE
    for model in models:
        for labels, estimate in (
            (model.labels_, model.verdict_.accuracy),
            (model.source_only_labels_, model.verdict_.source_only_accuracy),
        ):
            assert estimate.value == pytest.approx(accuracy(labels), abs=0.12)
    assert sum(part.value for part in good.class_prior.values()) == pytest.approx(1)
    assert good.source_prior == {"negative": 0.5, "positive": 0.5}


def test_labels_of_the_wrong_classes() -> None:
    model = fitted("mtrick")
    X = model.vectorizer_.transform([*CORPUS.source_texts, *CORPUS.target_texts])
    y = [*CORPUS.source_labels, *[None] * 200]
    data = model.estimator_._read_training_data(X, y, np.repeat([0, -1], 200))
    swapped = model.estimator_
    swapped.transduction_ = np.where(swapped.transduction_ == "negative", "positive", "negative")
    verdict = module.judge(swapped, data, model.source_only_)[-1]
    assert verdict.decision == DO_NOT_USE
    assert verdict.accuracy.value < 0.4
    assert verdict.reasons[0] == "The source-only classifier is probably more accurate."


def test_several_targets() -> None:
    parts = {"a": CORPUS.target_texts[:120], "b": CORPUS.target_texts[120:]}
    model = Transfer("mtrick").fit(CORPUS.source_texts, CORPUS.source_labels, parts)
    assert set(model.verdict_) == {"a", "b"}
    assert model.verdict_["a"] != model.verdict_["b"]


def test_a_sample_of_large_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fitted("mtrick").verdict_
    monkeypatch.setattr(module, "_MAX_DOCUMENTS", 120)
    sizes = []
    combine = module.combine

    def count_rows(data: Any, *args: Any, **kwargs: Any) -> Any:
        sizes.append([len(domain.labels) for domain in data.problem.domains])
        return combine(data, *args, **kwargs)

    monkeypatch.setattr(module, "combine", count_rows)
    verdict = fitted("mtrick").verdict_
    assert sizes == [[120, 120]]
    assert verdict != whole
    assert verdict.decision == whole.decision
    order = np.random.default_rng(0).permutation(200)
    texts = [CORPUS.target_texts[i] for i in order]
    shuffled = Transfer("mtrick").fit(CORPUS.source_texts, CORPUS.source_labels, texts)
    assert shuffled.verdict_.accuracy.value == pytest.approx(verdict.accuracy.value, abs=0.02)


def test_a_sample_has_every_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_DOCUMENTS", 50)
    labels = ["rare" if i < 4 else label for i, label in enumerate(CORPUS.source_labels)]
    model = Transfer("lg")
    data = []
    combine = module.combine
    monkeypatch.setattr(module, "combine", lambda *a, **k: data.append(a[0]) or combine(*a, **k))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VerdictWarning)
        model.fit(CORPUS.source_texts, labels, CORPUS.target_texts)
    counts = np.bincount(data[0].problem.sources[0].labels)
    assert counts[model.classes_.tolist().index("rare")] == 4
    assert set(model.verdict_.class_prior) == {"negative", "positive", "rare"}


def test_given_proportions_are_those_of_the_verdict() -> None:
    prior = {"negative": 0.4, "positive": 0.6}
    verdict = fitted("mtrick", class_prior=prior).verdict_
    assert verdict.class_prior == {label: Interval(p, p, p) for label, p in prior.items()}
    assert fitted("mtrick", class_prior="source").verdict_.class_prior["negative"].low < 0.5


def test_the_verdict_can_be_switched_off() -> None:
    assert fitted("mtrick", verdict=False).verdict_ is None
    assert fitted(effort="fast", verdict=False).verdict_ is not None


def test_no_verdict_on_negative_values() -> None:
    model = fitted("lg", vectorizer=HashingVectorizer(n_features=512))
    assert model.verdict_ is None


def test_a_comparison_that_fails_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise ValueError

    monkeypatch.setattr(module, "combine", fail)
    model = fitted("mtrick")
    assert model.verdict_ is None
    assert accuracy(model.labels_) > 0.9


@pytest.mark.parametrize(
    ("agreement", "expected"), [(1.0, (0.8, 0.7, 0.9)), (0.5, (0.5, 0.3, 0.7))]
)
def test_accuracy_from_agreement(agreement: float, expected: tuple[float, ...]) -> None:
    interval = module._accuracy(Interval(0.8, 0.7, 0.9), agreement, 2)
    assert (interval.value, interval.low, interval.high) == pytest.approx(expected)


def test_many_classes_agree_rarely_by_chance() -> None:
    two, ten = (module._accuracy(Interval(0.6, 0.5, 0.7), 0.7, n).value for n in (2, 10))
    assert two == pytest.approx(0.7 * 0.6 + 0.3 * 0.4)
    assert ten == pytest.approx(0.7 * 0.6 + 0.3 * 0.4 / 9)


# The source-only classifier.


def test_the_source_only_classifier_is_the_same_for_every_method() -> None:
    automatic, single = fitted(effort="fast"), fitted("lg", verdict=False)
    assert automatic.source_only_ is automatic.estimator_.source_only_
    for model in (automatic, single):
        assert isinstance(model.source_only_, SourceLogistic)
        assert (model.source_only_.C, model.source_only_.class_weight) == (10.0, "balanced")
    np.testing.assert_array_equal(automatic.source_only_labels_, single.source_only_labels_)
    np.testing.assert_allclose(automatic.source_only_.coef_, single.source_only_.coef_, atol=1e-5)


def test_the_source_only_classifier_of_a_fitted_estimator_is_not_changed() -> None:
    X = TextVectorizer().fit_transform([*CORPUS.source_texts, *CORPUS.target_texts])
    y = np.array([*CORPUS.source_labels, *[None] * 200], object)
    domains = np.repeat([0, -1], 200)
    auto = Auto("fast").fit(X, y, domains)
    before = dict(vars(auto.source_only_))
    for n_known in (0, 20):
        y[200 : 200 + n_known] = CORPUS.target_labels[:n_known]
        data = auto._read_training_data(X, y, domains)
        source_only = fit_source_only(auto, data, y, domains)
        assert source_only.model_.unit_norm
        assert (source_only is auto.source_only_) == (n_known == 0)
        after = vars(auto.source_only_)
        assert after.keys() == before.keys()
        assert all(after[name] is before[name] for name in before)


@pytest.mark.parametrize("method", ["auto", "sfa"])
def test_new_rows_of_the_source_only_classifier_have_unit_norm(method: str, tmp_path: Any) -> None:
    effort = {"effort": "fast"} if method == "auto" else {"verdict": False}
    model = fitted(method, vectorizer=CountVectorizer(min_df=2), **effort)
    again = model.label(CORPUS.target_texts).source_only
    np.testing.assert_array_equal(again, model.source_only_labels_)
    words = fitted(method, **effort)
    words.save(tmp_path / "m")
    loaded = load(tmp_path / "m").label(CORPUS.target_texts).source_only
    np.testing.assert_array_equal(loaded, words.source_only_labels_)


@pytest.mark.parametrize("method", ["auto", "lg"])
def test_labels_of_the_target_are_hidden_from_the_source_only_classifier(method: str) -> None:
    effort = {"effort": "fast"} if method == "auto" else {"verdict": False}
    known = [*CORPUS.target_labels[:60], *[None] * 140]
    model = Transfer(method, **effort).fit(
        {"source": TEXTS[:2]}, target_texts={"target": (CORPUS.target_texts, known)}
    )
    without = fitted(method, **effort)
    # Documents of the target contribute terms, but neither labels nor weights.
    np.testing.assert_allclose(model.source_only_.coef_, without.source_only_.coef_, atol=1e-4)


# Parameters of the automatic method.


def test_effort_and_time_limit_reach_the_automatic_method() -> None:
    estimator = Transfer(effort="thorough", time_limit=30).make_estimator()
    assert (estimator.effort, estimator.time_limit) == ("thorough", 30)
    assert Transfer(Auto(effort="fast")).make_estimator().effort == "fast"
    assert Transfer(Auto(effort="fast"), effort="normal").make_estimator().effort == "normal"
    assert fitted(effort="fast").characters_ is None
    model = fitted(time_limit=1e-3)
    assert [member.name for member in model.estimator_.members_ if not member.left_out] == [
        "source-only",
        "cocc",
    ]


def test_every_member_calls_the_callback() -> None:
    seen: list[int] = []
    model = Transfer().fit(*TEXTS, callback=lambda progress: seen.append(progress.iteration))
    assert seen == list(range(1, model.estimator_.max_iterations + 1))


# Warnings.


def test_a_verdict_against_the_labels_is_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    set_verdicts(monkeypatch, DO_NOT_USE)
    with pytest.warns(UserWarning, match="verdict") as caught:
        fitted(effort="fast")
    (warning,) = caught
    assert warning.category is VerdictWarning
    assert warning.filename == __file__
    assert str(warning.message) == (
        "The verdict on the labels of 'target' is \"do not use\" (estimated accuracy 58 % (50 to "
        f"66 %)). {REASONS[0]} See verdict_."
    )


def test_the_automatic_method_gives_reasons_instead_of_warnings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Every result counts as uncertain.
    monkeypatch.setattr(ClassAlignment, "is_uncertain", lambda *_: True)
    X = TextVectorizer().fit_transform([*CORPUS.source_texts, *CORPUS.target_texts])
    with pytest.warns(UserWarning, match="may be swapped"):
        Auto("fast").fit(X, [*CORPUS.source_labels, *[None] * 200])
    with pytest.warns(UserWarning, match="may be swapped"):
        fitted("cocc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(effort="fast")
