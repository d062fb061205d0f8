"""Every method that claims to run on Dask gives the result of the CPU, on a cluster of any size.

Tasks run at once in this process (see fake_cluster.py); test_dask_cluster.py has a real cluster.
"""

from __future__ import annotations

import numpy as np
import pytest

from engines import fake_cluster
from engines.fake_cluster import FakeClient
from isthmus import SFA, Auto, MTrick, SelfTraining, SourceSVM
from isthmus.estimators.components import linear_models
from isthmus.estimators.registry import METHODS
from isthmus.matrices.dask.matrix import DistributedMatrix
from methods import build, parametrize
from toy import make_toy

pytest.importorskip("distributed", reason="needs the package distributed")
pytestmark = [pytest.mark.slow, pytest.mark.ends_early, pytest.mark.doubtful]

ON_DASK = parametrize(m for m in METHODS.values() if "dask" in m.engines)
# Fewer fits of the same kind.
SHORT = {"self-training": {"n_rounds": 2}, "auto": {"effort": "fast"}}
# The fit of an SVM ends at a tolerance of its objective, and every round builds on the last one.
TOLERANCE = {"self-training": 1e-5}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    fake_cluster.install(monkeypatch)


@pytest.fixture(autouse=True)
def one_solver_of_linear_classifiers(monkeypatch):
    """Use the same solver on both engines: scikit-learn stops earlier, with other digits."""
    monkeypatch.setattr(linear_models, "_SKLEARN_ENGINES", ())


def distributed_toy(toy, n_workers, n_blocks):
    return DistributedMatrix.from_matrix(toy.X, FakeClient(n_workers), n_blocks)


def results(method, toy, X, **parameters):
    """The numbers of a fit: memberships of fitted and of new documents, or features."""
    estimator = build(method, **SHORT.get(method.name, {}), **parameters)
    labels = {} if method.kind == "transformer" else {"y": toy.y}
    estimator.fit(X, sample_domain=toy.sample_domain, **labels)
    if method.kind == "transformer":
        return estimator.transform(X, sample_domain=toy.sample_domain)
    new = estimator.predict_proba(X, toy.sample_domain)
    assert type(estimator.label_distributions_) is np.ndarray
    return np.hstack([estimator.label_distributions_, new])


def test_methods_on_dask():
    expected = "auto mtrick mtrick0 dkt ktw lssttc sfa self-training cocc lg svm plsa"
    assert [m.name for m in METHODS.values() if "dask" in m.engines] == expected.split()


@ON_DASK
def test_same_result_and_same_bits_for_any_number_of_workers(method):
    toy = make_toy((0, 1, -1), 2)
    expected = results(method, toy, toy.X)
    found = [results(method, toy, distributed_toy(toy, n, 7)) for n in (1, 2, 3)]
    np.testing.assert_allclose(found[0], expected, atol=TOLERANCE.get(method.name, 1e-6))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@ON_DASK
@pytest.mark.parametrize("n_blocks", [1, 12])
def test_mixed_rows_and_three_classes(method, n_blocks):
    toy = make_toy((0, -1), 3)
    order = np.random.default_rng(0).permutation(len(toy.y))
    toy = type(toy)(toy.X[order], toy.truth[order], toy.sample_domain[order], toy.y[order])
    expected = results(method, toy, toy.X)
    found = results(method, toy, distributed_toy(toy, 2, n_blocks))
    np.testing.assert_allclose(found, expected, atol=TOLERANCE.get(method.name, 1e-6))


@pytest.mark.parametrize("prior", [[0.6, 0.4], "source", "estimate"])
@pytest.mark.parametrize("name", ["mtrick", "cocc"])
def test_class_priors(name, prior):
    toy = make_toy((0, -1), 2)
    expected = results(METHODS[name], toy, toy.X, class_prior=prior)
    found = results(METHODS[name], toy, distributed_toy(toy, 2, 5), class_prior=prior)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("estimator", "dtype"),
    [
        (MTrick(init="two_stage", plsa_iter=3, plsa_sample=50, max_iter=3), np.float64),
        (MTrick(label_smoothing=0.1, max_iter=5), np.float32),
        (SFA(classifier="logistic"), np.float32),
        (SourceSVM(class_weight="balanced"), np.float64),
        (SelfTraining("sfa", n_rounds=1), np.float64),
        (SelfTraining("mtrick0", n_rounds=1), np.float64),
        (METHODS["dkt"].build(gamma=1.0, new_documents="fold_in", max_iter=3), np.float64),
        (METHODS["lssttc"].build("paper", max_iter=2), np.float64),
    ],
)
def test_other_parameters(estimator, dtype):
    toy = make_toy((0, -1), 2, dtype=dtype)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    found = []
    for X in (toy.X, distributed_toy(toy, 2, 5)):
        model = estimator.fit(X, toy.y, toy.sample_domain)
        found.append([model.label_distributions_, model.predict_proba(X, toy.sample_domain)])
    np.testing.assert_allclose(found[1], found[0], atol=1e-6 if dtype == np.float64 else 2e-3)


def test_the_automatic_method_reads_a_second_matrix():
    toy = make_toy((0, -1), 2)
    second = toy.X[:, ::-1].copy()
    found = []
    for X in (toy.X, distributed_toy(toy, 2, 5)):
        model = Auto("fast").fit(X, toy.y, toy.sample_domain, second_view=second)
        new = model.predict_proba(X, toy.sample_domain, second_view=second)
        found.append([model.label_distributions_, new])
    np.testing.assert_allclose(found[1], found[0], atol=1e-6)


def test_members_that_do_not_run_on_dask_are_left_out():
    toy = make_toy((0, -1), 2)
    model = Auto(members=["cocc", "gfhf"], effort="fast")
    model.fit(distributed_toy(toy, 2, 5), toy.y, toy.sample_domain)
    assert "GFHF does not run on Dask" in model.decision_


def test_task_names_say_the_stage():
    toy = make_toy((0, -1), 2)
    X = distributed_toy(toy, 2, 4)
    MTrick(max_iter=2).fit(X, toy.y, toy.sample_domain)
    stages = {name.rsplit("-", 3)[0] for name in X.client.stages}
    assert {"isthmus-membership-step", "isthmus-transposed-product"} <= stages
    assert all(name.startswith("isthmus-") for name in X.client.stages)


def test_one_round_of_tasks_for_an_iteration():
    toy = make_toy((0, -1), 2)
    counts = []
    for max_iter in (3, 4):
        X = distributed_toy(toy, 1, 4)
        MTrick(max_iter=max_iter, tol=0, check_class_swap=False).fit(X, toy.y, toy.sample_domain)
        counts.append(len([name for name in X.client.stages if "isthmus-sums" in name]))
    assert counts[1] - counts[0] == 1
