"""Connected components of graphs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from isthmus.matrices.rows import as_documents
from isthmus.numerics.affinity import CosineAffinity, large_components


def two_topics(n, seed=0):
    generator = np.random.default_rng(seed)
    return np.vstack([np.hstack([generator.random((n, 6)), np.zeros((n, 6))]),
                      np.hstack([np.zeros((n, 6)), generator.random((n, 6))])])  # fmt: skip


@pytest.mark.parametrize("with_self", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_components_with_labels_are_kept(with_self, dtype):
    # Two topics without common terms, a pair and a single document with other terms.
    topics = two_topics(30)
    X = np.zeros((63, 15))
    X[:60, :12] = topics
    X[60:62, 12:14] = [0.3, 0.7]
    X[62, 14] = 0.123
    affinity = CosineAffinity.of(
        [as_documents(sparse.csr_array(X.astype(dtype)))], with_self=with_self
    )
    degrees = affinity.times(np.ones((63, 1)))[:, 0]
    known = np.arange(63) % 2 == 0
    kept = large_components(affinity, degrees, known)
    assert kept.tolist() == [True] * 60 + [False] * 3
    assert large_components(affinity, degrees, known, least=0.03).tolist() == [True] * 62 + [False]
    known[:30] = False  # no label in the first topic
    assert (
        large_components(affinity, degrees, known).tolist()
        == [False] * 30 + [True] * 30 + [False] * 3
    )
