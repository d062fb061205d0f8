"""``isthmus classify --class-prior``."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

FILES = ("--source", "books.csv", "--target", "kitchen.csv", "--force")
BOTH = (*FILES, "--method", "sfa")


def predicted_counts() -> Counter[str]:
    with Path("predictions.csv").open(newline="", encoding="utf-8") as stream:
        return Counter(row["predicted"] for row in csv.DictReader(stream))


def test_proportions_given_by_the_user(call: Any, corpus: Any) -> None:
    options = ("--class-prior", "positive=0.8", "--class-prior", "negative=0.2")
    result = call("classify", *BOTH, *options)
    assert result.exit_code == 0, result.output
    assert predicted_counts() == {"positive": 80, "negative": 20}
    assert "(as given): positive 80.0 %, negative 20.0 %" in result.output


@pytest.mark.parametrize(
    ("name", "origin"),
    [("source", "of the source"), ("estimate", "estimated")],
)
def test_named_priors(call: Any, corpus: Any, name: str, origin: str) -> None:
    result = call("classify", *BOTH, "--class-prior", name, "--save-model", "m")
    assert result.exit_code == 0, result.output
    assert origin in result.output
    answer = json.loads(call("classify", *BOTH, "--class-prior", name, "--json").stdout)
    prior = answer["class_prior"]
    assert sum(prior.values()) == pytest.approx(1)
    assert predicted_counts()["positive"] == pytest.approx(100 * prior["positive"], abs=1)
    before = predicted_counts()
    assert call("predict", "--model", "m", "--input", "kitchen.csv", "-o", "new.csv").exit_code == 0
    with Path("new.csv").open(newline="", encoding="utf-8") as stream:
        assert Counter(row["predicted"] for row in csv.DictReader(stream)) == before


def test_the_default_of_self_training_is_reported_and_can_be_changed(
    call: Any, corpus: Any
) -> None:
    options = (*FILES, "--method", "self-training")
    printed = " ".join(call("classify", *options).output.split())
    assert "the default of this method: see --class-prior" in printed
    assert predicted_counts() == {"positive": 50, "negative": 50}
    unchanged = call("classify", *options, "--class-prior", "none")
    assert "proportions applied" not in unchanged.output


def test_a_few_documents_may_have_other_proportions(call: Any, corpus: Any) -> None:
    few = Path("kitchen.csv").read_text(encoding="utf-8").splitlines()[:13]
    Path("kitchen.csv").write_text("\n".join(few), encoding="utf-8")
    printed = " ".join(call("classify", *BOTH, "--class-prior", "source").output.split())
    assert "proportions of 12 documents may differ" in printed
    assert "--class-prior none does not apply one" in printed
    printed = " ".join(call("classify", *FILES, "--class-prior", "source").output.split())
    assert "omit --class-prior to use the estimate of auto" in printed


def test_auto_always_has_a_prior(call: Any, corpus: Any) -> None:
    result = call("classify", *FILES, "--class-prior", "none")
    assert result.exit_code == 2
    message = " ".join(result.stderr.split())
    assert "--class-prior='none' is not for the method 'auto'" in message
    assert "use 'source', 'estimate' or your own" in message


def test_no_prior_by_default(call: Any, corpus: Any) -> None:
    result = call("classify", *BOTH)
    assert "proportions applied" not in result.output
    assert "class_prior" not in json.loads(call("classify", *BOTH, "--json").stdout)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["guess"], "--class-prior='guess' is unknown"),
        (["positive=a"], "'positive=a' must be"),
        (["positive=nan"], "'positive=nan' must be"),
        (["source", "positive=0.5"], "'source' cannot be combined"),
        (["positive=0.5", "positive=0.5"], "names the class 'positive' twice"),
        (["positive=0.5", "negative=0.4"], "add up to 0.9: they must add up to 1"),
        (["positive=0.5", "bad=0.5"], "no value for class 'negative'"),
    ],
)
def test_wrong_priors(call: Any, corpus: Any, given: list[str], message: str) -> None:
    options = [part for share in given for part in ("--class-prior", share)]
    result = call("classify", *BOTH, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not Path("predictions.csv").exists()


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("positive=0.8,negative=0.2", "give one --class-prior per class"),
        ("positive=80", "as fractions, as in positive=0.8"),
    ],
)
def test_hints_for_proportions(call: Any, corpus: Any, value: str, hint: str) -> None:
    result = call("classify", *BOTH, "--class-prior", value)
    assert result.exit_code == 2
    assert hint in result.stderr
