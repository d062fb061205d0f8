"""The report of clusters, and the facts that it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from isthmus.inspection.clusters import ClusterFacts, DomainClusters, describe_clusters
from isthmus.inspection.sample import TextSample
from isthmus.report.clusters import render_clusters

TERMS = ["apple", "car", "pie", "the"]
X = sparse.csr_matrix([[2.0, 0, 1, 1], [0, 1, 0, 1], [4, 0, 1, 1], [0, 0, 0, 0], [0, 3, 0, 1]])
TEXTS = ["apple apple pie", "car", "apple", "", "car " * 200]
EVIL = "</style><script>alert(1)</script>"


def described(labels: list[int], texts: list[str] = TEXTS, **settings: Any) -> DomainClusters:
    sample = TextSample(**settings)
    sample.observe(texts)
    return describe_clusters("shop", X, np.array(labels), 2, TERMS, sample)


def test_words_and_documents() -> None:
    found = described([0, 1, 0, 1, 1])
    assert found.sizes == [2, 3]
    assert found.n_without_words == 1
    # In the order of the difference to the whole domain; "the" is as frequent in cluster 0.
    assert found.words == [["apple", "pie", "the"], ["car"]]
    assert [list(part.values()) for part in found.documents] == [[2, 0], [4, 1, 3]]
    assert next(iter(found.documents[1])) == "car " * 100  # the beginning of a long text


def test_a_cluster_that_is_the_whole_domain() -> None:
    found = described([0, 0, 0, 0, 0])
    assert found.sizes == [5, 0]
    assert found.words == [["apple", "car", "the", "pie"], []]
    assert found.documents[1] == {}


def test_copies_of_a_document_are_shown_once() -> None:
    found = described([0, 1, 0, 1, 1], ["a", "b", "a", "", "b"])
    assert found.documents == [{"a": 2}, {"b": 4, "": 3}]


def test_documents_are_from_the_sample() -> None:
    found = described([0, 0, 0, 0, 0], max_texts=2)
    assert 0 < len(found.documents[0]) <= 2


@pytest.fixture
def facts() -> ClusterFacts:
    domain = replace(described([0, 1, 0, 1, 1]), name=EVIL, words=[[EVIL], ["\u202eevil"]])
    domain.documents[0][EVIL] = 2
    return ClusterFacts("ASI", [domain, domain], 2, False, [("a", EVIL)], [], EVIL)


def test_everything_is_escaped(facts: ClusterFacts) -> None:
    page = render_clusters(facts, 100)
    assert EVIL not in page
    assert page.count("<script") == 0
    assert page.count("&lt;script&gt;") >= 5
    assert "script-src 'none'" in page
    assert "\u202e" not in page


def test_what_numbers_mean(facts: ClusterFacts) -> None:
    assert "is another group in every file" in render_clusters(facts, 100)
    assert "means the same in every file" in render_clusters(replace(facts, is_shared=True), 100)


@pytest.mark.parametrize(("max_texts", "n_shown"), [(100, 12), (8, 8), (4, 4), (3, 0), (0, 0)])
def test_number_of_texts(facts: ClusterFacts, max_texts: int, n_shown: int) -> None:
    assert render_clusters(facts, max_texts).count("<li><p") == n_shown
