"""Warnings about doubtful results."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from isthmus import GFHF, LLGC, LWE, SGT, TSVM, CoCC, InformationBottleneck, SourceSVM
from toy import make_toy

METHODS = [TSVM, CoCC, InformationBottleneck, SGT, GFHF, LLGC, LWE]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_correct_labels_give_no_warning(method):
    toy = make_toy(n_per_class=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = method().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert model.alignment_certainty_ > 4


# Other methods follow the shared words, so these agree with the labels.
@pytest.mark.parametrize("method", [TSVM, CoCC, SGT], ids=lambda method: method.__name__)
def test_a_warning_if_shared_words_give_no_evidence(method):
    """Domain-specific words separate the classes, shared words do not."""
    generator = np.random.default_rng(0)
    truth = np.tile(np.repeat([0, 1], 40), 2)
    own = generator.poisson(1.5, (160, 40)) * np.kron(np.eye(4), np.ones((40, 10)))
    X = np.hstack([own, generator.poisson(0.5, (160, 30))])
    y = np.where(np.arange(160) < 80, truth, -1)
    domains = np.where(np.arange(160) < 80, 0, -1)
    with pytest.warns(UserWarning, match="Classes in target domain -1 may be swapped"):
        model = method().fit(X, y, sample_domain=domains)
    assert model.alignment_certainty_ < 4


@pytest.mark.doubtful
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_a_warning_if_domains_share_no_term(method):
    toy = make_toy()
    X = toy.X.toarray()
    X = np.hstack([X * ~toy.is_target[:, None], X * toy.is_target[:, None]])
    with pytest.warns(UserWarning, match="shares no term with the labeled documents"):
        method().fit(X, toy.y, sample_domain=toy.sample_domain)


def test_a_warning_about_an_empty_class():
    toy = make_toy()
    X = np.hstack([toy.X.toarray(), 50 * (toy.is_target | (toy.truth == 1))[:, None]])
    with pytest.warns(
        UserWarning, match="None of the 40 documents of target domain -1 got"
    ) as record:
        SourceSVM().fit(X, toy.y, sample_domain=toy.sample_domain)
    assert "got class 0, although its expected proportion is 50 %" in str(record[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = np.r_[0:40, 40:50]  # too few documents to expect both classes
        SourceSVM().fit(X[few], toy.y[few], sample_domain=toy.sample_domain[few])
        SourceSVM(class_prior=[0.0, 1.0]).fit(X, toy.y, sample_domain=toy.sample_domain)
