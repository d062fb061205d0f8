"""The Dask engine as a setting: what is missing or wrong is said in one sentence."""

from __future__ import annotations

import builtins
import importlib.util
import sys
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

import isthmus
from engines import fake_cluster
from engines.fake_cluster import FakeClient
from isthmus import GFHF, EngineError, MTrick, SourceLogistic, config_context, get_config
from isthmus.matrices import engines
from isthmus.matrices.dask import cluster
from isthmus.matrices.dask.cluster import WorkerLostError
from isthmus.matrices.dask.engine import DaskEngine
from isthmus.matrices.dask.matrix import DistributedMatrix
from toy import make_toy

pytest.importorskip("distributed", reason="needs the package distributed")
pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    fake_cluster.install(monkeypatch)


class Client(FakeClient):
    """Looks like the client of Dask."""


Client.__module__ = "distributed.client"


@pytest.fixture
def toy():
    return make_toy((0, -1), 2)


def fit(toy, X=None, estimator=None):
    estimator = estimator or SourceLogistic()
    return estimator.fit(toy.X if X is None else X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csc_matrix, lambda X: X.toarray()])
def test_a_client_is_a_setting(toy, layout):
    client = Client(2)
    with config_context(engine=client):
        assert get_config()["engine"] is client
        model = fit(toy, layout(toy.X))
    assert client.stages, "the fit ran on the cluster"
    expected = fit(toy).label_distributions_
    np.testing.assert_allclose(model.label_distributions_, expected, atol=0.01)  # scikit-learn


def test_a_missing_package(toy, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "distributed"]:
        monkeypatch.delitem(sys.modules, name)
    find = importlib.util.find_spec
    monkeypatch.setattr(cluster, "find_spec", lambda n: None if n == "distributed" else find(n))
    with (
        config_context(engine="dask"),
        pytest.raises(EngineError, match=r"needs the package distributed: install it with pip"),
    ):
        fit(toy)


def test_dask_is_imported_only_for_its_engine(monkeypatch, toy):
    def refuse(name, *arguments, original=builtins.__import__, **options):
        if name.split(".")[0] in ("dask", "distributed"):
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert len(fit(toy).transduction_) == len(toy.y)


def test_no_default_client(toy):
    with (
        config_context(engine="dask"),
        pytest.raises(EngineError, match=r"found no Dask client.*distributed\.Client\(\)"),
    ):
        fit(toy)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("0.0.1", r"worker tcp://worker-0 has isthmus 0\.0\.1, but this process has isthmus"),
        ("", r"worker tcp://worker-0 has no isthmus, but .* install isthmus .* on all workers"),
        (OSError("no disk"), r"cannot say its version \(no disk\)"),
    ],
)
def test_other_versions_on_workers(toy, version, message):
    client = Client(2)
    client.version = version
    with config_context(engine=client), pytest.raises(EngineError, match=message):
        fit(toy)


def test_no_workers(toy):
    with (
        config_context(engine=Client(0)),
        pytest.raises(EngineError, match="cluster has no workers: start some"),
    ):
        fit(toy)


def test_methods_that_do_not_run_on_dask(toy):
    with (
        config_context(engine=Client(1)),
        pytest.raises(ValueError, match=r"GFHF does not run on Dask, .* engine='cpu', .*mtrick"),
    ):
        fit(toy, estimator=GFHF())
    X = DistributedMatrix.from_matrix(toy.X, Client(1))
    with pytest.raises(ValueError, match="does not run on Dask, but X is a distributed matrix"):
        fit(toy, X, GFHF())
    with pytest.raises(ValueError, match="does not run on Dask"):
        GFHF().fit(toy.X, toy.y, toy.sample_domain).predict(X)


def test_predictions_of_other_methods_use_the_cpu(toy):
    model = GFHF().fit(toy.X, toy.y, toy.sample_domain)
    with config_context(engine=Client(1)):
        assert len(model.predict(toy.X, toy.sample_domain)) == len(toy.y)


@pytest.mark.parametrize("classifier", ["complement_nb"])
def test_classifiers_of_scikit_learn_are_refused(toy, classifier):
    X = DistributedMatrix.from_matrix(toy.X, Client(1))
    with pytest.raises(ValueError, match="does not run on Dask: use 'logistic'"):
        fit(toy, X, MTrick(init_classifier=classifier))


