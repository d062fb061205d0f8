"""isthmus explain: the words behind the label of one document."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from isthmus import Transfer, load
from isthmus.datasets import make_corpus
from tables import write_columns

TEXT = "The kettle is sturdy and quick."
Call = Callable[..., Result]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file with the target kitchen."""
    corpus = make_corpus(n_source=120, n_target=100)
    source = {"books": (corpus.source_texts, corpus.source_labels)}
    path = tmp_path_factory.mktemp("explain") / "kitchen.isthmus"
    Transfer("lg", verdict=False).fit(source, target_texts={"kitchen": corpus.target_texts}).save(
        path
    )
    return path


def test_a_text(call: Call, model: Path) -> None:
    result = call("explain", "--model", model, "--text", TEXT)
    assert result.exit_code == 0, result.output
    explanation = load(model).explain(TEXT)
    assert f"Label: {explanation.label} (probability " in result.stdout
    assert TEXT in result.stdout
    for word, weight in explanation.top_words("positive").supporting:
        assert f"{word} {weight:+.2f}" in result.stdout
        assert f"{word} {-weight:+.2f}" in result.stdout  # against negative


def test_number_of_words(call: Call, model: Path) -> None:
    text = " ".join(load(model).vectorizer_.terms_[:60])
    result = call("explain", "--model", model, "--text", text, "--words", 2)
    assert result.exit_code == 0
    assert result.stdout.count(" +") == 4  # two words for each of two classes


def test_a_row_of_a_file(call: Call, model: Path, tmp_path: Path) -> None:
    texts = ["The lid is noisy.", TEXT, "A perfect oven"]
    write_columns(tmp_path / "new.csv", ["id", "body"], ["a", "b", "c"], texts)
    options = ("explain", "--model", model, "--input", "new.csv", "--text-col", "body", "--json")
    for row, text in enumerate(texts, 1):
        result = call(*options, "--row", row)
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["text"] == text
    result = call(*options, "--row", 4)
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: There is no row 4 in 'new.csv', which has 3 rows without the header: rows are "
        "counted from 1.\n"
    )


def test_encoding_of_the_file(call: Call, model: Path, tmp_path: Path) -> None:
    (tmp_path / "new.tsv").write_bytes('id\ttext\n1\tDas "sturdy" Café\n'.encode("latin-1"))
    options = ("--input", "new.tsv", "--row", 1, "--encoding", "latin-1", "--no-quotes", "--json")
    result = call("explain", "--model", model, *options)
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["text"] == 'Das "sturdy" Café'
    assert [word["word"] for word in record["words"]] == ["sturdy"]
    assert record["spans"] == [{"start": 5, "end": 11, "word": 0}]


def test_standard_input(call: Call, model: Path) -> None:
    options = ("--model", model, "--input", "-", "--row", 1, "--json")
    result = call("explain", *options, input=f"text\n{TEXT}\n")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["text"] == TEXT


def test_json_has_everything(call: Call, model: Path) -> None:
    result = call("explain", "--model", model, "--text", TEXT, "--domain", "books", "--json")
    assert result.exit_code == 0, result.output
    expected = load(model).explain(TEXT, "books").to_dict()
    assert json.loads(result.stdout) == {"method": "SourceLogistic", **expected}
    assert expected["domain"] == "books"


@pytest.mark.parametrize("text", ["zzz qqq", ""])
def test_a_text_without_known_words(call: Call, model: Path, text: str) -> None:
    result = call("explain", "--model", model, "--text", text)
    assert result.exit_code == 0
    assert "The text has no word that the model knows: its label is meaningless." in result.stdout


def test_control_characters_are_escaped(call: Call, model: Path) -> None:
    result = call(
        "explain", "--model", model, "--text", "\x1b[31msturdy\x07 \x9b2J [bold]kettle[/]"
    )
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\\x1b[31msturdy\\x07 \\x9b2J [bold]kettle[/]" in result.stdout
    result = call("explain", "--model", model, "--text", "sturdy \udcff", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["text"] == "sturdy \ufffd"


def test_a_long_text_is_cut_on_the_screen(call: Call, model: Path) -> None:
    text = "sturdy kettle " * 1000
    result = call("explain", "--model", model, "--text", text)
    assert result.exit_code == 0
    assert result.stdout.count("sturdy") < 200
    assert "…" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--text", "a", "--input", "f.csv"], "--text and --input exclude each other: give one of"),
        (["--row", "2"], "--row needs a file: name it with --input."),
        (["--text", "a", "--row", "2"], "--row needs a file: name it with --input."),
        (["--input", "f.csv"], "--input needs --row, the number of the document in the file, "),
        (["--domain", "kitchen"], "--domain needs a document: give it with --text, or --input"),
        (["--text", "a", "--domain", "x"], "There is no domain 'x': the fitted domains are"),
        (["--input", "no.csv", "--row", "1"], "'no.csv'"),
        (["--input", "f.csv", "--row", "0"], "--row"),
    ],
)
def test_wrong_options(call: Call, model: Path, options: list[str], message: str) -> None:
    result = call("explain", "--model", model, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_without_a_document_the_model_is_explained(call: Call, model: Path) -> None:
    result = call("explain", "--model", model, "--json")
    assert result.exit_code == 0
    assert set(json.loads(result.stdout)) == {"method", "domains", "classes", "clusters"}
