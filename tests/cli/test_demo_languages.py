"""``isthmus demo --languages``, and the other commands on the corpus that it writes."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

FOLDER = "my reviews"


def columns(path: str, delimiter: str = ",") -> tuple[list[str], list[list[str]]]:
    with Path(path).open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream, delimiter=delimiter)
    return header, rows


def test_it_beats_the_source_alone(call: Any) -> None:
    result = call("demo", "--languages")
    assert result.exit_code == 0, result.output
    printed = " ".join(result.stdout.split())
    assert "Source: 300 labeled English reviews. Target: 300 German reviews" in printed
    assert "transferred (Auto)" in printed
    assert "Top words" in printed
    assert "words in german" in printed
    assert "translated 1" in printed
    assert "unknown 8" in printed
    header, rows = columns("demo-predictions.csv")
    assert header == ["text", "label", "source_only", "predicted"]
    assert len(rows) == 300
    source_only, transferred = (sum(row[1] == row[i] for row in rows) / 300 for i in (2, 3))
    assert 0.65 <= source_only <= 0.9
    assert transferred >= max(0.95, source_only + 0.05)
    assert "Verdict: use." in result.stdout.splitlines()[-6:]


def test_the_answer_for_programs(call: Any) -> None:
    result = call("demo", "--languages", "--json", "--seed", "1")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["output"] == "demo-predictions.csv"
    source_only, transferred = answer["accuracy"].values()
    assert source_only < transferred
    assert set(answer["verdict"]) == {"german"}
    assert answer["coverage"]["dictionary_pairs"] > 40
    assert answer["coverage"]["tokens"]["translated"] > 0


def test_the_corpus_is_for_the_other_commands(call: Any) -> None:
    result = call("demo", "--languages", "--corpus", FOLDER)
    assert result.exit_code == 0, result.output
    names = sorted(path.name for path in Path(FOLDER).iterdir())
    assert names == ["en_de.tsv", "english.csv", "german-truth.csv", "german.csv"]
    assert columns(f"{FOLDER}/english.csv")[0] == ["text", "label"]
    assert columns(f"{FOLDER}/german.csv")[0] == ["id", "text"]
    assert columns(f"{FOLDER}/german-truth.csv")[0] == ["id", "label"]
    header, pairs = columns(f"{FOLDER}/en_de.tsv", "\t")
    assert header == ["en", "de"]
    assert all(len(pair) == 2 for pair in pairs)
    assert len({english for english, _ in pairs}) < len(pairs)  # one word, two translations

    (command,) = [line for line in result.stdout.splitlines() if line.startswith("isthmus ")]
    _, *args = shlex.split(command)
    labeled = call(*args, "--output", "again.csv")
    assert labeled.exit_code == 0, labeled.output
    truth = ["--truth", f"{FOLDER}/german-truth.csv", "--json"]
    judged = call("evaluate", "--predictions", "again.csv", *truth)
    assert judged.exit_code == 0, judged.output
    assert json.loads(judged.stdout)["accuracy"]["value"] >= 0.9
    # The files hold all that the demo had.
    demo, again = columns("demo-predictions.csv"), columns("again.csv")
    place = again[0].index("predicted")
    assert [row[3] for row in demo[1]] == [row[place] for row in again[1]]


def test_standard_output_holds_the_table_alone(call: Any) -> None:
    result = call("demo", "--languages", "--output", "-")
    assert result.exit_code == 0, result.output
    predictions = list(csv.DictReader(result.stdout.splitlines()))
    assert {row["predicted"] for row in predictions} == {"books", "films", "music"}


def test_quiet(call: Any) -> None:
    result = call("demo", "--languages", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize("gap", ["0.8", "0.3"])
def test_the_gap_is_for_the_other_demo(call: Any, gap: str) -> None:
    result = call("demo", "--languages", "--gap", gap)
    assert result.exit_code == 2
    assert "--gap" in result.stderr
    assert "--languages" in result.stderr
    assert list(Path().iterdir()) == []


def test_the_usual_gap_is_the_one_that_the_help_names(call: Any) -> None:
    plain = call("demo")
    assert "Words of the target" not in plain.stdout
    assert call("demo", "--gap", "0.8", "--force").stdout == plain.stdout
    assert call("demo", "--gap", "0.7", "--force").stdout != plain.stdout
