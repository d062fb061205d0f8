"""From English to other languages on Webis-CLS-10, from raw texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isthmus import DKT, BilingualVectorizer, Transfer, load
from isthmus.datasets import load_webis, load_webis_dictionary

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.ends_early,
    pytest.mark.doubtful,
    pytest.mark.xdist_group("corpora"),
]

FREEDICT = Path("/usr/share/dictd/freedict-fra-eng.index")


def through_dictionary(language: str, corpora: Path) -> BilingualVectorizer:
    return BilingualVectorizer("en", language, load_webis_dictionary("en", language, corpora))


@pytest.mark.parametrize(
    ("language", "least", "most_of_source"),
    [("de", 0.925, 0.92), ("fr", 0.92, 0.90), ("jp", 0.865, 0.84)],
)
def test_categories_of_products(corpora, language, least, most_of_source):
    if language == "jp":
        pytest.importorskip("fugashi", reason="the extra 'japanese' is not installed")
    source, target = load_webis("en", corpora), load_webis(language, corpora)
    model = Transfer("dkt", vectorizer=through_dictionary(language, corpora), verdict=False)
    model.fit(source.texts, source.categories, target.texts)
    assert isinstance(model.estimator_, DKT)
    assert least < np.mean(model.labels_ == np.array(target.categories)) < 0.97
    assert np.mean(model.source_only_labels_ == np.array(target.categories)) < most_of_source


def test_opinions_and_new_documents(corpora, tmp_path):
    source, target = (load_webis(language, corpora, "dvd") for language in ("en", "de"))
    model = Transfer(vectorizer=through_dictionary("de", corpora))
    model.fit(source.texts, source.labels, target.texts[::2])
    assert np.mean(model.labels_ == np.array(target.labels[::2])) > 0.75
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    right = again.score(target.texts[1::2], target.labels[1::2])
    assert right == model.score(target.texts[1::2], target.labels[1::2])
    assert right > 0.75


def test_a_dictionary_of_the_system(corpora):
    if not FREEDICT.exists():
        pytest.skip(f"{FREEDICT} is not here: install the Debian package dict-freedict-fra-eng")
    source, target = load_webis("en", corpora), load_webis("fr", corpora)
    model = Transfer(vectorizer=BilingualVectorizer("en", "fr", FREEDICT))
    model.fit(source.texts[::2], source.categories[::2], target.texts[::2])
    assert np.mean(model.labels_ == np.array(target.categories[::2])) > 0.91
    coverage = model.vectorizer_.coverage_
    assert coverage.token_share("translated") > 0.5
    assert coverage.token_share("unknown") < 0.3
