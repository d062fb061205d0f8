"""The benchmark of the GPU engine, on machines without a GPU: the strict engine stands in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from engines.fake_gpu import NO_DEVICE, install
from gpu_tasks import count, end_badly, stop_answering
from isthmus import EngineError
from isthmus.estimators.registry import methods_on
from isthmus.matrices.host import HostEngine
from isthmus.matrices.threads import one_thread
from isthmus_bench.cli.app import app
from isthmus_bench.speed.gpu import run
from isthmus_bench.speed.gpu.fits import FIFTY, planned_fits
from isthmus_bench.speed.gpu.fitting import FitJob, run_fits
from isthmus_bench.speed.gpu.lines import LineFile
from isthmus_bench.speed.gpu.passes import (
    WIDTHS,
    PassJob,
    _queued_row_pass,
    measure_passes,
    run_passes,
)
from isthmus_bench.speed.gpu.problem import (
    MIXED,
    PLAIN,
    Mixture,
    load_problem,
    make_counts,
    stored_problem,
)
from isthmus_bench.speed.gpu.processes import READY, in_new_process
from isthmus_bench.speed.gpu.report import gpu_page
from isthmus_bench.speed.gpu.run import GPU_PARTS, measure_gpu
from isthmus_bench.speed.gpu.session import DEFAULT_METHODS, BudgetSpentError, Choice, Session

pytestmark = [pytest.mark.ends_early, pytest.mark.doubtful]

DEVICE = {"name": "Fake H200", "memory_bytes": 2**37, "cuda": 13000, "driver": 13010, "cupy": "14"}
SMALL = {"sizes": (240,), "terms": 300, "rounds": 2}


def here(work, argument, time_limit, preload):
    """Do the work in this process."""
    messages = []
    work(argument, messages.append)
    yield from (message for message in messages if message != READY)


def fake_seconds(function, rounds):
    function()
    return [0.002, 0.001] * (rounds // 2)


def host_row_pass(documents, G, P, gram):
    return lambda: documents.membership_step(G, P, gram)


def fake_passes(job, send):
    small = PassJob(job.documents, job.terms, job.rounds, copied=1000)
    measure_passes(small, send, HostEngine(), fake_seconds, host_row_pass)


@pytest.fixture
def device(monkeypatch):
    device = install(monkeypatch)
    monkeypatch.setattr("isthmus_bench.speed.gpu.machine._device", lambda: DEVICE)
    monkeypatch.setattr(run, "run_passes", fake_passes)
    # Few documents need more words of their class.
    monkeypatch.setattr("isthmus_bench.speed.gpu.problem.MIXED", Mixture(0.1, 0.4, 0.1))
    # There is no device to copy to.
    monkeypatch.setattr("isthmus_bench.speed.gpu.profile._DEVICE_STAGES", ())
    monkeypatch.setattr("isthmus_bench.speed.gpu.profile._wait_for_device", lambda: None)
    return device


def measured(tmp_path, parts, **settings):
    progress = []
    choice = Choice(**{**SMALL, **settings})
    folder = tmp_path / "folder"
    done = measure_gpu(parts, choice, tmp_path / "gpu.jsonl", folder, progress.append, run=here)
    return done, LineFile(tmp_path / "gpu.jsonl").read(), progress


# Documents


def test_documents():
    corpus = make_counts(1000, 5000, MIXED)
    assert corpus.X.shape == (1000, 5000)
    assert corpus.X.dtype == np.float32
    assert corpus.X.indices.dtype == corpus.X.indptr.dtype == np.int32
    corpus.X.has_canonical_format = False
    corpus.X.sort_indices()
    np.testing.assert_array_equal(corpus.X.sum(axis=1), corpus.X[0].sum())
    assert 80 < corpus.X.nnz / 1000 < 102
    with one_thread():
        again = make_counts(1000, 5000, MIXED)
    assert (again.X != corpus.X).nnz == 0
    plain = make_counts(1000, 5000, PLAIN)
    halves = [plain.X[:500].sum(axis=0), plain.X[500:].sum(axis=0)]
    assert np.corrcoef(*halves)[0, 1] > np.corrcoef(corpus.X[:500].sum(axis=0), halves[0])[0, 1]


def test_many_blocks_are_the_same_for_all_numbers_of_threads(monkeypatch):
    monkeypatch.setattr("isthmus_bench.speed.gpu.problem._BLOCK", 100)
    corpus = make_counts(450, 500, MIXED)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert (make_counts(450, 500, MIXED).X != corpus.X).nnz == 0


def test_a_stored_problem_is_made_once(tmp_path, monkeypatch):
    path = stored_problem(tmp_path, 200, 300)
    monkeypatch.setattr("isthmus_bench.speed.gpu.problem.make_counts", None)
    assert stored_problem(tmp_path, 200, 300) == path
    corpus = load_problem(path, "float64")
    assert corpus.X.dtype == np.float64
    assert corpus.X.shape == (200, 300)
    np.testing.assert_allclose(corpus.X.multiply(corpus.X).sum(axis=1), 1, rtol=1e-5)


# Results


def test_lines(tmp_path):
    file = LineFile(tmp_path / "deep" / "gpu.jsonl")
    assert file.read() == {}
    file.append({"part": "fits", "method": "dkt", "seconds": [1]})
    file.append({"part": "fits", "method": "ktw", "seconds": [3]})
    file.append({"part": "fits", "method": "dkt", "seconds": [2]})
    with file.path.open("a") as stream:
        stream.write('{"part": "fi')  # not written completely
    assert [line["seconds"] for line in file.read().values()] == [[2], [3]]
    with file.path.open("a") as stream:
        stream.write("\n")
    with pytest.raises(ValueError, match=r"Line 4 of '.*gpu.jsonl' is not a result: delete"):
        file.read()


# Processes


def test_a_process_sends_its_results():
    assert list(in_new_process(count, 3, 60)) == [0, 1, 2]


def test_a_process_that_takes_too_long_is_killed():
    results = in_new_process(stop_answering, None, 0.3)
    assert next(results) == 1
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match=r"not done after 0\.3 seconds"):
        next(results)
    assert time.monotonic() - begin < 30


def test_a_process_that_fails():
    with pytest.raises(RuntimeError, match=r"KeyError: 'no.*such key'"):
        list(in_new_process(end_badly, "raise", 60))
    with pytest.raises(RuntimeError, match="ended with status 3"):
        list(in_new_process(end_badly, "exit", 60))


# Passes


def test_passes():
    lines = []
    job = PassJob(300, 200, 2, copied=1000)
    measure_passes(job, lines.append, HostEngine(), fake_seconds, host_row_pass)
    lines = [line for line in lines if line != READY]
    assert [line["name"] for line in lines] == ["copy", *["row pass", "X'G"] * len(WIDTHS)]
    assert lines[0]["bytes"] == 8000
    for line in lines:
        assert line["seconds"] == 0.0015
        assert line["least"] == 0.001
    assert lines[1]["copy_rate"] == pytest.approx(8000 / 0.0015)
    assert lines[1]["bytes"] == 8 * lines[1]["nonzeros"]


def test_the_row_pass_does_not_wait_for_its_counter():
    calls = []

    class Documents:
        def queue_update(self, *arguments):
            calls.append(arguments)

    update = _queued_row_pass(Documents(), "G", "P", [[1, 2], [3, 4]])
    update()
    assert [arguments[:2] for arguments in calls] == [("G", "P")]


def test_passes_need_a_gpu(monkeypatch):
    install(monkeypatch, EngineError(NO_DEVICE))
    with pytest.raises(EngineError, match="No CUDA device"):
        run_passes(PassJob(100, 100, 1), print)


# Fits


def test_the_plan():
    choice = Choice()
    assert {*DEFAULT_METHODS} <= {*methods_on("gpu")}
    plan = planned_fits(choice, (100, 1000))
    warm = [job for job in plan if job.start == "warm"]
    assert [job.start for job in plan if job.start != "warm"] == ["cached", "cold"]
    assert [job.documents for job in warm if job.parameters == FIFTY] == [100, 1000]
    for size in (100, 1000):
        plain = [job for job in warm if job.documents == size and not job.parameters]
        assert [job.method for job in plain if job.dtype == "float32"] == list(DEFAULT_METHODS)
    doubles = [job for job in warm if job.dtype == "float64"]
    assert {job.documents for job in doubles} == {100}
    assert [job.method for job in doubles] == [
        "mtrick", "mtrick0", "dkt", "ktw", "plsa", "pjnmf", "cocc", "lssttc",
    ]  # fmt: skip
    assert len({str(job) for job in plan}) == len(plan)


def test_all_parts(tmp_path, device):
    methods = ("mtrick", "plsa", "cocc")
    done, lines, progress = measured(tmp_path, tuple(GPU_PARTS), methods=methods)
    assert done
    assert device.n_requests > 10
    assert not [line for line in lines.values() if "error" in line]
    both = [line for line in lines.values() if line["part"] == "agreement"]
    assert len(both) == 7
    assert all(line["agreement"] > 0.99 for line in both)
    on_gpu = [line for line in lines.values() if line["part"] == "fits" and line["engine"] == "gpu"]
    assert {len({*line["digests"]}) for line in on_gpu} == {1}
    assert {len(line["seconds"]) for line in on_gpu} == {1, 2}
    stages = [line["stages"] for line in lines.values() if line["part"] == "profile"]
    assert [*stages[0]] == ["validation", "first classifier", "iterations", "rest"]
    assert len(stages) == 2
    assert any("of 120 labels agree" in text for text in progress)
    page = gpu_page(lines)
    assert "| MTrick |" in page
    assert page.count("\n## ") == 5
    assert "Fake H200, 128 GiB" in page
    assert "runtime 13.0, driver 13.1" in page
    # What has a result is not measured again.
    device.n_requests = 0
    assert measured(tmp_path, tuple(GPU_PARTS), methods=methods)[1] == lines
    assert device.n_requests == 1  # whether there is a GPU
    begin = len((tmp_path / "gpu.jsonl").read_text().splitlines())
    measured(tmp_path, ("crossover",), methods=("cocc",), again=True)
    assert len((tmp_path / "gpu.jsonl").read_text().splitlines()) == begin + 2


def test_one_engine_at_a_time(tmp_path, device):
    _, lines, _ = measured(tmp_path, ("fits",), methods=("ktw",), engines=("cpu",))
    assert [line["engine"] for line in lines.values() if line["part"] == "fits"] == ["cpu"] * 2
    _, lines, _ = measured(tmp_path, ("fits",), methods=("ktw",), engines=("gpu",))
    assert len([line for line in lines.values() if line["part"] == "agreement"]) == 2


def test_missing_labels_are_fitted_again(tmp_path, device):
    measured(tmp_path, ("fits",), methods=("ktw",), engines=("cpu",))
    for file in (tmp_path / "folder").glob("labels-*"):
        file.unlink()
    _, lines, progress = measured(tmp_path, ("fits",), methods=("ktw",))
    assert len([text for text in progress if "cpu: fitting" in text]) == 2
    assert len([line for line in lines.values() if line["part"] == "agreement"]) == 2


def test_a_fit_that_takes_too_long(tmp_path, device, monkeypatch):
    tried = []

    def slow(work, argument, time_limit, preload):
        tried.append(argument)
        raise TimeoutError(f"not done after {time_limit:g} seconds")
        yield

    monkeypatch.setattr(sys.modules[__name__], "here", slow)
    settings = {"methods": ("dkt",), "engines": ("cpu",)}
    _, lines, _ = measured(tmp_path, ("fits",), time_limit=7, **settings)
    errors = [line for line in lines.values() if "error" in line]
    assert [line["time_limit"] for line in errors] == [7, 7]
    assert "| DKT | > 7 | - |" in gpu_page(lines)
    measured(tmp_path, ("fits",), time_limit=7, **settings)
    assert len(tried) == 2
    measured(tmp_path, ("fits",), time_limit=8, **settings)
    assert len(tried) == 4
    # The budget is no property of the fit.
    done, later, _ = measured(tmp_path, ("fits",), time_limit=100, budget=20, **settings)
    assert not done
    assert [line["time_limit"] for line in later.values() if "error" in line] == [8, 8]


def test_a_fit_that_fails(tmp_path, device, monkeypatch):
    def fail(work, argument, time_limit, preload):
        raise RuntimeError("no more memory")
        yield

    monkeypatch.setattr(sys.modules[__name__], "here", fail)
    done, lines, _ = measured(tmp_path, ("fits", "crossover", "profile"), methods=("mtrick",))
    assert done
    page = gpu_page(lines)
    assert "| MTrick | failed | failed | - |" in page
    assert "- mtrick, 240 documents, float64, cpu: no more memory" in page


def test_nothing_is_started_without_time(tmp_path):
    choice = Choice(budget=1.0)
    session = Session(choice, LineFile(tmp_path / "x"), tmp_path, print, run=here)
    with pytest.raises(BudgetSpentError):
        next(session.run(run_fits, []))


def test_a_fit_in_a_process_of_its_own(tmp_path):
    problem = stored_problem(tmp_path, 300, 400)
    labels = tmp_path / "labels.npy"
    jobs = [
        FitJob("mtrick", 300, "cpu", str(problem), FIFTY, repeats=2, labels=str(labels)),
        FitJob("cocc", 300, "cpu", str(problem), dtype="float64"),
        FitJob("cocc", 300, "gpu", str(problem)),
    ]
    results = in_new_process(run_fits, jobs, 60)
    first, second = next(results), next(results)
    assert first["iterations"] == 50
    truth = load_problem(problem, "float32").labels[150:]
    assert first["accuracy"] == pytest.approx((np.load(labels) == truth).mean(), abs=1e-6)
    assert len(first["seconds"]) == 2
    assert len({*first["digests"]}) == 1
    assert first["nonzeros"] == second["nonzeros"]
    assert second["objective"] != 0
    if not device_is_here():
        with pytest.raises(RuntimeError, match="EngineError"):
            next(results)


def device_is_here():
    from isthmus.matrices.gpu.device import gpu_is_usable

    return gpu_is_usable()


def test_a_cold_start_has_a_cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("CUPY_CACHE_DIR", "before")
    seen = []
    monkeypatch.setattr(
        "isthmus_bench.speed.gpu.fitting._run",
        lambda jobs, send: seen.append(os.environ["CUPY_CACHE_DIR"]),
    )
    run_fits([FitJob("mtrick", 10, "gpu", "")], print)
    run_fits([FitJob("mtrick", 10, "gpu", "", start="cold")], print)
    assert seen[0] == "before" != seen[1]


# The command


def command(*options):
    return CliRunner().invoke(app, ["speed", "--engine", "gpu", *map(str, options)])


def test_the_command_measures(tmp_path, device, monkeypatch):
    monkeypatch.setattr("isthmus_bench.speed.gpu.session.in_new_process", here)
    monkeypatch.setattr(Session.__init__, "__defaults__", (here,))
    page = tmp_path / "gpu.md"
    options = ("--only", "fits", "--methods", "ktw", "--sizes", "240", "--terms", "300")
    done = command(*options, "--results", tmp_path, "--output", page, "--on", "gpu,cpu")
    assert done.exit_code == 0, done.output
    assert "| KTW |" in page.read_text()
    done = command(*options, "--results", tmp_path, "--again", "--budget", 1)
    assert "repeat the command to continue" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--only", "memory"), "choose among passes, fits, crossover, profile, report."),
        (("--methods", "gfhf"), "--methods 'gfhf' does not run on the GPU: choose among auto,"),
        (("--on", "tpu"), "--on 'tpu' must be cpu, gpu or both"),
        (("--sizes", "many"), "--sizes 'many' must be whole numbers"),
        (("--sizes", "1,000"), "write them without one, as in 100000,1000000."),
        (("--engine", "cpu", "--sizes", "2000"), "--sizes is an option of the GPU: add --engine"),
        (("--engine", "cpu", "--on", "gpu"), "--on is an option of the GPU: add --engine gpu"),
        (("--only", "report", "--results", "nowhere"), "There are no results of the GPU: first"),
        (("--engine", "tpu"), "--engine 'tpu' is unknown: use cpu or gpu."),
    ],
)
def test_wrong_options(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmarks" / "speed").mkdir(parents=True)
    done = command(*options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_a_gpu_the_command_says_why(tmp_path, monkeypatch):
    install(monkeypatch, EngineError(NO_DEVICE))
    done = command("--results", tmp_path)
    assert done.exit_code == 2
    assert done.stderr == "Error: No CUDA device was found: set --engine='cpu'.\n"
    assert not list(tmp_path.iterdir())


def test_the_packages_of_the_suites_are_not_needed():
    """Machines with a GPU that are lent for an hour have few packages."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('pydantic', 'matplotlib', 'markdown_it')))\n"
        "import isthmus_bench.speed.gpu.run, isthmus_bench.speed.gpu.report"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_lines_are_plain_json(tmp_path, device):
    measured(tmp_path, ("fits",), methods=("ktw",), engines=("gpu",))
    for line in (tmp_path / "gpu.jsonl").read_text().splitlines():
        assert json.loads(line)["part"] in ("machine", "fits")
