"""Selection of parts of a corpus by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from isthmus.datasets import (
    load_amazon,
    load_amazon_counts,
    load_newsgroups,
    load_webis,
    load_webis_dictionary,
    load_webkb,
)
from isthmus.datasets.corpus_files import select_names

KNOWN = ("a", "b", "c")


def test_one_name_several_or_all() -> None:
    assert select_names("b", KNOWN, "letter", "the alphabet") == {"b"}
    assert select_names(["c", "a"], KNOWN, "letter", "the alphabet") == {"a", "c"}
    assert select_names(None, KNOWN, "letter", "the alphabet") == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "z", "y"], "letter 'y', 'z' in the alphabet.* a, b, c"),
        ("abc", "letter 'abc' in the alphabet"),
        ([], "No letter of the alphabet.* a, b, c"),
    ],
)
def test_unknown_names(names: str | list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        select_names(names, KNOWN, "letter", "the alphabet")


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda: load_newsgroups(groups=["sci.fi"]), r"newsgroup 'sci\.fi'.* alt"),
        (lambda: load_newsgroups(groups="sci.fi", fetch=True), r"newsgroup 'sci\.fi'"),
        (lambda: load_amazon(domains=["toys"]), "domain 'toys'.* books"),
        (lambda: load_amazon_counts("all"), "part 'all'.* labeled, unlabeled"),
        (lambda: load_amazon_counts("labeled", domains="toys"), "domain 'toys'"),
        (lambda: load_amazon_counts("labeled", vocabulary="5000"), "must be 'frequent' or 'all'"),
        (lambda: load_amazon_counts("unlabeled", vocabulary="all"), "frequent terms only"),
        (lambda: load_webkb(classes=["other"]), "class 'other' in WebKB.* student"),
        (lambda: load_webkb(universities="misc"), "university 'misc'.* cornell"),
        (lambda: load_webis("ja"), "language 'ja'.* de, en, fr, jp"),
        (lambda: load_webis("en", categories="toys"), "category 'toys'.* books"),
        (lambda: load_webis_dictionary("de", "fr"), "'de' to 'fr'"),
    ],
)
def test_unknown_names_are_reported_before_a_file_is_read(
    load: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        load()
