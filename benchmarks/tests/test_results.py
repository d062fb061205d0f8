"""Result files: shared values, damaged lines and masks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus_bench.run.results import Record, ResultFile, pack_mask, record_key, unpack_mask

RECORD: Record = {
    "problem": {"task": "t", "corpus": "c"}, "setup": {"method": "lg", "params": {}}, "seed": None,
    "entry": "lg", "accuracy": 0.5, "seconds": 1.0, "versions": {"numpy": "2"}, "error": None,
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> ResultFile:
    return ResultFile(tmp_path / "r.jsonl")


def test_repeated_values_are_written_once(file: ResultFile) -> None:
    first = {**RECORD, "sizes": {"n_terms": 9}}
    file.append(first)
    # Another process continues the file.
    again = ResultFile(file.path)
    second = {**first, "seed": 1, "objective": [[0, -3.5], [1, -4.0]]}
    again.append(second)
    assert list(file.read().values()) == [first, second]
    lines = file.path.read_text().splitlines()
    assert sum("shared" in json.loads(line) for line in lines) == 4
    assert len(lines) == 6


def test_the_latest_result_of_a_run_counts(file: ResultFile) -> None:
    file.append(RECORD)
    file.append({**RECORD, "accuracy": 0.75})
    assert [record["accuracy"] for record in file.read().values()] == [0.75]


@pytest.mark.parametrize("line", ['{"entry": "tiny"}', "7", "{", "[" * 100_000, '{"problem": 9}'])
def test_a_damaged_line_is_named(file: ResultFile, line: str) -> None:
    file.append(RECORD)
    with file.path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(ValueError, match=r"Line 5 of .*r\.jsonl' is not a result"):
        file.read()


@pytest.mark.parametrize(
    "wrong",
    [
        {"entry": None},
        {"accuracy": None},
        {"seconds": "1"},
        {"versions": ["numpy"]},
        {"memory": "1 GB"},
        {"r1": None},
        {"nmi_geometric": [0.5]},
        {"objective": [[0, "1"]]},
        {"objective": [[0]]},
        {"objective": [3]},
        {"correct_mask": "gA==", "sizes": {"n_scored": 1}},
        {"correct_mask": pack_mask(np.ones(9)), "sizes": {"n_scored": 1}},
        {"error": ["late"]},
    ],
)
def test_a_wrong_field_is_an_error(file: ResultFile, wrong: Record) -> None:
    file.append({**RECORD, **wrong})
    with pytest.raises(ValueError, match=r"of .*r\.jsonl' is not a result: delete it"):
        file.read()


def test_failures_have_no_scores(file: ResultFile) -> None:
    failed = {name: RECORD[name] for name in RECORD if name not in ("accuracy", "seconds")}
    file.append({**failed, "error": "late", "time_limit": 60.0})
    assert len(file.read()) == 1


def test_an_incomplete_line_is_ignored_and_then_removed(file: ResultFile) -> None:
    file.path.write_bytes(b'{"shared": {"met')
    assert file.read() == {}
    file.append(RECORD)
    with file.path.open("ab") as stream:
        stream.write(b'{"me')
    assert list(file.read()) == [record_key(RECORD)]
    ResultFile(file.path).append({**RECORD, "seed": 1})
    assert [record["seed"] for record in file.read().values()] == [None, 1]


def test_the_key_has_problem_setup_and_seed() -> None:
    assert record_key({**RECORD, "accuracy": 0.1}) == record_key(RECORD)
    for name in ("problem", "setup", "seed"):
        assert record_key({**RECORD, name: {"other": 1}}) != record_key(RECORD)


@given(st.lists(st.booleans(), max_size=40))
def test_masks(mask: list[bool]) -> None:
    assert unpack_mask(pack_mask(np.array(mask, bool)), len(mask)).tolist() == mask
