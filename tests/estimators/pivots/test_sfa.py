"""SFA beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from isthmus import SFA
from isthmus.storage.container import ModelFileError
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy

# Terms of the toy problem with two domains and two classes: 12 shared ones, 16 of the source, 16 of
# the target, 10 of no class.
SHARED, TARGET = np.arange(12), np.arange(28, 44)


def fit(model, toy):
    return model.fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("pivots", ["shared", "frequency", "domain", "label"])
@pytest.mark.parametrize("classifier", ["svm", "logistic"])
def test_every_pivot_rule_and_classifier(pivots, classifier):
    toy = make_toy(n_per_class=60)
    model = fit(SFA(pivots=pivots, classifier=classifier), toy)
    assert toy.target_accuracy(model.transduction_) > 0.95
    assert len(model.pivots_) == 54 // 4
    n_features = len(model.singular_values_)
    assert n_features < len(model.pivots_)
    assert model.components_.shape == (n_features, 54)
    assert model.coef_.shape == (2, 54)
    assert model.feature_coef_.shape == (2, n_features)
    without = fit(SFA(pivots=pivots, classifier=classifier, with_pivots=False), toy)
    np.testing.assert_array_equal(without.components_[:, model.pivots_], 0)
    others = np.setdiff1d(np.arange(54), model.pivots_)
    np.testing.assert_array_equal(model.components_[:, others], without.components_[:, others])
    assert model.components_[:, model.pivots_].any(axis=0).all()
    assert without.components_.any(axis=0).sum() == 54 - len(model.pivots_)


def test_features_are_products_of_documents_and_components():
    toy = make_toy()
    model = fit(SFA(3, pivots=SHARED, feature_weight=2.0), toy)
    norms = np.sqrt(toy.X.multiply(toy.X).sum(axis=1))
    expected = (toy.X @ model.components_.T) / norms[:, None]
    expected *= 2 / np.linalg.norm(expected, axis=1).mean()
    features = model.transform(toy.X, toy.sample_domain)
    np.testing.assert_allclose(features, expected, atol=1e-10)
    assert model.get_feature_names_out().tolist() == ["sfa0", "sfa1", "sfa2"]


@pytest.mark.parametrize("domains", [(0, 1, -1), (0, 1, -1, -2)])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_sources_and_classes(domains, n_classes):
    toy = make_toy(domains, n_classes, n_per_class=40)
    model = fit(SFA(), toy)
    assert toy.target_accuracy(model.transduction_) > 0.95
    first = model.pivots_[: 3 * n_classes]
    assert (first < 6 * n_classes).all()  # terms of a class that all domains use


def test_unlabeled_words_get_the_class_of_the_pivots_that_they_occur_with():
    toy = make_toy(n_per_class=60)
    X = toy.X.toarray()
    X[np.ix_(~toy.is_target, TARGET)] = 0
    model = SFA(pivots=SHARED).fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.coef_[:, TARGET], 0, atol=1e-12)
    words = model.top_words(n_words=54)
    for label, own in ((0, TARGET[:8]), (1, TARGET[8:])):
        assert set(own) <= set(words[label][-1][:20])
    single_words = sparse.csr_array((np.ones(16), (np.arange(16), TARGET)), shape=(16, 54))
    np.testing.assert_array_equal(model.predict(single_words), [0] * 8 + [1] * 8)


def test_pivots_by_name_or_number():
    toy = make_toy()
    names = [f"w{i}" for i in range(54)]
    frame = pd.DataFrame(toy.X.toarray(), columns=names)
    by_name = SFA(pivots=["w3", "w11", "w0"]).fit(frame, toy.y, toy.sample_domain)
    by_number = fit(SFA(pivots=[3, 11, 0]), toy)
    assert by_name.pivots_.tolist() == by_number.pivots_.tolist() == [3, 11, 0]
    np.testing.assert_allclose(by_name.components_, by_number.components_, atol=1e-12)


@pytest.mark.parametrize("time", [0.0, 2.0])
def test_diffusion_time_weights_features_by_their_singular_values(time):
    toy = make_toy()
    model, plain = fit(SFA(diffusion_time=time), toy), fit(SFA(), toy)
    s = plain.singular_values_
    assert 1 > s[0] > s[-1] > 0
    np.testing.assert_allclose(
        model.components_, plain.components_ * s[:, None] ** (time - 1), rtol=1e-7, atol=1e-12
    )


def test_a_transformer_needs_labels_only_to_select_pivots():
    toy = make_toy()
    model = SFA(classifier=None, pivots="frequency")
    features = model.fit_transform(toy.X, sample_domain=toy.sample_domain)
    with_labels = fit(SFA(pivots="frequency"), toy)
    np.testing.assert_allclose(features, with_labels.transform(toy.X, toy.sample_domain))
    with pytest.raises(ValueError, match="makes features and no labels"):
        model.predict(toy.X)
    with pytest.raises(ValueError, match="Pivots are selected by label but no row is labeled"):
        SFA(classifier=None).fit(toy.X, sample_domain=toy.sample_domain)


def test_only_documents_are_used_if_all_terms_are_pivots():
    toy = make_toy()
    with pytest.warns(UserWarning, match="5 of the 54 pivots given do not occur in every domain"):
        model = fit(SFA(pivots=np.arange(54)), toy)
    np.testing.assert_array_equal(model.components_, np.zeros((1, 54)))
    np.testing.assert_array_equal(model.transform(toy.X, toy.sample_domain), 0)
    without = fit(SFA(feature_weight=0.0), toy)
    np.testing.assert_allclose(model.coef_, without.coef_, atol=1e-6)
    np.testing.assert_array_equal(model.transduction_, without.transduction_)


def test_preset_paper():
    model = SFA.from_preset("paper")
    assert (model.pivots, model.diffusion_time) == ("domain", 0.0)
    toy = make_toy(n_per_class=60)
    assert toy.target_accuracy(fit(model, toy).transduction_) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"n_components": "many"}, "n_components must be"),
        ({"n_components": 55}, "n_components=55 is more than the 54 terms"),
        ({"n_pivots": 0}, "n_pivots must be at least 1"),
        (
            {"pivots": "best"},
            "pivots must be one of 'label', 'shared', 'frequency', 'domain', or a list such as",
        ),
        ({"pivots": []}, "list of pivots must hold column names or numbers"),
        ({"pivots": ["good"]}, "given by name but the columns have no names"),
        ({"pivots": [54]}, "no column 54 for a pivot"),
        ({"min_df": 81}, "occurs in 81 documents"),
        ({"diffusion_time": -1}, "diffusion_time must be at least 0"),
        ({"feature_weight": -1}, "feature_weight must be at least 0"),
        ({"classifier": "tree"}, "classifier must be one of"),
        ({"C": 0}, "C must be above 0"),
    ],
    ids=lambda value: "-".join(map(str, value.items())) if isinstance(value, dict) else "",
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message) as error:
        fit(SFA(**parameters), make_toy())
    assert "\n" not in str(error.value)


def test_there_are_fewer_features_than_pivots():
    model = fit(SFA(54, n_pivots=5), make_toy())
    assert len(model.pivots_) == 5
    assert model.components_.shape == (4, 54)  # one of five holds the degrees only


def test_model_file_round_trip():
    toy = make_toy()
    model = fit(SFA(pivots=[*range(12)]), toy)
    packer = Packer()
    state = Unpacker(packer.arrays).unpack(pack_classifier(model, packer))
    loaded = unpack_classifier(state, 54)
    np.testing.assert_array_equal(loaded.predict_proba(toy.X), model.predict_proba(toy.X))
    assert loaded.top_words() == model.top_words()
    damaged = {**state, "model": {**state["model"], "components": model.components_[1:]}}
    with pytest.raises(ModelFileError, match="does not match the rest"):
        unpack_classifier(damaged, 54)
