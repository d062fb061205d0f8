"""Reading holds one document at a time, and readers do not disturb each other."""

from __future__ import annotations

import csv
import gc
import gzip
import json
import sys
import threading
import tracemalloc
import warnings

import pytest

from isthmus.files import open_documents

LINE = "number %d," + "words of a review that goes on for a while " * 48 + ",label\n"
ROWS = 25_000


def peak_of_reading(path) -> int:
    file = open_documents(path)
    tracemalloc.start()
    try:
        assert sum(1 for _ in file.rows()) == ROWS
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_file_of_fifty_megabytes_is_not_held(tmp_path):
    path = tmp_path / "big.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.write("id,text,label\n")
        stream.writelines(LINE % i for i in range(ROWS))
    assert path.stat().st_size > 50e6
    assert peak_of_reading(path) < 2e6


def test_a_packed_file_of_fifty_megabytes_is_not_held(tmp_path):
    path = tmp_path / "big.jsonl.gz"
    row = json.dumps({"text": LINE}) + "\n"
    path.write_bytes(gzip.compress((row * ROWS).encode(), compresslevel=1))
    assert peak_of_reading(path) < 2e6


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_interleaved_readers_see_the_same(tmp_path, name):
    path = tmp_path / name
    if name.endswith("csv"):
        path.write_text("text\n" + "".join(f"t{i}\n" for i in range(500)), encoding="utf-8")
    else:
        path.write_text("".join(f'{{"text": "t{i}"}}\n' for i in range(500)), encoding="utf-8")
    file = open_documents(path)
    pairs = list(zip(file.texts(), file.texts(), open_documents(path).texts(), strict=True))
    assert pairs == [(f"t{i}",) * 3 for i in range(500)]


def test_threads_leave_the_limit_of_the_csv_module_as_it_was(tmp_path):
    path = tmp_path / "a.csv"
    long = "word " * 40_000
    path.write_text("text,label\n" + f'"{long}\n{long}",1\n' * 20, encoding="utf-8")
    usual = csv.field_size_limit()
    counts: list[int] = []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [
            threading.Thread(target=lambda: counts.append(len(open_documents(path).labels())))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert counts == [20] * 4
    assert csv.field_size_limit() == usual


def test_a_pass_given_up_closes_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "words\n" * 100_000, encoding="utf-8")
    rows = open_documents(path).rows()
    next(rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        rows.close()
        del rows
        gc.collect()
    assert not [warning for warning in caught if warning.category is ResourceWarning]
