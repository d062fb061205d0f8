"""The loaders on the real corpora."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from isthmus.datasets import load_newsgroups, load_reuters_cross_domain


@pytest.mark.corpus
def test_newsgroups(corpora: Path) -> None:
    corpus = load_newsgroups(corpora, ["sci.space", "talk.religion.misc"])
    assert Counter(corpus.groups) == {"sci.space": 987, "talk.religion.misc": 628}
    assert len(set(corpus.ids)) == len(corpus.texts) == 987 + 628
    assert all(text.strip() for text in corpus.texts)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("task", "terms", "source", "target"),
    [
        ("orgs_people", 4771, {"orgs": 588, "people": 649}, {"orgs": 587, "people": 621}),
        ("orgs_places", 4415, {"orgs": 588, "places": 428}, {"orgs": 587, "places": 456}),
        ("people_places", 4562, {"people": 649, "places": 428}, {"people": 621, "places": 456}),
    ],
)
def test_reuters(
    corpora: Path, task: str, terms: int, source: dict[str, int], target: dict[str, int]
) -> None:
    corpus = load_reuters_cross_domain(task, corpora)
    assert corpus.source.shape == (sum(source.values()), terms)
    assert corpus.target.shape == (sum(target.values()), terms)
    assert Counter(corpus.source_labels.tolist()) == source
    assert Counter(corpus.target_labels.tolist()) == target
    assert corpus.source.data.min() > 0


def test_unknown_reuters_task() -> None:
    with pytest.raises(ValueError, match=r"orgs_orgs.* orgs_people"):
        load_reuters_cross_domain("orgs_orgs")
