"""--engine, and the engines in the list of methods."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engines.fake_gpu import NO_DEVICE, install
from isthmus import METHODS, EngineError

CLASSIFY = ("classify", "--source", "books.csv", "--target", "kitchen.csv", "--no-verdict")
MTRICK = (*CLASSIFY, "--method", "mtrick", "--set", "max_iter=5", "--set", "tol=0")
PREDICT = ("predict", "--model", "m.isthmus", "--input", "kitchen.csv", "--output", "p.csv")
# scikit-learn's own methods stay on the CPU.
CPU_ONLY = (*CLASSIFY, "--method", "sklearn-label-spreading")


@pytest.mark.parametrize("engine", ["auto", "cpu", "gpu"])
def test_classify_and_predict(engine, call, corpus, monkeypatch):
    install(monkeypatch)
    used = "gpu" if engine == "gpu" else "cpu"
    options = ("--engine", engine, "--json")
    result = call(*MTRICK, "--save-model", "m.isthmus", *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["engine"] == used
    result = call(*PREDICT, *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["engine"] == used


def test_the_same_predictions(call, corpus, monkeypatch):
    device = install(monkeypatch)
    for engine in ("cpu", "gpu"):
        call(*MTRICK, "--engine", engine, "--output", f"{engine}.csv", "--columns", "none")
    assert device.n_requests > 0
    labels = [
        [line.split(",")[0] for line in Path(f"{engine}.csv").read_text("utf-8").splitlines()]
        for engine in ("cpu", "gpu")
    ]
    assert len(labels[0]) == 101
    assert labels[0] == labels[1]


def test_batches_do_not_share_an_engine(call, corpus, monkeypatch):
    """An engine keeps the documents that it has copied, and the file may be large."""
    device = install(monkeypatch)
    monkeypatch.setattr("isthmus.cli.parallel_labels._BATCH_DOCUMENTS", 1)
    monkeypatch.setattr("isthmus.files.limits.CHUNK_BYTES", 1000)
    call(*MTRICK, "--save-model", "m.isthmus")
    assert device.n_requests == 0
    assert call(*PREDICT, "--engine", "gpu").exit_code == 0
    assert device.n_requests >= 100 / 20


def test_timings_name_the_engine(call, corpus):
    assert "Seconds per stage (engine: cpu)" in call(*MTRICK, "--timings").stdout


def test_demo(call):
    result = call("demo", "--engine", "cpu", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["engine"] == "cpu"


@pytest.mark.parametrize("command", [MTRICK, ("demo", "--corpus", "reviews")])
def test_without_a_gpu(command, call, corpus, tmp_path, monkeypatch):
    install(monkeypatch, EngineError(NO_DEVICE))
    before = sorted(tmp_path.iterdir())
    result = call(*command, "--engine", "gpu")
    assert result.exit_code == 2
    assert result.stderr == "Error: No CUDA device was found: set --engine='cpu'.\n"
    assert sorted(tmp_path.iterdir()) == before


def test_predict_without_a_gpu(call, corpus, monkeypatch):
    install(monkeypatch, EngineError(NO_DEVICE))
    assert call(*MTRICK, "--save-model", "m.isthmus").exit_code == 0
    result = call(*PREDICT, "--engine", "gpu")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "Error: No CUDA device was found: set --engine='cpu'."
    assert not Path("p.csv").exists()
    assert call(*PREDICT).exit_code == 0


@pytest.mark.slow
def test_without_cupy(corpus, tmp_path):
    """The real message, in a process of its own."""
    code = (
        "import sys; sys.modules['cupy'] = None; from isthmus.cli import main; "
        f"sys.argv = ['isthmus', *{[*MTRICK, '--engine', 'gpu']!r}]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: --engine='gpu' needs the package CuPy")
    assert 'pip install "isthmus[gpu]"' in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_method_that_does_not_run_on_the_gpu(call, corpus, monkeypatch):
    install(monkeypatch)
    assert call(*CPU_ONLY, "--save-model", "m.isthmus").exit_code == 0
    for command in ((*CPU_ONLY, "--force"), PREDICT):
        result = call(*command, "--engine", "gpu")
        assert result.exit_code == 2
        error = result.stderr.splitlines()[-1]
        assert error.startswith("Error: SklearnLabelSpreading does not run on the GPU, but ")
        assert "--engine='gpu' is set" in error
        assert "mtrick, " in error
    assert not Path("p.csv").exists()
    assert call(*PREDICT).exit_code == 0


@pytest.mark.parametrize("command", [MTRICK, ("demo",)])
def test_unknown_engine(command, call, corpus):
    result = call(*command, "--engine", "tpu")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: --engine='tpu' is unknown: use 'auto', 'cpu', 'gpu'")


def test_methods(call):
    lines = call("methods").stdout.splitlines()
    engines = [line.partition(": ")[2] for line in lines if line.startswith("    Engines: ")]
    assert engines == [", ".join(method.engines) for method in METHODS.values()]
    assert {"cpu", "cpu, gpu", "cpu, gpu, dask"} >= set(engines) > {"cpu"}
    listed = {row["name"]: row["engines"] for row in json.loads(call("methods", "--json").stdout)}
    assert listed == {method.name: list(method.engines) for method in METHODS.values()}
