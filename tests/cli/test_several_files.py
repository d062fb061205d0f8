"""Folders and patterns of several files as input of the commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from isthmus.cli.input_options import check_different, domain_names
from tables import read_rows

OPTIONS = ("--method", "mtrick", "--force", "--no-verdict")


@pytest.fixture
def parts(call: Any, corpus: Any) -> None:
    """The files of the corpus, also in three parts each."""
    for name in ("books", "kitchen"):
        header, *lines = Path(f"{name}.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        Path(name).mkdir()
        for number in range(3):
            part = lines[number * 50 : (number + 1) * 50]
            Path(name, f"part-{number}.csv").write_text("".join([header, *part]), encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "target"), [("books", "kitchen"), ("books/part-*.csv", "kitchen/*.csv")]
)
def test_classify_and_predict(call: Any, parts: Any, source: str, target: str) -> None:
    files = ("--source", "books.csv", "--target", "kitchen.csv")
    result = call("classify", *files, *OPTIONS, "-o", "expected.csv")
    assert result.exit_code == 0, result.output
    files = ("--source", source, "--target", target)
    result = call("classify", *files, *OPTIONS, "-o", "p.csv", "--save-model", "m.isthmus")
    assert result.exit_code == 0, result.output
    assert f"Target {target}: 100 documents" in result.output
    assert Path("p.csv").read_bytes() == Path("expected.csv").read_bytes()
    options = ("--domain", "kitchen", "-o", "new.csv", "--force")
    result = call("predict", "--model", "m.isthmus", "-i", target, *options)
    assert result.exit_code == 0, result.output
    assert [row["id"] for row in read_rows("new.csv")] == [f"k{i}" for i in range(100)]
    result = call("explain", "--model", "m.isthmus", "-i", target, "--row", "100")
    assert result.exit_code == 0, result.output


def test_evaluate(call: Any, parts: Any) -> None:
    shutil.copytree("kitchen", "predictions")
    for path in Path("predictions").iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("id,text,truth", "id,text,predicted"), encoding="utf-8")
    truth = ("--truth", "kitchen/*.csv", "--label-col", "truth")
    result = call("evaluate", "--predictions", "predictions", *truth, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["accuracy"]["value"] == 1.0


@pytest.mark.parametrize("source", ["books", "books/*.csv"])
def test_an_output_that_is_a_part_is_refused(call: Any, parts: Any, source: str) -> None:
    files = ("--source", source, "--target", "kitchen.csv")
    result = call("classify", *files, *OPTIONS, "-o", "books/part-1.csv")
    assert result.exit_code == 2
    assert "The source and the output are the same file" in result.output.replace("\n", " ")


def test_overlapping_inputs(parts: Any) -> None:
    with pytest.raises(ValueError, match="named twice"):
        check_different({"source": [Path("books"), Path("books/part-*.csv")]})
    with pytest.raises(ValueError, match=r"same file 'books/part-1\.csv'"):
        check_different({"source": [Path("books/*")], "target": [Path("books/part-1.csv")]})
    check_different({"source": [Path("books")], "target": [Path("kitchen/*.csv")]})


def test_a_pattern_without_files(call: Any, parts: Any) -> None:
    result = call("classify", "--source", "b*.tsv", "--target", "kitchen.csv", *OPTIONS)
    assert result.exit_code == 2
    assert "No file matches the pattern 'b*.tsv'" in result.output


def test_names_of_domains(call: Any, parts: Any) -> None:
    paths = ["books", "kitchen/*.csv", "kitchen/part-?.csv", "boo*.csv", "data/2024/**/*.jsonl"]
    names = domain_names([Path(path) for path in paths])
    assert names == ["books", "kitchen", "kitchen-2", "boo", "2024"]
