"""All stories of Reuters-21578, and the list of categories."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from isthmus.datasets import ReutersStories, load_reuters_categories, load_reuters_stories

# Legal categories, those with a story, stories with a category, stories with exactly one.
SIZES = {
    "topics": (135, 120, 11367, 9495),
    "orgs": (56, 32, 881, 789),
    "people": (267, 114, 1156, 979),
    "places": (175, 147, 18798, 16145),
    "exchanges": (39, 32, 482, 447),
}


@pytest.fixture(scope="module")
def stories(corpora: Path) -> ReutersStories:
    return load_reuters_stories(corpora)


@pytest.mark.corpus
def test_categories(corpora: Path, stories: ReutersStories) -> None:
    legal = load_reuters_categories(corpora)
    assert list(legal) == list(SIZES)
    for kind, (n_legal, n_used, n_stories, n_single) in SIZES.items():
        corpus = [set(names) for names in getattr(stories, kind)]
        used = set().union(*corpus)
        assert used <= set(legal[kind])
        assert (len(legal[kind]), len(used)) == (n_legal, n_used)
        assert sum(map(bool, corpus)) == n_stories
        assert sum(len(names) == 1 for names in corpus) == n_single


@pytest.mark.corpus
def test_splits(stories: ReutersStories) -> None:
    assert Counter(stories.lewis_splits) == {"TRAIN": 14668, "TEST": 6188, "NOT-USED": 722}
    assert Counter(stories.cgi_splits) == {"TRAINING-SET": 20856, "PUBLISHED-TESTSET": 722}
    assert Counter(stories.topics_attributes) == {"YES": 13476, "NO": 7059, "BYPASS": 1043}
    pairs = Counter(zip(stories.lewis_splits, stories.topics_attributes, strict=True))
    assert (pairs["TRAIN", "YES"], pairs["TEST", "YES"]) == (9603, 3299)


@pytest.mark.corpus
def test_texts(stories: ReutersStories) -> None:
    assert stories.ids == list(range(1, 21579))
    assert Counter(stories.text_types) == {"NORM": 19043, "BRIEF": 1798, "UNPROC": 737}
    assert stories.titles[0] == "BAHIA COCOA REVIEW"
    assert stories.texts[0].startswith("BAHIA COCOA REVIEW\nShowers continued")
    assert stories.topics[0] == ("cocoa",)
    assert stories.dates[0].startswith("26-FEB-1987")
    assert stories.datelines[0] == "SALVADOR, Feb 26 -"
    empty = [name for name, text in zip(stories.ids, stories.texts, strict=True) if text.isspace()]
    assert empty == [12793]
    for kind, title, body in zip(stories.text_types, stories.titles, stories.bodies, strict=True):
        assert kind != "BRIEF" or not body
        assert kind != "UNPROC" or not title
