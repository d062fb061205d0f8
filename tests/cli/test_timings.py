"""--timings and the timings in --json."""

from __future__ import annotations

import json

CLASSIFY = ("classify", "--source", "books.csv", "--target", "kitchen.csv", "--method", "lg")


def test_classify(call, corpus):
    result = call(*CLASSIFY, "--timings", "--save-model", "m.isthmus", "--report", "r.html")
    assert result.exit_code == 0
    stages = (
        *("reading the texts", "counting words", "weighting", "writing the predictions"),
        *("saving the model", "writing the report", "all"),
    )
    lines = result.stdout.splitlines()
    for name in stages:
        assert any(name in line for line in lines), name
    assert lines[-1].startswith(("Verdict", "Estimated", "-"))  # the verdict stays at the end
    assert "Seconds per stage" not in call(*CLASSIFY, "--force").stdout


def test_json(call, corpus):
    result = call(*CLASSIFY, "--json", "--save-model", "m.isthmus")
    timings = json.loads(result.stdout)["timings"]
    assert timings["saving the model"] >= 0
    assert all(isinstance(seconds, float) for seconds in timings.values())
    result = call("predict", "--model", "m.isthmus", "--input", "kitchen.csv", "--output", "p.csv",
                  "--json")  # fmt: skip
    assert list(json.loads(result.stdout)["timings"]) == [
        "loading the model", "reading the texts", "labeling", "writing the predictions", "other",
    ]  # fmt: skip


def test_predict(call, corpus):
    call(*CLASSIFY, "--save-model", "m.isthmus")
    predict = ("predict", "--model", "m.isthmus", "--input", "kitchen.csv")
    result = call(*predict, "--output", "p.csv", "--timings")
    assert "labeling" in result.stdout
    # Predictions on standard output are not mixed with the table.
    result = call(*predict, "--timings")
    assert "labeling" not in result.stdout
    assert "labeling" in result.stderr


def test_demo(call):
    assert "counting words" in call("demo", "--timings").stdout
