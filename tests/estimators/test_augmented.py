"""What the classifiers with features beside the documents have in common."""

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
def test_the_size_of_the_numbers_does_not_matter(name, container, size):
    toy = make_toy(dtype=np.float32)
    answers = [
        build(name)
        .fit(container(toy.X.toarray() * np.float32(scale)), toy.y, toy.sample_domain)
        .label_distributions_
        for scale in (1.0, size)
    ]
    np.testing.assert_allclose(*answers, atol=1e-3)


@ALL
def test_features_alone_label_nothing(name):
    toy = make_toy()
    model = build(name).fit(toy.X, toy.y, toy.sample_domain)
    model.set_params(classifier=None).fit(toy.X, toy.y, toy.sample_domain)
    assert not hasattr(model, "transduction_")  # nor what an earlier fit found
    for ask in (
        lambda: model.predict(toy.X),
        lambda: model.predict_proba(toy.X),
        lambda: model.score(toy.X, toy.truth),
        lambda: model.top_words(),
    ):
        with pytest.raises(ValueError, match=r"\(classifier=None\) makes features and no labels"):
            ask()


@ALL
def test_new_documents_have_the_features_that_they_had_in_the_fit(name):
    toy = make_toy()
    model = build(name)
    together = model.fit_transform(toy.X, toy.y, sample_domain=toy.sample_domain)
    again = model.transform(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(together, again, atol=1e-12)
    without_word = model.fit_transform(toy.X, toy.y)  # unlabelled rows are the target
    np.testing.assert_allclose(without_word, together, atol=1e-12)


@ALL
def test_features_go_to_a_classifier_in_a_pipeline(name):
    toy = make_toy()
    pipeline = make_pipeline(build(name, classifier=None), SourceSVM(C=10.0))
    maker, last = (step for step, _ in pipeline.steps)
    numbers = toy.sample_domain
    pipeline.fit(
        toy.X, toy.y, **{f"{maker}__sample_domain": numbers, f"{last}__sample_domain": numbers}
    )
    labels = pipeline.predict(toy.X[toy.is_target])
    assert np.mean(labels == toy.truth[toy.is_target]) > 0.8


@ALL
def test_no_weight_is_the_plain_svm(name):
    toy = make_toy()
    X = toy.X / np.sqrt(toy.X.multiply(toy.X).sum(axis=1))[:, None]
    X = sparse.csr_array(X)
    alone = SourceSVM(C=0.7).fit(X, toy.y, toy.sample_domain)
    model = build(name, feature_weight=0.0, C=0.7).fit(X, toy.y, toy.sample_domain)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-4)
    np.testing.assert_array_equal(model.transduction_, alone.transduction_)
