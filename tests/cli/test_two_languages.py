"""``isthmus classify`` and ``predict`` from one language to another."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from isthmus import Auto, BilingualVectorizer, load
from isthmus.datasets import make_bilingual_corpus
from tables import write_columns

FILES = ("--source", "english.csv", "--target", "german.csv", "--force")
LANGUAGES = ("--source-lang", "en", "--target-lang", "de")
ALL = ("classify", *FILES, *LANGUAGES, "--dictionary", "en_de.tsv")


@pytest.fixture
def corpus(tmp_path: Path) -> Any:
    """english.csv (text, label), german.csv (text, truth) and en_de.tsv in the folder."""
    made = make_bilingual_corpus(n_source=150, n_target=120)
    write_columns(
        tmp_path / "english.csv", ["text", "label"], made.source_texts, made.source_labels
    )
    write_columns(tmp_path / "german.csv", ["text", "truth"], made.target_texts, made.target_labels)
    lines = [
        f"{word}\t{translation}"
        for word, table in made.dictionary.items()
        for translation in ([table] if isinstance(table, str) else table)
    ]
    (tmp_path / "en_de.tsv").write_text("\n".join(lines), encoding="utf-8")
    return made


def rows(path: str = "predictions.csv") -> list[dict[str, str]]:
    with Path(path).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def accuracy(table: list[dict[str, str]]) -> float:
    return sum(row["predicted"] == row["truth"] for row in table) / len(table)


def test_labels_and_coverage(call: Any, corpus: Any) -> None:
    result = call(*ALL)
    assert result.exit_code == 0, result.output
    assert "From english to german." in result.output
    assert accuracy(rows()) > 0.85
    printed = " ".join(result.output.split())
    assert "words of the target: translated" in printed
    assert "unknown words, not in the dictionary:" in printed


def test_a_saved_model_takes_raw_texts_of_the_target(call: Any, corpus: Any) -> None:
    assert call(*ALL, "--save-model", "m.isthmus").exit_code == 0
    Path("en_de.tsv").unlink()  # the model has the dictionary
    result = call("predict", "--model", "m.isthmus", "--input", "german.csv", "-o", "new.csv")
    assert result.exit_code == 0, result.output
    assert accuracy(rows("new.csv")) > 0.85
    model = load("m.isthmus")
    assert isinstance(model.vectorizer_, BilingualVectorizer)
    assert isinstance(model.estimator_, Auto)
    assert model.vectorizer_.source_.language_ in ("en", "english")
    english = call(
        *("predict", "--model", "m.isthmus", "--input", "english.csv", "--domain", "english"),
        *("-o", "again.csv"),
    )
    assert english.exit_code == 0, english.output
    table = rows("again.csv")
    assert sum(row["predicted"] == row["label"] for row in table) > 0.95 * len(table)


def test_the_json_summary_has_the_coverage(call: Any, corpus: Any) -> None:
    answer = json.loads(call(*ALL, "--save-model", "m.isthmus", "--json").stdout)
    coverage = answer["coverage"]
    assert answer["method"] == "Auto"
    assert answer["languages"] == ["english", "german"]
    assert set(coverage["tokens"]) == {"translated", "shared", "unknown"}
    assert coverage["dictionary_pairs"] > 20
    assert coverage["frequent_unknown"]
    explained = json.loads(call("explain", "--model", "m.isthmus", "--json").stdout)
    assert explained["coverage"] == coverage
    words = [word for by_domain in explained["classes"].values() for word in by_domain["german"]]
    assert any("(" in word for word in words)  # "Buch (book)"


def test_without_a_dictionary_a_warning_names_the_option(call: Any, corpus: Any) -> None:
    result = call("classify", *FILES, *LANGUAGES)
    assert result.exit_code == 0, result.output
    assert "Without a dictionary" in " ".join(result.output.split())


def test_a_dictionary_of_other_words_is_noticed(call: Any, corpus: Any) -> None:
    Path("other.tsv").write_text("chien\tdog\nchat\tcat\n", encoding="utf-8")
    result = call("classify", *FILES, *LANGUAGES, "--dictionary", "other.tsv")
    assert result.exit_code == 0, result.output
    assert (
        "check that it pairs single words of these two languages, that the source texts are in en"
        in " ".join(result.output.split())
    )


def test_another_method_and_two_dictionaries(call: Any, corpus: Any) -> None:
    Path("de_en.jsonl").write_text('{"de": "Roman", "en": "novel"}\n', encoding="utf-8")
    result = call(*ALL, "--dictionary", "de_en.jsonl", "--method", "lg", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["method"] == "SourceLogistic"


def test_languages_are_detected(call: Any, corpus: Any) -> None:
    pytest.importorskip("py3langid", reason="the extra 'detect' is not installed")
    auto = ("--source-lang", "auto", "--target-lang", "auto", "--dictionary", "en_de.tsv")
    result = call("classify", *FILES, *auto, "--save-model", "m.isthmus")
    assert result.exit_code == 0, result.output
    model = load("m.isthmus")
    assert model.vectorizer_.source_language == "english"
    assert model.vectorizer_.target_language == "german"


def test_one_language_named_twice_is_one_language(call: Any, corpus: Any) -> None:
    result = call("classify", *FILES, "--source-lang", "de", "--target-lang", "german", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["method"] == "Auto"
    assert "coverage" not in answer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--dictionary", "en_de.tsv"), "--dictionary is for two languages: name the target's"),
        (("--source-lang", "en"), "--source-lang is for two languages: name the target's"),
        (("--target-lang", "de", "--language", "en"), "excludes --target-lang"),
        (("--target-lang", "klingon"), "Unknown language 'klingon'"),
        (("--target-lang", "de", "--dictionary", "no.tsv"), "no.tsv"),
        (("--target-lang", "de", "--dictionary", "english.csv"), "are the same file"),
    ],
)
def test_wrong_options(call: Any, corpus: Any, options: tuple[str, ...], message: str) -> None:
    result = call("classify", *FILES, *options)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.output.split())
    assert not Path("predictions.csv").exists()


def test_a_dictionary_of_other_languages_is_refused(call: Any, corpus: Any) -> None:
    Path("en_fr.jsonl").write_text('{"en": "book", "fr": "livre"}\n', encoding="utf-8")
    result = call("classify", *FILES, *LANGUAGES, "--dictionary", "en_fr.jsonl")
    assert result.exit_code == 2
    assert "are en and fr" in " ".join(result.output.split())


def test_two_languages_need_two_files(call: Any, corpus: Any) -> None:
    result = call("classify", "--source", "english.csv", *LANGUAGES)
    assert result.exit_code == 2
    assert "Two languages need two files" in " ".join(result.output.split())


def test_labels_of_the_target_teach_an_unlabeled_source(call: Any, corpus: Any) -> None:
    none = [""] * len(corpus.source_texts)
    write_columns(Path("english.csv"), ["text", "label"], corpus.source_texts, none)
    some = [label if i % 2 else "" for i, label in enumerate(corpus.target_labels)]
    write_columns(
        Path("german.csv"),
        ["text", "truth", "label"],
        corpus.target_texts,
        corpus.target_labels,
        some,
    )
    result = call(*ALL, "--target-label-col", "label", "--method", "dkt")
    assert result.exit_code == 0, result.output
    assert accuracy(rows()) > 0.85


def test_one_target_at_a_time(call: Any, corpus: Any) -> None:
    result = call(*ALL, "--target", "english.csv")
    assert result.exit_code == 2
    assert "--target was given 2 times" in " ".join(result.output.split())


def test_a_file_named_twice(call: Any, corpus: Any) -> None:
    result = call(*ALL, "--dictionary", "en_de.tsv")
    assert result.exit_code == 2
    assert "'en_de.tsv' is named twice" in " ".join(result.output.split())


def test_a_model_whose_extra_is_missing_is_not_called_damaged(
    call: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fugashi", reason="the extra 'japanese' is not installed")
    texts = ["本 映画 音楽", "音楽 曲 本"] * 10
    write_columns(Path("ja.csv"), ["text"], texts)
    options = ("--source-lang", "en", "--target-lang", "ja", "--save-model", "m.isthmus")
    Path("en_ja.tsv").write_text("book\t本\nmusic\t音楽\nfilm\t映画\n", encoding="utf-8")
    files = ("--source", "english.csv", "--target", "ja.csv", "--dictionary", "en_ja.tsv")
    assert call("classify", *files, *options).exit_code == 0
    monkeypatch.setitem(sys.modules, "fugashi", None)
    result = call("predict", "--model", "m.isthmus", "--input", "ja.csv", "-o", "new.csv")
    assert result.exit_code == 2
    printed = " ".join(result.output.split())
    assert "pip install 'isthmus[japanese]'" in printed
    assert "damaged" not in printed
    assert not Path("new.csv").exists()
