"""The synthetic corpus in two languages: reproducible, hard without transfer, easy with it."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from isthmus import DKT, BilingualVectorizer, Transfer
from isthmus.datasets import BilingualCorpus, make_bilingual_corpus
from isthmus.datasets.synthetic_bilingual import read_lexicon
from isthmus.text.languages import make_stemmer

KNOWN_HASH = "ce3476de3c7f3dea9db7259020943971a66ef061de87528def505c845e149adc"
LEXICON = read_lexicon()
GROUPS = {**LEXICON.topics, "neutral": LEXICON.neutral}
ENTRIES = [entry for words in GROUPS.values() for entry in words.entries]


def accuracies(corpus: BilingualCorpus, dictionary: Any) -> tuple[float, float]:
    """Return the accuracies of the source-only classifier and of DKT on the German documents."""
    vectorizer = BilingualVectorizer("en", "de", dictionary)
    model = Transfer("dkt", vectorizer=vectorizer, verdict=False)
    model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    assert isinstance(model.estimator_, DKT)
    truth = np.array(corpus.target_labels, dtype=object)
    return (
        float(np.mean(model.source_only_labels_ == truth)),
        float(np.mean(model.labels_ == truth)),
    )


def translations(corpus: BilingualCorpus) -> list[str]:
    values = corpus.dictionary.values()
    return [word for value in values for word in ([value] if isinstance(value, str) else value)]


def words_of(texts: list[str]) -> set[str]:
    return set(re.findall(r"\w+", " ".join(texts)))


def test_corpus_of_a_seed() -> None:
    corpus = make_bilingual_corpus(20, 20, random_state=7)
    content = [corpus.source_texts, corpus.target_texts, corpus.target_labels, corpus.dictionary]
    assert hashlib.sha256(json.dumps(content).encode()).hexdigest() == KNOWN_HASH
    other = make_bilingual_corpus(20, 20, random_state=8)
    assert other.target_texts != corpus.target_texts
    assert other.dictionary != corpus.dictionary


def test_neither_the_source_nor_the_dictionary_changes_the_target() -> None:
    corpus = make_bilingual_corpus(30, 20)
    assert make_bilingual_corpus(10, 20).target_texts == corpus.target_texts
    assert make_bilingual_corpus(30, 20, known=0.9).target_texts == corpus.target_texts
    assert make_bilingual_corpus(10, 10).dictionary == corpus.dictionary


def test_classes_are_balanced() -> None:
    corpus = make_bilingual_corpus(30, 15)
    assert Counter(corpus.source_labels) == {"books": 10, "films": 10, "music": 10}
    assert Counter(corpus.target_labels) == {"books": 5, "films": 5, "music": 5}


@pytest.mark.parametrize("seed", range(5))
def test_transfer_is_better_than_source_only(seed: int) -> None:
    corpus = make_bilingual_corpus(random_state=seed)
    source_only, transferred = accuracies(corpus, corpus.dictionary)
    assert 0.65 <= source_only <= 0.9  # class-balanced since the comparison is a fair one
    assert transferred >= 0.9
    source_only, transferred = accuracies(corpus, None)
    assert source_only <= 0.5
    assert transferred <= 0.6


def test_accuracy_increases_with_the_dictionary() -> None:
    source_only = []
    for known in (0.0, 0.35, 1.0):
        corpus = make_bilingual_corpus(known=known)
        source_only.append(accuracies(corpus, corpus.dictionary)[0])
    assert source_only == sorted(source_only)
    assert source_only[0] < 0.5
    assert source_only[-1] > 0.9


def test_stems_match_inflected_words_of_the_texts() -> None:
    corpus = make_bilingual_corpus()
    stem = make_stemmer("german")
    known = {word.lower() for word in translations(corpus)}
    stems = {stem(word) for word in known}
    written = {word.lower() for word in words_of(corpus.target_texts)}
    inflected = {word for word in written - known if stem(word) in stems}
    assert len(inflected) >= 30


@pytest.mark.parametrize("known", [0.0, 0.2, 0.35, 0.8, 1.0])
def test_the_dictionary_has_the_requested_fraction_of_the_words(known: float) -> None:
    corpus = make_bilingual_corpus(6, 6, known=known)
    known_words = set(translations(corpus))
    for name, words in GROUPS.items():
        all_words = {german for entry in words.entries for german in entry.translations}
        assert abs(len(all_words & known_words) / len(all_words) - known) < 0.08, name


def test_a_larger_dictionary_has_the_words_of_a_smaller_one() -> None:
    small, large = (make_bilingual_corpus(6, 6, known=known).dictionary for known in (0.2, 0.6))
    assert len(small) < len(large)
    assert small.items() <= large.items()


def test_some_words_have_several_translations() -> None:
    dictionary = make_bilingual_corpus(6, 6, known=1.0).dictionary
    assert dictionary["record"] == ["Platte", "Schallplatte"]
    assert dictionary["CD"] == "CD"


@pytest.mark.parametrize("name", list(GROUPS))
def test_a_word_belongs_to_one_class(name: str) -> None:
    english = Counter(entry.headword for entry in ENTRIES)
    german = Counter(word for entry in ENTRIES for word in entry.translations)
    for entry in GROUPS[name].entries:
        assert english[entry.headword] == 1
        assert [german[word] for word in entry.translations] == [1] * len(entry.german)


def test_topics_have_enough_words_to_choose_from() -> None:
    for words in LEXICON.topics.values():
        assert 25 <= len(words.entries) <= 40


def test_texts_are_finished_sentences() -> None:
    corpus = make_bilingual_corpus()
    for text in corpus.source_texts + corpus.target_texts:
        assert not set(text) & set("{}_")
        for sentence in re.split(r"(?<=\.) ", text):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
    assert all(text.isascii() for text in corpus.source_texts)
    assert any("ü" in text for text in corpus.target_texts)


# The string, the class that it indicates in German, and the one in English.
@pytest.mark.parametrize(
    ("word", "in_german", "in_english"),
    [
        ("band", "books", "music"),
        ("roman", "books", "films"),
        ("brief", "books", "music"),
        ("gift", "films", "music"),
        ("rock", "films", "music"),
        ("hell", "music", "films"),
        ("taste", "music", "books"),
    ],
)
def test_false_friends_indicate_different_classes(
    word: str, in_german: str, in_english: str
) -> None:
    corpus = make_bilingual_corpus()
    for texts, labels, expected in (
        (corpus.target_texts, corpus.target_labels, in_german),
        (corpus.source_texts, corpus.source_labels, in_english),
    ):
        classes = [
            label
            for text, label in zip(texts, labels, strict=True)
            if re.search(rf"\b{word}\b", text, flags=re.IGNORECASE)
        ]
        assert Counter(classes).most_common(1)[0][0] == expected


@pytest.mark.parametrize("word", ["Film", "Thriller", "Album", "CD", "Song", "also"])
def test_some_words_are_identical_in_both_languages(word: str) -> None:
    corpus = make_bilingual_corpus()
    for texts in (corpus.source_texts, corpus.target_texts):
        assert word.lower() in {other.lower() for other in words_of(texts)}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"known": 1.5}, "known=1.5 must be between 0 and 1"),
        ({"known": float("nan")}, "known=nan"),
        ({"n_source": 2}, "n_source=2 and n_target=300 must both be at least the number of"),
        ({"n_target": 0}, "must both be at least the number of classes, 3"),
    ],
)
def test_bad_input(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_bilingual_corpus(**params)
