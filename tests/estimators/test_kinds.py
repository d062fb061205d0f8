"""The bases of clusterers and transformers."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_clusterer

from isthmus.estimators.base.clusterer import TransferClusterer
from isthmus.estimators.registry import METHODS
from toy import make_toy


class ByFirstTerm(TransferClusterer):
    """Rows that use the first term, and the others."""

    n_clusters = 2

    def _check_parameters(self):
        pass

    def _cluster(self, problem, X, callback):
        pick = np.eye(problem.domains[0].documents.shape[1])[:, :1]
        return [(domain.documents.times(pick)[:, 0] > 0).astype(int) for domain in problem.domains]

    def _new_labels(self, X, number):
        return X.toarray()[:, 0] > 0


def test_clusterer_puts_labels_back_in_the_order_of_the_rows():
    toy = make_toy((0, 1, 2))
    order = np.random.default_rng(0).permutation(len(toy.y))
    X, numbers = toy.X[order], toy.sample_domain[order]
    clusterer = ByFirstTerm().fit(X, sample_domain=numbers)
    np.testing.assert_array_equal(clusterer.labels_, X.toarray()[:, 0] > 0)
    assert clusterer.domains_.tolist() == [0, 1, 2]
    assert is_clusterer(clusterer)
    np.testing.assert_array_equal(ByFirstTerm().fit_predict(X), clusterer.labels_)


def test_clusterer_asks_for_new_documents_domain_by_domain():
    class ByDomain(ByFirstTerm):
        def _new_labels(self, X, number):
            asked.append((number, X.shape[0]))
            return np.full(X.shape[0], number)

    asked = []
    toy = make_toy((0, 1, 2))
    clusterer = ByDomain().fit(toy.X, sample_domain=toy.sample_domain)
    numbers = [2, 0, 0, 2, 1]
    assert clusterer.predict(toy.X[:5], sample_domain=numbers).tolist() == numbers
    assert asked == [(0, 2), (1, 1), (2, 2)]


def test_transformer_names_its_columns():
    toy = make_toy()
    plsa = METHODS["plsa"].build(n_topics=3, random_state=0, tol=1e-3).fit(toy.X)
    assert plsa.get_feature_names_out().tolist() == ["plsa0", "plsa1", "plsa2"]
    mixtures = plsa.transform(toy.X, sample_domain=toy.sample_domain)
    np.testing.assert_allclose(mixtures.sum(axis=1), 1)
    np.testing.assert_allclose(plsa.components_.sum(axis=1), 1)
