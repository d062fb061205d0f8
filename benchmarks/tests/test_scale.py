"""The parts disk and cluster of the speed benchmark, with few documents."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from isthmus_bench.speed.report import Sizes, measure
from isthmus_bench.speed.scale import cluster, process_tree

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is known on Linux only")
def test_memory_of_all_processes_counts():
    """A child of the command has an array of 200 MB, and an array in a file does not count."""
    child = "import numpy, time; x = numpy.ones(25_000_000); time.sleep(1)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    run = process_tree.run_watched([sys.executable, "-c", code])
    assert 200e6 < run.peak < 500e6
    assert run.seconds > 1


def test_a_command_that_fails_is_reported():
    with pytest.raises(RuntimeError, match="failed: sorry"):
        process_tree.run_watched([sys.executable, "-c", "import sys; sys.exit('sorry')"])


def test_a_process_that_has_ended_has_no_memory():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert process_tree.anonymous_bytes(process.pid) == 0


def test_disk(monkeypatch):
    sizes = Sizes(terms=300, largest=1200, memory=600)
    (table,) = measure(sizes, ["disk"], lambda text: None)
    rows = {row[0]: row[1:] for row in table.rows}
    assert "600 documents: the two files of predictions are identical" in rows
    assert any(name.startswith("1,200 documents, 0.0 GB of text") for name in rows)
    assert float(rows["- fitting MTrick"][0]) > 0
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_cluster(monkeypatch):
    pytest.importorskip("distributed", reason="needs the package distributed")
    monkeypatch.setattr(cluster, "_WORKERS", (1, 2))
    monkeypatch.setattr(cluster, "_ITERATIONS", 6)
    monkeypatch.setattr(cluster, "_WARM_UP", 2)
    monkeypatch.setattr(cluster, "_TINY", 200)
    # Dask changes them for the processes that it starts.
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    (table,) = measure(Sizes(terms=300, words=20, largest=1000), ["cluster"], lambda text: None)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["labels as on the CPU"][-1] == "100.000 %"
    for name in ("CPU engine, one thread", "Dask, workers: 1", "Dask, workers: 2"):
        assert np.isfinite(float(rows[name][0]))
    assert rows["a killed worker"][-1].endswith("s lost")
    assert all(len(row) == len(table.columns) for row in table.rows)
