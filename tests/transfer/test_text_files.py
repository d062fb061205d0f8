"""Texts in files give the labels of lists of texts."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forced_processes import force_processes, map_here
from isthmus import MTrick, SourceLogistic, TextFiles, Transfer, config_context
from isthmus.datasets import make_corpus
from isthmus.files import DocumentFileError
from isthmus.inspection.sample import TextSample
from tables import write_columns

CORPUS = make_corpus(n_source=90, n_target=80)
SOURCE = (CORPUS.source_texts, CORPUS.source_labels)
QUICK = MTrick(max_iter=10, tol=0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> Path:
    """A folder with books.csv, kitchen.csv, and both in parts."""
    monkeypatch.chdir(tmp_path)
    write_columns(Path("books.csv"), ["text", "label"], *SOURCE)
    truth = CORPUS.target_labels
    write_columns(Path("kitchen.csv"), ["text", "label"], CORPUS.target_texts, truth)
    for name in ("books", "kitchen"):
        with open(f"{name}.csv", newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        Path(name).mkdir()
        for number, part in enumerate((rows[:30], [], rows[30:31], rows[31:])):
            lines = "".join(json.dumps(row) + "\n" for row in part)
            Path(name, f"part-{number}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return tmp_path


def transfer(**options: Any) -> Transfer:
    return Transfer(QUICK, verdict=False, **options)


def assert_same_model(model: Transfer, expected: Transfer) -> None:
    assert model.vectorizer_.terms_ == expected.vectorizer_.terms_
    assert model.targets_.keys() == expected.targets_.keys()
    for name, prediction in expected.targets_.items():
        assert model.targets_[name].labels.tolist() == prediction.labels.tolist()
        np.testing.assert_array_equal(model.targets_[name].probabilities, prediction.probabilities)
        np.testing.assert_array_equal(model.targets_[name].source_only, prediction.source_only)


@pytest.mark.parametrize(
    ("source", "target"),
    [("books.csv", "kitchen.csv"), ("books", "kitchen/*.gz"), ("books/part-*", "kitchen")],
)
def test_the_labels_of_lists(files: Path, source: str, target: str) -> None:
    expected = transfer().fit(*SOURCE, CORPUS.target_texts)
    model = transfer().fit(TextFiles(source), target_texts=TextFiles(target))
    assert_same_model(model, expected)
    np.testing.assert_array_equal(
        model.predict_proba(TextFiles(target)), expected.predict_proba(CORPUS.target_texts)
    )
    assert model.score(TextFiles(source), SOURCE[1]) == expected.score(*SOURCE)


def test_labels_of_the_target_are_used_if_their_column_is_named(files: Path) -> None:
    some = [*CORPUS.target_labels[:10], *[None] * 70]
    pairs = zip(CORPUS.target_texts, some, strict=True)
    lines = [json.dumps({"text": text, "kind": label}) for text, label in pairs]
    Path("new.jsonl").write_text("\n".join(lines))
    expected = transfer().fit(*SOURCE, {"target": (CORPUS.target_texts, some)})
    without = transfer().fit(*SOURCE, CORPUS.target_texts)
    target = TextFiles("new.jsonl", label_col="kind")
    model = transfer().fit(TextFiles("books.csv"), target_texts=target)
    assert_same_model(model, expected)
    assert (model.probabilities_ != without.probabilities_).any()
    assert model.labels_[:10].tolist() == some[:10]


def test_files_of_a_source_are_a_target_without_labels_later(files: Path) -> None:
    # Both directions, with the same objects.
    books, kitchen = TextFiles("books.csv"), TextFiles("kitchen.csv")
    transfer().fit(books, target_texts=kitchen)
    model = transfer().fit(kitchen, target_texts=books)
    assert_same_model(
        model, transfer().fit(CORPUS.target_texts, CORPUS.target_labels, CORPUS.source_texts)
    )


def test_one_file_as_source_and_target(files: Path) -> None:
    books = TextFiles("books.csv")
    model = transfer().fit(books, target_texts=books)
    assert_same_model(model, transfer().fit(*SOURCE, CORPUS.source_texts))


def test_names_of_domains(files: Path) -> None:
    model = transfer().fit(
        {
            "books": TextFiles("books"),
            "more": (CORPUS.target_texts[:20], CORPUS.target_labels[:20]),
        },
        target_texts={"kitchen": TextFiles("kitchen"), "list": CORPUS.target_texts[:30]},
    )
    expected = transfer().fit(
        {"books": SOURCE, "more": (CORPUS.target_texts[:20], CORPUS.target_labels[:20])},
        target_texts={"kitchen": CORPUS.target_texts, "list": CORPUS.target_texts[:30]},
    )
    assert_same_model(model, expected)


def test_other_labels_of_files(files: Path) -> None:
    other = [label == "positive" for label in SOURCE[1]]
    model = transfer().fit(TextFiles("books.csv"), other, TextFiles("kitchen.csv"))
    assert model.classes_.tolist() == [False, True]
    assert_same_model(model, transfer().fit(SOURCE[0], other, CORPUS.target_texts))


def test_columns(files: Path) -> None:
    write_columns(Path("odd.csv"), ["body", "mark"], *SOURCE)
    odd = TextFiles("odd.csv", text_col="body", label_col="mark")
    assert list(odd) == SOURCE[0]
    assert odd.labels == SOURCE[1]
    assert repr(odd) == "TextFiles('odd.csv')"
    for wrong, message in (
        (TextFiles("odd.csv", text_col="Text"), "'Text'"),
        (TextFiles("odd.csv", text_col="body", label_col="label"), "'label'"),
    ):
        with pytest.raises(DocumentFileError, match=message) as caught:
            transfer().fit(wrong, target_texts=TextFiles("kitchen.csv"))
        assert "'odd.csv'" in str(caught.value)
        assert "'body', 'mark'" in str(caught.value)
    write_columns(Path("plain.csv"), ["text"], SOURCE[0])
    with pytest.raises(DocumentFileError, match="label"):
        transfer().fit(TextFiles("plain.csv"), target_texts=TextFiles("kitchen"))


def test_missing_and_empty_files(files: Path) -> None:
    for path, message in (("none.csv", "none.csv"), ("none-*.csv", "none-")):
        with pytest.raises((DocumentFileError, FileNotFoundError), match=message):
            transfer().fit(*SOURCE, TextFiles(path))
    Path("empty.csv").write_text("text,label\n")
    with pytest.raises(ValueError, match="empty"):
        transfer().fit(*SOURCE, {"empty": TextFiles("empty.csv")})


def test_pickles(files: Path) -> None:
    model = transfer().fit(TextFiles("books"), target_texts=TextFiles("kitchen.csv"))
    back = pickle.loads(pickle.dumps(model))
    assert_same_model(back, model)
    assert (
        back.predict(TextFiles("kitchen.csv")).tolist()
        == model.predict(CORPUS.target_texts).tolist()
    )
    read = TextFiles("books.csv", label_col="label")
    list(read)
    assert list(pickle.loads(pickle.dumps(read))) == SOURCE[0]


@pytest.fixture
def pickled(monkeypatch) -> list[str]:
    """Count in small shards, in this process; one name per shard."""
    force_processes(monkeypatch, 1500)
    return map_here(monkeypatch)


def assert_sample_is_of(model: Transfer, texts: dict[str, tuple[list[str], list[Any] | None]]):
    """Every kept row has the text and the label of that row of the file."""
    assert [domain.name for domain in model.report_sample_.values()] == [*texts]
    start = 0
    for domain in model.report_sample_.values():
        expected, labels = texts[domain.name]
        assert domain.n_documents == len(expected)
        assert domain.start == start
        assert len(domain.rows) > 0
        assert domain.texts == [expected[row] for row in domain.rows]
        kept = [None if code < 0 else model.classes_[code] for code in domain.labels]
        assert kept == [None if labels is None else labels[row] for row in domain.rows]
        rows = model.vectorizer_.transform(domain.texts)
        np.testing.assert_allclose(domain.X.toarray(), rows.toarray(), rtol=1e-6)
        start += len(expected)


@pytest.mark.parametrize(("source", "target"), [("books.csv", "kitchen"), ("books", "kitchen.csv")])
def test_shards(files: Path, pickled: list[str], source: str, target: str) -> None:
    expected = transfer().fit(*SOURCE, CORPUS.target_texts)
    assert pickled == []
    model = transfer().fit(TextFiles(source), target_texts=TextFiles(target))
    assert len(pickled) > 6
    assert_same_model(model, expected)
    domains = {"source": SOURCE, "target": (CORPUS.target_texts, None)}
    assert_sample_is_of(model, domains)
    assert all(domain.is_complete for domain in model.report_sample_.values())


def test_samples_of_shards_are_bounded(files: Path, pickled: list[str], monkeypatch) -> None:
    monkeypatch.setattr("isthmus.inspection.sample._MAX_TEXTS", 40)
    monkeypatch.setattr(TextSample.__init__, "__defaults__", (40, 10**6))
    model = transfer().fit(TextFiles("books.csv"), target_texts=TextFiles("kitchen"))
    assert_sample_is_of(model, {"source": SOURCE, "target": (CORPUS.target_texts, None)})
    assert all(5 < len(domain.rows) <= 40 for domain in model.report_sample_.values())
    again = transfer().fit(TextFiles("books.csv"), target_texts=TextFiles("kitchen"))
    for name, domain in model.report_sample_.items():
        assert again.report_sample_[name].rows.tolist() == domain.rows.tolist()


def test_one_file_in_shards_as_source_and_target(files: Path, pickled: list[str]) -> None:
    books = TextFiles("books.csv", label_col="label")
    with pytest.warns(UserWarning, match="Every target row has a label"):
        model = transfer().fit(books, target_texts=books)
    assert_sample_is_of(model, {"source": SOURCE, "target": SOURCE})


def test_lists_are_counted_here(files: Path, pickled: list[str]) -> None:
    transfer().fit(*SOURCE, TextFiles("kitchen.csv"))
    assert pickled == []


def test_an_empty_file_in_shards(files: Path, pickled: list[str]) -> None:
    Path("empty.csv").write_text("text,label\n")
    with pytest.raises(ValueError, match="empty"):
        transfer().fit(TextFiles("books.csv"), target_texts={"empty": TextFiles("empty.csv")})


class TwoViews(SourceLogistic):
    """A classifier that records the second view that it is given."""

    uses_characters = True

    def _read_training_data(self, *data: Any, second_view: Any = None, **names: Any) -> Any:
        self.fitted_view = second_view
        return super()._read_training_data(*data, **names)


def test_few_documents_in_large_files_have_character_ngrams(
    files: Path, pickled: list[str], monkeypatch
) -> None:
    def fit(*texts: Any) -> Transfer:
        return Transfer(TwoViews(), verdict=False).fit(*texts)

    expected = fit(*SOURCE, CORPUS.target_texts).estimator_.fitted_view
    model = fit(TextFiles("books.csv"), None, TextFiles("kitchen"))
    assert len(pickled) > 6
    assert model.characters_ is not None
    np.testing.assert_array_equal(model.estimator_.fitted_view.toarray(), expected.toarray())
    monkeypatch.setattr("isthmus.text.character_vectorizer.MAX_DOCUMENTS", 169)
    assert fit(TextFiles("books.csv"), None, TextFiles("kitchen")).characters_ is None


@pytest.mark.skipif(sys.platform == "win32", reason="mapped files have names")
@pytest.mark.slow
def test_real_processes(files: Path, monkeypatch) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    force_processes(monkeypatch, 20_000)
    expected = transfer().fit(*SOURCE, CORPUS.target_texts)
    (files / "scratch").mkdir()
    with config_context(scratch_folder=files / "scratch"):
        model = transfer().fit(TextFiles("books"), target_texts=TextFiles("kitchen.csv"))
    assert list((files / "scratch").iterdir()) == []
    assert_same_model(model, expected)
    assert_sample_is_of(model, {"source": SOURCE, "target": (CORPUS.target_texts, None)})
