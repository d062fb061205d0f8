"""What all classifiers on documents and their features have in common."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

from isthmus import SourceSVM
from isthmus.estimators.registry import METHODS
from toy import make_toy

ALL = pytest.mark.parametrize("name", ["scl", "sfa", "msda", "pjnmf"])


def build(name, **parameters):
    model = METHODS[name].build(**parameters)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@ALL
@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("size", [1e-10, 1e20])
def test_results_do_not_depend_on_the_scale_of_the_values(name, container, size):
    toy = make_toy(dtype=np.float32)
    memberships = [
        build(name)
        .fit(container(toy.X.toarray() * np.float32(scale)), toy.y, toy.sample_domain)
        .label_distributions_
        for scale in (1.0, size)
    ]
    np.testing.assert_allclose(*memberships, atol=1e-3)


@ALL
def test_a_transformer_has_no_labels(name):
    toy = make_toy()
    model = build(name).fit(toy.X, toy.y, toy.sample_domain)
    model.set_params(classifier=None).fit(toy.X, toy.y, toy.sample_domain)
    for attribute in ("transduction_", "label_distributions_", "classes_", "coef_", "term_totals_"):
        assert not hasattr(model, attribute)  # of the earlier fit
    for method in (
        lambda: model.predict(toy.X),
        lambda: model.predict_proba(toy.X),
        lambda: model.score(toy.X, toy.truth),
        lambda: model.top_words(),
    ):
        with pytest.raises(ValueError, match=r"\(classifier=None\) makes features and no labels"):
            method()


@ALL
def test_a_transformer_can_become_a_classifier(name):
    toy = make_toy()
    fitted = build(name).fit(toy.X, toy.y, toy.sample_domain)
    model = build(name, classifier=None).fit(toy.X, toy.y, toy.sample_domain)
    np.testing.assert_array_equal(model.feature_scale_, fitted.feature_scale_)
    model.set_params(classifier="svm").fit(toy.X, toy.y, toy.sample_domain)
    np.testing.assert_array_equal(model.label_distributions_, fitted.label_distributions_)
    assert sorted(vars(model)) == sorted(vars(fitted))


@ALL
def test_fit_transform_equals_transform(name):
    toy = make_toy()
    model = build(name)
    together = model.fit_transform(toy.X, toy.y, sample_domain=toy.sample_domain)
    again = model.transform(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(together, again, atol=1e-12)
    by_default = model.fit_transform(toy.X, toy.y)  # unlabeled rows are the target
    np.testing.assert_allclose(by_default, together, atol=1e-12)


@ALL
def test_transformer_in_a_pipeline(name):
    toy = make_toy()
    pipeline = make_pipeline(build(name, classifier=None), SourceSVM(C=10.0))
    domains = {f"{step}__sample_domain": toy.sample_domain for step, _ in pipeline.steps}
    pipeline.fit(toy.X, toy.y, **domains)
    labels = pipeline.predict(toy.X[toy.is_target])
    assert np.mean(labels == toy.truth[toy.is_target]) > 0.8


@ALL
def test_a_feature_weight_of_zero_is_the_plain_svm(name):
    toy = make_toy()
    X = toy.X / np.sqrt(toy.X.multiply(toy.X).sum(axis=1))[:, None]
    X = sparse.csr_array(X)
    svm = SourceSVM(C=0.7).fit(X, toy.y, toy.sample_domain)
    model = build(name, feature_weight=0.0, C=0.7).fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.coef_, svm.coef_, atol=1e-4)
    np.testing.assert_array_equal(model.transduction_, svm.transduction_)
