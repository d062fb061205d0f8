"""``isthmus classify`` parses its input files once."""

from __future__ import annotations

import builtins
import csv
import functools
import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from isthmus import MTrick, load
from isthmus.files.text_table import TextTable
from tables import write_columns

BOTH = ("--source", "books.csv", "--target", "kitchen.csv")
OPTIONS = ("--method", "lg", "--force")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often every input file was opened and parsed from its beginning to its end."""
    counts: Counter[str] = Counter()
    original_open, original_blocks = builtins.open, TextTable.blocks

    def counting_open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if mode == "rb":
            counts[f"opened {Path(file).name}"] += 1
        return original_open(file, mode, *args, **kwargs)

    def counting_blocks(self: TextTable) -> Any:
        yield from original_blocks(self)
        counts[f"parsed {Path(self.name.strip(chr(39))).name}"] += 1

    monkeypatch.setattr(builtins, "open", counting_open)
    monkeypatch.setattr(TextTable, "blocks", counting_blocks)
    return counts


def predicted(path: str = "predictions.csv") -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_two_files(call: Any, corpus: Any, opened: Counter[str]) -> None:
    result = call("classify", *BOTH, *OPTIONS)
    assert result.exit_code == 0, result.output
    for name in ("books.csv", "kitchen.csv"):
        assert opened[f"opened {name}"] == 1
        assert opened[f"parsed {name}"] == 1


def test_one_file_with_and_without_labels(call: Any, corpus: Any, opened: Counter[str]) -> None:
    texts = [*corpus.target_texts, *corpus.source_texts]
    labels = [*[""] * 100, *corpus.source_labels]
    write_columns(Path("all.csv"), ["text", "label"], texts, labels)
    result = call("classify", "--source", "all.csv", *OPTIONS)
    assert result.exit_code == 0, result.output
    assert opened["opened all.csv"] == opened["parsed all.csv"] == 1


@pytest.mark.parametrize("files", [BOTH, ("--source", "all.csv")], ids=["two", "one"])
def test_a_large_target_is_read_again(
    call: Any, corpus: Any, opened: Counter[str], files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*corpus.target_texts, *corpus.source_texts]
    labels = [*[""] * 100, *corpus.source_labels]
    write_columns(Path("all.csv"), ["text", "label"], texts, labels)
    assert call("classify", *files, *OPTIONS, "--output", "kept.csv").exit_code == 0
    monkeypatch.setattr("isthmus.cli.input_file._KEPT_BYTES", 1000)
    opened.clear()
    assert call("classify", *files, *OPTIONS).exit_code == 0
    assert opened[f"opened {Path(files[-1]).name}"] == (2 if files == BOTH else 3)
    assert Path("predictions.csv").read_bytes() == Path("kept.csv").read_bytes()


def test_a_target_that_changes_while_it_is_read(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isthmus.cli.input_file._KEPT_BYTES", 1000)
    from isthmus.transfer.model import Transfer

    fit = Transfer.fit

    def fit_and_change(self: Transfer, *args: Any, **kwargs: Any) -> Transfer:
        fit(self, *args, **kwargs)
        with Path("kitchen.csv").open("a", encoding="utf-8") as stream:
            stream.write("k,one more,x\n")
        return self

    monkeypatch.setattr(Transfer, "fit", fit_and_change)
    result = call("classify", *BOTH, *OPTIONS)
    assert result.exit_code == 2
    assert "changed" in result.stderr
    assert not Path("predictions.csv").exists()


def test_columns_that_are_not_copied_are_not_kept(call: Any, corpus: Any) -> None:
    from isthmus.cli.input_file import InputFile
    from isthmus.files import open_documents

    file = InputFile(open_documents("kitchen.csv"), ["id"])
    assert sum(map(len, file.blocks())) == 100
    assert list(file.records())[:2] == [{"id": "k0"}, {"id": "k1"}]


def test_standard_input_as_target(call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isthmus.cli.input_file._KEPT_BYTES", 1000)
    assert call("classify", *BOTH, *OPTIONS, "--output", "expected.csv").exit_code == 0
    files = ("--source", "books.csv", "--target", "-", "--save-model", "m")
    text = Path("kitchen.csv").read_text(encoding="utf-8")
    result = call("classify", *files, *OPTIONS, input=text)
    assert result.exit_code == 0, result.output
    assert Path("predictions.csv").read_bytes() == Path("expected.csv").read_bytes()
    assert list(load("m").domains_) == ["books", "input"]


def test_a_pipe_as_source(call: Any, corpus: Any) -> None:
    assert call("classify", *BOTH, *OPTIONS, "--output", "expected.csv").exit_code == 0
    os.mkfifo("pipe")
    content = Path("books.csv").read_bytes()
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(content), daemon=True)
    writer.start()
    result = call("classify", "--source", "pipe", "--target", "kitchen.csv", *OPTIONS)
    writer.join()
    assert result.exit_code == 0, result.output
    assert predicted() == predicted("expected.csv")


def test_standard_input_cannot_be_both(call: Any, corpus: Any) -> None:
    result = call("classify", "--source", "-", "--target", "-", input="text,label\n")
    assert result.exit_code == 2
    assert "same file" in result.stderr


def test_the_estimator_is_built_and_validated_once(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def count_calls(name: str) -> None:
        original = getattr(MTrick, name)

        @functools.wraps(original)
        def counting(self: MTrick, *args: Any, **kwargs: Any) -> Any:
            calls[name] += 1
            return original(self, *args, **kwargs)

        monkeypatch.setattr(MTrick, name, counting)

    count_calls("__init__")
    count_calls("_check_settings")
    mtrick = (*BOTH, "--method", "mtrick", "--no-verdict")
    assert call("classify", *mtrick, "--set", "max_iter=5").exit_code == 0
    assert calls["_check_settings"] == 1
    # One to set the parameter, one for the fit.
    assert calls["__init__"] == 2
    calls.clear()
    assert call("classify", *mtrick, "--force").exit_code == 0
    assert calls == {"__init__": 1, "_check_settings": 1}
