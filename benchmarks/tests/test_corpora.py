"""The corpora that suites may name: their groups, and how errors name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isthmus.datasets import load_amazon_counts
from isthmus_bench.documents.corpora import CORPORA, find_corpus
from isthmus_bench.documents.counts import count_corpus


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ISTHMUS_CACHE", str(tmp_path))
    count_corpus.cache_clear()
    yield tmp_path
    count_corpus.cache_clear()


def test_cached_corpora_have_different_fingerprints() -> None:
    prints = [corpus.fingerprint for corpus in CORPORA.values() if corpus.fingerprint]
    assert len(prints) == len(set(prints)) >= 4


def test_unknown_corpus() -> None:
    with pytest.raises(ValueError, match="no corpus 'amazons': choose among 20newsgroups"):
        find_corpus("amazons")


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "groups", "sizes"),
    [
        ("amazon", ("books.positive", "dvd.negative"), (1000, 1000)),
        ("webkb", ("cornell.student", "texas.staff"), (128, 3)),
        ("webis", ("de.books.positive", "fr.music.negative"), (1000, 913)),
    ],
)
def test_groups(
    corpora: Path, empty_cache: Path, name: str, groups: tuple[str, str], sizes: tuple[int, int]
) -> None:
    counted = count_corpus(name, groups, None, str(corpora))
    group_sizes = Counter(counted.groups.tolist())
    assert tuple(group_sizes[group] for group in groups) == sizes
    assert counted.terms is not None
    assert counted.matrix.shape == (group_sizes.total(), len(counted.terms))
    assert list(empty_cache.rglob("output.pkl"))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("group", "message"),
    [
        ("toys.positive", "domain 'toys' in the Amazon reviews"),
        ("books.good", r"'amazon' has no group 'books\.good': it has books\.negative"),
    ],
)
def test_the_error_for_an_unknown_group_lists_the_groups(
    corpora: Path, empty_cache: Path, group: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        count_corpus("amazon", (group,), None, str(corpora))


@pytest.mark.corpus
def test_the_pool_has_only_the_frequent_terms(corpora: Path) -> None:
    documents = find_corpus("amazon-counts").read(str(corpora), ("kitchen.pool",))
    groups, matrix, terms = np.array(documents.groups), documents.counts, documents.terms
    assert matrix is not None
    assert terms is not None
    assert Counter(documents.groups) == {
        "kitchen.positive": 1000, "kitchen.negative": 1000, "kitchen.pool": 5945
    }  # fmt: skip
    assert len(terms) == len(set(terms)) == 473_856
    frequent = find_corpus("amazon-counts").pool_terms
    assert frequent == 5000
    pooled = groups == "kitchen.pool"
    assert matrix[pooled].indices.max() < frequent
    assert matrix[~pooled].indices.max() >= frequent
    # One vocabulary: the same column is the same term in both parts.
    pool = load_amazon_counts("unlabeled", corpora, "kitchen")
    assert terms[:frequent] == pool.terms
    assert (matrix[pooled][:, :frequent] != pool.counts).nnz == 0
    labeled = load_amazon_counts("labeled", corpora, "kitchen")
    assert (matrix[~pooled][:, :frequent] != labeled.counts).nnz == 0
