"""PJNMF beyond the contract tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus import PJNMF, stack_domains
from isthmus.storage.estimators import pack_classifier, unpack_classifier
from isthmus.storage.trees import Packer, Unpacker
from toy import make_toy


def fitted(toy, **parameters):
    model = PJNMF(random_state=0, **parameters)
    return model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)


def test_fitted_attributes():
    toy = make_toy()
    model = fitted(toy)
    n_terms = toy.X.shape[1]
    assert model.components_.shape == (len(model.pivots_) // 2, n_terms)
    assert set(model.domain_components_) == {0, -1}
    for topics in model.domain_components_.values():
        assert topics.shape == (len(model.pivots_) // 3, n_terms)
        assert not topics[:, model.pivots_].any()  # only shared topics contain pivots
    assert len(model.objective_) == model.n_iter_ + 1 == 31
    features = model.transform(toy.X, sample_domain=toy.sample_domain)
    assert features.shape == (len(toy.y), len(model.components_))
    np.testing.assert_allclose(np.linalg.norm(features, axis=1).mean(), 0.5, rtol=1e-6)


def test_preset_paper():
    toy = make_toy()
    model = PJNMF.from_preset("paper").set_params(
        n_components=4,
        n_domain_components=2,
        random_state=0,
        alpha=0.1,
        beta=0.2,
        gamma=0.3,
        class_prior="source",  # with so few topics all documents would get one class
    )
    model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert not hasattr(model, "pivots_")
    assert not model.coef_.any()  # the classifier uses the coefficients only
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert (model.transform(toy.X, sample_domain=toy.sample_domain) >= 0).all()


def test_the_penalties_of_preset_printed_only_make_the_topics_small():
    toy = make_toy()
    fits = {}
    for preset in ("paper", "printed"):
        model = PJNMF.from_preset(preset).set_params(
            n_components=4, n_domain_components=2, random_state=0, class_prior="source"
        )
        fits[preset] = model.fit(toy.X, toy.y, sample_domain=toy.sample_domain)
        assert (np.diff(model.objective_) <= 1e-9).all()
    penalized, free = fits["printed"], fits["paper"]
    assert penalized.alpha == penalized.beta == penalized.gamma > 0
    assert np.linalg.norm(penalized.components_) < 0.05 * np.linalg.norm(free.components_)
    # Small topics with large coefficients explain the documents as well as without penalties.
    assert penalized.objective_[-1] < 1.02 * free.objective_[-1]


def test_fold_in_depends_on_the_domain_and_projection_does_not():
    toy = make_toy()
    rows = toy.X[toy.is_target]
    as_source, as_target = np.zeros(rows.shape[0], int), np.full(rows.shape[0], -1)
    for features, is_equal in (("projection", True), ("coefficients", False)):
        model = fitted(toy, features=features)
        first, second = (model.transform(rows, sample_domain=d) for d in (as_source, as_target))
        assert np.allclose(first, second) == is_equal


def test_pivot_weight_cancels_in_the_topics():
    toy = make_toy()
    heavy, light = (fitted(toy, pivot_weight=w) for w in (4.0, 1.0))
    ratio = heavy.components_[:, heavy.pivots_].mean() / heavy.components_.mean()
    plain = light.components_[:, light.pivots_].mean() / light.components_.mean()
    assert ratio < 1.5 * plain  # otherwise it would be 1.8 times as much


def test_unlabeled_source_rows_are_used():
    toy = make_toy(n_per_class=30)
    y = toy.y.copy()
    hidden = np.flatnonzero(~toy.is_target)[::2]
    y[hidden] = -1
    with_pool = PJNMF(random_state=0).fit(toy.X, y, sample_domain=toy.sample_domain)
    keep = np.setdiff1d(np.arange(len(y)), hidden)
    without = PJNMF(random_state=0).fit(toy.X[keep], y[keep], sample_domain=toy.sample_domain[keep])
    assert not np.allclose(with_pool.components_, without.components_)
    assert np.mean(with_pool.transduction_[hidden] == toy.truth[hidden]) > 0.8


@pytest.mark.parametrize("domains", [(0, 1, -1), (0, 1, 2, -1, -2)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_several_domains_and_classes(domains, n_classes):
    toy = make_toy(domains, n_classes)
    model = fitted(toy)
    assert set(model.domain_components_) == set(domains)
    assert toy.target_accuracy(model.transduction_) > 0.7


def test_a_transformer_needs_labels_only_to_select_pivots():
    toy = make_toy()
    model = PJNMF(classifier=None, pivots="frequency", random_state=0)
    features = model.fit_transform(toy.X, sample_domain=toy.sample_domain)
    assert features.shape[0] == len(toy.y)
    with pytest.raises(ValueError, match="makes features and no labels"):
        model.predict(toy.X)
    with pytest.raises(ValueError, match="selected by label but no row is labeled"):
        PJNMF(classifier=None).fit(toy.X, sample_domain=toy.sample_domain)


def test_model_file_round_trip():
    toy = make_toy()
    for features in ("projection", "coefficients"):
        model = fitted(toy, features=features)
        packer = Packer()
        packed = pack_classifier(model, packer)
        state = Unpacker(packer.arrays).unpack(packed)
        loaded = unpack_classifier(state, toy.X.shape[1])
        np.testing.assert_array_equal(loaded.predict_proba(toy.X), model.predict_proba(toy.X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 55}, "n_components=55 is more than the 54 terms"),
        ({"n_domain_components": 55}, "n_domain_components=55 is more than the 54 terms"),
        ({"n_domain_components": 0}, "n_domain_components must be at least 1"),
        ({"factorized": "counts"}, "factorized must be one of"),
        ({"features": "all"}, "features must be one of"),
        ({"pivot_weight": 0}, "pivot_weight must be at least"),
        ({"alpha": -1}, "alpha must be at least 0"),
        ({"include_input": "yes"}, "include_input must be True or False"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"min_df": 99}, "occurs in 99 documents of each domain"),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(make_toy(), **parameters)


def test_domains_without_a_common_term():
    X, y, sample_domain = stack_domains(
        {"a": (sparse.csr_array(np.eye(4, 8)), ["x", "y", "x", "y"])},
        {"b": sparse.csr_array(np.eye(4, 8, 4))},
    )
    with pytest.raises(ValueError, match="no term occurs in every domain"):
        PJNMF().fit(X, y, sample_domain)


def test_empty_documents_and_unused_terms():
    toy = make_toy()
    X = toy.X.toarray()
    X[::4] = 0
    X[:, ::5] = 0
    model = PJNMF(random_state=0).fit(sparse.csr_array(X), toy.y, sample_domain=toy.sample_domain)
    assert np.isfinite(model.label_distributions_).all()
    assert not model.components_[:, ::5].any()
    assert not model.transform(X[::4], sample_domain=toy.sample_domain[::4]).any()


@pytest.mark.parametrize("column", [53, 10])
def test_given_pivots_that_do_not_occur_are_ignored(column):
    toy = make_toy()
    X = toy.X.toarray()
    X[:, column] = 0
    model = PJNMF(pivots=[0, 1, 6, 7, column], random_state=0)
    model.fit(X, toy.y, sample_domain=toy.sample_domain)
    assert model.pivots_.tolist() == [0, 1, 6, 7]
    # The term after the column keeps its position.
    assert all(topics[:, 11].any() for topics in model.domain_components_.values())
    with pytest.raises(ValueError, match="None of the 1 pivots given occurs in a document"):
        PJNMF(pivots=[column]).fit(X, toy.y, sample_domain=toy.sample_domain)


def test_coefficients_use_the_factors_of_the_fit():
    toy = make_toy()
    model = fitted(toy, features="coefficients", max_iter=400)
    projected = fitted(toy, max_iter=400)
    weights = np.where(np.isin(np.arange(54), model.pivots_), 4.0, 1.0)
    np.testing.assert_allclose(model.components_, projected.components_ * weights)
    np.testing.assert_allclose(model.term_scale_, projected.term_scale_ * weights)
