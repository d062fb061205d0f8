"""The setting ``engine``: where it is set, and which engine a fit uses."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread

import numpy as np
import pytest
from sklearn.base import clone

import isthmus
from engines.fake_gpu import NO_DEVICE, FakeGPU, device_matrix, install
from isthmus import (
    METHODS,
    Auto,
    EngineError,
    MTrick,
    SelfTraining,
    config_context,
    get_config,
    set_config,
)
from isthmus.estimators.registry import methods_on
from isthmus.matrices import engines
from isthmus.matrices.engines import current_engine, fit_engine, resolve_engine
from isthmus.matrices.host import HostEngine
from toy import make_toy

pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

# scikit-learn's own methods stay on the CPU.
CPU_ONLY = "sklearn-label-spreading"


@pytest.fixture(autouse=True)
def default_setting(monkeypatch):
    monkeypatch.setattr(engines, "_process_setting", "auto")


@pytest.fixture
def device(monkeypatch):
    return install(monkeypatch)


@pytest.fixture
def toy():
    return make_toy((0, -1), 2)


@pytest.fixture
def small_is_large(monkeypatch):
    monkeypatch.setattr(engines, "_MIN_NONZEROS_ON_GPU", 1)


def resolve(X, runs_on_gpu=True):
    engine = resolve_engine(
        X,
        runs_on=lambda engine: engine == "gpu" and runs_on_gpu,
        who="GFHF",
        others=lambda engine: "auto, mtrick",
    )
    return engine.name


class LargeMatrix:
    """Stands for a matrix that "auto" computes on the GPU."""

    nnz = 10**9


class Spy(MTrick):
    """Remembers the engine of its fits and predictions."""

    def _fit(self, data, callback):
        self.fitted_on = [current_engine().name, data.engine.name]
        return super()._fit(data, callback)

    def _distributions(self, X, sample_domain):
        self.predicted_on = current_engine().name
        return super()._distributions(X, sample_domain)


# The three functions


def test_the_default_is_auto():
    code = "import isthmus; print(isthmus.get_config())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("{'engine': 'auto', ")


def test_setting_and_reading():
    set_config(engine="cpu")
    assert get_config()["engine"] == "cpu"
    set_config()
    assert get_config()["engine"] == "cpu"


def test_contexts_can_be_nested():
    set_config(engine="cpu")
    with config_context(engine="gpu"):
        assert get_config()["engine"] == "gpu"
        with config_context(engine="auto"), config_context():
            assert get_config()["engine"] == "auto"
        assert get_config()["engine"] == "gpu"
    assert get_config()["engine"] == "cpu"


def test_a_context_ends_after_an_error():
    with pytest.raises(KeyError), config_context(engine="gpu"):
        raise KeyError
    assert get_config()["engine"] == "auto"


@pytest.mark.parametrize("wrong", ["tpu", "GPU", "", 0, ["cpu"]])
def test_unknown_engines_are_refused(wrong):
    message = f"engine={re.escape(repr(wrong))} is unknown: use 'auto', 'cpu', 'gpu', 'dask'"
    with pytest.raises(ValueError, match=message):
        set_config(engine=wrong)
    with pytest.raises(ValueError, match=message), config_context(engine=wrong):
        pass
    assert get_config()["engine"] == "auto"


def test_a_context_is_for_one_thread():
    both_inside = Barrier(2)

    def inside(engine):
        with config_context(engine=engine):
            both_inside.wait(10)
            return get_config()["engine"]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(inside, ["cpu", "gpu"])) == ["cpu", "gpu"]
    assert get_config()["engine"] == "auto"


def test_the_setting_of_the_process_is_for_all_threads():
    found = []
    set_config(engine="cpu")
    with config_context(engine="gpu"):
        thread = Thread(target=lambda: found.append(get_config()["engine"]))
        thread.start()
        thread.join()
    assert found == ["cpu"]


def test_the_error_is_public():
    assert isthmus.EngineError is EngineError
    assert issubclass(EngineError, RuntimeError)


# Which engine it is


@pytest.mark.parametrize(
    ("engine", "is_large", "on_device", "runs_on_gpu", "expected"),
    [
        ("auto", False, False, True, "cpu"),
        ("auto", True, False, True, "gpu"),
        ("auto", True, False, False, "cpu"),
        ("auto", False, True, True, "gpu"),
        ("cpu", True, False, True, "cpu"),
        ("cpu", True, True, True, "cpu"),
        ("cpu", True, True, False, "cpu"),
        ("gpu", False, False, True, "gpu"),
        ("gpu", False, True, True, "gpu"),
    ],
)
def test_rules(engine, is_large, on_device, runs_on_gpu, expected, device, toy, monkeypatch):
    monkeypatch.setattr(engines, "_MIN_NONZEROS_ON_GPU", toy.X.nnz if is_large else toy.X.nnz + 1)
    X = device_matrix(toy.X) if on_device else toy.X
    with config_context(engine=engine):
        assert resolve(X, runs_on_gpu) == expected
    assert (device.n_requests > 0) == (expected == "gpu")


def test_the_size_of_an_array_counts(device, monkeypatch):
    monkeypatch.setattr(engines, "_MIN_NONZEROS_ON_GPU", 12)
    assert resolve(np.ones((3, 4))) == "gpu"
    assert resolve(np.ones((3, 3))) == "cpu"


def test_without_a_gpu(toy, small_is_large, monkeypatch):
    install(monkeypatch, EngineError(NO_DEVICE))
    assert resolve(toy.X) == "cpu"
    with pytest.raises(EngineError, match="No CUDA device"), config_context(engine="gpu"):
        resolve(toy.X)
    with pytest.raises(EngineError, match="No CUDA device"):
        resolve(device_matrix(toy.X))


@pytest.mark.parametrize("on_device", [False, True])
def test_a_method_that_does_not_run_on_the_gpu(on_device, device, toy):
    X = device_matrix(toy.X) if on_device else toy.X
    estimator = METHODS[CPU_ONLY].build()
    names = re.escape(", ".join(methods_on("gpu", "classifier")))
    reason = "X is a matrix of CuPy" if on_device else "engine='gpu' is set"
    message = f"{type(estimator).__name__} does not run on the GPU, but {reason}.*{names}"
    with (
        config_context(engine="auto" if on_device else "gpu"),
        pytest.raises(ValueError, match=message),
    ):
        estimator.fit(X, toy.y, toy.sample_domain)
    assert device.n_requests == 0


def test_derived_estimators_run_on_the_same_engines():
    assert MTrick()._runs_on("gpu")
    assert Spy()._runs_on("gpu")
    assert not METHODS[CPU_ONLY].build()._runs_on("gpu")
    assert all(method.build()._runs_on("cpu") for method in METHODS.values())
    assert {"auto", "mtrick"} <= set(methods_on("gpu"))
    assert CPU_ONLY not in methods_on("gpu")


# The engine of a fit


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_a_fit_and_its_predictions(engine, device, toy):
    spy = Spy(max_iter=3)
    with config_context(engine=engine):
        spy.fit(toy.X, toy.y, toy.sample_domain)
        spy.predict(toy.X, toy.sample_domain)
    assert spy.fitted_on == [engine, engine]
    assert spy.predicted_on == engine
    assert current_engine().name == "cpu"
    spy.predict(toy.X, toy.sample_domain)
    assert spy.predicted_on == "cpu"


def test_a_matrix_of_cupy(device, toy):
    plain = Spy(max_iter=3).fit(toy.X, toy.y, toy.sample_domain)
    spy = Spy(max_iter=3).fit(device_matrix(toy.X), toy.y, toy.sample_domain)
    assert (plain.fitted_on, spy.fitted_on) == (["cpu", "cpu"], ["gpu", "gpu"])
    labels = spy.predict(device_matrix(toy.X), toy.sample_domain)
    assert spy.predicted_on == "gpu"
    assert type(labels) is type(spy.label_distributions_) is np.ndarray
    # The first classifier of the CPU is scikit-learn's, which stops a little earlier.
    np.testing.assert_allclose(spy.label_distributions_, plain.label_distributions_, atol=2e-3)


def test_a_matrix_of_cupy_on_the_cpu(device, toy):
    with config_context(engine="cpu"):
        spy = Spy(max_iter=3).fit(device_matrix(toy.X), toy.y, toy.sample_domain)
    assert spy.fitted_on == ["cpu", "cpu"]


def test_a_fit_ends_its_engine_after_an_error(device, toy):
    def stop(progress):
        raise KeyError

    with config_context(engine="gpu"), pytest.raises(KeyError):
        MTrick().fit(toy.X, toy.y, toy.sample_domain, callback=stop)
    assert current_engine().name == "cpu"


def test_nested_fits_share_one_engine(device, toy):
    class Outer(Spy):
        def _fit(self, data, callback):
            # A change of the setting during a fit has no effect on it.
            with config_context(engine="cpu"):
                self.inner = Spy(max_iter=3).fit(toy.X, toy.y, toy.sample_domain)
                cpu_only = METHODS[CPU_ONLY].build()
                with cpu_only._on_engine(toy.X, fits=True):
                    self.of_cpu_only = current_engine().name
            return super()._fit(data, callback)

    with config_context(engine="gpu"):
        outer = Outer(max_iter=3).fit(toy.X, toy.y, toy.sample_domain)
    assert outer.inner.fitted_on == outer.fitted_on == ["gpu", "gpu"]
    assert outer.of_cpu_only == "cpu"
    assert device.n_requests == 1


def test_self_training_runs_where_its_classifier_does(device, toy):
    for inner, expected in (("svm", "gpu"), ("scl", "cpu")):
        estimator = SelfTraining(inner, n_rounds=2)
        with config_context(engine="auto"), estimator._on_engine(LargeMatrix(), fits=True):
            assert current_engine().name == expected
    with (
        config_context(engine="gpu"),
        pytest.raises(ValueError, match="SelfTraining does not run on the GPU"),
    ):
        SelfTraining("scl").fit(toy.X, toy.y, toy.sample_domain)
    fitted = SelfTraining("scl", n_rounds=2).fit(toy.X, toy.y, toy.sample_domain)
    with config_context(engine="gpu"):
        assert len(fitted.predict(toy.X, toy.sample_domain)) == toy.X.shape[0]


def test_auto_stays_on_the_cpu_if_the_device_has_no_room(device):
    device.has_room = False
    with MTrick()._on_engine(LargeMatrix(), fits=True):
        assert current_engine().name == "cpu"


def test_too_little_memory_is_one_sentence():
    error = type("OutOfMemoryError", (MemoryError,), {"__module__": "cupy.cuda.memory"})
    sentence = r"too small .*allocating 9 bytes.*engine='cpu'\."
    with pytest.raises(EngineError, match=sentence), fit_engine(FakeGPU()):
        raise error("Out of memory allocating 9 bytes.")
    with pytest.raises(MemoryError, match="of the host"), fit_engine(FakeGPU()):
        raise MemoryError("of the host")


def test_a_fit_releases_its_engine():
    class Released(FakeGPU):
        n_released = 0

        def release(self):
            self.n_released += 1

    engine = Released()
    with fit_engine(engine):
        assert engine.n_released == 0
    assert engine.n_released == 1


def test_members_do_not_hide_that_the_device_cannot_go_on(device, toy):
    class Failing(MTrick):
        def _fit(self, data, callback):
            raise EngineError("no memory")

    with config_context(engine="gpu"), pytest.raises(EngineError, match="no memory"):
        Auto(members=["cocc", Failing()]).fit(toy.X, toy.y, toy.sample_domain)


@pytest.mark.parametrize("method", ["auto", "mtrick", "kmeans"])
def test_predictions_of_a_cupy_matrix(device, toy, method):
    labels = {} if method == "kmeans" else {"y": toy.y}
    numbers = None if method == "kmeans" else toy.sample_domain
    estimator = METHODS[method].build().fit(toy.X, sample_domain=numbers, **labels)
    found = estimator.predict(device_matrix(toy.X), sample_domain=numbers)
    assert len(found) == toy.X.shape[0]


def test_the_engine_of_a_fit_is_for_one_thread():
    found = []
    with fit_engine(FakeGPU()):
        thread = Thread(target=lambda: found.append(current_engine().name))
        thread.start()
        thread.join()
        assert current_engine().name == "gpu"
    assert found == ["cpu"]


def test_a_method_of_the_cpu_predicts_there_whatever_the_setting(device, toy):
    estimator = METHODS[CPU_ONLY].build().fit(toy.X, toy.y, toy.sample_domain)
    expected = estimator.predict(toy.X, toy.sample_domain)
    with config_context(engine="gpu"):
        assert (estimator.predict(toy.X, toy.sample_domain) == expected).all()
    assert device.n_requests == 0


def test_the_setting_is_no_parameter_of_an_estimator(device, toy):
    with config_context(engine="gpu"):
        spy = Spy(max_iter=3).fit(toy.X, toy.y, toy.sample_domain)
    twin = clone(spy).fit(toy.X, toy.y, toy.sample_domain)
    assert twin.fitted_on == ["cpu", "cpu"]


def test_the_cpu_does_not_import_cupy(toy):
    code = (
        "import sys, numpy as np, isthmus; isthmus.set_config(engine='cpu'); "
        "isthmus.MTrick(max_iter=2, tol=0).fit(np.eye(8), [0, 1, 0, 1] + 4 * [-1]); "
        "print([m for m in sys.modules if m.startswith(('cupy', 'isthmus.matrices.gpu'))])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_host_engine_is_called_cpu():
    assert HostEngine().name == "cpu"


def test_without_cupy():
    """The message of the real device names the extra."""
    code = (
        "import sys; sys.modules['cupy'] = None; "
        "import isthmus, numpy as np; isthmus.set_config(engine='gpu')\n"
        "try: isthmus.MTrick().fit(np.eye(4), [0, 1, -1, -1])\n"
        "except isthmus.EngineError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "isthmus[gpu]" in done.stdout
    assert done.stdout.count("\n") == 1


def test_a_folder_named_cupy_is_not_the_package(tmp_path):
    (tmp_path / "cupy").mkdir()
    code = (
        "from isthmus.matrices.gpu.device import gpu_engine, gpu_is_usable\n"
        "assert not gpu_is_usable()\n"
        "gpu_engine()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    if "CuPy is installed" in done.stderr or "cannot use a GPU" in done.stderr:
        pytest.skip("CuPy is installed")
    assert "EngineError: engine='gpu' needs the package CuPy" in done.stderr


def test_the_refusal_names_methods_of_the_same_kind(device, toy):
    with config_context(engine="gpu"), pytest.raises(ValueError, match="mtrick") as refused:
        METHODS[CPU_ONLY].build().fit(toy.X, toy.y, toy.sample_domain)
    assert "plsa" not in str(refused.value)
