"""Peers: the registry without their packages, and a fit of every method of skada."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from scipy import sparse

from isthmus.estimators.registry import METHODS
from isthmus_bench.peers.registry import PEERS, Peer, missing_package_error

# Warnings of these packages are not errors. skada fits a classifier with one class per document for
# its neighbor weights.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning"),
]
SKADA = [peer for peer in PEERS.values() if peer.name.startswith("skada-")]
needs_skada = pytest.mark.skipif(
    PEERS["skada-coral"].missing is not None, reason="skada (extra 'peers') is not installed"
)
by_name = pytest.mark.parametrize("peer", SKADA, ids=lambda peer: peer.name)


def tiny(labels: tuple[object, ...] = ("art", "sport")) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Documents of two domains that share half of the words, with well separated classes."""
    random = np.random.default_rng(0)
    truth = np.tile(np.arange(len(labels)), 40)
    domain = np.repeat([0, -1], len(truth) // 2)
    rates = np.full((len(truth), 30 * len(labels)), 0.1)
    for row, (code, number) in enumerate(zip(truth, domain, strict=True)):
        start = 30 * code
        rates[row, start : start + 15] = 2.0
        own = start + 15 + (0 if number == 0 else 7)
        rates[row, own : own + 7] = 1.0
    return sparse.csr_matrix(random.poisson(rates).astype(np.float32)), truth


def shown(truth: np.ndarray, labels: tuple[object, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the source, None for the target, and the domains."""
    y = np.array([labels[code] for code in truth], dtype=object)
    y[len(y) // 2 :] = None
    return y, np.repeat([0, -1], len(y) // 2)


def test_names_of_peers_differ_from_names_of_methods() -> None:
    assert all(name == peer.name for name, peer in PEERS.items())
    assert not set(PEERS) & set(METHODS)


@pytest.mark.parametrize("peer", PEERS.values(), ids=lambda peer: peer.name)
def test_estimators_of_peers_can_be_built_without_their_packages(peer: Peer) -> None:
    estimator = peer.build()
    assert peer.kind == "classifier"
    assert peer.presets == tuple(type(estimator)._presets)
    assert not estimator.is_random
    assert estimator.set_params(C=0.5).get_params()["C"] == 0.5


def test_missing_package_is_the_first_that_is_not_installed() -> None:
    peer = PEERS["minilm-lr"]
    assert replace(peer, packages=("json", "no_such_a", "no_such_b")).missing == "no_such_a"
    assert replace(peer, packages=("json",)).missing is None


def test_the_error_for_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skada", None)
    X, truth = tiny()
    y, domain = shown(truth, ("art", "sport"))
    with pytest.raises(
        ImportError, match=r"SkadaCORAL needs .*: pip install '\./benchmarks\[peers\]'"
    ):
        PEERS["skada-coral"].build().fit(X, y, domain)
    assert "'peers'" in str(missing_package_error("skada", "it"))


def test_a_missing_source_or_target_is_an_error() -> None:
    X, truth = tiny()
    with pytest.raises(ValueError, match="none as target"):
        PEERS["skada-coral"].build().fit(X, truth, np.zeros(len(truth), int))


@needs_skada
@by_name
@pytest.mark.parametrize("labels", [("art", "sport"), (7, 3)], ids=["text", "numbers"])
def test_every_method_labels_a_tiny_problem(peer: Peer, labels: tuple[object, ...]) -> None:
    X, truth = tiny(labels)
    y, domain = shown(truth, labels)
    before, matrix = y.copy(), X.copy()
    routing = sklearn.get_config()["enable_metadata_routing"]
    model = peer.build(n_components=10).fit(X, y, sample_domain=domain)
    assert sklearn.get_config()["enable_metadata_routing"] == routing
    assert y.tolist() == before.tolist()
    assert (matrix != X).nnz == 0
    expected = np.array([labels[code] for code in truth], dtype=object)
    assert model.transduction_[domain == 0].tolist() == expected[domain == 0].tolist()
    assert set(model.transduction_.tolist()) <= set(labels) == set(model.classes_.tolist())
    assert np.mean(model.transduction_[domain < 0] == expected[domain < 0]) >= 0.9
    again = model.predict(X[domain < 0], sample_domain=domain[domain < 0])
    assert again.tolist() == model.transduction_[domain < 0].tolist()


@needs_skada
@by_name
def test_rows_in_any_order_with_labels_in_both_domains(peer: Peer) -> None:
    labels = ("art", "law", "sport")
    X, truth = tiny(labels)
    y, domain = shown(truth, labels)
    domain[::2] = np.where(domain[::2] < 0, -2, 1)
    full = np.array([labels[code] for code in truth], dtype=object)
    y[:6], y[-6:] = None, full[-6:]
    order = np.random.default_rng(1).permutation(len(y))
    model = peer.build(n_components=10)
    if peer.name == "skada-dasvm":
        with pytest.raises(ValueError, match="two classes and y holds 3"):
            model.fit(X, y, domain)
        return
    predicted = np.empty(len(y), object)
    predicted[order] = model.fit(X[order], y[order], domain[order]).transduction_
    assert predicted[-6:].tolist() == full[-6:].tolist()
    assert np.mean(predicted[domain < 0] == full[domain < 0]) >= 0.8


@needs_skada
def test_target_labels_are_used_after_a_mapping() -> None:
    # The classes are swapped in the target; only labels show it.
    X, truth = tiny()
    y, domain = shown(truth, ("art", "sport"))
    swapped = np.array([("sport", "art")[code] for code in truth], dtype=object)
    y[60:] = swapped[60:]
    without = PEERS["skada-coral"].build().fit(X, shown(truth, ("art", "sport"))[0], domain)
    fitted = PEERS["skada-coral"].build().fit(X[30:], y[30:], domain[30:])
    hidden = slice(40, 60)
    assert np.mean(without.transduction_[hidden] == swapped[hidden]) < 0.2
    assert np.mean(fitted.transduction_[10:30] == swapped[hidden]) > 0.8
