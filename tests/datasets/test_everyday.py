"""The everyday scenarios: reading, limits and errors."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from isthmus.datasets import (
    EVERYDAY_DOMAINS,
    EVERYDAY_SCENARIOS,
    ChecksumError,
    DataNotFoundError,
    everyday,
    load_everyday,
)
from isthmus.datasets.corpus_files import CorpusFile


def write_domains(
    folder: Path, monkeypatch: pytest.MonkeyPatch, domains: dict[str, list[Any]]
) -> None:
    """Replace the scenario spam_channels by small files."""
    files = {}
    for domain, records in domains.items():
        path = folder / "everyday" / "spam_channels" / f"{domain}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress("".join(f"{json.dumps(r)}\n" for r in records).encode()))
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        files[domain] = CorpusFile(f"everyday/spam_channels/{domain}.jsonl.gz", sha256)
    monkeypatch.setitem(everyday.EVERYDAY_FILES, "spam_channels", files)
    monkeypatch.setitem(everyday.EVERYDAY_DOMAINS, "spam_channels", tuple(files))


def test_domains_are_read_in_alphabetical_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ham, spam = {"text": "see you", "label": "ham"}, {"text": "win now", "label": "spam"}
    write_domains(tmp_path, monkeypatch, {"sms": [ham, spam], "email": [spam]})
    data = load_everyday("spam_channels", tmp_path)
    assert data.domains == ["email", "sms", "sms"]
    assert data.labels == ["spam", "ham", "spam"]
    assert data.texts == ["win now", "see you", "win now"]
    assert load_everyday("spam_channels", tmp_path, "sms").labels == ["ham", "spam"]


@pytest.mark.parametrize(
    "record", [{"text": "a"}, {"text": 3, "label": "ham"}, {"text": "", "label": "ham"}]
)
def test_a_record_without_text_or_label_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]
) -> None:
    good = {"text": "see you", "label": "ham"}
    write_domains(tmp_path, monkeypatch, {"sms": [good, record]})
    with pytest.raises(ValueError, match=r"Record 2 of '.*sms\.jsonl\.gz' has no text in the fie"):
        load_everyday("spam_channels", tmp_path)


def test_a_file_beyond_the_limit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_domains(tmp_path, monkeypatch, {"sms": [{"text": "a" * 100, "label": "ham"}] * 3})
    monkeypatch.setattr(everyday, "_MAX_FILE_BYTES", 300)
    with pytest.raises(ValueError, match="decompresses to more than 300 bytes"):
        load_everyday("spam_channels", tmp_path)
    monkeypatch.setattr(everyday, "_MAX_LINE_BYTES", 50)
    with pytest.raises(ValueError, match=r"Line 1 of .* is longer than 50 bytes"):
        load_everyday("spam_channels", tmp_path)


def test_a_missing_or_changed_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataNotFoundError, match=r"'everyday/emotions/reddit\.jsonl\.gz' is missin"):
        load_everyday("emotions", tmp_path)
    write_domains(tmp_path, monkeypatch, {"sms": [{"text": "a", "label": "ham"}]})
    path = tmp_path / "everyday/spam_channels/sms.jsonl.gz"
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ChecksumError, match="copy or download it again"):
        load_everyday("spam_channels", tmp_path)


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="Unknown everyday scenario 'mails': use one of assis"):
        load_everyday("mails")
    with pytest.raises(ValueError, match="Unknown domain 'fax' in the scenario 'spam_channels'"):
        load_everyday("spam_channels", domains="fax")


def test_thirteen_scenarios_of_two_to_four_domains() -> None:
    assert len(EVERYDAY_SCENARIOS) == 13
    assert {len(domains) for domains in EVERYDAY_DOMAINS.values()} == {2, 3, 4}


@pytest.mark.corpus
def test_a_scenario_on_disk(corpora: Path) -> None:
    if not (corpora / "everyday").is_dir():
        pytest.skip("the everyday scenarios are not in the data folder")
    data = load_everyday("spam_channels", corpora, ["sms", "youtube"])
    assert Counter(zip(data.domains, data.labels, strict=True)) == {
        ("sms", "ham"): 3506,
        ("sms", "spam"): 494,
        ("youtube", "ham"): 913,
        ("youtube", "spam"): 840,
    }
