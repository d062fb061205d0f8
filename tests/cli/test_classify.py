"""``isthmus classify``, ``predict`` and ``explain`` on a user's files."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isthmus import load
from isthmus.datasets import make_corpus
from tables import read_rows, write_columns

BOTH = ("--source", "books.csv", "--target", "kitchen.csv", "--force")


def test_labels_with_all_columns(call: Any, corpus: Any) -> None:
    result = call("classify", *BOTH)
    assert result.exit_code == 0, result.output
    predictions = read_rows()
    assert list(predictions[0]) == ["id", "text", "truth", "predicted", "confidence", "source_only"]
    assert [row["id"] for row in predictions] == [f"k{i}" for i in range(100)]
    assert [row["text"] for row in predictions] == corpus.target_texts
    right = [row["predicted"] == row["truth"] for row in predictions]
    assert sum(right) > 85
    assert all(0.5 <= float(row["confidence"]) <= 1 for row in predictions)
    printed = " ".join(result.output.split())
    assert "120 documents, text in 'text' (guessed), labels in 'label' (guessed)" in printed
    assert "positive: 60, negative: 60" in printed
    assert "source alone" in printed


@pytest.mark.parametrize("method", ["auto", "mtrick"])
def test_save_predict_and_explain(method: str, call: Any, corpus: Any) -> None:
    saved = ("--method", method, "--save-model", "m.isthmus")
    assert call("classify", *BOTH, *saved).exit_code == 0
    model = load("m.isthmus")
    assert model.domains_ == {"books": 0, "kitchen": -1}
    result = call("predict", "--model", "m.isthmus", "--input", "kitchen.csv", "-o", "new.csv")
    assert result.exit_code == 0, result.output
    assert [row["predicted"] for row in read_rows("new.csv")] == list(
        model.predict(corpus.target_texts)
    )
    shown = call("explain", "--model", "m.isthmus", "--words", "3")
    for words in model.top_words(3)["positive"].values():
        assert all(word in shown.output for word in words)
    answer = json.loads(call("explain", "--model", "m.isthmus", "-n", "3", "--json").stdout)
    assert answer["classes"] == model.top_words(3)
    assert answer["domains"] == {"books": 0, "kitchen": -1}
    if method == "mtrick":
        associations = answer["clusters"][0]["class_associations"]
        assert sum(associations.values()) == pytest.approx(1, abs=1e-3)


def test_explain_a_method_without_clusters(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "--method", "svm", "--save-model", "m")
    assert json.loads(call("explain", "--model", "m", "--json").stdout)["clusters"] == []
    assert "Word clusters" not in call("explain", "--model", "m").output


def test_predict_streams_to_standard_output(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "--save-model", "m")
    options = ["predict", "--model", "m", "--columns", "id", "--probabilities"]
    result = call(*options, "--input", "kitchen.csv")
    predictions = list(csv.DictReader(result.stdout.splitlines()))
    assert list(predictions[0]) == [
        *("id", "predicted", "confidence", "source_only"),
        *("probability_negative", "probability_positive"),
    ]
    probabilities = [
        float(predictions[0][f"probability_{name}"]) for name in ("negative", "positive")
    ]
    assert sum(probabilities) == pytest.approx(1, abs=2e-4)
    assert max(probabilities) == float(predictions[0]["confidence"])
    assert "100 documents labeled" in result.stderr
    piped = call(*options, "--input", "-", "--quiet", input=Path("kitchen.csv").read_text())
    assert (piped.stdout, piped.stderr) == (result.stdout, "")


def test_predict_says_what_it_does_not_know(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "--save-model", "m")
    write_columns(Path("new.csv"), ["text"], ["zzz qqq", "", corpus.target_texts[0]])
    result = call("predict", "--model", "m", "--input", "new.csv", "-o", "out.jsonl")
    assert "2 documents" in result.stderr
    assert "no word" in result.stderr
    assert len(Path("out.jsonl").read_text().splitlines()) == 3


def test_json_and_quiet(call: Any, corpus: Any) -> None:
    result = call("classify", *BOTH, "--json")
    answer = json.loads(result.stdout)
    assert answer["target"]["documents"] == 100
    assert sum(answer["target"]["labels"].values()) == 100
    assert answer["sources"][0]["classes"] == {"positive": 60, "negative": 60}
    quiet = call("classify", *BOTH, "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_target_labels_are_used_to_train_and_not_evaluated(call: Any, corpus: Any) -> None:
    known = [*corpus.target_labels[:15], *[""] * 85]
    ids = [str(i) for i in range(100)]
    write_columns(Path("k.csv"), ["id", "text", "mine"], ids, corpus.target_texts, known)
    write_columns(Path("truth.csv"), ["id", "label"], ids, corpus.target_labels)
    options = ["--source", "books.csv", "--target", "k.csv", "--target-label-col", "mine"]
    result = call("classify", *options)
    assert "15 of them with a label" in result.output
    predictions = read_rows()
    assert [row["label_given"] for row in predictions] == ["yes"] * 15 + ["no"] * 85
    assert [row["predicted"] for row in predictions[:15]] == known[:15]
    judged = call("evaluate", "--predictions", "predictions.csv", "--truth", "truth.csv", "--json")
    answer = json.loads(judged.stdout)
    assert (answer["n_documents"], answer["n_given"], answer["n_without_truth"]) == (85, 15, 0)
    assert answer["matched"] == "by 'id'"
    printed = call("evaluate", "--predictions", "predictions.csv", "--truth", "truth.csv").stderr
    assert "15 documents left out" in printed


def test_missing_labels_are_reported(call: Any, corpus: Any) -> None:
    labels = ["", " ", *corpus.source_labels[2:]]
    write_columns(Path("books.csv"), ["text", "label"], corpus.source_texts, labels)
    result = call("classify", *BOTH)
    assert result.exit_code == 0
    assert "2 of the 120 rows of 'books.csv' have no label" in result.stderr


def test_text_settings(call: Any, corpus: Any) -> None:
    options = ["--stem", "--ngrams", "2", "--min-df", "3", "--max-df", "0.5", "--language", "en"]
    assert call("classify", *BOTH, *options, "--save-model", "m").exit_code == 0
    settings = load("m").vectorizer_
    assert settings.stem
    assert settings.ngram_range == (1, 2)
    assert (settings.min_df, settings.max_df) == (3, 0.5)
    plain = ["--language", "none", "--min-df", "0.01"]
    assert call("classify", *BOTH, *plain, "--save-model", "m").exit_code == 0
    assert load("m").vectorizer_.language is None


def test_html_pages(call: Any, corpus: Any) -> None:
    pytest.importorskip("selectolax")
    pages = [f"<html><body><p class=secretword>{text}</p>" for text in corpus.target_texts]
    write_columns(Path("pages.csv"), ["text"], pages)
    options = ["--source", "books.csv", "--target", "pages.csv", "--html", "--save-model", "m"]
    assert call("classify", *options).exit_code == 0
    assert not {"secretword", "html"} & set(load("m").vectorizer_.terms_)


def test_a_random_method_and_a_preset(call: Any, corpus: Any) -> None:
    for name in ("one", "two"):
        options = ["--method", "mtrick", "--preset", "paper", "--seed", "5", "-o", f"{name}.csv"]
        assert call("classify", *BOTH, *options).exit_code == 0
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


def test_three_classes(call: Any) -> None:
    made = make_corpus(120, 90, classes=("positive", "negative", "question"))
    write_columns(Path("books.csv"), ["text", "label"], made.source_texts, made.source_labels)
    write_columns(Path("kitchen.csv"), ["text", "label"], made.target_texts, made.target_labels)
    assert call("classify", *BOTH).exit_code == 0
    judged = json.loads(call("evaluate", "--predictions", "predictions.csv", "--json").stdout)
    assert judged["accuracy"]["value"] > 0.8


@pytest.mark.parametrize("command", ["classify", "demo"])
def test_standard_output_holds_the_table_alone(call: Any, corpus: Any, command: str) -> None:
    result = call(command, *(BOTH if command == "classify" else ()), "--output", "-")
    assert result.exit_code == 0, result.output
    predictions = list(csv.DictReader(result.stdout.splitlines()))
    assert len(predictions) == (100 if command == "classify" else 400)
    assert {row["predicted"] for row in predictions} == {"positive", "negative"}
    assert "Predictions are in -" in result.stderr


def test_a_class_that_only_the_target_has(call: Any, corpus: Any) -> None:
    labels = ["neutral"] * 5 + [""] * 95
    write_columns(Path("k.csv"), ["text", "mine"], corpus.target_texts, labels)
    options = ["--source", "books.csv", "--target", "k.csv", "--target-label-col", "mine"]
    assert call("classify", *options, "--probabilities").exit_code == 0
    assert float(read_rows()[0]["probability_neutral"]) == 1


def test_control_characters_do_not_reach_the_terminal(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    evil = "\x1b]0;gone\x07\x1b[31m\x9b5m[red]"
    labels = [evil if label == "positive" else label for label in corpus.source_labels]
    truth = [evil if label == "positive" else label for label in corpus.target_labels]
    write_columns(Path("books.csv"), ["text", "label"], corpus.source_texts, labels)
    write_columns(Path("kitchen.csv"), ["text", f"a{evil}"], corpus.target_texts, truth)
    printed = [
        call("classify", *BOTH, "--save-model", "m"),
        call("explain", "--model", "m"),
        call("evaluate", "--predictions", "predictions.csv", "--label-col", f"a{evil}"),
        call("evaluate", "--predictions", "predictions.csv", "--label-col", "nothing"),
        call("classify", *BOTH, "--target-text-col", "nothing"),
        call("predict", "--model", "m", "--input", "kitchen.csv", "--output", "p.csv"),
    ]
    for result in printed:
        shown = result.stdout + result.stderr
        assert "gone" in shown
        assert not {"\x1b", "\x07", "\x9b"} & set(shown)
        assert "[red]" in shown


@pytest.mark.slow
def test_a_terminal_that_knows_few_characters(call: Any, corpus: Any) -> None:
    labels = ["良い" if label == "positive" else "悪い" for label in corpus.source_labels]
    write_columns(Path("books.csv"), ["text", "label"], corpus.source_texts, labels)
    commands = [
        ["classify", *map(str, BOTH), "--json"],
        ["classify", *map(str, BOTH)],
        ["demo", "--force"],
        ["classify", "--help"],
        ["--help"],
    ]
    # One process for all of them: most of the time of a command is its start.
    code = f"""
