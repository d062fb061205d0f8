"""The Dask engine on a real cluster of processes: workers that die, schedulers that close."""

from __future__ import annotations

import os
import pickle
import signal
import warnings

import numpy as np
import pytest

from engines import fake_cluster
from engines.fake_cluster import FakeClient
from isthmus import CoCC, EngineError, MTrick, SourceLogistic, config_context
from isthmus.estimators.components import linear_models
from isthmus.matrices.dask.matrix import DistributedMatrix
from real_cluster import CONFIG, start
from toy import make_toy

distributed = pytest.importorskip("distributed", reason="needs the package distributed")
dask = pytest.importorskip("dask", reason="needs the package dask")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.ends_early,
    pytest.mark.doubtful,
    # Processes that are killed leave sockets behind.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def one_solver_of_linear_classifiers(monkeypatch):
    """Use the same solver on both engines: scikit-learn stops earlier, with other digits."""
    monkeypatch.setattr(linear_models, "_SKLEARN_ENGINES", ())


@pytest.fixture(scope="module")
def client():
    with start(2) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def toy():
    return make_toy((0, -1), 2)


def fitted(X, toy, **parameters):
    return MTrick(max_iter=8, tol=0, **parameters).fit(X, toy.y, toy.sample_domain)


def test_fit_and_predict_a_distributed_matrix(client, toy):
    expected = fitted(toy.X, toy)
    X = DistributedMatrix.from_matrix(toy.X, client, n_blocks=5)
    model = fitted(X, toy)
    np.testing.assert_allclose(model.label_distributions_, expected.label_distributions_, atol=1e-6)
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_cluster.install(monkeypatch)
        same = fitted(DistributedMatrix.from_matrix(toy.X, FakeClient(3), n_blocks=5), toy)
    # Two processes, or three groups in one process: the bits are the same.
    np.testing.assert_array_equal(model.label_distributions_, same.label_distributions_)
    labels = model.predict(X, toy.sample_domain)
    assert isinstance(labels, np.ndarray)
    np.testing.assert_array_equal(labels, expected.predict(toy.X, toy.sample_domain))


def test_blocks_are_on_all_workers(client, toy):
    X = DistributedMatrix.from_matrix(toy.X, client, n_blocks=6)
    SourceLogistic().fit(X, toy.y, toy.sample_domain)
    holders = [set(workers) for workers in client.who_has(X.futures).values()]
    assert all(len(workers) == 1 for workers in holders)
    assert len(set.union(*holders)) == 2


def test_the_setting_distributes_a_matrix_in_memory(client, toy):
    expected = CoCC(max_iter=3, tol=0).fit(toy.X, toy.y, toy.sample_domain)
    for engine in (client, "dask"):
        with config_context(engine=engine):
            found = CoCC(max_iter=3, tol=0).fit(toy.X, toy.y, toy.sample_domain)
        np.testing.assert_array_equal(found.transduction_, expected.transduction_)


def test_client_gathers_small_things_only(client, toy, monkeypatch):
    X = DistributedMatrix.from_matrix(toy.X, client, n_blocks=6)
    sizes, gather = [], client.gather

    def measured(futures, *arguments, **options):
        results = gather(futures, *arguments, **options)
        sizes.append(len(pickle.dumps(results)))
        return results

    monkeypatch.setattr(client, "gather", measured)
    fitted(X, toy)
    n_rows, n_terms = toy.X.shape
    # Parts of X.T @ G, or memberships of all rows; never the documents.
    assert max(sizes) < 8 * 2 * (n_rows + 2 * n_terms) + 3000
    assert max(sizes) < len(pickle.dumps(toy.X)) / 2


def test_blocks_from_tasks(client, toy):
    def part(start, stop):
        return toy.X[start:stop]

    delayed = [dask.delayed(part)(start, start + 20) for start in range(0, 80, 20)]
    futures = client.compute(delayed[2:])
    X = DistributedMatrix.from_blocks([*delayed[:2], *futures], client)
    assert X.shape == toy.X.shape
    assert (X[:] != toy.X).nnz == 0
    expected = fitted(toy.X, toy).transduction_
    np.testing.assert_array_equal(fitted(X, toy).transduction_, expected)


@pytest.mark.parametrize("lineage", ["client", "tasks"])
def test_a_lost_worker_does_not_change_the_labels(toy, lineage):
    expected = fitted(toy.X, toy)
    with start(2) as cluster, distributed.Client(cluster) as client:
        if lineage == "client":
            X = DistributedMatrix.from_matrix(toy.X, client, n_blocks=4)
        else:
            blocks = [dask.delayed(toy.X[start : start + 20]) for start in range(0, 80, 20)]
            X = DistributedMatrix.from_blocks(blocks, client)
        workers = client.run(os.getpid)
        seen = []

        def kill(progress):
            seen.append(progress.iteration)
            if len(seen) == 3:
                os.kill(sorted(workers.items())[0][1], signal.SIGKILL)
            return False

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = MTrick(max_iter=8, tol=0).fit(X, toy.y, toy.sample_domain, callback=kill)
        if lineage == "client":  # otherwise Dask may compute everything again by itself
            assert len(seen) > 8, "the fit started again"
            assert any("starts again" in str(warning.message) for warning in caught)
        np.testing.assert_array_equal(model.transduction_, expected.transduction_)
        np.testing.assert_allclose(
            model.label_distributions_, expected.label_distributions_, atol=1e-6
        )


def test_a_closed_scheduler_is_one_sentence(toy):
    with dask.config.set(CONFIG), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = start(1)
        client = distributed.Client(cluster)
        X = DistributedMatrix.from_matrix(toy.X, client, n_blocks=2)

        def close(progress):
            if progress.iteration == 3:
                cluster.close()
            return False

        with pytest.raises(EngineError, match="connection to the scheduler of the Dask cluster"):
            MTrick(max_iter=8, tol=0).fit(X, toy.y, toy.sample_domain, callback=close)
        client.close()
        with pytest.raises(EngineError, match="client is closed"):
            fitted(X, toy)


def test_a_worker_without_the_package_or_with_another_version(toy):
    def remove():
        import sys

        for name in [name for name in sys.modules if name.partition(".")[0] == "isthmus"]:
            del sys.modules[name]
        sys.modules["isthmus"] = None  # as if it were not installed

    def change():
        import sys
        from types import ModuleType

        package, version = ModuleType("isthmus"), ModuleType("isthmus._version")
        package.__path__, version.__version__ = [], "9.9"
        sys.modules |= {"isthmus": package, "isthmus._version": version}

    for spoil, message in ((remove, "has no isthmus"), (change, r"has isthmus 9\.9")):
        with start(1) as cluster, distributed.Client(cluster) as client:
            client.run(spoil)
            with config_context(engine=client), pytest.raises(EngineError, match=message):
                fitted(toy.X, toy)
