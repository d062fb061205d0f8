"""``isthmus classify`` on a Dask cluster of processes, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from isthmus.datasets import make_corpus

pytestmark = pytest.mark.slow

pytest.importorskip("distributed", reason="needs the package distributed")
pandas = pytest.importorskip("pandas", reason="needs pandas")
pytest.importorskip("pyarrow", reason="needs pyarrow")

FAST = ("--method", "mtrick", "--set", "max_iter=10", "--set", "tol=0", "--no-verdict")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = make_corpus(n_source=80, n_target=60, random_state=0)
    for name, texts, labels in (
        ("source", corpus.source_texts, corpus.source_labels),
        ("target", corpus.target_texts, corpus.target_labels),
    ):
        table = pandas.DataFrame({"text": texts, "label": labels})
        table.rename(columns={"label": "label" if name == "source" else "truth"}).to_csv(
            f"{name}.csv", index=False
        )
    return tmp_path


def command(*options):
    files = ("--source", "source.csv", "--target", "target.csv")
    return [sys.executable, "-m", "isthmus", "classify", *files, *FAST, *options]


def run(*options):
    return subprocess.run(command(*options), capture_output=True, text=True, check=False)


def test_a_cluster_of_this_machine_writes_parts(files):
    assert run("--output", "plain.csv").returncode == 0
    done = run("--engine", "dask", "--workers", "2", "--output", "labels", "--parts", "--timings")
    assert done.returncode == 0, done.stderr
    assert "engine: dask" in done.stdout
    assert "Traceback" not in done.stderr
    labels = pandas.read_parquet("labels")
    assert labels["predicted"].tolist() == pandas.read_csv("plain.csv")["predicted"].tolist()
    assert sorted(path.name for path in Path().iterdir()) == [
        *("labels", "plain.csv", "source.csv", "target.csv"),
    ]


def test_files_that_only_this_process_can_read(files):
    """Standard input, and rows without a label in the file of the source."""
    table = pandas.concat([pandas.read_csv("source.csv"), pandas.read_csv("target.csv")])
    table[["text", "label"]].to_csv("both.csv", index=False)
    for number, names in enumerate((("source.csv", "--target", "-"), ("both.csv",))):
        options = ("--output", f"{number}.csv", "--engine", "dask", "--workers", "1")
        done = subprocess.run(
            [sys.executable, "-m", "isthmus", "classify", "--source", *names, *FAST, *options],
            input=Path("target.csv").read_text(encoding="utf-8"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "60 documents" in done.stderr
    predicted = [pandas.read_csv(f"{number}.csv")["predicted"].tolist() for number in (0, 1)]
    assert len(predicted[0]) == 60
    assert predicted[0] == predicted[1]


def test_a_lost_scheduler_leaves_no_output(files):
    code = (
        "import distributed, time, sys\n"
        "if __name__ == '__main__':\n"
        "    cluster = distributed.LocalCluster(n_workers=1, dashboard_address=':0')\n"
        "    print(cluster.scheduler_address, flush=True)\n"
        "    sys.stdin.readline()\n"
        "    import os; os._exit(0)\n"
    )
    Path("cluster.py").write_text(code)
    with subprocess.Popen(
        [sys.executable, "cluster.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as cluster:
        address = cluster.stdout.readline().strip()
        options = ("--engine", "dask", "--scheduler", address, "--output", "labels.csv")
        # Iterations enough that the scheduler is lost before the end.
        many = [*command(*options), "--set", "max_iter=100000"]
        with subprocess.Popen(many, stderr=subprocess.PIPE, text=True) as process:
            begun = [next(process.stderr)]
            while not begun[-1].startswith("Target"):  # then the fit begins
                begun.append(next(process.stderr))
            time.sleep(1)
            cluster.stdin.write("end\n")
            cluster.stdin.flush()
            errors = "".join([*begun, process.communicate(timeout=90)[1]])
    assert process.returncode == 2, errors
    assert "scheduler of the Dask cluster is lost" in errors
    assert "Traceback" not in errors
    assert not Path("labels.csv").exists()


def test_no_scheduler(files, monkeypatch):
    monkeypatch.setattr("isthmus.cli.method_options._CONNECT_SECONDS", 1)
    from typer.testing import CliRunner

    from isthmus.cli.app import app

    options = [*command()[3:], "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 2
    assert "There is no Dask scheduler at tcp://127.0.0.1:1" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "2"], "--workers is for a Dask cluster: add --engine dask"),
        (["--scheduler", "tcp://x:1"], "--scheduler is for a Dask cluster: add --engine dask"),
        (
            ["--engine", "dask", "--workers", "2", "--scheduler", "tcp://x:1"],
            "leave one of them out",
        ),
    ],
)
def test_options_that_contradict_each_other(files, options, message):
    from typer.testing import CliRunner

    from isthmus.cli.app import app

    result = CliRunner().invoke(app, [*command()[3:], *options])
    assert result.exit_code == 2
    assert message in result.stderr
