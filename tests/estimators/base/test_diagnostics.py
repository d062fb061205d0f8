"""What speaks against labels is told."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from isthmus import GFHF, LLGC, LWE, SGT, TSVM, CoCC, InformationBottleneck, SourceSVM
from toy import make_toy

METHODS = [TSVM, CoCC, InformationBottleneck, SGT, GFHF, LLGC, LWE]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_labels_that_are_right_are_not_doubted(method):
    toy = make_toy(n_per_class=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = method().fit(toy.X, toy.y, sample_domain=toy.sample_domain)
    assert model.alignment_certainty_ > 4


# Others follow the words in common, which then seem to vouch for them.
@pytest.mark.parametrize("method", [TSVM, CoCC, SGT], ids=lambda method: method.__name__)
def test_groups_that_no_word_names_are_doubted(method):
    """The words of both sides tell a class each on its own; those in common tell nothing."""
    generator = np.random.default_rng(0)
    truth = np.tile(np.repeat([0, 1], 40), 2)
    own = generator.poisson(1.5, (160, 40)) * np.kron(np.eye(4), np.ones((40, 10)))
    X = np.hstack([own, generator.poisson(0.5, (160, 30))])
    y = np.where(np.arange(160) < 80, truth, -1)
    domains = np.where(np.arange(160) < 80, 0, -1)
    with pytest.warns(UserWarning, match="Which of the groups found in target domain -1"):
        model = method().fit(X, y, sample_domain=domains)
    assert model.alignment_certainty_ < 4


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_a_target_without_a_common_term(method):
    toy = make_toy()
    X = toy.X.toarray()
    X = np.hstack([X * ~toy.is_target[:, None], X * toy.is_target[:, None]])
    with pytest.warns(UserWarning, match="has no term in common with the labelled documents"):
        method().fit(X, toy.y, sample_domain=toy.sample_domain)


def test_a_class_that_nobody_got():
    toy = make_toy()
    X = np.hstack([toy.X.toarray(), 50 * (toy.is_target | (toy.truth == 1))[:, None]])
    with pytest.warns(
        UserWarning, match="None of the 40 documents of target domain -1 got"
    ) as told:
        SourceSVM().fit(X, toy.y, sample_domain=toy.sample_domain)
    assert "the class 0, which 50% of the labelled ones have" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = np.r_[0:40, 40:50]  # a handful need not have both
        SourceSVM().fit(X[few], toy.y[few], sample_domain=toy.sample_domain[few])
        SourceSVM(class_prior=[0.0, 1.0]).fit(X, toy.y, sample_domain=toy.sample_domain)