def test_bad_matrices(toy):
    client = Client(2)
    wrong = toy.X.copy()
    wrong.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity"):
        fit(toy, DistributedMatrix.from_matrix(wrong, client, 3))
    wrong.data[3] = -1
    with pytest.raises(ValueError, match="Negative values in data passed to MTrick"):
        fit(toy, DistributedMatrix.from_matrix(wrong, client, 3), MTrick())
    model = fit(toy, DistributedMatrix.from_matrix(toy.X, client, 3))
    with pytest.raises(ValueError, match="features"):
        model.predict(DistributedMatrix.from_matrix(toy.X[:, :5], client))
    with pytest.raises(ValueError, match="Block 1 has 5 columns, but the first block has"):
        DistributedMatrix.from_blocks([toy.X, toy.X[:, :5]], client)
    with pytest.raises(ValueError, match="at least one block"):
        DistributedMatrix.from_blocks([], client)


def test_blocks_of_other_types(toy):
    X = DistributedMatrix.from_blocks(
        [toy.X[:30].astype(np.int64), toy.X[30:].tocoo(), toy.X[:0]], Client(2)
    )
    assert X.dtype == np.float64
    assert len(X.layout) == 2
    assert (X[:] != toy.X).nnz == 0


def test_restarts_are_limited(monkeypatch):
    monkeypatch.setattr("isthmus.matrices.dask.engine._PAUSE", 0)
    engine, calls = DaskEngine(Client(1)), []

    def lose():
        calls.append(1)
        raise WorkerLostError("gone")

    with (
        pytest.warns(UserWarning, match="the fit starts again from its beginning"),
        pytest.raises(EngineError, match=r"were lost 4 times in one computation \(gone\)"),
    ):
        engine.run(lose)
    assert len(calls) == 4


def test_errors_of_a_closed_client(monkeypatch):
    client = Client(1)
    client.status = "closed"
    with (
        pytest.raises(EngineError, match="connection to the scheduler"),
        cluster.lost_workers(client),
    ):
        raise OSError("closed")
    client.status = "running"
    with pytest.raises(WorkerLostError, match="gone"), cluster.lost_workers(client):
        raise TimeoutError("gone")
    with pytest.raises(KeyError), cluster.lost_workers(client):
        raise KeyError("a mistake of ours")


def test_unknown_settings_name_dask():
    with pytest.raises(ValueError, match="'dask' or a client of Dask"):
        isthmus.set_config(engine="ray")
    assert engines.engine_setting() == "auto"


def test_lost_blocks_of_the_caller_that_cannot_be_computed_again(toy):
    client = Client(1)
    futures = client.scatter([toy.X[:40], toy.X[40:]])
    X = DistributedMatrix.from_blocks(futures, client)
    futures[0].status = "lost"
    with pytest.raises(EngineError, match="make the blocks by tasks"):
        X.restore()


def test_blocks_of_the_client_are_sent_again(toy):
    client = Client(2)
    X = DistributedMatrix.from_matrix(toy.X, client, 4)
    part = X.take_rows(np.arange(3, 30))
    before = [future.key for future in part.futures]
    for future, block in zip(X.futures, X.layout.blocks, strict=True):
        if block.home.worker == client.workers[0]:
            future.status = "cancelled"
    client.workers = client.workers[1:]
    X.restore()
    assert {block.home.worker for block in X.layout.blocks} == set(client.workers)
    assert before != [future.key for future in part.futures]
    assert (part[:] != toy.X[3:30]).nnz == 0


def test_scattered_blocks_are_brought_together(toy):
    client = Client(2)
    parts = [toy.X[start : start + 2] for start in range(0, 80, 2)]

    def at(places):
        pairs = zip(parts, places, strict=True)
        return [client.scatter([part], workers=[client.workers[i]])[0] for part, i in pairs]

    X = DistributedMatrix.from_blocks(at([i % 2 for i in range(40)]), client)
    homes = [block.home.worker for block in X.layout.blocks]
    assert sum(a != b for a, b in pairwise(homes)) == 9, "runs of four blocks in turn"
    assert set(homes[:20]) == set(homes[20:]) == set(client.workers)
    assert (X[:] != toy.X).nnz == 0
    halves = at([i // 20 for i in range(40)])
    assert DistributedMatrix.from_blocks(halves, client).futures == halves


def test_blocks_without_rows(toy):
    client = Client(2)
    futures = client.scatter([toy.X[:0], toy.X[:50], toy.X[:0], toy.X[50:]])
    X = DistributedMatrix.from_blocks(futures, client)
    assert len(X.layout) == 2
    assert (X[:] != toy.X).nnz == 0
    assert DistributedMatrix.from_blocks(futures[:1], client).shape == (0, toy.X.shape[1])
