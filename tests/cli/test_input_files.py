"""Formats, columns, encodings and names of the input files of ``isthmus classify``."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from isthmus import load
from tables import read_rows, write_columns

BOTH = ("--source", "books.csv", "--target", "kitchen.csv", "--force")


def test_other_formats_give_the_same_labels(call: Any, corpus: Any) -> None:
    call("classify", *BOTH, "-o", "expected.csv")
    expected = [row["predicted"] for row in read_rows("expected.csv")]
    books = zip(corpus.source_texts, corpus.source_labels, strict=True)
    lines = [json.dumps({"text": text, "label": label}) for text, label in books]
    Path("books.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    for number, (text, label) in enumerate(
        zip(corpus.source_texts, corpus.source_labels, strict=True)
    ):
        path = Path("folder", label, f"{number:03}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    tabs = "\n".join(["text", *corpus.target_texts])
    Path("kitchen.tsv").write_text("\ufeff" + tabs, encoding="utf-16")
    for source, target in [
        ("books.jsonl.gz", "kitchen.csv"),
        ("folder", "kitchen.csv"),
        ("books.csv", "kitchen.tsv"),
    ]:
        result = call("classify", "--source", source, "--target", target, "-o", "p.tsv.gz", "-f")
        assert result.exit_code == 0, result.output
        with gzip.open("p.tsv.gz", "rt", encoding="utf-8", newline="") as stream:
            predictions = [row["predicted"] for row in csv.DictReader(stream, delimiter="\t")]
        assert predictions == expected


def test_parquet_in_and_out(call: Any, corpus: Any) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    pd.read_csv("kitchen.csv").to_parquet("kitchen.parquet")
    done = call(
        "classify", "--source", "books.csv", "--target", "kitchen.parquet", "-o", "p.parquet"
    )
    assert done.exit_code == 0, done.output
    assert pd.read_parquet("p.parquet")["predicted"].isin(["positive", "negative"]).all()


def test_several_sources(call: Any, corpus: Any) -> None:
    texts, labels = corpus.source_texts, corpus.source_labels
    write_columns(Path("early.csv"), ["text", "label"], texts[:60], labels[:60])
    write_columns(Path("late.csv"), ["review", "stars"], texts[60:], labels[60:])
    both = ["--source", "early.csv", "--source", "late.csv", "--target", "kitchen.csv"]
    result = call("classify", *both, "--save-model", "m")
    assert result.exit_code == 0, result.output
    assert load("m").domains_ == {"early": 0, "late": 1, "kitchen": -1}


def test_columns_by_name(call: Any, corpus: Any) -> None:
    texts, labels = corpus.source_texts, corpus.source_labels
    write_columns(
        Path("a.csv"), ["text", "body", "class", "mark"], texts[::-1], texts, labels[::-1], labels
    )
    write_columns(Path("b.csv"), ["inhalt", "text"], corpus.target_texts, ["no"] * 100)
    call("classify", *BOTH, "-o", "expected.csv")
    chosen = ["--text-col", "body", "--label-col", "mark", "--target-text-col", "inhalt"]
    result = call("classify", "--source", "a.csv", "--target", "b.csv", *chosen)
    assert result.exit_code == 0, result.output
    expected = [row["predicted"] for row in read_rows("expected.csv")]
    assert [row["predicted"] for row in read_rows()] == expected


def test_the_target_is_read_from_the_column_of_the_source(call: Any, corpus: Any) -> None:
    write_columns(Path("a.csv"), ["message", "label"], corpus.source_texts, corpus.source_labels)
    write_columns(Path("b.csv"), ["text", "message"], ["no"] * 100, corpus.target_texts)
    result = call("classify", "--source", "a.csv", "--target", "b.csv")
    assert "Target b.csv: 100 documents, text in 'message'" in result.output


def test_a_column_with_a_usual_name_for_labels_is_not_read(call: Any, corpus: Any) -> None:
    lines = [json.dumps({"text": text, "categories": ["a"]}) for text in corpus.target_texts]
    Path("k.jsonl").write_text("\n".join(lines), encoding="utf-8")
    files = ["--source", "books.csv", "--target", "k.jsonl", "--output", "p.jsonl"]
    result = call("classify", *files, "--save-model", "m")
    assert result.exit_code == 0, result.output
    assert json.loads(Path("p.jsonl").read_text().splitlines()[0])["categories"] == ["a"]
    assert call("predict", "--model", "m", "--input", "k.jsonl").exit_code == 0


def test_names_of_domains_are_those_of_the_files(call: Any, corpus: Any) -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
    Path("books.csv").rename("a/data.csv")
    Path("kitchen.csv").rename("b/data.csv")
    options = ["--source", str(Path("a/data.csv").resolve()), "--target", "b/data.csv"]
    assert call("classify", *options, "--save-model", "m").exit_code == 0
    assert load("m").domains_ == {"data": 0, "data-2": -1}


def test_a_file_name_that_is_not_valid_text(call: Any, corpus: Any) -> None:
    strange = os.fsdecode(b"k\xff.2024.csv.gz")
    Path(strange).write_bytes(gzip.compress(Path("kitchen.csv").read_bytes()))
    options = ["--source", "books.csv", "--target", strange, "--save-model", "m"]
    assert call("classify", *options).exit_code == 0
    assert list(load("m").domains_) == ["books", "k\ufffd.2024"]


def test_two_encodings(call: Any, corpus: Any) -> None:
    texts = [f"Schönes Gerät. {text}" for text in corpus.source_texts]
    lines = [";".join(pair) for pair in zip(texts, corpus.source_labels, strict=True)]
    Path("b.csv").write_bytes("\n".join(["text;label", *lines]).encode("cp1252"))
    target = "\n".join(["text", *(f"Schön. {text}" for text in corpus.target_texts)])
    for name, encoding, option in [
        ("marked.csv", "utf-8-sig", []),  # a mark is stronger than --encoding
        ("plain.csv", "utf-8", ["--target-encoding", "utf-8"]),
    ]:
        Path(name).write_text(target.replace(",", " "), encoding=encoding)
        files = ["--source", "b.csv", "--target", name, "--encoding", "cp1252", *option]
        result = call("classify", *files, "--save-model", "m", "--force")
        assert result.exit_code == 0, result.output
        assert {"schönes", "schön"} <= set(load("m").vectorizer_.terms_)


def test_dates_of_a_parquet_table_are_written_as_text(call: Any, corpus: Any) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    frame = pd.DataFrame({"text": corpus.target_texts, "day": pd.Timestamp("2025-01-01")})
    frame.to_parquet("k.parquet")
    call("classify", "--source", "books.csv", "--target", "k.parquet")
    assert read_rows()[0]["day"].startswith("2025-01-01 00:00")


def test_one_file_with_and_without_labels(call: Any, corpus: Any) -> None:
    texts = [*corpus.target_texts, *corpus.source_texts]
    labels = [*[""] * 100, *corpus.source_labels]
    ids = [str(i) for i in range(220)]
    write_columns(Path("all.csv"), ["id", "text", "label"], ids, texts, labels)
    result = call("classify", "--source", "all.csv", "--save-model", "m")
    assert result.exit_code == 0, result.output
    predictions = read_rows()
    assert [row["id"] for row in predictions] == ids[:100]
    call("classify", *BOTH, "-o", "expected.csv")
    assert [r["predicted"] for r in predictions] == [
        r["predicted"] for r in read_rows("expected.csv")
    ]
    assert load("m").domains_ == {"labeled": 0, "unlabeled": -1}
    refused = call("classify", "--source", "books.csv", "--force")
    assert refused.exit_code == 2
    assert "'books.csv' has a label" in refused.stderr


def test_keys_that_come_late_in_json_lines_are_kept(call: Any, corpus: Any) -> None:
    lines = [{"text": text} for text in corpus.target_texts * 2]
    lines[150]["late"] = "x"
    Path("k.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    call("classify", "--source", "books.csv", "--target", "k.jsonl", "-o", "p.csv")
    assert read_rows("p.csv")[150]["late"] == "x"
