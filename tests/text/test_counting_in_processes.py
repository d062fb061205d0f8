"""Shards that other processes count give the rows of the whole."""

from __future__ import annotations

import sys
import warnings
from itertools import pairwise

import numpy as np
import pytest

from isthmus import TextVectorizer, config_context
from isthmus.datasets import make_corpus
from isthmus.text.parts import counting
from process_tasks import ListOfTexts, wait_for_end

CORPUS = make_corpus(n_source=90, n_target=60)
TEXTS = [*CORPUS.source_texts, "", *CORPUS.target_texts, "Kettles! " * 300]
ENGLISH = "The kettle is sturdy and quick, and everybody in the house likes it."
CHINESE = "我很喜欢这个水壶 它又快又安静"


def cut(texts, *sizes) -> list[ListOfTexts]:
    bounds = np.cumsum([0, *sizes, len(texts) - sum(sizes)]).tolist()
    return [ListOfTexts(texts[start:stop]) for start, stop in pairwise(bounds)]


@pytest.fixture
def scratch(monkeypatch, tmp_path):
    """Two processes, and a scratch folder that must be empty at the end."""
    monkeypatch.setattr("isthmus.matrices.processes.thread_limit", lambda: 2)
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")  # compilers take seconds to load
    with config_context(scratch_folder=tmp_path):
        yield tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def in_this_process(monkeypatch):
    """Count in this process: what the vectorizer does with the results is the same."""
    monkeypatch.setattr(counting, "map_in_processes", lambda f, items: (f(item) for item in items))


def assert_same_fit(vectorizer, shards) -> list:
    expected = vectorizer.fit_transform(TEXTS)
    learned = (vectorizer.terms_, vectorizer.spellings_, vectorizer.language_)
    weights = vectorizer.weights_
    facts: list = []
    X = vectorizer.fit_transform_shards(shards, on_shard=facts.append)
    assert (vectorizer.terms_, vectorizer.spellings_, vectorizer.language_) == learned
    np.testing.assert_array_equal(vectorizer.weights_, weights)
    assert X.shape == expected.shape
    for name in ("indptr", "indices", "data"):
        one, other = getattr(X, name), getattr(expected, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    return facts


@pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")
@pytest.mark.slow
def test_real_processes(scratch) -> None:
    options = {"stem": True, "ngram_range": (1, 2), "max_terms": 80, "language": "auto"}
    facts = assert_same_fit(TextVectorizer(**options), cut(TEXTS, 1, 50, 0, 20, 60))
    assert [n_texts for _, n_texts in facts] == [1, 50, 0, 20, 60, 21]
    assert wait_for_end({pid for pid, _ in facts}) == set()


@pytest.mark.parametrize("weighting", ["tfidf", "column-normalized", "presence", "counts"])
@pytest.mark.parametrize("setting", ["always", "never"])
def test_options(scratch, in_this_process, monkeypatch, weighting, setting) -> None:
    monkeypatch.setenv("ISTHMUS_COMPILE", setting)
    vectorizer = TextVectorizer(weighting=weighting, stem=True, min_df=3, max_df=0.4)
    assert_same_fit(vectorizer, iter(cut(TEXTS, 0, 3, 80, 0)))


@pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")
@pytest.mark.slow
def test_an_error_in_a_shard(scratch) -> None:
    pids = set()
    vectorizer = TextVectorizer().fit(TEXTS)
    terms = vectorizer.terms_
    texts = [*TEXTS * 10, None, *TEXTS]
    with pytest.raises(ValueError, match=r"^Text 19 \(counted from 0\) is None") as caught:
        vectorizer.fit_transform_shards(
            cut(texts, 1501, 20), on_shard=lambda facts: pids.add(facts[0])
        )
    # The folder is removed although the error is kept.
    assert list(scratch.iterdir()) == []
    assert caught.value is not None
    assert len(pids) == 1
    assert wait_for_end(pids) == set()
    assert vectorizer.terms_ is terms


@pytest.mark.slow
def test_an_error_of_the_caller(scratch) -> None:
    pids = set()

    def fail(facts) -> None:
        pids.add(facts[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        TextVectorizer().fit_transform_shards(cut(TEXTS, 20, 20, 20), on_shard=fail)
    assert list(scratch.iterdir()) == []
    assert caught.value is not None
    assert wait_for_end(pids, 10 if sys.platform == "linux" else 0) == set()


def test_no_documents_and_no_terms(scratch, in_this_process) -> None:
    for shards in ([], [ListOfTexts([])]):
        with pytest.raises(ValueError, match="No documents were given"):
            TextVectorizer().fit_transform_shards(shards)
    with pytest.raises(ValueError, match="The 3 documents contain no terms") as caught:
        TextVectorizer().fit_transform_shards([ListOfTexts(["", "the", ""])])
    assert caught.value is not None


@pytest.mark.parametrize("sizes", [(0,), (1, 1), (30,)])
def test_the_language_is_detected_whatever_the_first_shard_is(
    scratch, in_this_process, sizes
) -> None:
    # Two texts of another language come first.
    texts = ["Der Kessel ist laut und langsam, aber schön."] * 2 + [ENGLISH] * 40
    vectorizer = TextVectorizer(language="auto", min_df=1)
    vectorizer.fit_transform_shards(cut(texts, *sizes))
    assert vectorizer.language_ == "english"


@pytest.mark.parametrize("n_first", [0, 40, 1200])
def test_the_warning_about_the_script_is_given_once(scratch, in_this_process, n_first) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shards = [*cut([CHINESE] * 1300, n_first, 50, 20), ListOfTexts([ENGLISH] * 100)]
        TextVectorizer().fit_transform_shards(shards)
    assert [str(w.message).split(",")[0] for w in caught] == ["100 % of the letters are Chinese"]


def test_size_of_a_shard(monkeypatch) -> None:
    monkeypatch.setattr(counting, "thread_limit", lambda: 4)
    with config_context(max_memory="10 MB"):
        assert counting.shard_bytes(1) == 10**7 // 8
        assert counting.shard_bytes(3) == 2**20  # not less
    with config_context(max_memory="100 GB"):
        assert counting.shard_bytes(1) == 64 * 2**20  # not more
