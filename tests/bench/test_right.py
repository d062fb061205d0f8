"""Which documents were right, as text and back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from isthmus.bench.plan.reading import parse_suite
from isthmus.bench.run.planning import Choice, plan_runs
from isthmus.bench.run.results import ResultFile
from isthmus.bench.run.right import pack_right, unpack_right
from isthmus.bench.run.worker import execute
from tiny_suite import CLUSTERS, TINY


@pytest.mark.parametrize("n_documents", [1, 7, 8, 9, 2000])
def test_there_and_back(n_documents: int) -> None:
    right = np.random.default_rng(n_documents).random(n_documents) < 0.7
    assert np.array_equal(unpack_right(pack_right(right), n_documents), right)


def test_the_first_document_is_the_highest_bit() -> None:
    assert pack_right(np.array([True, False, False, False, False, False, False, True, True])) == (
        "gYA="
    )


def test_what_is_not_so_packed() -> None:
    with pytest.raises(ValueError, match="not base64"):
        unpack_right("?", 3)
    with pytest.raises(ValueError, match="holds 2 bytes, which is not what 17 documents take"):
        unpack_right("gYA=", 17)


def test_classifiers_tell_and_clusterers_cannot() -> None:
    record = execute(plan_runs(parse_suite(TINY, "tiny.toml"), Choice(limit=1))[0])
    right = unpack_right(record["right"], record["n_scored"])
    assert len(right) == 400
    assert right.mean() == pytest.approx(record["accuracy"])
    clusters = execute(plan_runs(parse_suite(CLUSTERS, "c.toml"), Choice(limit=1))[0])
    assert (clusters["error"], clusters["n_scored"], "right" in clusters) == (None, 400, False)


@pytest.mark.parametrize("wrong", ["gYA=", 7, "?"])
def test_a_result_that_does_not_fit_is_named(tmp_path: Path, wrong: object) -> None:
    record = execute(plan_runs(parse_suite(TINY, "tiny.toml"), Choice(limit=1))[0])
    file = ResultFile(tmp_path / "r.jsonl")
    old = {name: value for name, value in record.items() if name not in ("right", "n_scored")}
    file.append([old])
    assert len(file.read()) == 1
    with file.path.open("a") as stream:
        stream.write(json.dumps({**record, "right": wrong}) + "\n")
    with pytest.raises(ValueError, match=r"Line 2 of .*r\.jsonl' is not a result"):
        file.read()
