"""The parameter ``engine`` of Transfer."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from engines.fake_gpu import NO_DEVICE, FakeDevice, install
from isthmus import METHODS, EngineError, MTrick, Transfer, config_context, load
from isthmus.datasets import make_corpus
from isthmus.matrices import engines
from isthmus.matrices.engines import current_engine

CORPUS = make_corpus(n_source=80, n_target=60)
TEXTS = (CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)
NEW = CORPUS.target_texts[:10]
# scikit-learn's own methods stay on the CPU.
CPU_ONLY = "sklearn-self-training"


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    return install(monkeypatch)


def fitted(method: Any = None, **parameters: Any) -> Transfer:
    method = MTrick(max_iter=10, tol=0) if method is None else method
    return Transfer(method, **{"verdict": False, **parameters}).fit(*TEXTS)


class Spy(MTrick):
    """Records the engine of every prediction."""

    predicted_on: list[str]

    def _distributions(self, X: Any, sample_domain: Any) -> Any:
        self.predicted_on = [*vars(self).get("predicted_on", []), current_engine().name]
        return super()._distributions(X, sample_domain)


def test_the_default_is_the_setting_of_the_process(device: FakeDevice) -> None:
    assert Transfer().engine is None
    assert fitted().engine_ == "cpu"
    with config_context(engine="gpu"):
        assert fitted().engine_ == "gpu"
        assert fitted(engine="cpu").engine_ == "cpu"


def test_the_same_labels_on_another_engine(device: FakeDevice) -> None:
    plain, model = fitted(engine="cpu"), fitted(engine="gpu")
    assert (plain.engine_, model.engine_) == ("cpu", "gpu")
    assert (model.labels_ == plain.labels_).all()
    assert (model.source_only_labels_ == plain.source_only_labels_).all()
    # The first classifier of few documents is scikit-learn's on the CPU, which stops earlier.
    np.testing.assert_allclose(model.probabilities_, plain.probabilities_, atol=1e-3)
    np.testing.assert_allclose(model.predict_proba(NEW), plain.predict_proba(NEW), atol=1e-3)
    assert type(model.probabilities_) is np.ndarray
    assert current_engine().name == "cpu"


def test_all_parts_of_a_fit_share_one_engine(
    device: FakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {}

    def remember(name: str, function: Any) -> Any:
        def wrapped(*args: Any, **settings: Any) -> Any:
            seen[name] = current_engine()
            return function(*args, **settings)

        return wrapped

    from isthmus.estimators.ensemble import judge
    from isthmus.transfer import fitting

    monkeypatch.setattr(MTrick, "_fit", remember("method", MTrick._fit))
    read = remember("reading", MTrick._read_training_data)
    monkeypatch.setattr(MTrick, "_read_training_data", read)
    source_only = remember("source only", fitting.fit_source_only)
    monkeypatch.setattr(fitting, "fit_source_only", source_only)
    # The verdict itself is tested elsewhere.
    monkeypatch.setattr(judge, "judge", remember("verdict", lambda *_: {}))
    fitted(engine="gpu", verdict=True)
    assert list(seen) == ["reading", "method", "source only", "verdict"]
    assert {id(engine) for engine in seen.values()} == {id(device.engine)}
    assert current_engine().name == "cpu"


def test_a_large_matrix_with_auto(device: FakeDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fitted(engine="auto").engine_ == "cpu"
    monkeypatch.setattr(engines, "_MIN_NONZEROS_ON_GPU", 1)
    assert fitted(engine="auto").engine_ == "gpu"
    assert fitted(CPU_ONLY, engine="auto").engine_ == "cpu"


def test_predictions_and_explanations(device: FakeDevice) -> None:
    model = fitted(Spy(max_iter=10, tol=0), engine="gpu")
    model.predict(NEW)
    assert model.estimator_.predicted_on == ["gpu"]
    expected = fitted(engine="cpu").explain(NEW[0])
    explanation = model.explain(NEW[0])
    assert explanation.label == expected.label
    weights, others = (
        {word.word: word.weights for word in e.words} for e in (explanation, expected)
    )
    assert set(weights) == set(others)
    for word, values in weights.items():
        assert values == pytest.approx(others[word], abs=1e-3)
    assert set(model.estimator_.predicted_on) == {"gpu"}
    model.set_params(engine="cpu").predict(NEW)
    assert model.estimator_.predicted_on[-1] == "cpu"


def test_parameters_and_copies(device: FakeDevice) -> None:
    model = Transfer("mtrick", engine="gpu")
    assert model.get_params()["engine"] == "gpu"
    assert clone(model).engine == "gpu"
    assert model.set_params(engine="cpu").engine == "cpu"
    twin = pickle.loads(pickle.dumps(fitted(engine="cpu")))
    assert (twin.engine, twin.engine_) == ("cpu", "cpu")


def test_a_loaded_model_needs_no_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    model = fitted(engine="gpu")
    expected = model.predict_proba(NEW)
    model.save(tmp_path / "gpu")
    fitted(engine="cpu").save(tmp_path / "cpu")
    device = install(monkeypatch, EngineError(NO_DEVICE))
    back = load(tmp_path / "gpu")
    assert back.engine is None
    np.testing.assert_allclose(back.predict_proba(NEW), expected, atol=1e-5)
    assert device.n_requests == 0
    with pytest.raises(AttributeError, match=r"engine_ .*model file"):
        _ = back.engine_
    # Neither the parameter nor the engine of the fit is in the file.
    for name in ("cpu", "gpu"):
        assert b"engine" not in (tmp_path / name).read_bytes()


@pytest.mark.parametrize("wrong", ["tpu", "CPU", "", 1])
def test_wrong_engines(wrong: Any) -> None:
    model = Transfer("mtrick", engine=wrong)
    for call in (model.check, lambda: model.fit(*TEXTS)):
        with pytest.raises(ValueError, match=r"engine=.* is unknown: use 'auto', .* or a client"):
            call()


def unread() -> Iterator[str]:
    raise AssertionError("a text was read")
    yield ""


def test_a_method_of_the_cpu_is_refused_before_texts_are_read(device: FakeDevice) -> None:
    name = METHODS[CPU_ONLY].class_name
    message = f"{name} does not run on the GPU, but engine='gpu' is set.*mtrick"
    for model in (Transfer(CPU_ONLY, engine="gpu"), Transfer(METHODS[CPU_ONLY].build())):
        with config_context(engine="gpu"), pytest.raises(ValueError, match=message):
            model.fit(unread(), CORPUS.source_labels, unread())


def test_a_missing_gpu_is_found_before_texts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, EngineError(NO_DEVICE))
    with pytest.raises(EngineError, match="No CUDA device"):
        Transfer("mtrick", engine="gpu").fit(unread(), CORPUS.source_labels, unread())


def test_a_fitted_method_of_the_cpu_predicts_there(device: FakeDevice) -> None:
    model = fitted(CPU_ONLY)
    expected = model.predict(NEW)
    assert (model.set_params(engine="gpu").predict(NEW) == expected).all()
    assert device.n_requests == 0
