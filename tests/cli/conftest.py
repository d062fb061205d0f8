"""Run every command in an empty folder, with a small corpus on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from isthmus.cli.app import app
from isthmus.datasets import SyntheticCorpus, make_corpus
from tables import write_columns


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *args, **settings: CliRunner().invoke(app, [str(a) for a in args], **settings)


@pytest.fixture
def corpus(tmp_path: Path) -> SyntheticCorpus:
    """books.csv (text, label) and kitchen.csv (id, text, truth) in the folder."""
    made = make_corpus(n_source=120, n_target=100)
    write_columns(tmp_path / "books.csv", ["text", "label"], made.source_texts, made.source_labels)
    ids = [f"k{i}" for i in range(100)]
    columns = ["id", "text", "truth"]
    write_columns(tmp_path / "kitchen.csv", columns, ids, made.target_texts, made.target_labels)
    return made
