"""``--weighting`` and the weighting of a preset."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from isthmus.cli.app import app
from isthmus.text.weighting import WEIGHTINGS

FILES = ("--source", "books.csv", "--target", "kitchen.csv", "--no-verdict", "--force")
NOTE = "Weighting: tfidf, as in the preset 'paper'; --weighting overrides it."


@pytest.mark.parametrize(
    ("options", "expected", "has_note"),
    [
        (("--method", "lg"), "log-tfidf", False),
        (("--method", "lg", "--weighting", "presence"), "presence", False),
        (("--method", "tsvm", "--preset", "paper"), "tfidf", True),
        (("--method", "tsvm", "--preset", "paper", "--set", "max_iter=2"), "tfidf", True),
        (("--method", "tsvm", "--preset", "paper", "--weighting", "counts"), "counts", False),
    ],
)
def test_classify(
    call: Any, corpus: Any, options: tuple[str, ...], expected: str, has_note: bool
) -> None:
    result = call("classify", *FILES, *options, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["weighting"] == expected
    result = call("classify", *FILES, *options)
    assert (NOTE in result.stderr.replace("\n", " ")) == has_note


def test_unknown_weighting(call: Any, corpus: Any) -> None:
    result = call("classify", *FILES, "--method", "lg", "--weighting", "bm25")
    assert result.exit_code == 2
    assert "Unknown weighting 'bm25': use one of counts, tfidf, log-tfidf" in result.stderr


@pytest.mark.parametrize("command", ["classify", "cluster"])
def test_help_names_all_weightings(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    assert all(f"'{name}'" in result.output for name in WEIGHTINGS)
