"""Standard streams, signals, and text that is not safe for a terminal or a spreadsheet."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tables import write_columns

CODE = "from isthmus.cli import main; main()"
BOTH = ("--source", "books.csv", "--target", "kitchen.csv", "--method", "lg")


def shell(command: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with redirections of the shell."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {command}', "sh", sys.executable, "-c", CODE, *args],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_closed_standard_output(corpus: Any, tmp_path: Path, call: Any) -> None:
    done = shell(">&-", "classify", *BOTH)
    assert (done.returncode, done.stdout) == (0, "")
    assert "rror" not in done.stderr
    assert Path("predictions.csv").exists()
    refused = shell(">&-", "classify", *BOTH, "--output", "-")
    assert refused.returncode == 2
    assert "Standard output is closed" in refused.stderr


@pytest.mark.slow
def test_closed_standard_streams(corpus: Any, call: Any) -> None:
    done = shell("<&- >&- 2>&-", "classify", *BOTH)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path("predictions.csv").exists()


def test_ctrl_c_while_libraries_are_imported() -> None:
    # The signal arrives during the import of typer.
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n" + CODE
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "version"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert (done.stdout, done.stderr) == ("", "Interrupted.\n")


def test_ctrl_c_that_a_library_turns_into_an_error(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any) -> None:
        monkeypatch.setattr("isthmus.cli.command._interrupted", True)
        raise ImportError("half a library")

    monkeypatch.setattr("isthmus.cli.classify._fit", interrupted)
    result = call("classify", *BOTH)
    assert result.exit_code == 130
    assert result.stderr == "Interrupted.\n"


def test_a_model_that_cannot_be_saved(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isthmus.transfer.model import Transfer

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device", "m")

    monkeypatch.setattr(Transfer, "save", full)
    result = call("classify", *BOTH, "--save-model", "m")
    assert result.exit_code == 1
    assert "Predictions are in predictions.csv" in result.stderr
    assert "No space left" in result.stderr
    assert Path("predictions.csv").exists()


def test_line_breaks_in_class_names(call: Any, corpus: Any) -> None:
    labels = [f"{label}\nclass" for label in corpus.source_labels]
    write_columns(Path("books.csv"), ["text", "label"], corpus.source_texts, labels)
    result = call("classify", *BOTH, "--save-model", "m")
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if "Predicted labels" in line]
    assert "positive\\nclass" in line
    assert "negative\\nclass" in line
    assert "positive\\nclass" in call("explain", "--model", "m").stdout.replace("\n", "")


def test_cells_for_spreadsheets(call: Any, corpus: Any) -> None:
    texts = [f"=cmd {text}" for text in corpus.target_texts]
    write_columns(Path("kitchen.csv"), ["text", "n"], texts, ["-1"] * 100)
    assert call("classify", *BOTH, "--output", "plain.csv").exit_code == 0
    assert call("classify", *BOTH, "--output", "safe.csv", "--spreadsheet-safe").exit_code == 0
    with open("safe.csv", newline="", encoding="utf-8") as stream:
        row = next(csv.DictReader(stream))
    assert row["text"] == f"'{texts[0]}"
    assert row["n"] == "-1"
    with open("plain.csv", newline="", encoding="utf-8") as stream:
        assert next(csv.DictReader(stream))["text"] == texts[0]
    refused = call("classify", *BOTH, "--output", "p.jsonl", "--spreadsheet-safe")
    assert refused.exit_code == 2
    assert "--spreadsheet-safe" in refused.stderr


@pytest.mark.slow
def test_escape_sequences_do_not_reach_a_terminal(call: Any, corpus: Any) -> None:
    texts = [f"\x1b[31m {text}" for text in corpus.target_texts[:3]]
    write_columns(Path("kitchen.csv"), ["text"], texts)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, "classify", *BOTH, "--output", "-", "--quiet"],
        stdout=theirs,
        stdin=subprocess.DEVNULL,
    )
    os.close(theirs)
    printed = b""
    # Reading fails when the other end is closed.
    try:
        while part := os.read(ours, 65536):
            printed += part
    except OSError:
        pass
    os.close(ours)
    assert process.wait() == 0
    assert b"\\x1b[31m" in printed
    assert b"\x1b" not in printed
    # A pipe or a file gets the cells unchanged.
    assert "\x1b[31m" in call("classify", *BOTH, "--output", "-", "--quiet").stdout


def test_the_list_of_methods_is_complete(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from isthmus import METHODS

    for columns in ("80", "40"):
        monkeypatch.setenv("COLUMNS", columns)
        result = call("methods")
        printed = " ".join(result.stdout.split())
        for method in METHODS.values():
            for text in (method.name, method.title, method.reference, *method.presets):
                assert text in printed
        if columns == "80":
            assert max(map(len, result.stdout.splitlines())) <= 80
        assert "…" not in result.stdout
    listed = json.loads(call("methods", "--json").stdout)
    assert [method["name"] for method in listed] == list(METHODS)
