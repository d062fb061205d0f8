"""mSDA beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from isthmus import MarginalizedDenoising, ModelFileError, SourceSVM
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy


def fit(estimator, toy):
    return estimator.fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"n_components": "many"}, "n_components must be 'auto' or a whole number, got 'many'"),
        ({"n_components": 1000}, "n_components=1000 is more than the 54 terms"),
        ({"min_df": 0}, "min_df must be at least 1"),
        ({"min_df": 81}, r"No term occurs in 81 documents, the most frequent one in \d\d: lower"),
        ({"noise": 1.0}, "noise must be at most 0.999"),
        ({"noise": -0.1}, "noise must be at least 0"),
        ({"n_layers": 0}, "n_layers must be at least 1"),
        ({"ridge": 0}, "ridge must be at least 1e-12"),
        ({"feature_weight": -1}, "feature_weight must be at least 0"),
        ({"classifier": "forest"}, "classifier must be one of 'svm', 'logistic', got 'forest'"),
        ({"C": 0}, "C must be above 0"),
    ],
    ids=lambda value: "-".join(f"{k}={v}" for k, v in value.items()) if type(value) is dict else "",
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(MarginalizedDenoising(**parameters), make_toy())


def test_a_small_vocabulary_has_the_exact_solution():
    toy = make_toy()
    estimator = fit(MarginalizedDenoising(noise=0.5, ridge=1e-12, random_state=3), toy)
    X = toy.X.toarray()
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    wide = np.column_stack([X, np.ones(len(X))])
    S = wide.T @ wide
    keep = np.append(np.full(54, 0.5), 1.0)
    Q = S * np.outer(keep, keep)
    np.fill_diagonal(Q, np.diag(S) * keep)
    W = (S[:-1] * keep) @ np.linalg.inv(Q)
    assert estimator.inputs_.tolist() == list(range(54))
    np.testing.assert_allclose(estimator.components_, W[estimator.outputs_, :-1], atol=1e-7)
    np.testing.assert_allclose(estimator.offsets_[0], W[estimator.outputs_, -1], atol=1e-7)
    hidden = np.tanh(wide @ W[estimator.outputs_].T)
    scaled = (hidden - hidden.mean(axis=0)) / hidden.std(axis=0) / np.sqrt(54)
    np.testing.assert_allclose(estimator.transform(toy.X), scaled, atol=1e-6)


def test_frequent_terms_reconstruct_the_most_frequent_ones():
    toy = make_toy()
    frequency = np.count_nonzero(toy.X.toarray(), axis=0)
    estimator = fit(MarginalizedDenoising(7, min_df=12, random_state=0), toy)
    assert estimator.inputs_.tolist() == np.flatnonzero(frequency >= 12).tolist()
    expected = np.argsort(-frequency, kind="stable")[:7]
    assert estimator.outputs_.tolist() == expected.tolist()
    assert estimator.components_.shape == (7, len(estimator.inputs_))
    assert estimator.feature_coef_.shape == (2, 7)
    rare_terms = np.zeros((1, 54))
    rare_terms[0, np.flatnonzero(frequency < 12)] = 1
    empty = estimator.transform(np.zeros((1, 54)))
    np.testing.assert_allclose(estimator.transform(rare_terms), empty)


def test_few_frequent_terms_make_fewer_features():
    toy = make_toy()
    frequency = np.sort(np.count_nonzero(toy.X.toarray(), axis=0))
    estimator = fit(MarginalizedDenoising(30, min_df=int(frequency[-5])), toy)
    assert len(estimator.outputs_) == len(estimator.inputs_) < 30


def test_random_state_determines_the_blocks():
    toy = make_toy()
    first, same, other = (
        fit(MarginalizedDenoising(9, random_state=seed), toy).components_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, same)
    assert np.abs(first - other).max() > 1e-3


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("domains", [(0, -1), (0, 1, -1)])
@pytest.mark.parametrize(
    "parameters",
    [{"n_components": 20}, {"n_layers": 2}, {"classifier": "logistic", "C": 10.0}],
    ids="-".join,
)
def test_better_than_the_source_only_classifier(n_classes, domains, parameters):
    toy = make_toy(domains, n_classes, n_per_class=40)
    model = fit(MarginalizedDenoising(random_state=0, **parameters), toy)
    source_only = toy.target_accuracy(fit(SourceSVM(), toy).transduction_)
    assert source_only < 0.95
    assert toy.target_accuracy(model.transduction_) > max(0.9, source_only)


def test_features_of_all_layers():
    toy = make_toy()
    estimator = fit(MarginalizedDenoising(10, n_layers=3, random_state=0), toy)
    n_inputs = len(estimator.inputs_)
    assert estimator.components_.shape == (10, n_inputs + 20)
    assert estimator.offsets_.shape == (3, 10)
    features = estimator.transform(toy.X) / estimator.feature_scale_ + estimator.feature_shift_
    second = estimator.components_[:, n_inputs : n_inputs + 10]
    expected = np.tanh(features[:, :10] @ second.T + estimator.offsets_[1])
    np.testing.assert_allclose(features[:, 10:20], expected, atol=1e-12)


def test_a_transformer_needs_no_labels():
    toy = make_toy()
    estimator = MarginalizedDenoising(12, classifier=None, feature_weight=2, random_state=0)
    features = estimator.fit_transform(toy.X)
    assert features.shape == (80, 12)
    np.testing.assert_allclose(features.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(np.sum(features**2, axis=0), 80 * 2**2 / 12)
    with_labels = fit(MarginalizedDenoising(12, feature_weight=2, random_state=0), toy)
    np.testing.assert_allclose(with_labels.transform(toy.X), features, atol=1e-12)
    assert estimator.get_feature_names_out()[0] == "marginalizeddenoising0"
    with pytest.raises(ValueError, match="makes features and no labels"):
        estimator.predict(toy.X)


def test_empty_documents_only():
    estimator = MarginalizedDenoising(classifier=None)
    features = estimator.fit_transform(sparse.csr_array((5, 3)))
    np.testing.assert_array_equal(features, np.zeros((5, 1)))


def test_words_that_only_the_target_uses_get_a_class():
    toy = make_toy(n_per_class=60)
    names = [f"shared{i // 6}" for i in range(12)]
    names += [f"source{i // 8}" for i in range(16)] + [f"target{i // 8}" for i in range(16)]
    names = [f"{name}.{i}" for i, name in enumerate([*names, *["noise"] * 10])]
    frame = pd.DataFrame(toy.X.toarray(), columns=names)
    estimator = MarginalizedDenoising(random_state=0).fit(frame, toy.y, toy.sample_domain)
    words = estimator.top_words(n_words=54)
    for label in (0, 1):
        own = [word for word in words[label][-1] if word.startswith("target")]
        assert sum(word.startswith(f"target{label}") for word in own) >= 7
        assert sum(word.startswith(f"target{1 - label}") for word in own) <= 1


@pytest.mark.parametrize("n_layers", [1, 2])
def test_model_file_round_trip(n_layers):
    toy = make_toy()
    estimator = fit(MarginalizedDenoising(10, n_layers=n_layers, random_state=0), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(estimator, packer))
    loaded = unpack_classifier(state, 54)
    np.testing.assert_array_equal(loaded.predict_proba(toy.X), estimator.predict_proba(toy.X))
    assert loaded.top_words() == estimator.top_words()
    for key, value, message in [
        ("inputs", estimator.inputs_ + 54, "inputs are not columns of the documents"),
        ("inputs", estimator.inputs_ - 1, "inputs are not columns of the documents"),
        ("inputs", estimator.inputs_[1:], "the sizes of the layers do not match"),
        ("offsets", np.vstack([estimator.offsets_] * 2), "the sizes of the layers do not match"),
        ("n_terms", 10**9, "n_terms is not the number of terms"),
    ]:
        damaged = {**state, "model": {**state["model"], key: value}}
        with pytest.raises(ModelFileError, match=message):
            unpack_classifier(damaged, 54)


def test_warns_if_domains_share_no_term():
    X = np.kron(np.eye(2), np.ones((4, 3)))
    with pytest.warns(UserWarning, match="Sources and targets share no term"):
        MarginalizedDenoising(random_state=0).fit(X, ["a", "b", "a", "b", None, None, None, None])
