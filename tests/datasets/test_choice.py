"""Choosing parts of a corpus by name."""

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
from isthmus.datasets.choice import choose

KNOWN = ("a", "b", "c")


def test_one_name_several_or_all() -> None:
    assert choose("b", KNOWN, "letter", "the alphabet") == {"b"}
    assert choose(["c", "a"], KNOWN, "letter", "the alphabet") == {"a", "c"}
    assert choose(None, KNOWN, "letter", "the alphabet") == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "z", "y"], "no letter 'y', 'z' in the alphabet: choose among a, b, c"),
        ("abc", "no letter 'abc' in the alphabet"),
        ([], "no letter chosen in the alphabet: choose among a, b, c"),
    ],
)
def test_unknown_names(names: str | list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        choose(names, KNOWN, "letter", "the alphabet")


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda: load_newsgroups(groups=["sci.fi"]), r"no newsgroup 'sci\.fi'.*choose among alt"),
        (lambda: load_newsgroups(groups="sci.fi", fetch=True), r"no newsgroup 'sci\.fi'"),
        (lambda: load_amazon(domains=["toys"]), "no domain 'toys'.*choose among books"),
        (lambda: load_amazon_counts("all"), "no part 'all'.*choose among labelled, unlabelled"),
        (lambda: load_amazon_counts("labelled", domains="toys"), "no domain 'toys'"),
        (lambda: load_amazon_counts("labelled", vocabulary="5000"), "must be 'frequent' or 'all'"),
        (lambda: load_amazon_counts("unlabelled", vocabulary="all"), "frequent terms only: take"),
        (lambda: load_webkb(classes=["other"]), "no class 'other' in WebKB: choose among student"),
        (lambda: load_webkb(universities="misc"), "no university 'misc'.*choose among cornell"),
        (lambda: load_webis("ja"), "no language 'ja'.*choose among de, en, fr, jp"),
        (lambda: load_webis("en", categories="toys"), "no category 'toys'.*choose among books"),
        (lambda: load_webis_dictionary("de", "fr"), "no dictionary from 'de' to 'fr': choose 'de'"),
    ],
)
def test_a_wrong_name_is_found_before_any_file(load: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load()
