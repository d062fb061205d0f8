"""The engine in array expressions, on NumPy, against the engine of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from isthmus.matrices.array_engine import ArrayDenseDocuments, ArrayEngine
from isthmus.matrices.dense import DenseDocuments
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import StepOptions


class NumpyEngine(ArrayEngine):
    """The engine whose arrays are those of NumPy."""

    name = "numpy"
    xp = np

    def documents(self, X, rows=None):
        return ArrayDenseDocuments(X if rows is None else X[rows], engine=self)

    def asarray(self, array, dtype=None):
        return np.asarray(array, dtype)

    def to_host(self, array):
        return np.asarray(array)


HOST, ARRAYS = HostEngine(), NumpyEngine()


@pytest.fixture
def generator():
    return np.random.default_rng(0)


@pytest.fixture
def both(generator):
    """The same scaled documents in both classes."""
    X = generator.random((40, 9)) * (generator.random((40, 9)) < 0.6)
    X[3] = 0
    rows, columns = generator.random(40) + 0.1, generator.random(9) + 0.1
    pair = DenseDocuments(X), ArrayDenseDocuments(X, engine=ARRAYS)
    return [documents.scaled(rows=rows).scaled(columns=columns) for documents in pair]


def test_products_and_sums(both, generator):
    right, left = generator.random((9, 3)), generator.random((40, 3))
    chosen = np.array([1, 3, 17])
    results = [
        (
            d.times(right),
            d.transposed_times(left),
            d.squares_transposed_times(left),
            d.row_sums(),
            d.row_norms(),
            d.column_sums(),
            d.squared_norm(),
            d.take_rows(chosen).times(right),
            np.vstack([block.times(right) for block in d.row_blocks(7)]),
        )
        for d in both
    ]
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("given", [True, False])
def test_membership_step(both, generator, normalize, given):
    G, P, anchor = (generator.random((n, 3)) for n in (40, 9, 40))
    options = {}
    if given:
        options = {
            "anchor": anchor,
            "pull": generator.random(40),
            "fixed": generator.random(40) < 0.3,
        }
    moved = [G.copy(), G.copy()]
    steps = [
        documents.membership_step(part, P, P.T @ P, StepOptions(normalize=normalize, **options))
        for documents, part in zip(both, moved, strict=True)
    ]
    np.testing.assert_allclose(moved[1], moved[0], rtol=1e-12)
    np.testing.assert_allclose(steps[1].products, steps[0].products, rtol=1e-12)
    np.testing.assert_allclose(steps[1].gram, steps[0].gram, rtol=1e-12)
    assert steps[1].changed == steps[0].changed


def test_topic_step(both, generator):
    topics = generator.dirichlet(np.ones(9), 4).T
    mixtures = generator.dirichlet(np.ones(4), 40)
    moved = [mixtures.copy(), mixtures.copy()]
    steps = [
        documents.topic_step(part, topics) for documents, part in zip(both, moved, strict=True)
    ]
    np.testing.assert_allclose(moved[1], moved[0], rtol=1e-12)
    np.testing.assert_allclose(steps[1].word_side, steps[0].word_side, rtol=1e-12)
    np.testing.assert_allclose(steps[1].log_likelihood, steps[0].log_likelihood, rtol=1e-12)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("tied", [True, False])
def test_word_step_and_profiles(generator, normalize, tied):
    F, S, products = (generator.random(shape) for shape in ((30, 4), (4, 2), (30, 2)))
    products[::7] = 0
    options = {}
    if tied:
        pull = generator.random(30) * (generator.random(30) < 0.5)
        options = {"anchor": pull[:, None] * generator.random((30, 4)), "pull": pull}
    results = []
    for engine in (HOST, ARRAYS):
        clusters, profiles = F.copy(), F @ S
        sums = engine.word_step(
            clusters,
            profiles,
            products,
            S,
            np.eye(2) + 0.1,
            StepOptions(normalize=normalize, **options),
        )
        step = engine.profiles(clusters, S, products)
        results.append((clusters, profiles, sums, step.values, step.gram, step.overlap))
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_other_updates(generator):
    factor, other, small = (generator.random(shape) for shape in ((30, 4), (30, 4), (4, 4)))
    groups = generator.integers(0, 3, 30)
    results = []
    for engine in (HOST, ARRAYS):
        topics, quotient = factor.copy(), factor.copy()
        totals = engine.topic_update(topics, other)
        engine.quotient_step(quotient, [(other, 2.0), (factor, 0.5)], [(factor, small)])
        results.append(
            (
                topics,
                totals,
                quotient,
                engine.multiplied(factor, other, factor + other),
                engine.gram(factor, other),
                engine.product(factor, small),
                engine.normalized_rows(factor),
                engine.cluster_products(factor, other),
                engine.group_sums(other, groups, 3),
            )
        )
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)