import sys
from isthmus.cli import main
for args in {commands!r}:
    sys.argv[1:] = args
    try:
        main()
    except SystemExit as end:
        assert not end.code, (args, end.code)
    print(chr(0))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    printed = done.stdout.split(b"\0")
    assert len(printed) == len(commands) + 1
    assert all(printed[:-1])
    assert "良い" in json.loads(printed[0])["target"]["labels"]


def test_long_documents_go_through_a_model_in_small_batches(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("classify", *BOTH, "--save-model", "m")
    call("predict", "--model", "m", "--input", "kitchen.csv", "--output", "once.csv")
    monkeypatch.setattr("isthmus.cli.parallel_labels._BATCH_CHARACTERS", 1)
    call("predict", "--model", "m", "--input", "kitchen.csv", "--output", "single.csv")
    assert Path("single.csv").read_bytes() == Path("once.csv").read_bytes()


def test_parameters_of_the_method(call: Any, corpus: Any) -> None:
    options = ["--set", "max_iter=3", "--set", "tol=0", "--set", "init_classifier=complement_nb"]
    saved = ("--method", "mtrick", "--save-model", "m", "--json")
    result = call("classify", *BOTH, *options, *saved)
    assert json.loads(result.stdout)["iterations"] == 3
    assert load("m").estimator_.init_classifier == "complement_nb"


def test_stop_words_from_a_file(call: Any, corpus: Any) -> None:
    Path("stop.txt").write_text("\ufeffkettle\n\n  Sturdy \n", encoding="utf-8")
    assert call("classify", *BOTH, "--stop-words", "stop.txt", "--save-model", "m").exit_code == 0
    terms = load("m").vectorizer_.terms_
    assert not {"kettle", "sturdy"} & set(terms)
    assert "the" in terms


def test_the_source_only_classifier_does_not_use_target_labels(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "-o", "expected.csv")
    known = [*corpus.target_labels[:40], *[""] * 60]
    write_columns(Path("k.csv"), ["text", "mine"], corpus.target_texts, known)
    files = ["--source", "books.csv", "--target", "k.csv", "--target-label-col", "mine"]
    assert call("classify", *files).exit_code == 0
    expected = [row["source_only"] for row in read_rows("expected.csv")]
    assert [row["source_only"] for row in read_rows()] == expected


def test_notes_on_odd_labels_and_pages(call: Any, corpus: Any) -> None:
    labels = ["nan", *corpus.source_labels[1:]]
    write_columns(Path("books.csv"), ["text", "label"], corpus.source_texts, labels)
    pages = [f"<html><body>{text}</body></html>" for text in corpus.target_texts]
    known = ["Positive", *[""] * 99]
    write_columns(Path("kitchen.csv"), ["text", "mine"], pages, known)
    printed = " ".join(call("classify", *BOTH, "--target-label-col", "mine").stderr.split())
    assert "'nan' (1)" in printed
    assert "'Positive' (1), 'positive' (" in printed
    assert "add 1 class that no source has: Positive: 1." in printed
    assert "'kitchen.csv' look like HTML pages: --html" in printed
    ids = [f"l{i}" for i in range(120)]
    write_columns(Path("books.csv"), ["text", "label"], corpus.source_texts, ids)
    printed = call("classify", *BOTH, "--method", "lg", "--label-col", "label").stderr
    assert "120 classes for 120 labeled documents" in printed
    assert "regression" not in printed


def test_a_random_method_gives_the_same_labels_again(call: Any, corpus: Any) -> None:
    for name, more in (("one", []), ("two", []), ("three", ["--set", "random_state=7"])):
        options = ["--method", "pjnmf", *more, "-o", f"{name}.csv", "--probabilities"]
        assert call("classify", *BOTH, *options).exit_code == 0
    one, two, three = (Path(f"{name}.csv").read_bytes() for name in ("one", "two", "three"))
    assert one == two
    assert one != three
