"""How often a file is opened to be recognized and read."""

from __future__ import annotations

import builtins
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from isthmus.files import open_documents

CONTENTS = {
    "a.csv": b"text,label\ngood kettle,p\nbad kettle,n\n",
    "a.tsv": b"text\tlabel\ngood kettle\tp\nbad kettle\tn\n",
    "long.csv": b"words,label\n"
    + b"".join(b"a document about the kettle %d,x\n" % i for i in range(9000)),
    "a.jsonl": b"".join(json.dumps({"text": t}).encode() + b"\n" for t in ("good", "bad")),
    "a.csv.gz": gzip.compress(b"text,label\ngood kettle,p\nbad kettle,n\n"),
}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often every file was opened for reading."""
    counts: Counter[str] = Counter()
    original = builtins.open

    def counting_open(file, *args, **kwargs):
        counts[Path(file).name] += 1
        return original(file, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", counting_open)
    return counts


@pytest.mark.parametrize("name", CONTENTS)
def test_recognized_and_read_with_one_opening(tmp_path, opened, name):
    path = tmp_path / name
    path.write_bytes(CONTENTS[name])
    opened.clear()
    file = open_documents(path)
    texts = [row.text for row in file.rows()]
    assert len(texts) in (2, 9000)
    assert opened == {name: 1}
    assert [row.text for row in file.rows()] == texts
    assert opened == {name: 2}


def test_two_passes_at_the_same_time(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(CONTENTS["long.csv"])
    file = open_documents(path)
    pairs = zip(file.rows(), file.rows(), strict=True)
    assert all(one.text == other.text for one, other in pairs)


def test_the_fraction_that_was_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(CONTENTS["long.csv"])
    file = open_documents(path)
    fractions = [file.fraction_read() for _ in file.rows()]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < 1
    assert fractions[-1] == 1
    assert file.fraction_read() is None


def test_a_preferred_column_and_the_names_of_options(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"text,message\nno,a long enough message\n")
    assert open_documents(path, preferred_text_col="message").text_col == "message"
    assert open_documents(path, preferred_text_col="body").text_col == "text"
    with pytest.raises(ValueError, match="--target-text-col"):
        open_documents(path, text_col="body", option_prefix="target_")
