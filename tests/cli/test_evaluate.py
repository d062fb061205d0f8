"""The command ``isthmus evaluate``."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from isthmus.cli.evaluate import evaluate

app = typer.Typer(pretty_exceptions_enable=False)
app.command("evaluate")(evaluate)

HEADER = ("id", "text", "predicted", "confidence", "source_only")
ROWS = [
    ("d1", "one fine day", "pos", "0.9", "pos"),
    ("d2", "two fine days", "pos", "0.8", "neg"),
    ("d3", "three bad days", "neg", "0.7", "pos"),
    ("d4", "four bad days", "pos", "0.6", "neg"),
]
TRUTH = {"d1": "pos", "d2": "pos", "d3": "neg", "d4": "neg"}


@pytest.fixture(autouse=True)
def in_folder_with_predictions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("predictions.csv", HEADER, ROWS)


def write(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with Path(name).open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])


def call(*args: str, input: str | None = None, columns: int = 80) -> Result:
    return CliRunner().invoke(
        app, ["--predictions", *args], input=input, env={"COLUMNS": str(columns)}
    )


def summary_of(*args: str, input: str | None = None) -> dict[str, Any]:
    result = call(*args, "--json", input=input)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_what_is_printed():
    write("truth.csv", ("id", "label"), list(TRUTH.items()))
    result = call("predictions.csv", "--truth", "truth.csv")
    assert result.exit_code == 0, result.stderr
    printed = " ".join(result.stdout.split())
    assert "75.0 % (95 % interval 30.1 to 95.4 %): 3 of 4 documents" in printed
    assert "Source-only accuracy 50.0 %" in printed
    assert "gains 25.0 points" in printed
    assert "corrects 2 documents and breaks 1 (exact McNemar test, p = 1.000)" in printed
    assert "not significant" in printed
    assert "│ neg │ 2 │ 1 │ 100.0 % │ 50.0 % │ 66.7 % │" in printed
    assert "│ neg │ 1 │ 1 │" in printed
    assert "by confidence" in printed
    assert "│ 60.0 to 60.0 % │" in printed


@pytest.mark.parametrize("name", ["abstained.csv", "abstained.jsonl"])
def test_empty_predictions_are_abstentions(name: str):
    header = ("predicted", "label", "confidence", "source_only")
    rows = [("pos", "pos", 0.9, "neg"), ("neg", "pos", 0.8, "neg"), ("neg", "neg", 0.7, "neg")]
    rows += [(None, "pos", 0.5, "pos"), (None, None, 0.5, "pos")]
    if name.endswith("csv"):
        write(name, header, [["" if cell is None else str(cell) for cell in row] for row in rows])
    else:
        lines = [json.dumps(dict(zip(header, row, strict=True))) for row in rows]
        Path(name).write_text("\n".join(lines), encoding="utf-8")
    summary = summary_of(name)
    assert summary["n_documents"] == 3
    assert summary["n_abstained"] == 1
    assert summary["n_without_truth"] == 1
    assert summary["coverage"] == 0.75
    assert summary["accuracy"]["n_correct"] == 2
    assert summary["accuracy"]["n_documents"] == 3
    # The source-only classifier is compared on the same documents.
    assert summary["comparison"]["source_only"]["n_documents"] == 3
    assert sum(part["accuracy"]["n_documents"] for part in summary["confidence_bins"]) == 3
    printed = " ".join(call(name).stdout.split())
    assert "2 of 3 documents correct." in printed
    assert "Coverage 75.0 %: 1 document without a predicted label excluded." in printed


def test_json_is_one_object_and_nothing_else():
    write("truth.csv", ("id", "label"), list(TRUTH.items()))
    summary = summary_of("predictions.csv", "--truth", "truth.csv")
    assert summary["accuracy"]["n_correct"] == 3
    assert summary["classes"] == ["neg", "pos"]
    assert summary["confusion"] == [[1, 1], [0, 2]]
    assert summary["comparison"]["n_corrected"] == 2
    assert len(summary["confidence_bins"]) == 4


def test_ids_are_matched_in_any_order_and_a_sample_is_enough():
    write("truth.csv", ("ID", "category"), [("d4", "neg"), ("d2", " pos ")])
    summary = summary_of("predictions.csv", "--truth", "truth.csv")
    assert (summary["n_documents"], summary["n_without_truth"]) == (2, 2)
    assert summary["accuracy"]["n_correct"] == 1
    printed = call("predictions.csv", "--truth", "truth.csv").stdout
    assert "2 documents without a true label excluded" in printed


def test_a_column_of_ids_can_be_named():
    write("other.csv", ("key", "predicted"), [("a", "pos"), ("b", "neg")])
    write("truth.csv", ("key", "gold"), [("b", "neg"), ("a", "pos")])
    summary = summary_of("other.csv", "--truth", "truth.csv", "--id-col", "key")
    assert summary["accuracy"]["n_correct"] == 2
    assert summary["comparison"] is summary["confidence_bins"] is None


def test_rows_are_matched_where_there_are_no_ids():
    write("truth.csv", ("label",), [(label,) for label in TRUTH.values()])
    assert summary_of("predictions.csv", "--truth", "truth.csv")["accuracy"]["n_correct"] == 3


def test_ids_that_repeat_are_refused_unless_both_files_have_the_same():
    """Matching such files row by row would give a figure that means nothing."""
    write("truth.csv", ("id", "label"), [("same", label) for label in TRUTH.values()])
    result = call("evaluate", "--predictions", "predictions.csv", "--truth", "truth.csv")
    assert result.exit_code == 2
    assert "duplicate ids, 'same'" in result.stderr
    write("alike.csv", ("id", "predicted"), [("same", label) for label in TRUTH.values()])
    answer = summary_of("alike.csv", "--truth", "truth.csv")
    assert answer["accuracy"]["n_correct"] == len(TRUTH)
    assert answer["matched"] == "row by row"


def test_rows_with_the_same_texts_are_matched():
    rows = [(text + "\n", TRUTH[name]) for name, text, *_ in ROWS]
    write("truth.csv", ("Text", "label"), rows)
    assert summary_of("predictions.csv", "--truth", "truth.csv")["accuracy"]["n_correct"] == 3


def test_the_predictions_may_hold_the_truth():
    rows = [(*row, TRUTH[row[0]]) for row in ROWS]
    write("predictions.csv", (*HEADER, "class"), rows)
    assert summary_of("predictions.csv")["accuracy"]["n_correct"] == 3
    write("predictions.csv", (*HEADER, "mine"), rows)
    assert summary_of("predictions.csv", "--label-col", "mine")["accuracy"]["n_correct"] == 3


def test_empty_labels_are_documents_without_truth():
    rows = [(*row, TRUTH[row[0]] if row[0] != "d4" else " ") for row in ROWS]
    write("predictions.csv", (*HEADER, "label"), rows)
    summary = summary_of("predictions.csv")
    assert (summary["accuracy"]["value"], summary["n_without_truth"]) == (1, 1)


def test_another_column_of_predictions():
    write("truth.csv", ("label",), [(label,) for label in TRUTH.values()])
    args = ("predictions.csv", "--truth", "truth.csv", "--predicted-col", "source_only")
    summary = summary_of(*args)
    assert summary["accuracy"]["n_correct"] == 2
    assert summary["comparison"]["p_value"] == 1
    assert "Both are correct on the same documents" in call(*args).stdout


def test_json_lines_and_folders_and_standard_input():
    lines = [json.dumps({"predicted": 1, "label": 1}), json.dumps({"predicted": 0, "label": 1})]
    assert summary_of("-", input="\n".join(lines))["accuracy"]["value"] == 0.5
    for name, label in TRUTH.items():
        Path("folder", label).mkdir(parents=True, exist_ok=True)
        Path("folder", label, name).write_text("some text", encoding="utf-8")
    rows = [(f"{TRUTH[name]}/{name}", predicted) for name, _, predicted, *_ in ROWS]
    write("predictions.csv", ("file", "predicted"), rows)
    args = ("predictions.csv", "--truth", "folder", "--id-col", "file")
    assert summary_of(*args)["accuracy"]["n_correct"] == 3


def test_the_encoding_is_that_of_the_truth():
    write("predictions.csv", ("predicted",), [("schön",), ("öde",)])
    Path("truth.csv").write_bytes("label\nschön\nschön\n".encode("latin-1"))
    args = ("predictions.csv", "--truth", "truth.csv", "--encoding", "latin-1")
    assert summary_of(*args)["accuracy"]["n_correct"] == 1


def test_quotes_can_be_text():
    Path("truth.tsv").write_text('label\tnote\npos\t5" wide\npos\t"\nneg\t-\nneg\t-\n')
    args = ("predictions.csv", "--truth", "truth.tsv", "--no-quotes")
    assert summary_of(*args)["accuracy"]["n_correct"] == 3


def test_labels_with_brackets_are_printed_as_they_are():
    write("p.csv", ("predicted", "label"), [("[red]", "[red]"), ("[/b]", "[red]")])
    printed = call("p.csv").stdout
    assert "│ [red]" in printed
    assert "│ [/b]" in printed


def test_classes_that_are_never_predicted_or_never_true_are_reported():
    rows = [("a", "a"), ("a", "b"), ("x", "a")]
    write("p.csv", ("predicted", "label"), rows)
    printed = " ".join(call("p.csv").stdout.split())
    assert "│ b │ 1 │ 0 │ - │ 0.0 % │ 0.0 % │" in printed
    assert "│ x │ 0 │ 1 │ 0.0 % │ - │ 0.0 % │" in printed
    assert "│ macro average │ │ │ - │ 25.0 % │" in printed
    assert "Never predicted: 'b'." in printed
    assert "Predicted but never true: 'x'." in printed
    assert "unify the spelling" in printed


@pytest.mark.parametrize(
    ("n_classes", "columns", "shown"),
    [
        (3, 80, "┃ true class"),
        (8, 80, "│ 8 a class by the name of 7"),
        (20, 80, "The most frequent errors"),
        (8, 260, "┃ a class by the name of 0 ┃"),
    ],
)
def test_no_line_is_wider_than_the_window(n_classes: int, columns: int, shown: str):
    names = [f"a class by the name of {k}" for k in range(n_classes)]
    rows = [(name, names[(3 * k) % n_classes], "1.0", name) for k, name in enumerate(names)]
    write("p.csv", ("predicted", "label", "confidence", "source_only"), rows)
    result = call("p.csv", columns=columns)
    assert result.exit_code == 0, result.stderr
    assert shown in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= columns
    assert "…" not in result.stdout


def test_help_has_an_example():
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "Example: isthmus evaluate --predictions predictions.csv" in " ".join(
        result.output.split()
    )


LABELS_ONLY = [(label,) for label in TRUTH.values()]


@pytest.mark.parametrize(
    ("header", "rows", "options", "message"),
    [
        (["id", "label"], [("d1", "pos"), ("d9", "neg")], [], "1 of the 2 ids of 'truth.csv' are"),
        (["id", "label"], [("d9", "pos")], [], "'predictions.csv': 'd9'; predict these"),
        (["id", "label"], [("d1", "a")] * 2, ["--id-col", "id"], "duplicate ids, 'd1'"),
        (["id", "label"], [("", "a")], ["--id-col", "id"], "Line 2 of 'truth.csv' has no value in"),
        (["label"], [("pos",)], ["--id-col", "id"], "no column 'id' in 'truth.csv'"),
        (["label"], [("pos",)], ["--id-col", "key"], "no column 'key' in 'predictions.csv'"),
        (["label"], [("pos",)], [], "has 4 documents and 'truth.csv' has 1"),
        (
            ["text", "label"],
            [(row[1], "pos") for row in reversed(ROWS)],
            [],
            "Line 2 of 'predictions.csv' and line 2 of 'truth.csv' differ in their texts",
        ),
        (["words"], LABELS_ONLY, [], "No column of 'truth.csv'"),
        (["label"], LABELS_ONLY, ["--label-col", "lable"], "did you mean 'label'?"),
        (["label"], LABELS_ONLY, ["--predicted-col", "guess"], "--predicted-col"),
        (["label"], [("positive",), ("negative",)] * 2, [], "('negative', 'positive', column"),
        (["label", "x"], [("", "x")] * 4, [], "No document has a true label in column 'label'"),
        (["label"], LABELS_ONLY, ["--encoding", "no-such"], "no text encoding 'no-such'"),
    ],
)
def test_truth_that_does_not_fit_exits_with_2(
    header: list[str], rows: list[tuple[str, ...]], options: list[str], message: str
):
    write("truth.csv", header, rows)
    result = call("predictions.csv", "--truth", "truth.csv", *options)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("header", "row", "options", "message"),
    [
        (["predicted", "x"], ["pos", "x"], [], "another file with --truth"),
        (["predicted", "label"], ["", "pos"], [], "1 documents with a true label has a predicted"),
        (["predicted", "label"], ["a", "a"], ["--label-col", "predicted"], "both the true and"),
        (["predicted", "label", "source_only"], ["a", "a", ""], [], "no value in 'source_only'"),
        (["predicted", "label", "confidence"], ["a", "a", "high"], [], "'high' in 'conf"),
        (["predicted", "label", "confidence"], ["a", "a", "70"], [], "probability from 0 to 1"),
        (["predicted", "label", "confidence"], ["a", "a", "nan"], [], "'nan' in 'conf"),
        (["text", "label"], ["a", "a"], [], "There is no column 'predicted' in 'p.csv'"),
        (["predicted"], ["a"], ["--truth", "nowhere.csv"], "There is no file or folder 'nowhere"),
    ],
)
def test_predictions_that_do_not_do_exit_with_2(
    header: list[str], row: list[str], options: list[str], message: str
):
    write("p.csv", header, [row])
    result = call("p.csv", *options)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stdout == ""


def test_only_one_of_the_files_can_be_standard_input():
    result = call("-", "--truth", "-", input="predicted,label\na,a\n")
    assert result.exit_code == 2
    assert "cannot both be '-'" in result.stderr


@pytest.mark.parametrize("with_truth_file", [False, True])
def test_predictions_protected_from_spreadsheets(with_truth_file: bool) -> None:
    from isthmus.files import open_table_writer

    labels = ["=1+1", "-5", "'quoted", "@home\u200b", "plain"]
    columns = ["id", "text", "predicted", "truth"]
    rows = [
        {"id": f"={i}", "text": f"- a\xa0text {i}", "predicted": label, "truth": label}
        for i, label in enumerate(labels * 2)
    ]
    if with_truth_file:
        write("truth.csv", columns, [[row[column] for column in columns] for row in rows])
        columns.remove("truth")
    with open_table_writer("safe.csv", columns, spreadsheet_safe=True) as writer:
        for row in rows:
            writer.write(row)
    assert "'=1+1" in Path("safe.csv").read_text(encoding="utf-8")
    truth = ["--truth", "truth.csv"] if with_truth_file else []
    result = call("safe.csv", *truth, "--label-col", "truth", "--json")
    assert result.exit_code == 0, result.output
    scores = json.loads(result.stdout)
    assert scores["accuracy"]["value"] == 1
    assert "'=1+1" not in result.stdout
    assert "=1+1" in result.stdout


def test_cells_of_a_plain_file_are_read_unchanged() -> None:
    write("plain.csv", ("predicted", "truth"), [("=1+1", "=1+1"), ("'=1+1", "=1+1")])
    result = call("plain.csv", "--json")
    assert json.loads(result.stdout)["accuracy"]["value"] == 0.5


def write_tickets(tickets: Sequence[str], *more: str) -> None:
    """Predictions of d1 to d4 without texts and the true labels of ``tickets``."""
    header = ("ticket", *(f"ticket{place}" for place in range(len(more))))
    rows = [(row[0], *(f"{name}{row[0]}" for name in more), row[2]) for row in ROWS]
    write("predictions.csv", (*header, "predicted"), rows)
    truth = [
        (name, *(f"{more_}{name}" for more_ in more), TRUTH.get(name, "neg")) for name in tickets
    ]
    write("truth.csv", (*header, "label"), truth)


def test_one_shared_unique_column_identifies_the_documents():
    write_tickets(["d4", "d3", "d2", "d1"])
    summary = summary_of("predictions.csv", "--truth", "truth.csv")
    assert summary["matched"] == "by 'ticket'"
    assert summary["accuracy"]["n_correct"] == 3
    assert "matched by 'ticket'" in call("predictions.csv", "--truth", "truth.csv").stderr


@pytest.mark.parametrize(
    ("tickets", "more"), [(["d4", "d3", "d2", "d1"], ["x"]), (["d1", "d2", "d3", "d5"], [])]
)
def test_rows_with_different_unique_values_are_not_matched_by_position(
    tickets: list[str], more: list[str]
):
    write_tickets(tickets, *more)
    result = call("predictions.csv", "--truth", "truth.csv")
    assert result.exit_code == 2
    assert "'ticket'" in result.stderr
    assert "--id-col" in result.stderr
