"""Locating, verifying and reading corpus files."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from isthmus.datasets.corpus_files import (
    ChecksumError,
    CorpusFile,
    DataNotFoundError,
    data_folder,
    read_json_lines,
    read_text,
    verified_path,
)


def write_gzip(path: Path, content: bytes) -> CorpusFile:
    path.write_bytes(gzip.compress(content))
    return CorpusFile(path.name, hashlib.sha256(path.read_bytes()).hexdigest())


def test_environment_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_no_folder_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match="ISTHMUS_DATA"):
        data_folder()


def test_folder_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"nowhere.*does not exist"):
        data_folder(tmp_path / "nowhere")


def test_missing_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with pytest.raises(DataNotFoundError) as caught:
        verified_path(CorpusFile("sub/x.gz", "0"), tmp_path)
    for name in ("'sub/x.gz'", f"'{tmp_path}'"):
        assert name in str(caught.value)


def test_content_changed_after_the_first_check(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    file = write_gzip(path, b'{"a": 1}\n')
    assert verified_path(file, tmp_path) == path
    write_gzip(path, b'{"a": 2, "b": 3}\n')
    with pytest.raises(ChecksumError, match="SHA-256"):
        verified_path(file, tmp_path)


def test_blank_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    write_gzip(path, b'{"a": 1}\n\n{"a": 2}')
    assert [record["a"] for record in read_json_lines(path)] == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": \n', "Line 2 .* not valid JSON"),
        (b"[1]\n", "Line 1 .* not a JSON object"),
        (b'{"a": "' + b"x" * 200 + b'"}\n', "longer than 100 bytes"),
        (b'{"a": 1}\n' * 200, "more than 1000 bytes"),
    ],
)
def test_bad_content(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.jsonl.gz"
    write_gzip(path, content)
    with pytest.raises(ValueError, match=message):
        list(read_json_lines(path, max_line_bytes=100, max_total_bytes=1000))


@pytest.mark.parametrize("cut", [slice(None, -9), slice(5, None)], ids=["truncated", "no gzip"])
def test_damaged_gzip(tmp_path: Path, cut: slice) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n' * 100)[cut])
    with pytest.raises(ValueError, match="not a complete gzip file"):
        list(read_json_lines(path))


def test_text_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes("café\n".encode())
    assert read_text(path, max_bytes=6) == "café\n"
    with pytest.raises(ValueError, match="larger than 5 bytes"):
        read_text(path, max_bytes=5)
