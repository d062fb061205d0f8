"""``isthmus cluster``: one column of clusters, a summary, a report and clear errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from isthmus import METHODS
from tables import read_rows, write_columns

FOOD = ["red apple pie", "green apple tart", "apple pie sugar", "sweet apple cake"]
CARS = ["fast car engine", "slow car wheel", "car engine oil", "car wheel brake"]
TOOLS = ["apple cake knife", "apple pie knife", "car jack wheel", "car engine jack"]


@pytest.fixture
def files(call: Any) -> tuple[str, ...]:
    """Two bodies of text about the same two topics."""
    write_columns(Path("home.csv"), ["id", "text"], [f"h{i}" for i in range(8)], FOOD + CARS)
    Path("shop.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in TOOLS))
    return ("--input", "home.csv", "-i", "shop.jsonl", "--clusters", "2")


def test_clusters_of_two_files(call: Any, files: tuple[str, ...]) -> None:
    result = call("cluster", *files, "--report", "page.html", "--timings")
    assert result.exit_code == 0, result.output
    rows = read_rows("clusters.csv")
    assert list(rows[0]) == ["id", "text", "isthmus_domain", "isthmus_cluster"]
    assert [row["id"] for row in rows] == [*(f"h{i}" for i in range(8)), *[""] * 4]
    assert [row["isthmus_domain"] for row in rows] == ["home"] * 8 + ["shop"] * 4
    numbers = [row["isthmus_cluster"] for row in rows]
    food, cars = numbers[0], numbers[4]
    assert {food, cars} == {"0", "1"}
    assert numbers == [food] * 4 + [cars] * 4 + [food] * 2 + [cars] * 2
    assert "Input shop.jsonl: 4 documents, text in 'text' (guessed)." in result.stderr
    assert "home, 4 documents: apple" in result.stdout
    assert "fitting LSSMTC" in result.stdout
    assert "unrelated" not in result.output
    page = Path("page.html").read_text(encoding="utf-8")
    assert "home, 4 documents" not in page
    assert "apple cake knife" in page
    assert "default-src 'none'" in page


def test_one_file_has_one_new_column(call: Any, files: tuple[str, ...]) -> None:
    options = ("--clusters", "2", "--columns", "id", "-o", "out.tsv")
    result = call("cluster", "-i", "home.csv", *options)
    assert result.exit_code == 0, result.output
    with Path("out.tsv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    assert rows[0] == ["id", "isthmus_cluster"]
    assert len(rows) == 9


def test_one_file_may_have_the_column_that_names_the_file_of_several(
    call: Any, files: tuple[str, ...]
) -> None:
    write_columns(Path("old.csv"), ["isthmus_domain", "text"], ["mine"] * 8, FOOD + CARS)
    result = call("cluster", "-i", "old.csv", "--clusters", "2", "-o", "out.csv")
    assert result.exit_code == 0, result.output
    assert {row["isthmus_domain"] for row in read_rows("out.csv")} == {"mine"}
    result = call("cluster", *files, "-i", "old.csv", "-o", "all.csv")
    assert result.exit_code == 2
    assert "'isthmus_domain'" in result.stderr


@pytest.mark.parametrize("name", [m.name for m in METHODS.values() if m.kind == "clusterer"])
def test_every_clusterer(call: Any, files: tuple[str, ...], name: str) -> None:
    result = call("cluster", *files, "--method", name, "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert [part["name"] for part in summary["domains"]] == ["home", "shop"]
    assert [sum(part["sizes"]) for part in summary["domains"]] == [8, 4]
    assert summary["same_clusters_in_all_files"] == (name == "lssmtc")
    assert ("--scope all or --method lssmtc" in result.stderr) == (name != "lssmtc")
    if name != "lssmtc":
        result = call("cluster", *files, "--method", name, "--scope", "all", "--json", "--force")
        assert json.loads(result.stdout)["same_clusters_in_all_files"]
        assert "unrelated" not in result.stderr


def test_clusters_that_are_the_files(call: Any) -> None:
    write_columns(Path("food.csv"), ["text"], FOOD)
    write_columns(Path("cars.csv"), ["text"], CARS)
    files = ("-i", "food.csv", "-i", "cars.csv", "--clusters", "2", "--method", "kmeans")
    result = call("cluster", *files, "--scope", "all")
    assert "food, 0 documents: no words" in result.stdout
    assert "All documents of food, cars are in one cluster" in result.stderr
    result = call("cluster", *files, "--force")
    assert "All documents" not in result.stderr
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines.index("food") < lines.index("cars")  # unrelated numbers are not beside each other


def test_standard_streams(call: Any, files: tuple[str, ...]) -> None:
    table = Path("home.csv").read_text(encoding="utf-8")
    result = call("cluster", "-i", "-", "--clusters", "2", "-o", "-", input=table)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "id,text,isthmus_cluster"
    assert "Clusters are in" not in result.output


def test_preset_sets_the_weighting(call: Any, files: tuple[str, ...]) -> None:
    result = call("cluster", *files, "--preset", "paper", "--set", "n_subspace=2")
    assert "Weighting: tfidf, as in the preset 'paper'" in result.stderr
    options = ("--preset", "paper", "--weighting", "counts", "--json", "--force")
    assert json.loads(call("cluster", *files, *options).stdout)["weighting"] == "counts"


def test_texts_without_words(call: Any) -> None:
    write_columns(Path("home.csv"), ["text"], [*FOOD, *CARS, "<p>", "of the"])
    result = call("cluster", "-i", "home.csv", "--clusters", "2", "--report", "page.html")
    assert result.exit_code == 0, result.output
    assert "2 documents have no word that is counted" in result.stderr
    assert "2 documents without a counted word" in Path("page.html").read_text(encoding="utf-8")


def test_a_report_without_texts(call: Any, files: tuple[str, ...]) -> None:
    options = ("--report", "page.html", "--report-texts", "0")
    assert call("cluster", *files, *options).exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "apple cake knife" not in page
    assert 'id="documents"' not in page
    assert 'id="words"' in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--clusters", "1"), "Invalid value for '--clusters'"),
        (("--clusters", "5"), "--clusters=5 is larger than the number of documents of 'shop'"),
        (
            ("--clusters", "13", "--method", "kmeans", "--scope", "all"),
            "--clusters=13 is larger than the number of documents of all domains (n_samples=12)",
        ),
        (("--method", "mtrick"), "'mtrick' is a classifier and finds no clusters: use 'isthmus cl"),
        (("--method", "plsa"), "is a transformer and finds no clusters: choose one of lssmtc"),
        (("--method", "kmaens"), "did you mean 'kmeans'?"),
        (("--scope", "all"), "--scope is not for lssmtc"),
        (("--method", "kmeans", "--scope", "file"), "scope must be one of 'domain', 'all'"),
        (("--set", "beta=2"), "--set beta: LSSMTC has no such parameter"),
        (("--set", "n_clusters=3"), "--set n_clusters: use --clusters."),
        (("--text-col", "body"), "There is no column 'body' in 'home.csv'"),
        (("--columns", "id,title"), "There is no column 'title' in 'home.csv'"),
        (("--input", "home.csv"), "The input 'home.csv' is named twice"),
        (("--output", "home.csv", "--force"), "The input and the output are the same file"),
        (("--report-texts", "2"), "--report-texts needs a report"),
        (("--min-df", "50"), "min_df=50 drops them all"),
    ],
)
def test_wrong_input(
    call: Any, files: tuple[str, ...], options: tuple[str, ...], message: str
) -> None:
    result = call("cluster", *files, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not Path("clusters.csv").exists()


def test_clusters_are_required(call: Any, files: tuple[str, ...]) -> None:
    result = call("cluster", "-i", "home.csv")
    assert result.exit_code == 2
    assert "Missing option '--clusters'" in result.stderr


def test_a_file_that_has_the_column(call: Any) -> None:
    write_columns(Path("home.csv"), ["text", "isthmus_cluster"], FOOD, ["0"] * 4)
    result = call("cluster", "-i", "home.csv", "--clusters", "2")
    assert result.exit_code == 2
    assert "'home.csv' already has a column 'isthmus_cluster'" in result.stderr


def test_a_file_of_stop_words(call: Any, files: tuple[str, ...]) -> None:
    write_columns(Path("empty.csv"), ["text"], ["the", "of the"])
    result = call("cluster", *files, "-i", "empty.csv")
    assert result.exit_code == 2
    assert "'empty' has no word that is counted" in result.stderr


def test_classify_points_to_this_command(call: Any, corpus: Any) -> None:
    options = ("--source", "books.csv", "--target", "kitchen.csv", "--method", "ncut")
    result = call("classify", *options)
    assert result.exit_code == 2
    assert "'ncut' is a clusterer and predicts no labels: use 'isthmus cluster'" in result.stderr
