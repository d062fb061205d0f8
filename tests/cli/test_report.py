"""``isthmus classify --report``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

BOTH = ("classify", "--source", "books.csv", "--target", "kitchen.csv", "--method", "lg")


@pytest.mark.usefixtures("corpus")
def test_a_report_is_written_beside_the_predictions(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["isthmus", *BOTH, "--report", "my report.html"])
    result = call(*BOTH, "--report", "my report.html", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["report"] == "my report.html"
    page = Path("my report.html").read_text(encoding="utf-8")
    assert "Labels for kitchen, learned from books" in page
    assert "books.csv" in page
    assert "isthmus classify --source books.csv" in page
    assert "--report &#x27;my report.html&#x27;" in page or "'my report.html'" in page


@pytest.mark.usefixtures("corpus")
def test_the_summary_names_the_report(call: Any) -> None:
    result = call(*BOTH, "--report", "r.html", "--report-texts", "0")
    assert "The report is in r.html." in result.stdout
    assert "<mark" not in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--report", "r.csv"), "name a file that ends with .html"),
        (("--report", "missing/r.html"), "does not exist"),
        (("--report-texts", "3"), "--report-texts needs a report"),
        (("--report", "r.html", "--report-texts", "-1"), "greater than or equal to"),
        (("--report", "r.html", "--save-model", "r.html"), "the same file"),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_wrong_options_are_reported_before_the_work(
    options: tuple[str, ...], message: str, call: Any
) -> None:
    result = call(*BOTH, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not Path("predictions.csv").exists()
    assert not Path("r.html").exists()


@pytest.mark.usefixtures("corpus")
def test_an_existing_report_is_kept_without_force(call: Any) -> None:
    Path("r.html").write_text("mine")
    result = call(*BOTH, "--report", "r.html")
    assert result.exit_code == 2
    assert "'r.html' already exists" in result.output
    assert Path("r.html").read_text() == "mine"
    assert call(*BOTH, "--report", "r.html", "--force").exit_code == 0
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.usefixtures("corpus")
def test_a_failing_report_says_that_the_predictions_exist(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(facts: Any) -> str:
        raise RuntimeError("The page is too wide.")

    monkeypatch.setattr("isthmus.report.page.render_report", fail)
    result = call(*BOTH, "--report", "r.html")
    assert result.exit_code == 1
    message = " ".join(result.output.split())
    assert "Predictions are in predictions.csv, but the report was not written" in message
    assert Path("predictions.csv").exists()
    assert not Path("r.html").exists()


@pytest.mark.usefixtures("corpus")
def test_rows_with_and_without_a_label_in_one_file(call: Any) -> None:
    lines = Path("books.csv").read_text(encoding="utf-8").splitlines()
    half = [line if i < 80 else line.rpartition(",")[0] + "," for i, line in enumerate(lines)]
    Path("one.csv").write_text("\n".join(half), encoding="utf-8")
    result = call("classify", "--source", "one.csv", "--method", "lg", "--report", "r.html")
    assert result.exit_code == 0, result.output
    page = Path("r.html").read_text(encoding="utf-8")
    assert "Labels for unlabeled, learned from labeled" in page
    # Documents are named by their row in the file, which the unlabeled ones end.
    rows = {int(row) for row in re.findall(r"row (\d+) ·", page)}
    assert rows
    assert min(rows) >= 80
    assert max(rows) <= 120
