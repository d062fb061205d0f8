"""Counting and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from isthmus_bench.documents import corpora, counts
from isthmus_bench.documents.counts import Counted, count_corpus

TEXTS = ["red apple", "red pear", "green pear", "the green apple"]
GROUPS = ["s.red", "s.red", "t.green", "t.green"]


class FakeCorpus:
    def __init__(self) -> None:
        self.reads = 0

    def __call__(self, data_home: object, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
        self.reads += 1
        return corpora.CorpusDocuments(GROUPS, texts=TEXTS)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCorpus]:
    corpus = FakeCorpus()
    monkeypatch.setitem(corpora.CORPORA, "fake", corpora.Corpus(corpus, fingerprint="1"))
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    count_corpus.cache_clear()
    yield corpus
    count_corpus.cache_clear()


def count(stemmer: str | None = None) -> Counted:
    count_corpus.cache_clear()
    return count_corpus("fake", ("s.red", "t.green"), "english", None, stemmer)


def test_counts_come_back_from_disk(fake: FakeCorpus) -> None:
    made, kept = count(), count()
    assert fake.reads == 1
    assert made.terms == kept.terms == ("apple", "green", "pear", "red")
    assert (made.matrix != kept.matrix).nnz == 0
    assert kept.groups.tolist() == GROUPS


def test_stems_after_the_stop_words(
    fake: FakeCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # "was" is a stop word; its stem "wa", and that of "others", would not be.
    monkeypatch.setattr(f"{__name__}.TEXTS", ["apples was", "apple others", "pears", "pear was"])
    counted = count("porter")
    assert counted.terms == ("appl", "pear")
    assert counted.matrix.toarray().tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert count().terms == ("apple", "apples", "pear", "pears")
    assert count("porter").terms == counted.terms
    # Words and stems are cached separately.
    assert fake.reads == len(list(tmp_path.rglob("output.pkl"))) == 2


def test_a_damaged_cache_is_replaced(fake: FakeCorpus, tmp_path: Path) -> None:
    made = count()
    (file,) = tmp_path.rglob("output.pkl")
    file.write_bytes(file.read_bytes()[:-40])
    assert (count().matrix != made.matrix).nnz == 0
    assert fake.reads == 2


def test_counts_do_not_need_a_writable_cache(
    fake: FakeCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path / "file"))
    assert count().matrix.shape == (4, 4)


def test_a_corpus_of_counts_comes_back_from_disk_with_its_terms(
    fake: FakeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = sparse.csr_matrix(np.array([[1, 0, 2], [0, 0, 1], [0, 0, 0], [3, 0, 0]], np.float32))
    terms = ("good", "good_book", "unused")
    reads = []

    def read(data_home: object, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
        reads.append(groups)
        return corpora.CorpusDocuments(GROUPS, counts=matrix, terms=terms)

    monkeypatch.setitem(corpora.CORPORA, "fake", corpora.Corpus(read, fingerprint="2"))
    # Stop words and stems are for texts.
    made, kept = count("porter"), count("porter")
    assert len(reads) == 1
    assert made.terms == kept.terms == terms
    assert np.array_equal(kept.matrix.toarray(), matrix.toarray())
    assert kept.groups.tolist() == GROUPS


def test_unknown_group(fake: FakeCorpus) -> None:
    with pytest.raises(ValueError, match=r"no group 's\.blue': it has s\.red"):
        count_corpus("fake", ("s.blue",), None, None)


@pytest.mark.corpus
def test_reuters_is_presence(corpora: Path) -> None:
    counts.count_corpus.cache_clear()
    counted = count_corpus("reuters/orgs_people", ("source.orgs",), None, str(corpora))
    assert set(np.unique(counted.matrix.data)) == {1.0}
    assert counted.matrix.shape == (1237 + 1208, 4771)
