"""Finding, verifying and reading corpus files."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from isthmus.datasets.files import (
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


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISTHMUS_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_no_folder_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISTHMUS_DATA", raising=False)
    with pytest.raises(DataNotFoundError, match="set the environment variable ISTHMUS_DATA"):
        data_folder()


def test_folder_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"nowhere.*does not exist"):
        data_folder(tmp_path / "nowhere")


def test_missing_file_names_file_and_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with pytest.raises(DataNotFoundError) as caught:
        verified_path(CorpusFile("sub/x.gz", "0"), tmp_path)
    assert f"'sub/x.gz' is missing in the data folder '{tmp_path}'" in str(caught.value)


def test_changed_content_is_found_even_after_a_good_check(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    file = write_gzip(path, b'{"a": 1}\n')
    assert verified_path(file, tmp_path) == path
    write_gzip(path, b'{"a": 2, "b": 3}\n')
    with pytest.raises(ChecksumError, match="copy or download it again"):
        verified_path(file, tmp_path)


def test_objects_in_order_and_blank_lines_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    write_gzip(path, b'{"a": 1}\n\n{"a": 2}')
    assert [record["a"] for record in read_json_lines(path)] == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": \n', "Line 2 .* not valid JSON"),
        (b"[1]\n", "Line 1 .* not a JSON object"),
        (b'{"a": "' + b"x" * 200 + b'"}\n', "longer than 100 bytes"),
        (b'{"a": 1}\n' * 200, "unpacks to more than 1000 bytes"),
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
