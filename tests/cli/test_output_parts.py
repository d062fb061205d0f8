"""``classify --parts`` writes a folder of Parquet files, completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from forced_processes import force_processes, map_here
from tables import read_rows

ARGUMENTS = (
    *("classify", "--source", "books.csv", "--target", "kitchen.csv"),
    *("--method", "mtrick", "--no-verdict"),
)


def classify(call: Any, *options: str) -> Any:
    result = call(*ARGUMENTS, *options)
    assert result.exit_code == 0, result.output
    return result


def rows_of(folder: str) -> list[dict[str, str]]:
    rows = []
    for path in sorted(Path(folder).iterdir()):
        rows += pyarrow.parquet.read_table(path).to_pylist()
    return [{name: "" if v is None else str(v) for name, v in row.items()} for row in rows]


@pytest.fixture(params=["whole", "shards"])
def n_parts(request: Any, monkeypatch: Any) -> int:
    """How the target is read: by this process, or in ten pieces."""
    if request.param == "whole":
        return 1
    force_processes(monkeypatch)
    map_here(monkeypatch)
    return 10


@pytest.mark.parametrize("folder", ["labels", "labels.parquet"])
def test_the_rows_of_a_single_file(call: Any, corpus: Any, n_parts: int, folder: str) -> None:
    options = ("--probabilities", "--min-confidence", "0.8")
    classify(call, *options)
    expected = read_rows("predictions.csv")
    result = classify(call, *options, "--parts", "-o", folder)
    assert f"Predictions are in {folder}" in result.output
    names = [path.name for path in sorted(Path(folder).iterdir())]
    assert names == [f"part-{number:05}.parquet" for number in range(n_parts)]
    assert rows_of(folder) == expected
    assert sorted(os.listdir()) == sorted(["books.csv", "kitchen.csv", "predictions.csv", folder])


def test_the_folder_is_input_of_other_commands(call: Any, corpus: Any, n_parts: int) -> None:
    classify(call, "--parts", "-o", "labels")
    truth = ("--truth", "kitchen.csv", "--label-col", "truth")
    result = call("evaluate", "--predictions", "labels", *truth)
    assert result.exit_code == 0, result.output
    assert "accuracy" in result.output.lower()


def test_an_existing_folder_needs_force(call: Any, corpus: Any, n_parts: int) -> None:
    Path("labels").mkdir()
    classify(call, "--parts", "-o", "labels")  # an empty folder is no loss
    Path("labels", "part-00077.parquet").write_text("old")
    result = call(*ARGUMENTS, "--parts", "-o", "labels")
    assert result.exit_code == 2
    assert "The folder 'labels' already exists: add --force" in result.output
    assert Path("labels", "part-00077.parquet").read_text() == "old"
    classify(call, "--parts", "-o", "labels", "--force")
    assert len(os.listdir("labels")) == n_parts


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_folder_with_other_files_is_refused(call: Any, corpus: Any, force: Any) -> None:
    Path("labels").mkdir()
    Path("labels", "notes.txt").write_text("mine")
    result = call(*ARGUMENTS, "--parts", "-o", "labels", *force)
    assert result.exit_code == 2
    assert "The folder 'labels' has other files than parts, such as 'notes.txt'" in result.output
    assert os.listdir("labels") == ["notes.txt"]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("predictions.csv", "--parts writes a folder, and 'predictions.csv' is the name of a file"),
        ("labels.jsonl.gz", "--parts writes a folder"),
        ("file", "'file' is a file, and --parts writes a folder"),
        ("no/labels", "cannot be written"),
        ("link", "'link' is a link"),
        ("-", "--parts writes a folder"),
    ],
)
def test_what_cannot_be_a_folder(call: Any, corpus: Any, output: str, message: str) -> None:
    Path("file").write_text("mine")
    Path("elsewhere").mkdir()
    Path("link").symlink_to("elsewhere")
    before = sorted(os.listdir())
    result = call(*ARGUMENTS, "--parts", "-o", output, "--force")
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")
    assert message in result.output
    assert sorted(os.listdir()) == before
    assert Path("file").read_text() == "mine"


def test_parquet_has_no_spreadsheet_cells(call: Any, corpus: Any) -> None:
    result = call(*ARGUMENTS, "--parts", "-o", "labels", "--spreadsheet-safe")
    assert result.exit_code == 2
    assert "--spreadsheet-safe" in result.output
    assert not Path("labels").exists()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_error_leaves_the_earlier_folder(
    call: Any, corpus: Any, n_parts: int, monkeypatch: Any, error: BaseException
) -> None:
    classify(call, "--parts", "-o", "labels")
    before = {path: path.read_bytes() for path in Path("labels").iterdir()}
    n_made = 0

    def fail(self: Any, *arguments: Any) -> Any:
        nonlocal n_made
        n_made += 1
        if n_made > n_parts / 2:
            raise error
        return make(self, *arguments)

    from isthmus.cli.predictions import PredictionRows

    make = PredictionRows.make
    monkeypatch.setattr(PredictionRows, "make", fail)
    result = call(*ARGUMENTS, "--parts", "-o", "labels", "--force")
    assert result.exit_code == (130 if isinstance(error, KeyboardInterrupt) else 1)
    assert {path: path.read_bytes() for path in Path("labels").iterdir()} == before
    assert sorted(os.listdir()) == ["books.csv", "kitchen.csv", "labels"]
