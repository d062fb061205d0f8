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
    found = load_webkb(corpora, WEBKB_CLASSES)
    cells = Counter(zip(found.labels, found.universities, strict=True))
    for label, sizes in SIZES.items():
        assert tuple(cells[label, place] for place in WEBKB_UNIVERSITIES) == sizes
    assert cells.total() == len(set(found.ids)) == 1091
    assert len(set(found.html)) == 1089
    assert all(text.strip() for text in found.texts)


@pytest.mark.corpus
def test_the_usual_four_classes(corpora: Path) -> None:
    found = load_webkb(corpora)
    assert Counter(found.universities) == {
        "cornell": 226,
        "texas": 252,
        "washington": 255,
        "wisconsin": 308,
    }
    assert set(found.labels) == {"student", "faculty", "course", "project"}


@pytest.mark.corpus
def test_one_class_of_one_university(corpora: Path) -> None:
    found = load_webkb(corpora, "course", "texas")
    assert len(found.texts) == len(found.html) == len(found.urls) == 38
    assert all(name.startswith("course/texas/http") for name in found.ids)
    assert all(url.startswith("http://") for url in found.urls)
    assert "<" not in found.texts[0][:200]
    assert "<" in found.html[0]
