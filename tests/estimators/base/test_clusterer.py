"""The base of clusterers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import is_clusterer

from isthmus.estimators.base.clusterer import TransferClusterer
from isthmus.estimators.base.fitted_model import ClusterFit, ClusterModel
from toy import make_toy


@dataclass(frozen=True, kw_only=True)
class FirstTermModel(ClusterModel):
    def predict_labels(self, X, domain):
        return X.toarray()[:, 0] > 0


class ByFirstTerm(TransferClusterer):
    """Rows that use the first term, and the others."""

    n_clusters = 2

    def _check_parameters(self):
        pass

    def _fit(self, data, callback):
        model = FirstTermModel()
        X = data.X
        labels = [model.predict_labels(X[domain.rows], 0) for domain in data.problem.domains]
        return ClusterFit(model, labels)


def test_labels_are_in_the_order_of_the_rows():
    toy = make_toy((0, 1, 2))
    order = np.random.default_rng(0).permutation(len(toy.y))
    X, numbers = toy.X[order], toy.sample_domain[order]
    clusterer = ByFirstTerm().fit(X, sample_domain=numbers)
    np.testing.assert_array_equal(clusterer.labels_, X.toarray()[:, 0] > 0)
    assert clusterer.domains_.tolist() == [0, 1, 2]
    assert is_clusterer(clusterer)
    np.testing.assert_array_equal(ByFirstTerm().fit_predict(X), clusterer.labels_)


def test_new_documents_are_predicted_domain_by_domain():
    calls = []

    @dataclass(frozen=True, kw_only=True)
    class DomainModel(ClusterModel):
        def predict_labels(self, X, domain):
            calls.append((domain, X.shape[0]))
            return np.full(X.shape[0], domain)

    class ByDomain(ByFirstTerm):
        def _fit(self, data, callback):
            return super()._fit(data, callback)._replace(model=DomainModel())

    toy = make_toy((0, 1, 2))
    clusterer = ByDomain().fit(toy.X, sample_domain=toy.sample_domain)
    numbers = [2, 0, 0, 2, 1]
    assert clusterer.predict(toy.X[:5], sample_domain=numbers).tolist() == numbers
    assert calls == [(0, 2), (1, 1), (2, 2)]
