"""The loaders on the real corpora."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from isthmus.datasets import load_newsgroups, load_reuters_cross_domain


@pytest.mark.corpus
def test_newsgroups(corpora: Path) -> None:
    found = load_newsgroups(corpora, ["sci.space", "talk.religion.misc"])
    assert Counter(found.groups) == {"sci.space": 987, "talk.religion.misc": 628}
    assert len(set(found.ids)) == len(found.texts) == 987 + 628
    assert all(text.strip() for text in found.texts)


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
    found = load_reuters_cross_domain(task, corpora)
    assert found.source.shape == (sum(source.values()), terms)
    assert found.target.shape == (sum(target.values()), terms)
    assert Counter(found.source_labels.tolist()) == source
    assert Counter(found.target_labels.tolist()) == target
    assert found.source.data.min() > 0


def test_unknown_reuters_task() -> None:
    with pytest.raises(ValueError, match="choose among orgs_people"):
        load_reuters_cross_domain("orgs_orgs")
