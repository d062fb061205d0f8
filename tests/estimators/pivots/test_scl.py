"""SCL beyond the contract tests."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from isthmus import SCL, ModelFileError
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy

# Terms of the toy problem with two domains and two classes: 12 shared ones, then 16 of the source
# and 16 of the target, half of them of each class.
SHARED, TARGET = np.arange(12), np.arange(28, 44)


def expected_warning(message):
    return nullcontext() if message is None else pytest.warns(UserWarning, match=message)


def fit(model, toy):
    return model.fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("pivots", ["label", "frequency", "domain"])
@pytest.mark.parametrize("classifier", ["svm", "logistic"])
def test_every_pivot_rule_and_classifier(pivots, classifier):
    toy = make_toy(n_per_class=60)
    model = fit(SCL(pivots=pivots, classifier=classifier), toy)
    assert toy.target_accuracy(model.transduction_) > 0.9
    n_features = len(model.singular_values_)
    assert n_features <= len(model.pivots_) == 54 // 4
    assert model.components_.shape == (n_features, 54)
    assert model.components_[:, model.pivots_].any()
    assert model.feature_coef_.shape == (2, n_features)
    assert model.coef_.shape == (2, 54)


def test_features_equal_a_dense_computation():
    toy = make_toy()
    model = fit(SCL(3, pivots=SHARED, ridge=2.0, feature_weight=0.7), toy)
    X = toy.X.toarray()
    presence = (X[:, SHARED] > 0).astype(float)
    presence /= np.maximum(1.0, np.linalg.norm(presence, axis=1, keepdims=True))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    centered_documents = without_means(X, toy.is_target)
    X[:, SHARED] = 0
    centered = [without_means(M, toy.is_target) for M in (X, presence)]
    W = np.linalg.solve(centered[0].T @ centered[0] + 2 * np.eye(54), centered[0].T @ centered[1])
    W /= np.linalg.norm(W, axis=0)
    U, s, Vt = np.linalg.svd(W)
    np.testing.assert_allclose(model.singular_values_, s[:3], rtol=1e-6)
    U[SHARED, :3] = Vt[:3].T  # pivots get the right singular vectors
    theta = U[:, :3] * s[:3] / s[0]
    signs = np.sign((theta * model.components_.T).sum(axis=0))
    np.testing.assert_allclose(model.components_.T, theta * signs, atol=1e-6)
    features = centered_documents @ (theta * signs)
    features *= 0.7 / np.linalg.norm(features, axis=1).mean()
    np.testing.assert_allclose(model.transform(toy.X, toy.sample_domain), features, atol=1e-5)


def without_means(M, is_target):
    """Subtract domain means, shrunk to the overall mean by two documents; rows of zeros stay."""
    filled = M.any(axis=1)
    centered = M.copy()
    for rows in (is_target & filled, ~is_target & filled):
        centered[rows] -= (M[rows].sum(axis=0) + 2 * M[filled].mean(axis=0)) / (rows.sum() + 2)
    return centered


def test_unlabeled_words_get_the_class_of_the_pivots_that_they_predict():
    toy = make_toy(n_per_class=60)
    X = toy.X.toarray()
    X[np.ix_(~toy.is_target, TARGET)] = 0
    model = SCL(pivots=SHARED).fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.coef_[:, TARGET], 0, atol=1e-12)
    single_words = sparse.csr_array((np.ones(16), (np.arange(16), TARGET)), shape=(16, 54))
    np.testing.assert_array_equal(model.predict(single_words), [0] * 8 + [1] * 8)
    words = model.top_words(n_words=20)
    assert set(TARGET[:8]) <= set(words[0][-1])
    assert set(TARGET[8:]) <= set(words[1][-1])


@pytest.mark.parametrize("domains", [(0, 1, -1), (0, 1, -1, -2)], ids=["one target", "two"])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_sources_and_classes(domains, n_classes):
    toy = make_toy(domains, n_classes, n_per_class=40)
    model = fit(SCL(), toy)
    assert toy.target_accuracy(model.transduction_) > 0.9
    assert list(model.domain_means_) == model.domains_.tolist()


def test_pivots_by_name_or_number():
    toy = make_toy()
    frame = pd.DataFrame(toy.X.toarray(), columns=[f"w{i}" for i in range(54)])
    by_name = SCL(pivots=["w3", "w11", "w0"]).fit(frame, toy.y, toy.sample_domain)
    by_number = fit(SCL(pivots=[3, 11, 0]), toy)
    assert by_name.pivots_.tolist() == by_number.pivots_.tolist() == [3, 11, 0]
    np.testing.assert_allclose(by_name.components_, by_number.components_, atol=1e-7)


def test_a_transformer_needs_labels_only_to_select_pivots():
    toy = make_toy()
    model = SCL(pivots="frequency", classifier=None)
    features = model.fit_transform(toy.X, sample_domain=toy.sample_domain)
    with_labels = fit(SCL(pivots="frequency"), toy)
    np.testing.assert_allclose(features, with_labels.transform(toy.X, toy.sample_domain))
    names = model.get_feature_names_out().tolist()
    assert names == [f"scl{i}" for i in range(features.shape[1])]
    with pytest.raises(ValueError, match="makes features and no labels"):
        model.predict(toy.X)
    with pytest.raises(ValueError, match="Pivots are selected by label but no row is labeled"):
        SCL(classifier=None).fit(toy.X, sample_domain=toy.sample_domain)


@pytest.mark.parametrize("everywhere", [False, True], ids=["all are pivots", "pivots everywhere"])
def test_only_documents_are_used_if_no_pivot_can_be_predicted(everywhere):
    toy = make_toy()
    X = toy.X.toarray() + everywhere
    model = SCL(pivots=np.arange(20 if everywhere else 54))
    expected = None if everywhere else "5 of the 54 pivots given do not occur in every domain"
    with expected_warning(expected):
        model.fit(X, toy.y, toy.sample_domain)
    assert np.abs(model.transform(X, toy.sample_domain)).max() < 1e-6
    assert model.components_.shape == (1, 54)
    without = SCL(pivots=SHARED, feature_weight=0.0).fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.coef_, without.coef_, atol=1e-6)
    np.testing.assert_array_equal(model.transduction_, without.transduction_)


def test_an_empty_document_has_no_features():
    toy = make_toy()
    model = fit(SCL(), toy)
    assert not model.transform(np.zeros((2, 54))).any()


def test_there_are_at_most_as_many_features_as_pivots():
    model = fit(SCL(54, n_pivots=5), make_toy())
    assert model.components_.shape == (5, 54)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"n_components": "many"}, "n_components must be"),
        ({"n_components": 55}, "n_components=55 is more than the 54 terms"),
        ({"n_pivots": 0}, "n_pivots must be at least 1"),
        (
            {"pivots": "best"},
            "must be one of 'label', 'shared', 'frequency', 'domain', or a list such as",
        ),
        ({"pivots": []}, "list of pivots must hold column names or numbers"),
        ({"pivots": ["good"]}, "given by name but the columns have no names"),
        ({"pivots": [54]}, "no column 54 for a pivot"),
        ({"min_df": 81}, "occurs in 81 documents"),
        ({"ridge": 0}, "ridge must be at least"),
        ({"feature_weight": -1}, "feature_weight must be at least 0"),
        ({"classifier": "tree"}, "classifier must be one of"),
        ({"C": 0}, "C must be above 0"),
    ],
    ids=lambda value: "-".join(f"{k}={v}" for k, v in value.items()) if type(value) is dict else "",
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message) as error:
        fit(SCL(**parameters), make_toy())
    assert "\n" not in str(error.value)


def test_model_file_round_trip():
    toy = make_toy()
    model = fit(SCL(), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(model, packer))
    loaded = unpack_classifier(state, 54)
    np.testing.assert_array_equal(loaded.predict_proba(toy.X), model.predict_proba(toy.X))
    means = {**model.domain_means_, 0: model.domain_means_[0][1:]}
    damaged = {**state, "model": {**state["model"], "domain_means": means}}
    with pytest.raises(ModelFileError, match="does not match the rest"):
        unpack_classifier(damaged, 54)
