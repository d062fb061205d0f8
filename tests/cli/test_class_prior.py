"""``isthmus classify --class-prior``."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

BOTH = ("--source", "books.csv", "--target", "kitchen.csv", "--method", "sfa")


def found() -> Counter[str]:
    with Path("predictions.csv").open(newline="", encoding="utf-8") as stream:
        return Counter(row["predicted"] for row in csv.DictReader(stream))


def test_shares_of_ones_own(call: Any, corpus: Any) -> None:
    options = ("--class-prior", "positive=0.8", "--class-prior", "negative=0.2")
    result = call("classify", *BOTH, *options)
    assert result.exit_code == 0, result.output
    assert found() == {"positive": 80, "negative": 20}
    assert "taken to have (as given): positive 80.0 %, negative 20.0 %" in result.output


@pytest.mark.parametrize(
    ("word", "said"),
    [("source", "(those of the source)"), ("estimate", "(estimated without labels)")],
)
def test_shares_by_a_word(call: Any, corpus: Any, word: str, said: str) -> None:
    result = call("classify", *BOTH, "--class-prior", word, "--save-model", "m")
    assert result.exit_code == 0, result.output
    assert said in result.output
    answer = json.loads(call("classify", *BOTH, "--class-prior", word, "--json").stdout)
    shares = answer["class_shares"]
    assert sum(shares.values()) == pytest.approx(1)
    assert found()["positive"] == pytest.approx(100 * shares["positive"], abs=1)
    before = found()
    assert call("predict", "--model", "m", "--input", "kitchen.csv", "-o", "new.csv").exit_code == 0
    with Path("new.csv").open(newline="", encoding="utf-8") as stream:
        assert Counter(row["predicted"] for row in csv.DictReader(stream)) == before


def test_the_default_of_self_training_is_told_and_can_be_undone(call: Any, corpus: Any) -> None:
    options = ("--source", "books.csv", "--target", "kitchen.csv", "--method", "self-training")
    said = " ".join(call("classify", *options).output.split())
    assert "those of the source, as this method does by default: see --class-prior" in said
    assert found() == {"positive": 50, "negative": 50}
    assert "taken to have" not in call("classify", *options, "--class-prior", "none").output


def test_a_few_documents_need_not_have_the_shares(call: Any, corpus: Any) -> None:
    few = Path("kitchen.csv").read_text(encoding="utf-8").splitlines()[:13]
    Path("kitchen.csv").write_text("\n".join(few), encoding="utf-8")
    said = " ".join(call("classify", *BOTH, "--class-prior", "source").output.split())
    assert "12 documents need not have the class shares" in said


def test_without_it_nothing_is_said(call: Any, corpus: Any) -> None:
    result = call("classify", *BOTH)
    assert "taken to have" not in result.output
    assert "class_shares" not in json.loads(call("classify", *BOTH, "--json").stdout)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["guess"], "class_prior='guess' is unknown"),
        (["positive=a"], "'positive=a' must be none, source, estimate, or a label and its share"),
        (["positive=nan"], "must be none, source, estimate, or a label and its share"),
        (["source", "positive=0.5"], "'source' stands alone or not at all"),
        (["positive=0.5", "positive=0.5"], "names the class 'positive' twice"),
        (["positive=0.5", "negative=0.4"], "add up to 0.9: they must add up to 1"),
        (["positive=0.5", "bad=0.5"], "no share for the class 'negative'"),
    ],
)
def test_wrong_shares(call: Any, corpus: Any, given: list[str], message: str) -> None:
    options = [part for share in given for part in ("--class-prior", share)]
    result = call("classify", *BOTH, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not Path("predictions.csv").exists()
