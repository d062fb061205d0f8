"""Suites over the user's files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from isthmus.datasets.synthetic import make_corpus
from isthmus_bench.plan.reading import find_suite, parse_suite
from isthmus_bench.plan.suite import Suite
from isthmus_bench.run.planning import Choice, plan_runs, split_pending
from isthmus_bench.run.results import ResultFile
from isthmus_bench.run.runner import run_pending
from tables import write_columns

SUITE = """
name = "tickets"
title = "Tickets"
citation = "Ours"
seeds = [0]
dtype = "float32"
[text]
min_df = 2
[corpora.tickets]
old = { file = "old.csv", text = "body", label = "queue" }
new = { file = "new.csv" }
[tasks]
kind = "listed"
corpus = "tickets"
[[sets]]
name = "years"
[[sets.problems]]
name = "old to new"
split = "evidence"
source = { good = ["old.positive"], bad = ["old.negative"] }
target = { good = ["new.positive"], bad = ["new.negative"] }
target_pool = ["new.pool"]
[[entries]]
id = "lg"
label = "LG"
method = "lg"
weighting = "log-tfidf"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_corpus()
    old = slice(0, None, 4)
    write_columns(
        tmp_path / "old.csv", ["queue", "body"], made.source_labels[old], made.source_texts[old]
    )
    labels = list(made.target_labels[old])
    labels[-3:] = [""] * 3
    write_columns(tmp_path / "new.csv", ["text", "label"], made.target_texts[old], labels)
    (tmp_path / "mine.toml").write_text(SUITE)
    return tmp_path


def run(suite: Suite, folder: Path) -> list[dict[str, object]]:
    file = ResultFile(folder / "results.jsonl")
    pending, _ = split_pending(plan_runs(suite, Choice()), file)
    seen: list[dict[str, object]] = []
    with ThreadPoolExecutor(1) as executor:
        run_pending(pending, file, on_result=seen.append, executor=executor)
    return seen


def test_files_next_to_the_suite_are_a_corpus(folder: Path) -> None:
    (record,) = run(find_suite(str(folder / "mine.toml")), folder)
    assert record["error"] is None
    assert record["accuracy"] > 0.5  # type: ignore[operator]
    assert record["sizes"]["n_pool"] == 3
    assert run(find_suite(str(folder / "mine.toml")), folder) == []


def test_a_changed_file_is_another_corpus(folder: Path) -> None:
    run(find_suite(str(folder / "mine.toml")), folder)
    with (folder / "old.csv").open("a") as stream:
        stream.write("positive,a fine kettle\n")
    (record,) = run(find_suite(str(folder / "mine.toml")), folder)
    assert record["error"] is None


def test_a_folder_of_texts(folder: Path) -> None:
    for label in ("positive", "negative"):
        (folder / "texts" / label).mkdir(parents=True)
        for number in range(3):
            text = f"{label} words about a {label} thing"
            (folder / "texts" / label / f"{number}.txt").write_text(text)
    text = SUITE.replace('{ file = "old.csv", text = "body", label = "queue" }', '{ file="texts" }')
    (record,) = run(parse_suite(text, "mine.toml", folder), folder)
    assert (record["error"], record["sizes"]["n_source"]) == (None, 6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"old.csv"', '"older.csv"', r"tickets, old: there is no '.*older\.csv': check the path"),
        ("[corpora.tickets]", "[corpora.amazon]", "corpora, amazon: .* use another one"),
        ('text = "body"', 'texts = "body"', "corpora, tickets, old, texts: there is no such field"),
        ('file = "new.csv"', "file = 3", "corpora, tickets, new, file: .* string, not 3"),
        ('corpus = "tickets"', 'corpus = "calls"', "There is no corpus 'calls'"),
        (
            'text = "body"',
            'text = "word"',
            r"^corpora, tickets, old: There is no column 'word' in .*old\.csv'.*"
            r"Choose with the field 'text'\.$",
        ),
        ('label = "queue"', 'label = "kind"', "Choose with the field 'label'"),
        ('"old.csv"', '"latin.csv"', r"not valid utf-8 \(byte 0xe9\): save it as UTF-8\.$"),
        ('["old.positive"]', '["old.fine"]', "'tickets' has no group 'old.fine': it has new.neg"),
    ],
)
def test_errors(folder: Path, old: str, new: str, message: str) -> None:
    (folder / "latin.csv").write_bytes("queue,body\npositive,café\n".encode("latin-1"))
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        run(parse_suite(SUITE.replace(old, new), "mine.toml", folder), folder)
