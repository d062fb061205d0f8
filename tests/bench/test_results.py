"""Result files: broken lines and limits of size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isthmus.bench.run import results
from isthmus.bench.run.results import Record, ResultFile, record_key

RECORD: Record = {
    "method": "lg", "params": {}, "revision": 1, "suite": "s", "task": "t", "seed": None,
    "weighting": "counts", "text": {}, "dtype": "float32", "corpus": "c", "sources": [],
    "targets": [], "accuracy": 0.5, "entry": "lg", "seconds": 1.0, "versions": {"numpy": "2"},
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> ResultFile:
    return ResultFile(tmp_path / "r.jsonl")


WITHOUT_A_FIGURE = json.dumps({**RECORD, "accuracy": None})


@pytest.mark.parametrize("line", ['{"suite": "tiny"}', "7", "{", "[" * 100_000, WITHOUT_A_FIGURE])
def test_a_broken_line_is_named(file: ResultFile, line: str) -> None:
    file.append([RECORD])
    with file.path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(ValueError, match=r"Line 2 of .*r\.jsonl' is not a result"):
        file.read()


@pytest.mark.parametrize(
    "wrong",
    [
        {"entry": None},
        {"seconds": "1"},
        {"seconds": True},
        {"versions": ["numpy"]},
        {"cpu_seconds": None},
        {"memory": "1 GB"},
        {"r1": None},
        {"nmi_geometric": [0.5]},
        {"objective": {"0": 1.0}},
        {"objective": [[0, "1"]]},
        {"objective": [[0]]},
        {"objective": [3]},
        {"right": "gA==", "n_scored": 1.0},
        {"error": ["late"]},
        {"error": "late", "time_limit": None},
    ],
)
def test_a_field_of_a_wrong_type_is_damage(file: ResultFile, wrong: Record) -> None:
    file.append([{**RECORD, **wrong}])
    with pytest.raises(ValueError, match=r"Line 1 of .*r\.jsonl' is not a result"):
        file.read()


@pytest.mark.parametrize("name", ["entry", "accuracy", "seconds", "versions"])
def test_a_missing_field_is_damage(file: ResultFile, name: str) -> None:
    file.append([{key: value for key, value in RECORD.items() if key != name}])
    with pytest.raises(ValueError, match=r"Line 1 of .*r\.jsonl' is not a result"):
        file.read()


def test_what_is_well_is_read(file: ResultFile) -> None:
    whole = {
        **RECORD, "error": None, "cpu_seconds": 1, "memory": None, "r1": 0.5,
        "objective": [[0, -3.5], [1, -4]], "right": "gA==", "n_scored": 1,
    }  # fmt: skip
    failed = {name: RECORD[name] for name in RECORD if name not in ("accuracy", "seconds")}
    file.append([whole, {**failed, "seed": 1, "error": "late", "time_limit": 60.0}])
    assert len(file.read()) == 2


def test_a_torn_line_is_passed_over_and_then_cut_off(file: ResultFile) -> None:
    file.path.write_bytes(b'{"method": "l')
    assert file.read() == {}
    file.append([RECORD])
    with file.path.open("ab") as stream:
        stream.write(b'{"me')
    assert list(file.read()) == [record_key(RECORD)]
    file.append([{**RECORD, "seed": 1}])
    assert [json.loads(line)["seed"] for line in file.path.read_text().splitlines()] == [None, 1]


def test_lines_are_at_most_a_mebibyte(file: ResultFile) -> None:
    long = {**RECORD, "warnings": ["x" * 2**20]}
    with pytest.raises(ValueError, match=r"new result for .*r\.jsonl' is longer than 1 MiB"):
        file.append([long])
    assert file.read() == {}
    file.append([RECORD])
    with file.path.open("a") as stream:
        stream.write(json.dumps(long))
    with pytest.raises(ValueError, match=r"Line 2 of .*r\.jsonl' is longer than 1 MiB"):
        file.read()
    with pytest.raises(ValueError, match="last line of"):
        file.append([RECORD])


def test_files_have_a_largest_size(file: ResultFile, monkeypatch: pytest.MonkeyPatch) -> None:
    file.append([RECORD])
    monkeypatch.setattr(results, "_MOST_BYTES", file.path.stat().st_size)
    assert len(file.read()) == 1
    with pytest.raises(ValueError, match=r"r\.jsonl' is larger than 1 GiB"):
        file.append([RECORD])
    monkeypatch.setattr(results, "_MOST_BYTES", 10)
    with pytest.raises(ValueError, match="move it away"):
        file.read()


def test_optional_fields_of_the_key() -> None:
    assert record_key(RECORD) == (
        '["lg", {}, 1, "s", "t", "c", [], [], null, "counts", {}, "float32"]'
    )
    assert record_key({**RECORD, "labelled": {"target": 0.2}}) != record_key(RECORD)
