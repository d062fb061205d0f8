"""Counting, its cache, and cutting a task out of the counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from isthmus.bench import corpora, counts
from isthmus.bench.counts import Counted, count_corpus
from isthmus.bench.problems import cut_problem
from isthmus.bench.tasks import Task

TEXTS = ["red apple", "red pear", "green pear", "the green apple"]
GROUPS = ["s.red", "s.red", "t.green", "t.green"]


class FakeCorpus:
    def __init__(self) -> None:
        self.reads = 0

    def __call__(self, data_home: object, groups: tuple[str, ...]) -> corpora.Documents:
        self.reads += 1
        return corpora.Documents(GROUPS, texts=TEXTS)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCorpus]:
    corpus = FakeCorpus()
    monkeypatch.setitem(corpora.CORPORA, "fake", corpora.Corpus(corpus, fingerprint="1"))
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    count_corpus.cache_clear()
    yield corpus
    count_corpus.cache_clear()


def count() -> Counted:
    count_corpus.cache_clear()
    return count_corpus("fake", ("s.red", "t.green"), "english", None)


def test_counts_come_back_from_disk(fake: FakeCorpus) -> None:
    made, kept = count(), count()
    assert fake.reads == 1
    assert made.terms == kept.terms == ("apple", "green", "pear", "red")
    assert (made.matrix != kept.matrix).nnz == 0
    assert kept.groups.tolist() == GROUPS


def test_a_damaged_cache_is_made_anew(fake: FakeCorpus, tmp_path: Path) -> None:
    made = count()
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(file.read_bytes()[:-40])
    assert (count().matrix != made.matrix).nnz == 0
    assert fake.reads == 2


def test_a_cache_that_cannot_be_written_is_done_without(
    fake: FakeCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path / "file"))
    assert count().matrix.shape == (4, 4)


def test_unknown_group(fake: FakeCorpus) -> None:
    with pytest.raises(ValueError, match=r"no group 's\.blue': it has s\.red"):
        count_corpus("fake", ("s.blue",), None, None)


def test_cut_keeps_terms_by_frequency_over_both_domains() -> None:
    matrix = sparse.csr_matrix(np.array([[1, 0, 5], [2, 1, 0], [0, 1, 0], [9, 9, 9]], float))
    counted = Counted(matrix, np.array(["b", "a", "c", "other"]), None)
    task = Task("t", "s", "evidence", "x", (("n", ("a",)), ("p", ("b",))), (("n", ("c",)),))
    problem = cut_problem(counted, task, min_df=2, dtype="float32")
    assert problem.counts.dtype == np.float32
    assert problem.counts.toarray().tolist() == [[1, 0], [2, 1], [0, 1]]
    assert problem.labels.tolist() == [1, 0, 0]
    assert problem.n_source == 2
    with pytest.raises(ValueError, match="lower min_df"):
        cut_problem(counted, task, min_df=4, dtype="float32")


@pytest.mark.corpus
def test_reuters_is_presence(corpora: Path) -> None:
    counts.count_corpus.cache_clear()
    counted = count_corpus("reuters/orgs_people", ("source.orgs",), None, str(corpora))
    assert set(np.unique(counted.matrix.data)) == {1.0}
    assert counted.matrix.shape == (1237 + 1208, 4771)
