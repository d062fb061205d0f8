"""Loaders of the Amazon reviews: texts, counts and the unlabeled pool."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from isthmus.datasets import AMAZON_DOMAINS, load_amazon, load_amazon_counts

UNLABELED = {
    ("books", "positive"): 2264,
    ("books", "negative"): 2201,
    ("dvd", "positive"): 1807,
    ("dvd", "negative"): 1779,
    ("electronics", "positive"): 2857,
    ("electronics", "negative"): 2824,
    ("kitchen", "positive"): 2954,
    ("kitchen", "negative"): 2991,
}


@pytest.mark.corpus
def test_texts(corpora: Path) -> None:
    corpus = load_amazon(corpora)
    cells = Counter(zip(corpus.domains, corpus.labels, strict=True))
    assert len(cells) == 2 * len(AMAZON_DOMAINS)
    assert set(cells.values()) == {1000}
    assert len(set(corpus.ids)) == len(corpus.texts) == 8000
    for text, label, rating in zip(corpus.texts, corpus.labels, corpus.ratings, strict=True):
        title, _, review = text.partition("\n")
        assert title.strip()
        assert review.strip()
        assert label == ("positive" if rating > 3 else "negative")


@pytest.mark.corpus
def test_some_domains(corpora: Path) -> None:
    corpus = load_amazon(corpora, ["kitchen", "books"])
    assert list(dict.fromkeys(corpus.domains)) == ["books", "kitchen"]
    assert len(corpus.texts) == 4000
    assert load_amazon(corpora, "dvd").ids[0] == "dvd-positive-0000"


@pytest.mark.corpus
def test_labeled_counts(corpora: Path) -> None:
    corpus = load_amazon_counts("labeled", corpora, vocabulary="all")
    texts = load_amazon(corpora)
    assert corpus.counts.shape == (8000, 473856)
    assert corpus.counts.dtype == np.float32
    assert corpus.counts.has_canonical_format
    assert corpus.counts.data.min() == 1
    assert list(corpus.terms) == sorted(set(corpus.terms))
    assert corpus.ids == texts.ids
    assert corpus.labels.tolist() == texts.labels
    assert corpus.domains.tolist() == texts.domains
    # The title of the first review, "One of the best Crichton novels", is among its terms.
    assert corpus.counts[0, corpus.terms.index("best_crichton")] == 1


@pytest.mark.corpus
def test_frequent_terms_are_columns_of_all_terms(corpora: Path) -> None:
    frequent = load_amazon_counts("labeled", corpora, "books")
    complete = load_amazon_counts("labeled", corpora, "books", vocabulary="all")
    assert frequent.terms[:3] == ("i", "not", "was")
    assert len(set(frequent.terms)) == 5000
    assert sum("_" in term for term in frequent.terms) == 2622
    assert complete.counts.shape == (2000, 473856)
    column = {term: number for number, term in enumerate(complete.terms)}
    same = complete.counts[:, [column[term] for term in frequent.terms]]
    assert (same != frequent.counts).nnz == 0


@pytest.mark.corpus
def test_unlabeled_counts(corpora: Path) -> None:
    corpus = load_amazon_counts("unlabeled", corpora)
    assert corpus.counts.shape == (19677, 5000)
    cells = zip(corpus.domains.tolist(), corpus.labels.tolist(), strict=True)
    assert Counter(cells) == UNLABELED
    assert int((corpus.counts.getnnz(axis=1) == 0).sum()) == 3
    labeled = load_amazon_counts("labeled", corpora, "dvd")
    assert labeled.terms == corpus.terms
    assert sparse.vstack([labeled.counts, corpus.counts]).shape == (21677, 5000)
    assert not set(labeled.ids) & set(corpus.ids)
