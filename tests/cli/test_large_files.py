"""Large files: several processes and counts on the disk give the output of the plain command."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from forced_processes import force_processes, map_here
from tables import read_rows

FILES = ("--source", "books.csv", "--target", "kitchen.csv")
QUICK = ("--method", "mtrick", "--no-verdict", "--force")


def content(path: str) -> bytes:
    data = Path(path).read_bytes()
    return gzip.decompress(data) if path.endswith(".gz") else data


def succeed(call: Any, *arguments: Any) -> Any:
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def other_files(call: Any, corpus: Any) -> None:
    """The target as JSON Lines with columns that appear late, as a folder, and with blank lines."""
    gap = "\n" * 9000  # more than a shard
    header, *csv_lines = Path("kitchen.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("gaps.csv").write_text(
        header + gap + "".join(csv_lines[:30]) + gap + "".join(csv_lines[30:]) + gap,
        encoding="utf-8",
    )
    rows = read_rows("kitchen.csv")
    for number, row in enumerate(rows):
        if number % 10:
            row["truth"] = ""
        if number > 70:
            row["late"] = "yes"
    lines = [json.dumps(row) + "\n" for row in rows]
    Path("kitchen.jsonl").write_text("".join(lines), encoding="utf-8")
    Path("kitchen").mkdir()
    for number, part in enumerate((lines[:40], [], lines[40:])):
        Path("kitchen", f"part-{number}.jsonl").write_text("".join(part), encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "output", "options"),
    [
        ("kitchen.csv", "p.csv", ()),
        ("kitchen.csv", "p.jsonl", ("--probabilities",)),
        ("kitchen.csv", "p.csv.gz", ("--columns", "id", "--min-confidence", "0.8")),
        ("kitchen.csv", "p.tsv", ("--columns", "none", "--stem", "--ngrams", "2")),
        ("kitchen.csv", "p.csv", ("--spreadsheet-safe",)),
        ("kitchen.jsonl", "p.csv", ("--target-label-col", "truth")),
        ("kitchen.jsonl", "p.jsonl.gz", ("--target-label-col", "truth", "--probabilities")),
        ("kitchen", "p.csv", ("--columns", "late,id")),
        ("kitchen/*.jsonl", "p.jsonl", ()),
        ("gaps.csv", "p.csv", ()),
    ],
)
def test_classify(
    call: Any, other_files: Any, monkeypatch: Any, target: str, output: str, options: Any
) -> None:
    files = ("--source", "books.csv", "--target", target)
    plain = succeed(call, "classify", *files, *QUICK, *options, "-o", output)
    expected = content(output)
    force_processes(monkeypatch)
    called = map_here(monkeypatch)
    Path("scratch").mkdir()
    memory = ("--max-memory", "10MB", "--scratch-folder", "scratch")
    result = succeed(call, "classify", *files, *QUICK, *options, *memory, "-o", output)
    assert content(output) == expected
    assert result.output == plain.output
    assert called.count("Counter") > 5
    assert called.count("Encoder") > 1
    assert list(Path("scratch").iterdir()) == []


def test_model_report_and_summary(call: Any, corpus: Any, monkeypatch: Any) -> None:
    def facts(*options: str) -> tuple[Any, ...]:
        outputs = ("--save-model", "m.isthmus", "--report", "r.html", "--json")
        result = succeed(call, "classify", *FILES, *QUICK, *outputs, *options)
        summary = json.loads(result.output)
        summary.pop("timings")
        words = json.loads(
            succeed(call, "explain", "--model", "m.isthmus", "-i", "kitchen.csv", "--row", "3",
                    "--json").output
        )  # fmt: skip
        page = Path("r.html").read_text(encoding="utf-8")
        return summary, words, page.count("<tr"), page.count("kettle")

    expected = facts()
    force_processes(monkeypatch)
    called = map_here(monkeypatch)
    assert facts() == expected
    assert called


def test_inputs_that_only_one_process_can_read(call: Any, corpus: Any, monkeypatch: Any) -> None:
    lines = Path("books.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    unlabeled = [line.rpartition(",")[0] + ",\n" for line in lines[1:40]]
    Path("both.csv").write_text("".join([*lines[:1], *unlabeled, *lines[40:]]), encoding="utf-8")
    kitchen = Path("kitchen.csv").read_text(encoding="utf-8")

    def outputs() -> list[bytes]:
        written = []
        for files, given in (
            (("--source", "both.csv"), None),
            (("--source", "books.csv", "--target", "-"), kitchen),
        ):
            result = call("classify", *files, *QUICK, input=given)
            assert result.exit_code == 0, result.output
            written.append(content("predictions.csv"))
        return written

    expected = outputs()
    force_processes(monkeypatch)
    called = map_here(monkeypatch)
    assert outputs() == expected
    assert called == []


@pytest.mark.parametrize(
    ("output", "options"),
    [
        ("new.csv", ("--min-confidence", "0.9")),
        ("new.jsonl.gz", ("--probabilities", "--columns", "id")),
    ],
)
@pytest.mark.parametrize("source", ["kitchen.csv", "kitchen", "gaps.csv"])
def test_predict(
    call: Any, other_files: Any, monkeypatch: Any, output: str, options: Any, source: str
) -> None:
    succeed(call, "classify", *FILES, *QUICK, "--save-model", "m.isthmus")
    arguments = ("predict", "--model", "m.isthmus", "-i", source, "-o", output, "--force", *options)
    plain = succeed(call, *arguments)
    expected = content(output)
    force_processes(monkeypatch)
    called = map_here(monkeypatch)
    result = succeed(call, *arguments)
    assert content(output) == expected
    assert result.output == plain.output
    assert set(called) == {"Labeler"}
    assert len(called) > 2


@pytest.mark.skipif(sys.platform == "win32", reason="mapped files have names")
@pytest.mark.slow
def test_real_processes(call: Any, corpus: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    succeed(call, "classify", *FILES, *QUICK, "--save-model", "m.isthmus", "-o", "p.csv")
    predict = ("predict", "--model", "m.isthmus", "-i", "kitchen.csv", "-o", "n.csv", "--force")
    succeed(call, *predict)
    expected = content("p.csv"), content("n.csv")
    force_processes(monkeypatch, 20_000)
    Path("scratch").mkdir()
    scratch = ("--scratch-folder", "scratch")
    succeed(call, "classify", *FILES, *QUICK, *scratch, "-o", "p.csv")
    succeed(call, *predict)
    assert (content("p.csv"), content("n.csv")) == expected
    assert list(Path("scratch").iterdir()) == []


@pytest.mark.parametrize("command", ["classify", "predict"])
def test_a_bad_line_is_named_as_without_processes(
    call: Any, corpus: Any, monkeypatch: Any, command: str
) -> None:
    lines = [json.dumps({"text": "a sturdy kettle", "id": number}) for number in range(1500)]
    lines[1217] = '{"text": "a broken kettle"'
    Path("new.jsonl").write_text("\n".join(lines), encoding="utf-8")
    succeed(call, "classify", *FILES, *QUICK, "--save-model", "m.isthmus")
    Path("predictions.csv").unlink()
    arguments = {
        "classify": ("classify", "--source", "books.csv", "--target", "new.jsonl", *QUICK),
        "predict": ("predict", "--model", "m.isthmus", "-i", "new.jsonl", "-o", "predictions.csv"),
    }[command]
    plain = call(*arguments)
    assert plain.exit_code == 2
    assert "Error: Line 1218 of 'new.jsonl' is not valid JSON" in plain.output
    force_processes(monkeypatch)
    called = map_here(monkeypatch)
    before = {path.name for path in Path().iterdir()}
    Path("scratch").mkdir()
    result = call(*arguments, *(("--scratch-folder", "scratch") if command == "classify" else ()))
    assert result.exit_code == plain.exit_code
    assert result.output.splitlines()[-1] == plain.output.splitlines()[-1]
    assert called
    assert {path.name for path in Path().iterdir()} - {"scratch"} == before
    if command == "classify":
        assert list(Path("scratch").iterdir()) == []


def test_html_is_noticed_once_after_blank_lines(call: Any, corpus: Any, monkeypatch: Any) -> None:
    # Eight of twenty documents are HTML pages, which are not most.
    rows = read_rows("kitchen.csv")[:20]
    texts = ["<p>" * (i < 8) + row["text"] for i, row in enumerate(rows)]
    lines = [json.dumps({"text": text}) + "\n" for text in texts]
    Path("pages.jsonl").write_text("\n" * 9000 + "".join(lines), encoding="utf-8")
    files = ("--source", "books.csv", "--target", "pages.jsonl")
    plain = succeed(call, "classify", *files, *QUICK)
    assert "HTML" not in plain.output
    force_processes(monkeypatch)
    called = map_here(monkeypatch)
    assert succeed(call, "classify", *files, *QUICK).output == plain.output
    assert called


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-memory", "much"), "--max-memory='much' is not a size"),
        (("--max-memory", "1 MB"), "--max-memory='1 MB' is too small"),
    ],
)
def test_wrong_sizes(call: Any, corpus: Any, options: Any, message: str) -> None:
    result = call("classify", *FILES, *QUICK, *options)
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: {message}")
    assert not Path("predictions.csv").exists()


def test_a_scratch_folder_that_cannot_be_used(call: Any, corpus: Any, monkeypatch: Any) -> None:
    force_processes(monkeypatch)
    map_here(monkeypatch)
    result = call("classify", *FILES, *QUICK, "--scratch-folder", "books.csv")
    assert result.exit_code == 2
    assert "Error: The scratch folder 'books.csv' is a file: make it, or" in result.output
    assert not Path("predictions.csv").exists()


def test_the_settings_are_those_of_one_command(call: Any, corpus: Any) -> None:
    from isthmus import get_config

    before = get_config()
    Path("x").mkdir()
    succeed(call, "classify", *FILES, *QUICK, "--max-memory", "20 MB", "--scratch-folder", "x")
    assert get_config() == before
    assert list(Path("x").iterdir()) == []
