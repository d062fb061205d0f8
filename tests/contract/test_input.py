"""How input is validated. The base classes do it, so every path through them is tested once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from isthmus import DomainScorer, SourceLogistic, make_weighting, stack_domains
from isthmus.domains.parse import make_problem
from methods import (
    EVERY_BASE_PATH,
    build,
    fit,
    fit_once,
    least_accuracy,
    methods_of,
    one_per_base_path,
    parametrize,
    predictions,
    result,
)
from toy import Toy, make_toy

# Not every method converges on the toy problems, or is certain of its labels.
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

CLASSIFIERS = parametrize(one_per_base_path(methods_of("classifier")))


def one_sentence(message):
    return "\n" not in message and message.endswith(".")


@EVERY_BASE_PATH
def test_csc_matrix(method):
    toy, estimator = fit_once(method)
    other = build(method).fit(sparse.csc_array(toy.X), toy.y, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(result(other, toy.X), result(estimator, toy.X), atol=1e-6, rtol=1e-6)


@EVERY_BASE_PATH
def test_repeated_entries_are_added_up(method):
    toy, estimator = fit_once(method)
    halves = sparse.csr_matrix(toy.X.shape)
    halves.indptr = np.concatenate([[0], np.cumsum(2 * np.diff(toy.X.indptr))]).astype(np.int32)
    halves.indices = np.repeat(toy.X.indices, 2)
    halves.data = np.repeat(toy.X.data / 2, 2)
    assert not halves.has_canonical_format
    before = halves.copy()
    other = build(method).fit(halves, toy.y, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(result(other, halves), result(estimator, toy.X), atol=1e-6)
    np.testing.assert_allclose(
        predictions(estimator, halves, toy.sample_domain),
        predictions(estimator, toy.X, toy.sample_domain),
        atol=1e-6,
    )
    np.testing.assert_array_equal(halves.data, before.data)
    np.testing.assert_array_equal(halves.indices, before.indices)


@EVERY_BASE_PATH
@pytest.mark.parametrize(
    ("array", "place", "value", "words"),
    [
        ("indices", 3, 10**6, "column"),
        ("indices", 3, -1, "column"),
        ("indptr", 5, -7, "row 4"),
        ("indptr", 5, 10**8, "row 5"),
        ("indptr", -1, 10**8, "entries"),
        ("indptr", 0, 1, "entries"),
    ],
)
def test_damaged_matrix(method, array, place, value, words):
    toy = make_toy()
    X = toy.X.copy()
    getattr(X, array)[place] = value
    with pytest.raises(ValueError, match=f"X is .*{words}") as error:
        build(method).fit(X, toy.y, sample_domain=toy.sample_domain)
    assert one_sentence(str(error.value))
    _, estimator = fit_once(method)
    with pytest.raises(ValueError, match=f"X is .*{words}"):
        predictions(estimator, X, toy.sample_domain)


@EVERY_BASE_PATH
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_nan_and_infinity(method, value, word):
    toy, estimator = fit_once(method)
    X = toy.X.copy()
    X.data[3] = value
    with pytest.raises(ValueError, match=word):
        build(method).fit(X, toy.y, sample_domain=toy.sample_domain)
    with pytest.raises(ValueError, match=word):
        predictions(estimator, X, toy.sample_domain)


@EVERY_BASE_PATH
def test_negative_values(method):
    toy, estimator = fit_once(method)
    X = toy.X.copy()
    X.data[3] = -1
    if not estimator.__sklearn_tags__().input_tags.positive_only:
        other = build(method).fit(X, toy.y, sample_domain=toy.sample_domain)
        assert np.isfinite(result(other, X)).all()
        return
    with pytest.raises(ValueError, match="Negative values"):
        build(method).fit(X, toy.y, sample_domain=toy.sample_domain)
    with pytest.raises(ValueError, match="Negative values"):
        predictions(estimator, X, toy.sample_domain)


@EVERY_BASE_PATH
def test_another_number_of_terms(method):
    toy, estimator = fit_once(method)
    with pytest.raises(ValueError, match="features"):
        predictions(estimator, toy.X[:, :-1], toy.sample_domain)


@EVERY_BASE_PATH
def test_not_fitted(method):
    toy, estimator = make_toy(), build(method)
    with pytest.raises(NotFittedError):
        predictions(estimator, toy.X, toy.sample_domain)
    if method.kind == "classifier":
        for call in (estimator.top_words, lambda: estimator.score(toy.X, toy.truth)):
            with pytest.raises(NotFittedError):
                call()


@EVERY_BASE_PATH
@pytest.mark.parametrize(
    ("sample_domain", "words"),
    [
        ([0, -1], "shape"),
        (np.zeros((80, 1)), "shape"),
        (["a"] * 80, "dtype"),
        ([True] * 80, "dtype"),
        ([None] * 80, "dtype"),
        (np.full(80, 0.5), "dtype"),
        (np.full(80, np.inf), "dtype"),
    ],
    ids=["short", "column", "text", "flags", "none", "fractions", "infinity"],
)
def test_bad_sample_domain(method, sample_domain, words):
    toy = make_toy()
    with pytest.raises(ValueError, match=f"sample_domain.*{words}") as error:
        build(method).fit(toy.X, toy.y, sample_domain=sample_domain)
    assert one_sentence(str(error.value))


@EVERY_BASE_PATH
def test_whole_numbers_as_floats_are_domains(method):
    toy, estimator = fit_once(method)
    other = build(method).fit(toy.X, toy.y, sample_domain=toy.sample_domain.astype(float))
    np.testing.assert_array_equal(result(other, toy.X), result(estimator, toy.X))


@EVERY_BASE_PATH
@pytest.mark.parametrize("container", [list, np.array, pd.Series])
def test_texts_instead_of_a_matrix(method, container):
    with pytest.raises(ValueError, match=r"X holds texts.*isthmus\.Transfer"):
        build(method).fit(container(["good book", "bad book"]), container([0, 1]))


@EVERY_BASE_PATH
def test_callback_that_is_no_function(method):
    toy = make_toy()
    with pytest.raises(ValueError, match="callback must be a function"):
        build(method).fit(toy.X, toy.y, sample_domain=toy.sample_domain, callback="loud")


@EVERY_BASE_PATH
def test_unknown_preset(method):
    with pytest.raises(ValueError, match="no preset 'nonsense'"):
        method.estimator_class.from_preset("nonsense")


@parametrize(m for m in one_per_base_path([*methods_of("classifier"), *methods_of("clusterer")]))
def test_several_targets_need_sample_domain_at_predict(method):
    toy, estimator = fit_once(method, (0, -1, -2))
    with pytest.raises(ValueError, match=r"2 target domains.*sample_domain is required"):
        estimator.predict(toy.X)
    with pytest.raises(ValueError, match=r"[Uu]nknown domain 5.*row 2"):
        estimator.predict(toy.X[:3], sample_domain=[0, -1, 5])


@CLASSIFIERS
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: (t.X, np.full(len(t.y), -1), t.sample_domain), "no labeled row"),
        (lambda t: (t.X, [None] * len(t.y), None), "no labeled row"),
        (lambda t: (t.X, np.where(t.y >= 0, 7, None), t.sample_domain), "one class only"),
        (lambda t: (t.X, np.where(t.y >= 0, 1, -1), t.sample_domain), "missing_label=None"),
        (lambda t: (t.X, t.y, abs(t.sample_domain)), "no row as target"),
        (lambda t: (t.X, t.y, -1 - abs(t.sample_domain)), "no row as source"),
        (lambda t: (t.X, t.y[:-1], None), "inconsistent numbers of samples"),
        (lambda t: (t.X, None, None), "requires y to be passed"),
        (lambda t: (t.X, ["a", 1, *[None] * (len(t.y) - 2)], None), "int, str"),
        (lambda t: (t.X, np.where(t.y < 0, np.inf, t.y), None), "infinity"),
        (lambda t: (t.X, np.where(t.y < 0, np.nan, t.y + 0.5), t.sample_domain), "label type"),
        (
            lambda t: (
                pd.DataFrame(t.X.toarray(), columns=[f"w{j}" for j in range(t.X.shape[1])]),
                pd.Series(t.y, index=np.arange(len(t.y)) + 1),
                t.sample_domain,
            ),
            "different indexes",
        ),
    ],
    ids=[
        *("all marked", "all None", "one class", "-1 and 1", "no target", "no source"),
        *("short y", "no y", "mixed types", "infinite label", "fractional label", "other index"),
    ],
)
def test_bad_labels_and_domains(method, change, words):
    X, y, sample_domain = change(make_toy())
    with pytest.raises(ValueError, match=words) as error:
        build(method).fit(X, y, sample_domain=sample_domain)
    assert "\n" not in str(error.value)


def test_problem_needs_a_label_for_every_row():
    toy = make_toy()
    with pytest.raises(ValueError, match=r"79 labels.*80 rows"):
        make_problem(toy.X, toy.y[:-1])


@CLASSIFIERS
def test_source_without_labels(method):
    toy = make_toy()
    sample_domain = np.where(toy.is_target & (toy.truth == 0), 4, toy.sample_domain)
    if not method.estimator_class._sources_need_labels:
        estimator = build(method).fit(toy.X, toy.y, sample_domain=sample_domain)
        assert estimator.domains_.tolist() == [0, 4, -1]
        return
    with pytest.raises(ValueError, match="domain 4 has no labeled row"):
        build(method).fit(toy.X, toy.y, sample_domain=sample_domain)


@CLASSIFIERS
def test_unlabeled_rows_are_the_target_without_sample_domain(method):
    toy, given = fit_once(method, n_classes=3)
    estimator = build(method)
    if not estimator._unlabeled_is_target:
        with pytest.raises(ValueError, match="sample_domain is required"):
            estimator.fit(toy.X, toy.y)
        return
    estimator.fit(toy.X, toy.y)
    np.testing.assert_array_equal(estimator.transduction_, given.transduction_)
    assert estimator.domains_.tolist() == [0, -1]


@CLASSIFIERS
@pytest.mark.parametrize("names", [["bad", "good"], [-1, 1], [True, False], [-1, 3], [-1, 0, 1]])
def test_labels_of_any_type(method, names):
    toy, expected = fit_once(method, n_classes=len(names))
    labels = [names[c] for c in toy.truth]
    source = np.flatnonzero(~toy.is_target)
    X, y, sample_domain = stack_domains(
        {"books": (toy.X[source], [labels[i] for i in source])}, {"dvd": toy.X[toy.is_target]}
    )
    estimator = build(method).fit(X, y, sample_domain)
    assert estimator.classes_.tolist() == sorted(names)
    if names == sorted(names):
        np.testing.assert_array_equal(estimator.label_distributions_, expected.label_distributions_)
    right = np.mean(estimator.transduction_ == np.array(labels))
    assert right > least_accuracy(method)
    scored = estimator.score(X, labels, sample_domain=sample_domain)
    assert scored == np.mean(estimator.predict(X, sample_domain) == np.array(labels))


@CLASSIFIERS
@pytest.mark.parametrize(
    "marked",
    [
        lambda y: [None if c < 0 else int(c) for c in y],
        lambda y: np.where(y < 0, np.nan, y),
        lambda y: pd.Series(pd.array([None if c < 0 else c for c in y], "Int64")),
        lambda y: y[:, None],
    ],
    ids=["None", "NaN", "NA", "column"],
)
@pytest.mark.filterwarnings("ignore:A column-vector y:sklearn.exceptions.DataConversionWarning")
def test_marks_of_unlabeled_rows(method, marked):
    toy, expected = fit_once(method)
    estimator = build(method).fit(toy.X, marked(toy.y), sample_domain=toy.sample_domain)
    np.testing.assert_array_equal(estimator.transduction_, expected.transduction_)


@CLASSIFIERS
def test_missing_label_of_ones_own(method):
    toy, expected = fit_once(method)
    names = np.array(["a", "b", "?"], object)[toy.y]
    estimator = build(method, missing_label="?").fit(toy.X, names, sample_domain=toy.sample_domain)
    assert estimator.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(estimator.label_distributions_, expected.label_distributions_)


@pytest.mark.parametrize(
    ("labels", "missing_label"), [(np.array([True, False]), 1), (np.array(["a", "nan"]), np.nan)]
)
def test_missing_label_of_another_type_marks_nothing(labels, missing_label):
    toy = make_toy((0,), n_per_class=5)
    y = labels[toy.truth]
    estimator = SourceLogistic(missing_label=missing_label).fit(toy.X, y)
    assert set(estimator.classes_.tolist()) == set(labels.tolist())
    np.testing.assert_array_equal(estimator.transduction_, y)


@CLASSIFIERS
def test_two_marks_at_once_give_a_warning(method):
    toy = make_toy()
    y = toy.y.astype(object)
    y[-1] = None
    with pytest.warns(UserWarning, match="missing_label=None"):
        build(method).fit(toy.X, y, sample_domain=toy.sample_domain)


@CLASSIFIERS
def test_target_without_unlabeled_rows_gives_a_warning(method):
    toy = make_toy()
    with pytest.warns(UserWarning, match="nothing to predict"):
        build(method).fit(toy.X, toy.truth, sample_domain=toy.sample_domain)


@CLASSIFIERS
def test_score_counts_labeled_rows_of_all_domains(method):
    toy, estimator = fit_once(method, (0, -1, -2))
    predicted = estimator.predict(toy.X, toy.sample_domain)
    accuracy = np.mean(predicted == toy.truth)
    assert estimator.score(toy.X, toy.truth, sample_domain=toy.sample_domain) == accuracy
    column = toy.truth[:, None]
    assert estimator.score(toy.X, column, sample_domain=toy.sample_domain) == accuracy
    # Five labels that are not a class count as wrong; five rows without a label do not count.
    marked = np.array([*[7] * 5, *predicted[5:-5].tolist(), *[None] * 5], object)
    score = estimator.score(toy.X, marked, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(score, 1 - 5 / (len(toy.y) - 5))
    weights = np.where(np.arange(len(toy.y)) < 5, 3.0, 1.0)
    score = estimator.score(toy.X, marked, weights, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(score, 1 - 15 / (len(toy.y) + 5))
    with pytest.raises(ValueError, match="score"):
        estimator.score(toy.X, [None] * len(toy.y), sample_domain=toy.sample_domain)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimator.score(toy.X, toy.truth[:-1], sample_domain=toy.sample_domain)


@CLASSIFIERS
@pytest.mark.parametrize("names", [[-1, 0, 1], [-1, 1, 2]])
def test_class_called_minus_one_counts_in_the_score(method, names):
    toy = make_toy(n_classes=3)
    labels = np.array(names)[toy.truth]
    source = ~toy.is_target
    X, y, sample_domain = stack_domains(
        {"a": (toy.X[source], labels[source])}, {"b": toy.X[toy.is_target]}
    )
    estimator = build(method).fit(X, y, sample_domain)
    accuracy = np.mean(estimator.predict(X, sample_domain) == labels)
    assert estimator.score(X, labels, sample_domain=sample_domain) == accuracy
    assert DomainScorer()(estimator, X, labels, sample_domain=sample_domain) == accuracy
    lowest = labels == -1
    right = np.mean(estimator.predict(X[lowest], sample_domain[lowest]) == -1)
    assert estimator.score(X[lowest], labels[lowest], sample_domain=sample_domain[lowest]) == right


@EVERY_BASE_PATH
@pytest.mark.parametrize("routing", [True, False])
def test_pipeline(method, routing):
    toy = make_toy()
    weighted = make_weighting("log-tfidf").fit_transform(toy.X)
    expected = result(fit(method, Toy(weighted, toy.truth, toy.sample_domain, toy.y)), weighted)
    with config_context(enable_metadata_routing=routing):
        pipeline = make_pipeline(make_weighting("log-tfidf"), build(method))
        step = pipeline.steps[-1][0]
        key = "sample_domain" if routing else f"{step}__sample_domain"
        pipeline.fit(toy.X, toy.y, **{key: toy.sample_domain})
        np.testing.assert_allclose(result(pipeline[-1], weighted), expected, atol=1e-6)
        if routing and method.kind != "transformer":
            labels = pipeline.predict(toy.X, sample_domain=toy.sample_domain)
            direct = pipeline[-1].predict(weighted, sample_domain=toy.sample_domain)
            np.testing.assert_array_equal(labels, direct)
