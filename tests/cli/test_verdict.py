"""The verdict and documents without a label in ``isthmus classify`` and ``isthmus predict``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console as RichConsole

from isthmus.cli.output import Console
from isthmus.cli.summary import print_verdict
from isthmus.estimators.base.verdict import CHECK_FIRST, DO_NOT_USE, USE
from verdicts import REASONS, make_verdict, set_verdicts

FAST = ("--method", "lg")
BOTH = ("classify", "--source", "books.csv", "--target", "kitchen.csv", *FAST)


def rows(path: str = "predictions.csv") -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("decision", [USE, CHECK_FIRST, DO_NOT_USE])
def test_the_last_lines_are_the_verdict(
    decision: Any, call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_verdicts(monkeypatch, decision)
    result = call(*BOTH)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-5:] == [
        f"Verdict: {decision}.",
        "Estimated accuracy of SourceLogistic: 58 % (50 to 66 %); of the source-only classifier: "
        "61 % (53 to 69 %).",
        "Estimated class proportions: negative 50 % (20 to 80 %), positive 50 % (20 to 80 %).",
        *(f"- {reason}" for reason in REASONS),
    ]
    assert len(rows()) == 100


def test_a_verdict_against_the_labels_is_printed_once(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_verdicts(monkeypatch, DO_NOT_USE)
    result = call(*BOTH)
    assert result.output.lower().count("do not use") == 1
    assert result.output.count(REASONS[0]) == 1
    assert "Note" not in result.stderr


def test_the_verdict_of_other_methods_can_be_switched_off(call: Any, corpus: Any) -> None:
    assert "Verdict: " in call(*BOTH).stdout
    result = call(*BOTH, "--no-verdict", "--force")
    assert result.exit_code == 0, result.output
    assert "Verdict" not in result.stdout


def test_the_automatic_method_is_the_default(call: Any, corpus: Any) -> None:
    files = ("classify", "--source", "books.csv", "--target", "kitchen.csv", "--force")
    result = call(*files, "--time-limit", "0.001")
    assert result.exit_code == 0, result.output
    assert "lssttc" in result.stderr
    assert result.stderr.count("left out, because the time limit of 0.001 s was reached.") == 1
    summary = json.loads(call(*files, "--effort", "fast", "--json").stdout)
    assert summary["method"] == "Auto"
    members = {member["name"]: member for member in summary["members"]}
    assert set(members) >= {"source-only", "cocc", "sfa"}
    assert not any(member["left_out"] for member in members.values())
    assert set(summary["verdict"]) == {"kitchen"}
    chosen = call(*files, "--set", 'members=["cocc", "sfa"]', "--json")
    names = [member["name"] for member in json.loads(chosen.stdout)["members"]]
    assert names[:3] == ["source-only", "cocc", "sfa"]


def test_estimated_proportions_of_the_automatic_method(call: Any, corpus: Any) -> None:
    files = ("classify", "--source", "books.csv", "--target", "kitchen.csv", "--effort", "fast")
    estimate = ("--class-prior", "estimate", "--force")
    result = call(*files, *estimate)
    assert result.exit_code == 0, result.output
    assert result.output.count("proportions") == 1
    summary = json.loads(call(*files, *estimate, "--json").stdout)
    expected = summary["verdict"]["kitchen"]["class_prior"]
    assert summary["class_prior"] == {label: part["value"] for label, part in expected.items()}


def test_the_verdict_in_json(call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    set_verdicts(monkeypatch, CHECK_FIRST)
    summary = json.loads(call(*BOTH, "--json").stdout)
    assert summary["verdict"] == {"kitchen": make_verdict(CHECK_FIRST).to_dict()}


def test_nothing_is_printed_about_a_verdict_that_does_not_exist(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_verdicts(monkeypatch)
    result = call(*BOTH)
    assert result.exit_code == 0
    assert "Verdict" not in result.output
    assert json.loads(call(*BOTH, "--json", "--force").stdout)["verdict"] == {}
    strict = call(*BOTH, "--strict", "--force")
    assert strict.exit_code == 1
    assert "SourceLogistic gives no verdict on 'kitchen'" in strict.stderr


@pytest.mark.parametrize(
    ("decision", "color"), [(USE, "32"), (CHECK_FIRST, "33"), (DO_NOT_USE, "31")]
)
def test_the_decision_is_colored_on_a_terminal(decision: Any, color: str) -> None:
    console, stream = Console(), io.StringIO()
    console.rich = RichConsole(
        file=stream,
        force_terminal=True,
        color_system="standard",
        width=200,
        no_color=False,
        highlight=False,
    )
    print_verdict(make_verdict(decision), "MTrick", console.print)
    first, *others = stream.getvalue().splitlines()
    assert first.startswith(f"\x1b[{color}mVerdict: {decision}.")
    assert not any("\x1b" in line for line in others)


def test_only_the_largest_classes_are_shown() -> None:
    lines: list[str] = []
    verdict = make_verdict(USE, [f"c{i}" for i in range(13)])
    print_verdict(verdict, "MTrick", lambda text, style="": lines.append(text))
    assert lines[2].endswith("c9 8 % (20 to 80 %) and 3 more.")


@pytest.mark.parametrize("options", [(), ("--json",), ("--quiet",)])
def test_strict_makes_do_not_use_an_error(
    options: tuple[str, ...], call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_verdicts(monkeypatch, DO_NOT_USE)
    Path("predictions.csv").write_text("older", encoding="utf-8")
    files = ("--force", "--save-model", "m.isthmus")
    result = call(*BOTH, *files, "--strict", *options)
    assert result.exit_code == 1
    assert result.stdout == ""
    *printed, error = result.stderr.splitlines()
    assert error == (
        "Error: The verdict on the labels of 'kitchen' is \"do not use\", with an estimated "
        "accuracy of 58 % (50 to 66 %), and --strict is set, so nothing was written: leave out "
        "--strict to write them."
    )
    assert (f"- {REASONS[0]}" in printed) == (options == ())
    assert Path("predictions.csv").read_text(encoding="utf-8") == "older"
    assert not Path("m.isthmus").exists()


@pytest.mark.parametrize("decision", [USE, CHECK_FIRST])
def test_strict_allows_other_verdicts(
    decision: Any, call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_verdicts(monkeypatch, decision)
    result = call(*BOTH, "--strict")
    assert result.exit_code == 0
    assert result.stdout.count("Verdict:") == 1
    assert len(rows()) == 100


def test_predict_repeats_do_not_use(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    predict = ("predict", "--model", "m", "--input", "kitchen.csv", "--output", "new.csv", "-f")
    for decision in (DO_NOT_USE, CHECK_FIRST):
        set_verdicts(monkeypatch, decision)
        assert call(*BOTH, "--save-model", "m", "--force").exit_code == 0
        result = call(*predict)
        assert result.exit_code == 0
        notes = [line for line in result.stderr.splitlines() if "verdict" in line]
        expected = (
            "Note: When this model was fitted, the verdict on the labels of 'kitchen' was \"do not "
            'use" (estimated accuracy 58 % (50 to 66 %)).'
        )
        assert notes == ([expected] if decision == DO_NOT_USE else [])
        summary = json.loads(call(*predict, "--json").stdout)
        assert summary["verdict"] == {"kitchen": make_verdict(decision).to_dict()}
    set_verdicts(monkeypatch, DO_NOT_USE)
    call(*BOTH, "--save-model", "m", "--force")
    assert "verdict" not in call(*predict, "--domain", "books").stderr
    assert "verdict" in call(*predict, "--domain", "kitchen").stderr
    assert call(*predict, "--quiet").output == ""


def test_uncertain_documents_have_an_empty_label(call: Any, corpus: Any) -> None:
    assert call(*BOTH, "--save-model", "m").exit_code == 0
    predict = ("predict", "--model", "m", "--input", "kitchen.csv", "--output", "new.csv", "-f")
    assert call(*predict).exit_code == 0
    for path, command in (("predictions.csv", (*BOTH, "--force")), ("new.csv", predict)):
        before = rows(path)
        threshold = sorted(float(row["confidence"]) for row in before)[40] + 0.00005
        n_empty = sum(float(row["confidence"]) < threshold for row in before)
        assert n_empty > 40
        result = call(*command, "--min-confidence", threshold)
        assert result.exit_code == 0, result.output
        after = rows(path)
        for old, new in zip(before, after, strict=True):
            is_empty = float(old["confidence"]) < threshold
            assert new == {**old, "predicted": "" if is_empty else old["predicted"]}
        printed = " ".join(result.output.split())
        assert f"{n_empty} documents of 100 got no label: their confidence is below" in printed
        summary = json.loads(call(*command, "--json", "--min-confidence", threshold).stdout)
        target = summary.get("target", summary)
        assert target["documents"] == 100
        assert target["without_label"] == n_empty
        assert sum(target["labels"].values()) == 100 - n_empty


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_empty_labels_in_other_formats(suffix: str, call: Any, corpus: Any) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    output = f"new.{suffix}"
    result = call(*BOTH, "--output", output, "--min-confidence", 1)
    assert result.exit_code == 0, result.output
    assert "100 documents of 100 got no label: their confidence is below 1." in result.output
    assert "of them agree" not in result.output
    if suffix == "jsonl":
        lines = Path(output).read_text(encoding="utf-8").splitlines()
        assert all(json.loads(line)["predicted"] is None for line in lines)
    summary = json.loads(call(*BOTH, "-f", "-o", output, "--min-confidence", 1, "--json").stdout)
    assert summary["agreement_with_source_only"] is None
    evaluated = call("evaluate", "--predictions", output)
    assert evaluated.exit_code == 2
    assert "None of the 100 documents with a true label has a predicted label" in evaluated.stderr
    assert "--min-confidence" in evaluated.stderr


def test_classify_abstain_and_evaluate(call: Any, corpus: Any) -> None:
    assert call(*BOTH).exit_code == 0
    complete = json.loads(call("evaluate", "--predictions", "predictions.csv", "--json").stdout)
    threshold = sorted(float(row["confidence"]) for row in rows())[50]
    call(*BOTH, "--force", "--min-confidence", threshold)
    certain = json.loads(call("evaluate", "--predictions", "predictions.csv", "--json").stdout)
    assert complete["coverage"] == 1
    assert certain["coverage"] == certain["n_documents"] / 100 < 0.6
    assert certain["accuracy"]["value"] > complete["accuracy"]["value"]


@pytest.mark.parametrize("value", ["-0.1", "1.1", "nan", "high"])
def test_a_wrong_confidence_is_refused_before_any_file_is_read(
    value: str, call: Any, corpus: Any
) -> None:
    result = call(*BOTH, "--min-confidence", value)
    assert result.exit_code == 2
    assert "--min-confidence" in result.stderr
    assert not Path("predictions.csv").exists()
