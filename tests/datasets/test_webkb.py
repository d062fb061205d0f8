"""WebKB: the four universities."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from isthmus.datasets import WEBKB_CLASSES, WEBKB_UNIVERSITIES, load_webkb

# Pages at Cornell, Texas, Washington and Wisconsin.
SIZES = {
    "student": (128, 148, 126, 156),
    "faculty": (34, 46, 31, 42),
    "course": (44, 38, 77, 85),
    "project": (20, 20, 21, 25),
    "staff": (21, 3, 10, 12),
    "department": (1, 1, 1, 1),
}


@pytest.mark.corpus
def test_all_classes(corpora: Path) -> None:
    corpus = load_webkb(corpora, WEBKB_CLASSES)
    cells = Counter(zip(corpus.labels, corpus.universities, strict=True))
    for label, sizes in SIZES.items():
        assert tuple(cells[label, university] for university in WEBKB_UNIVERSITIES) == sizes
    assert cells.total() == len(set(corpus.ids)) == 1091
    assert len(set(corpus.html)) == 1089
    assert all(text.strip() for text in corpus.texts)


@pytest.mark.corpus
def test_the_usual_four_classes(corpora: Path) -> None:
    corpus = load_webkb(corpora)
    assert Counter(corpus.universities) == {
        "cornell": 226,
        "texas": 252,
        "washington": 255,
        "wisconsin": 308,
    }
    assert set(corpus.labels) == {"student", "faculty", "course", "project"}


@pytest.mark.corpus
def test_one_class_of_one_university(corpora: Path) -> None:
    corpus = load_webkb(corpora, "course", "texas")
    assert len(corpus.texts) == len(corpus.html) == len(corpus.urls) == 38
    assert all(name.startswith("course/texas/http") for name in corpus.ids)
    assert all(url.startswith("http://") for url in corpus.urls)
    assert "<" not in corpus.texts[0][:200]
    assert "<" in corpus.html[0]
