"""The page of the GPU benchmark, from made-up results."""

from __future__ import annotations

import types

from typer.testing import CliRunner

from isthmus_bench.cli.app import app
from isthmus_bench.speed.gpu import fits
from isthmus_bench.speed.gpu.fitting import FitJob
from isthmus_bench.speed.gpu.lines import LineFile, identity
from isthmus_bench.speed.gpu.report import gpu_page
from isthmus_bench.speed.gpu.session import Choice

DEVICE = {"name": "Fake H200", "memory_bytes": 2**37, "cuda": 13000, "driver": 13010, "cupy": "14"}


def made_up_lines():
    """A line of every kind, with numbers that can be found again."""
    job = FitJob("mtrick", 1_000_000, "", "")
    session = types.SimpleNamespace(choice=Choice())
    common = {"documents": 1_000_000, "terms": 50_000, "dtype": "float32"}
    rate = {"bytes": 800_000_000, "nonzeros": 100_000_000, "copy_rate": 4e12}
    lines = [
        {"part": "machine", "device": DEVICE, "processor": "CPU", "cores": 16, "threads": 16,
         "versions": {"python": "3.12"}, "date": "2026-01-01", "remark": "two sessions"},
        {"part": "passes", "name": "copy", **common, "seconds": 0.002, "bytes": 8e9},
        {"part": "passes", "name": "row pass", **common, "width": 2, "seconds": 0.00025,
         "least": 0.0002, **rate},
        {"part": "passes", "name": "X'G", **common, "width": 3, "seconds": 0.0005,
         "least": 0.0004, **rate},
    ]  # fmt: skip
    for part, size, cpu, gpu in (
        ("fits", 1_000_000, 20.0, 0.5), ("crossover", 1_000, 0.01, 0.1),
        ("crossover", 3_000, 0.2, 0.1), ("crossover", 9_000, 2.0, 0.25),
    ):  # fmt: skip
        for engine, seconds, objective in (("cpu", cpu, 2.0), ("gpu", gpu, 2.00002)):
            of_job = FitJob("mtrick", size, engine, "")
            lines.append({
                **fits.fit_line(session, part, of_job), "seconds": [seconds] * 2,
                "digests": [engine, "other"], "objective": objective, "iterations": 7,
                "accuracy": 0.912, "nonzeros": 100 * size,
            })  # fmt: skip
    lines.append({**fits._agreement_line(session, job), "agreement": 0.99912, "compared": 9})
    return {identity(line): line for line in lines}


def test_the_page():
    page = gpu_page(made_up_lines())
    assert "Bandwidth of a copy on the device: 4,000 GB/s" in page
    assert "| remark | two sessions |" in page
    assert "| 1,000,000 | 100,000,000 | row pass | 2 | 0.250 | 0.200 | 80% | 0.38 | 1.5 |" in page
    assert "| X'G | 3 | 0.500 | 0.400 | 40% |  |  |" in page
    assert "| MTrick | 20 | 0.5 | 40.0 | 99.912 % | 1e-05 | NO | 7 | 91.2 % |" in page
    assert "| MTrick | 3,000 | 300,000 | 0.200 | 0.100 | 2.00 |" in page
    assert "MTrick is faster on the GPU from 3,000 documents (300,000 non-zeros) on." in page


def test_the_first_kernel_is_shown_for_its_device_only():
    lines = made_up_lines()
    lines['{"part": "machine"}']["device"] = {**DEVICE, "name": "Other"}
    assert "first kernel" not in gpu_page(lines)


def test_the_gpu_is_not_faster():
    lines = made_up_lines()
    for line in lines.values():
        if line["part"] == "crossover" and line["engine"] == "gpu":
            line["seconds"] = [9.0]
    assert "MTrick is not faster on the GPU at these sizes." in gpu_page(lines)


def test_the_command_writes_the_page_without_a_gpu(tmp_path):
    file = LineFile(tmp_path / "gpu.jsonl")
    for line in made_up_lines().values():
        file.append(line)
    page = tmp_path / "gpu.md"
    options = ["--only", "report", "--results", str(tmp_path), "--output", str(page)]
    done = CliRunner().invoke(app, ["speed", "--engine", "gpu", *options])
    assert done.exit_code == 0
    assert done.stdout == f"Wrote {page}.\n"
    assert page.read_text() == gpu_page(file.read())
