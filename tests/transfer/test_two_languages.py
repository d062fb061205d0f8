"""Transfer from one language to another, and its model files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isthmus import (
    Auto,
    BilingualDictionary,
    BilingualVectorizer,
    ModelFileError,
    MTrick,
    TextVectorizer,
    Transfer,
    load,
)
from isthmus.datasets import make_bilingual_corpus

CORPUS = make_bilingual_corpus(n_source=120, n_target=90)
NEW = [*CORPUS.target_texts[:15], "", "zzz"]


def fitted(method: str = "dkt", **options: Any) -> Transfer:
    vectorizer = BilingualVectorizer("en", "de", CORPUS.dictionary, **options)
    model = Transfer(method, vectorizer=vectorizer, verdict=False)
    return model.fit(CORPUS.source_texts, CORPUS.source_labels, CORPUS.target_texts)


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bilingual") / "m"
    fitted().save(path)
    return path


@pytest.mark.parametrize("vectorizer", [None, TextVectorizer(), BilingualVectorizer()])
def test_the_automatic_method_is_the_default(vectorizer: Any) -> None:
    assert isinstance(Transfer(vectorizer=vectorizer).make_estimator(), Auto)
    assert isinstance(Transfer("mtrick", vectorizer=vectorizer).make_estimator(), MTrick)


def test_the_default_method_reads_words_only() -> None:
    corpus = make_bilingual_corpus()
    model = Transfer(vectorizer=BilingualVectorizer("en", "de", corpus.dictionary))
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    assert model.characters_ is None
    truth = np.array(corpus.target_labels)
    assert np.mean(model.labels_ == truth) > 0.95 > np.mean(model.source_only_labels_ == truth)
    assert model.score(corpus.target_texts, corpus.target_labels) > 0.95


def test_labels_the_target_and_reads_each_domain_in_its_language() -> None:
    model = fitted()
    assert np.mean(model.labels_ == np.array(CORPUS.target_labels)) > 0.85
    assert model.score(CORPUS.target_texts, CORPUS.target_labels) > 0.85
    assert model.score(CORPUS.source_texts, CORPUS.source_labels, domain="source") > 0.95
    words = model.top_words(8)
    assert all("(" not in word for by_domain in words.values() for word in by_domain["source"])
    assert any("(" in word for by_domain in words.values() for word in by_domain["target"])


def test_several_domains_of_each_language() -> None:
    half = len(CORPUS.target_texts) // 2
    vectorizer = BilingualVectorizer("en", "de", CORPUS.dictionary)
    model = Transfer("dkt", vectorizer=vectorizer, verdict=False).fit(
        {
            "one": (CORPUS.source_texts[::2], CORPUS.source_labels[::2]),
            "two": (CORPUS.source_texts[1::2], CORPUS.source_labels[1::2]),
        },
        target_texts={
            "first": CORPUS.target_texts[:half],
            "second": (CORPUS.target_texts[half:], [*CORPUS.target_labels[half:-5], *[None] * 5]),
        },
    )
    assert np.mean(model.labels_["first"] == np.array(CORPUS.target_labels[:half])) > 0.85
    assert model.predict(CORPUS.target_texts[:3], domain="second").shape == (3,)


def test_labels_in_the_target_alone() -> None:
    vectorizer = BilingualVectorizer("en", "de", CORPUS.dictionary)
    german = (CORPUS.target_texts, [*CORPUS.target_labels[:-5], *[None] * 5])
    nothing = [None] * len(CORPUS.source_texts)
    model = Transfer("dkt", vectorizer=vectorizer, verdict=False).fit(
        {
            "unlabeled": (CORPUS.source_texts, nothing),
            "few": (CORPUS.source_texts[:6], CORPUS.source_labels[:6]),
        },
        target_texts={"german": german},
    )
    assert model.predict(CORPUS.source_texts[:4], domain="unlabeled").shape == (4,)
    alone = Transfer("dkt", vectorizer=vectorizer, verdict=False)
    alone.fit({"source": (CORPUS.source_texts, nothing)}, target_texts={"german": german})
    found = alone.estimator_.transduction_[: len(nothing)]
    assert np.mean(found == np.array(CORPUS.source_labels)) > 0.6


def test_a_dictionary_of_other_languages_is_found_before_the_texts_are_read() -> None:
    def texts() -> Any:
        raise AssertionError("the texts were read")
        yield ""

    pairs = BilingualDictionary((("book", "livre"),), ("en", "fr"), "en_fr.tsv")
    model = Transfer(vectorizer=BilingualVectorizer("en", "de", pairs))
    with pytest.raises(ValueError, match=r"en_fr\.tsv .*en and fr"):
        model.fit(texts(), ["a"], texts())


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "auto"}, {"stem": True, "ngram_range": (1, 2)}, {"dtype": "float64"}],
)
def test_the_same_predictions_after_a_round_trip(options: dict[str, Any], tmp_path: Path) -> None:
    model = fitted(**options)
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    for domain in ("source", "target"):
        np.testing.assert_array_equal(
            back.predict_proba(NEW, domain), model.predict_proba(NEW, domain)
        )
    assert back.top_words() == model.top_words()
    assert back.vectorizer_.coverage_ == model.vectorizer_.coverage_
    assert back.vectorizer_.dictionary is None
    back.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def damaged(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """A copy of a model file with another manifest."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(content)
                change(manifest["vectorizer"])
                content = json.dumps(manifest).encode()
            new.writestr(name, content)


def set_to(*path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(state: dict[str, Any]) -> None:
        for key in path[:-1]:
            state = state[key]
        if to is None:
            del state[path[-1]]
        else:
            state[path[-1]] = to

    return change


def swapped(one: str, other: str) -> Callable[[dict[str, Any]], None]:
    def change(state: dict[str, Any]) -> None:
        joint = state["joint_vocabulary"]
        joint[one], joint[other] = joint[other], joint[one]

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_to("joint_vocabulary", to="none"), "not complete"),
        (set_to("joint_vocabulary", "proportions", to=None), "not complete"),
        (set_to("joint_vocabulary", "proportions", to=[1]), "arrays"),
        (swapped("rows", "columns"), "joint vocabulary"),
        (swapped("use", "proportions"), "arrays"),
        (set_to("joint_vocabulary", "terms", to=["a"]), "terms"),
        (set_to("joint_vocabulary", "terms", to=["\x1b[31m"]), "words"),
        (set_to("joint_vocabulary", "coverage", to={}), "coverage"),
        (set_to("source", to={}), "vectorizer"),
        (set_to("settings", "dictionary", to="/etc/passwd"), "dictionary"),
        (set_to("joint_vocabulary", "coverage", "n_pairs", to=-1), "coverage"),
        (set_to("settings", "max_df", to="many"), "text settings"),
        (set_to("settings", "target_language", to="klingon"), "text settings"),
    ],
)
def test_damaged_files(
    model_file: Path, change: Callable[[dict[str, Any]], None], words: str, tmp_path: Path
) -> None:
    damaged(model_file, tmp_path / "bad", change)
    with pytest.raises(ModelFileError, match=words):
        load(tmp_path / "bad")
