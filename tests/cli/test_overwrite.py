"""Existing files are overwritten only if the user says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FILES = ("--source", "books.csv", "--target", "kitchen.csv", "--method", "lg")
OLD = "an old file"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the command believe that a person is at the terminal."""

    class Streams:
        def isatty(self) -> bool:
            return True

    import isthmus.cli.output as module

    class System:
        stdin = stderr = Streams()
        __stdout__ = stdout = Streams()

    monkeypatch.setattr(module, "sys", System)


@pytest.mark.parametrize("option", ["--output", "--save-model"])
def test_classify(call: Any, corpus: Any, option: str) -> None:
    path = Path("old.csv")
    path.write_text(OLD, encoding="utf-8")
    refused = call("classify", *FILES, option, path)
    assert refused.exit_code == 2
    assert "'old.csv'" in refused.stderr
    assert "--force" in refused.stderr
    assert path.read_text(encoding="utf-8") == OLD
    assert call("classify", *FILES, option, path, "--force").exit_code == 0
    assert path.read_bytes() != OLD.encode()


def test_predict_and_demo(call: Any, corpus: Any) -> None:
    assert call("classify", *FILES, "--save-model", "m").exit_code == 0
    for command in (
        ["predict", "--model", "m", "--input", "kitchen.csv", "--output", "old.csv"],
        ["demo", "--output", "old.csv"],
    ):
        Path("old.csv").write_text(OLD, encoding="utf-8")
        assert "--force" in call(*command).stderr
        assert Path("old.csv").read_text(encoding="utf-8") == OLD
        assert call(*command, "--force").exit_code == 0
        assert Path("old.csv").read_text(encoding="utf-8") != OLD


def test_the_corpus_of_the_demo(call: Any) -> None:
    Path("reviews").mkdir()
    Path("reviews/kitchen.csv").write_text(OLD, encoding="utf-8")
    refused = call("demo", "--corpus", "reviews")
    assert refused.exit_code == 2
    assert "kitchen.csv" in refused.stderr
    assert [path.name for path in Path("reviews").iterdir()] == ["kitchen.csv"]


def test_demo_and_classify_write_different_files(call: Any) -> None:
    assert call("demo", "--corpus", "reviews").exit_code == 0
    files = ("--source", "reviews/books.csv", "--target", "reviews/kitchen.csv")
    assert call("classify", *files, "--method", "lg").exit_code == 0


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2), ("", 130)])
def test_a_question_on_a_terminal(call: Any, corpus: Any, answer: str, code: int) -> None:
    Path("predictions.csv").write_text(OLD, encoding="utf-8")
    result = call("classify", *FILES, input=answer)
    assert result.exit_code == code, result.output
    assert "Overwrite?" in result.stderr
    is_old = Path("predictions.csv").read_text(encoding="utf-8") == OLD
    assert is_old == (code != 0)


@pytest.mark.usefixtures("terminal")
def test_no_question_without_need(call: Any, corpus: Any) -> None:
    assert "Overwrite" not in call("classify", *FILES).stderr
    assert "Overwrite" not in call("classify", *FILES, "--force").stderr
    assert "Overwrite" not in call("classify", *FILES, "--output", "/dev/null").stderr
