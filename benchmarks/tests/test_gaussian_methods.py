"""Methods with Gaussian kernels: known answers on tiny data, and the limit of their size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import (
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
)

from isthmus.estimators.registry import METHODS
from isthmus_bench.peers import gaussian_graphs
from isthmus_bench.peers.gaussian_graphs import GaussianCut, GaussianGFHF, GaussianLLGC
from isthmus_bench.peers.gaussian_machines import GaussianSVM, GaussianTSVM
from isthmus_bench.peers.registry import LABORATORY, PEERS
from isthmus_bench.plan.reading import parse_suite
from isthmus_bench.run.planning import Choice, plan_runs
from isthmus_bench.run.worker import execute
from tiny_suite import CLUSTERS, TINY

CLASSIFIERS = [GaussianGFHF, GaussianLLGC, GaussianSVM, GaussianTSVM]
SIZE = 36


def documents(n_classes: int = 3) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Documents of two domains with overlapping classes; the target has no label."""
    random = np.random.default_rng(0)
    truth = np.tile(np.arange(n_classes), SIZE // n_classes)
    rates = np.full((SIZE, 40), 0.3)
    for row, code in enumerate(truth):
        rates[row, 10 * code : 10 * code + 10] = 1.2
    y = truth.astype(object)
    y[SIZE // 2 :] = None
    return sparse.csr_matrix(random.poisson(rates).astype(np.float64)), truth, y


X, TRUTH, Y = documents()
DOMAIN = np.repeat([0, -1], SIZE // 2)
UNKNOWN = DOMAIN < 0
ROWS = normalize(X.toarray())
SQUARES = cdist(ROWS, ROWS, "sqeuclidean")
MEAN = cdist(ROWS, ROWS)[np.triu_indices(SIZE, 1)].mean()
GIVEN = np.eye(3)[TRUTH] * ~UNKNOWN[:, None]


def graph(scale: float, n_neighbors: int | None = None) -> np.ndarray:
    """The weights of all pairs, or of nearest neighbors."""
    weights = np.exp(-SQUARES / scale) - np.eye(SIZE)
    if n_neighbors is not None:
        nearest = np.argsort(-weights, axis=1)[:, :n_neighbors]
        kept = np.zeros_like(weights, bool)
        kept[np.arange(SIZE)[:, None], nearest] = True
        weights = np.where(kept | kept.T, weights, 0)
    return weights


def test_names_and_constructors() -> None:
    assert all(name == method.name for name, method in LABORATORY.items())
    assert not {*LABORATORY} & {*METHODS, *PEERS}
    for method in LABORATORY.values():
        estimator = method.build()
        assert method.presets == ()
        assert estimator.is_random == (method.kind == "clusterer")
        check_no_attributes_set_in_init(method.name, estimator)
        check_parameters_default_constructible(method.name, estimator)


@pytest.mark.parametrize("width", [0.3, 1.0])
@pytest.mark.parametrize("data", [X, X.toarray(), X.astype(np.float32)], ids=["csr", "array", "32"])
def test_cut_is_that_of_scikit_learn(width: float, data: Any) -> None:
    found = GaussianCut(3, width=width, scope="all", random_state=0).fit(data).labels_
    known = SpectralClustering(3, gamma=1 / (2 * width**2), random_state=0).fit(ROWS).labels_
    assert adjusted_rand_score(found, known) > 0.9
    assert np.bincount(found).tolist() == sorted(np.bincount(found), reverse=True)


def test_cut_of_every_domain_is_that_of_its_documents_alone() -> None:
    model = GaussianCut(3, random_state=0).fit(X, sample_domain=DOMAIN)
    for rows in (~UNKNOWN, UNKNOWN):
        alone = GaussianCut(3, random_state=0).fit(X[rows])
        assert model.labels_[rows].tolist() == alone.labels_.tolist()


def test_cut_without_weights_is_one_cluster() -> None:
    model = GaussianCut(2, width=1e-3, scope="all", random_state=0).fit(X)
    assert model.labels_.tolist() == [0] * SIZE


def test_cuts_of_wide_gaussians_are_the_same() -> None:
    # The weights are nearly linear in the squared distances, and hardly differ from 1.
    widths = [GaussianCut(2, width=width, random_state=0).fit(X) for width in (30.0, 1e3)]
    assert widths[0].labels_.tolist() == widths[1].labels_.tolist()
    assert min(np.bincount(widths[1].labels_)) > 5


def test_new_documents_get_the_cluster_with_the_nearest_mean() -> None:
    model = GaussianCut(3, random_state=0).fit(X)
    means = [ROWS[model.labels_ == number].mean(axis=0) for number in range(3)]
    np.testing.assert_allclose(model.cluster_centers_[-1], means)
    assert model.predict(X).tolist() == cdist(ROWS, means).argmin(axis=1).tolist()


@pytest.mark.parametrize("n_neighbors", ["all", 5])
@pytest.mark.parametrize("width", [0.25, 2.0])
def test_harmonic_function(n_neighbors: int | str, width: float) -> None:
    weights = graph(width * MEAN**2, None if n_neighbors == "all" else int(n_neighbors))
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inside = np.ix_(UNKNOWN, UNKNOWN)
    harmonic = np.linalg.solve(laplacian[inside], weights[UNKNOWN][:, ~UNKNOWN] @ GIVEN[~UNKNOWN])
    model = GaussianGFHF(n_neighbors, width=width, class_masses=False).fit(X, Y, DOMAIN)
    np.testing.assert_allclose(model.label_distributions_[UNKNOWN], harmonic, atol=1e-6)
    masses = harmonic / harmonic.sum(axis=0)
    model = GaussianGFHF(n_neighbors, width=width).fit(X, Y, DOMAIN)
    assert model.transduction_[UNKNOWN].tolist() == masses.argmax(axis=1).tolist()


@pytest.mark.parametrize("n_neighbors", ["all", 5])
@pytest.mark.parametrize("mu", [0.1, 10.0])
def test_local_and_global_consistency(n_neighbors: int | str, mu: float) -> None:
    weights = graph(2 * 0.5 * MEAN**2, None if n_neighbors == "all" else int(n_neighbors))
    scale = 1 / np.sqrt(weights.sum(axis=1))
    spread = np.eye(SIZE) - scale[:, None] * weights * scale / (1 + mu)
    solution = np.linalg.solve(spread, GIVEN)[UNKNOWN]
    model = GaussianLLGC(n_neighbors, width=0.5, mu=mu).fit(X, Y, DOMAIN)
    np.testing.assert_allclose(
        model.label_distributions_[UNKNOWN], solution / solution.sum(axis=1, keepdims=True),
        atol=1e-6,
    )  # fmt: skip


def test_graphs_need_parameters_in_range() -> None:
    for wrong in ({"width": 0.0}, {"n_neighbors": 0}, {"n_neighbors": "auto"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            GaussianGFHF(**wrong).fit(X, Y, DOMAIN)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mu"):
        GaussianLLGC(mu=0.0).fit(X, Y, DOMAIN)


@pytest.mark.parametrize("gamma", [1e-4, 1e-3])
def test_a_narrow_kernel_is_linear(gamma: float) -> None:
    """The claim of GaussianTSVM, for the hinge loss."""
    known = ~UNKNOWN
    for code in range(3):
        labels = TRUTH[known] == code
        machines = [
            SVC(C=5.0, gamma=gamma, tol=1e-10).fit(ROWS[known], labels),
            SVC(C=5.0 * 2 * gamma, kernel="linear", tol=1e-10).fit(ROWS[known], labels),
        ]
        gaussian, linear = (machine.decision_function(ROWS) for machine in machines)
        np.testing.assert_allclose(gaussian, linear, atol=4 * gamma * np.ptp(linear))


def test_machines_of_several_classes() -> None:
    model = GaussianSVM(C=50.0, gamma=0.5).fit(X, Y, DOMAIN)
    values = np.column_stack(
        [
            SVC(C=50.0, gamma=0.5).fit(ROWS[~UNKNOWN], TRUTH[~UNKNOWN] == code)
            .decision_function(ROWS)
            for code in range(3)
        ]
    )  # fmt: skip
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-2)
    assert model.transduction_[UNKNOWN].tolist() == values[UNKNOWN].argmax(axis=1).tolist()
    assert model.predict(X[UNKNOWN]).tolist() == model.transduction_[UNKNOWN].tolist()
    assert model.get_params()["gamma"] == 0.5
    assert GaussianSVM().fit(X, Y, DOMAIN).machines_.estimators_[0].gamma == 1 / X.shape[1]


@pytest.mark.parametrize("gamma", [1e-3, 1e-2])
def test_transductive_machine_is_that_of_the_kernel(gamma: float) -> None:
    """Without unlabeled documents: a machine with the squared hinge loss and the exact kernel."""
    C, labeled = 20.0, ~UNKNOWN
    kernel = np.exp(-gamma * SQUARES)
    # The squared hinge loss adds 1 / (2 C) to the diagonal of the dual problem.
    inside = kernel[np.ix_(labeled, labeled)] + np.eye(labeled.sum()) / (2 * C)
    model = GaussianTSVM(C, gamma=gamma, unlabeled_C=0.0, intercept_scaling=100.0)
    model.fit(X, Y, DOMAIN)
    found = ROWS @ model.coef_.T + model.intercept_
    for code in range(3):
        exact = SVC(C=1e8, kernel="precomputed", tol=1e-10).fit(inside, TRUTH[labeled] == code)
        values = exact.decision_function(kernel[:, labeled])
        np.testing.assert_allclose(found[:, code], values, atol=0.02 * np.ptp(values))


def test_wide_kernels_have_no_linear_machine() -> None:
    with pytest.raises(ValueError, match=r"gamma must be at most 0\.01"):
        GaussianTSVM(gamma=0.5).fit(X, Y, DOMAIN)


@pytest.mark.parametrize("cls", [GaussianCut, GaussianGFHF, GaussianLLGC, GaussianSVM])
def test_the_number_of_documents_is_limited(cls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gaussian_graphs.MAX_ROWS == 10_000
    monkeypatch.setattr(gaussian_graphs, "MAX_ROWS", 10)
    with pytest.raises(ValueError, match=rf"{cls.__name__} compares .* at most 10 are allowed"):
        cls().fit(X, Y, sample_domain=DOMAIN)


ENTRY = """
[[entries]]
id = "{name}"
label = "{name}"
method = "{name}"
weighting = "tfidf"
"""


@pytest.mark.parametrize("name", LABORATORY)
def test_runs_of_a_suite(name: str) -> None:
    clusters = LABORATORY[name].kind == "clusterer"
    suite = parse_suite((CLUSTERS if clusters else TINY) + ENTRY.format(name=name), "tiny.toml")
    record = execute(plan_runs(suite, Choice(methods=(name,), limit=1))[0])
    assert record["error"] is None
    assert record["accuracy"] > 0.5
    # No rank and no place in the table 'rest' by itself.
    (entry,) = [entry for entry in suite.entries if entry.id == name]
    assert entry.is_default
    assert not entry.represents_method
