"""CoCC and the information bottleneck on the strict engine, compared with the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import isthmus.matrices.array_engine as array_engine
from engines.strict import StrictArray, StrictEngine
from isthmus.matrices.host import HostEngine
from isthmus.numerics.progress import Stopping
from isthmus.solvers.information.cocc import cocc
from isthmus.solvers.information.ib import information_bottleneck

ENGINES = HostEngine(), StrictEngine()


@pytest.mark.parametrize("rows_at_once", [131_072, 7])
def test_sums_by_group(rows_at_once, monkeypatch):
    monkeypatch.setattr(array_engine, "_GROUPED_ROWS", rows_at_once)
    generator = np.random.default_rng(0)
    rows, groups = generator.random((30, 3)), generator.integers(0, 4, 30)
    expected = np.array([rows[groups == group].sum(axis=0) for group in range(5)])
    for engine in ENGINES:
        sums = engine.group_sums(engine.asarray(rows), engine.asarray(groups), 5)
        assert isinstance(sums, np.ndarray)
        np.testing.assert_allclose(sums, expected, rtol=1e-12)


def problem(dtype, layout):
    generator = np.random.default_rng(1)
    X = (generator.random((60, 25)) * (generator.random((60, 25)) < 0.3)).astype(dtype)
    memberships = generator.dirichlet(np.ones(3), 60)
    fixed = generator.random(60) < 0.2
    return layout(X), memberships, fixed, generator.random((25, 3))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("method", ["cocc", "ib"])
def test_strict_engine_gives_the_same_result(method, layout, dtype):
    X, memberships, fixed, labeled = problem(dtype, layout)
    results = []
    for engine in ENGINES:
        parts = [slice(0, 40), slice(40, 60)]
        blocks = [engine.documents(X, part) for part in parts]
        initial = [engine.asarray(memberships[part]) for part in parts]
        masks = [fixed[part] for part in parts]
        options = {"smoothing": 0.05, "stopping": Stopping(6, 0.0, criterion="labels")}
        if method == "ib":
            result = information_bottleneck(blocks, initial, masks, **options)
        else:
            table = engine.asarray(labeled)
            options |= {"n_word_clusters": 4, "weight": 0.5, "engine": engine}
            result = cocc(blocks, initial, masks, table, **options)
        assert isinstance(result.labels[0], np.ndarray if engine.name == "cpu" else StrictArray)
        results.append((result, np.concatenate([engine.to_host(p) for p in result.labels])))
    (expected, expected_labels), (found, labels) = results
    np.testing.assert_array_equal(labels, expected_labels)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for name in ("log_word_probabilities", "objective"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=tolerance, atol=tolerance
        )
    if method == "cocc":
        np.testing.assert_array_equal(found.word_clusters, expected.word_clusters)
