"""Fitted models whose reports are tested: usual ones and unusual ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from isthmus import TextVectorizer, Transfer
from isthmus.datasets import make_corpus

#: Markup, quotes, control characters and characters that change the direction of writing.
HOSTILE = (
    "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>\x00\x1b[2J\u202e]]>--><!--{{7*7}}"
    "</textarea></title></svg>\ud800"
)


def usual() -> Transfer:
    """Reviews of two kinds, by the automatic method."""
    corpus = make_corpus(n_source=120, n_target=100)
    sources = {"books": (corpus.source_texts, corpus.source_labels)}
    return Transfer(effort="fast").fit(sources, target_texts={"kitchen": corpus.target_texts})


def mtrick() -> Transfer:
    """The same with word clusters and an objective."""
    corpus = make_corpus(n_source=120, n_target=100)
    model = Transfer("mtrick", verdict=False)
    return model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)


def hostile() -> Transfer:
    """Hostile texts, labels, words and names of domains."""
    corpus = make_corpus(n_source=60, n_target=60)
    labels = [HOSTILE if label == "positive" else "</td>" for label in corpus.source_labels]
    texts = [f"{HOSTILE} {text} {HOSTILE}" for text in corpus.source_texts]
    target = [f"{text} {HOSTILE}" for text in corpus.target_texts]
    # Words are split at white space, so that markup is in the vocabulary.
    model = Transfer(effort="fast", vectorizer=TfidfVectorizer(analyzer=str.split))
    return model.fit({HOSTILE: (texts, labels)}, target_texts={f"target {HOSTILE}": target})


def fifty_classes() -> Transfer:
    """Fifty classes with names of 200 characters, ten of them empty in the target."""
    generator = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(600)])

    def text(code: int) -> str:
        return " ".join(generator.choice(words[10 * code : 10 * code + 20], 12))

    names = [f"Class {code} with a very long name ".ljust(200, "x") for code in range(50)]
    codes = np.arange(500) % 50
    model = Transfer("lg", verdict=False)
    return model.fit(
        [text(code) for code in codes],
        [names[code] for code in codes],
        [text(code % 40) for code in range(400)],
    )


def one_document() -> Transfer:
    """A single document to label."""
    corpus = make_corpus(n_source=40, n_target=2)
    model = Transfer("lg", verdict=False)
    return model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts[:1])


def scripts() -> Transfer:
    """Texts and labels in Arabic, which is written from right to left, Chinese and emoji."""
    texts = ["هذا الكتاب رائع جدا 😀", "المنتج سيئ للغاية 😡"]
    texts += ["ممتاز أنصح به 好", "رديء لا تشتريه 差"]
    sources = [f"{texts[i % 4]} {texts[i * 3 % 4]}" for i in range(40)]
    model = Transfer("lg", verdict=False, vectorizer=TextVectorizer(language=None))
    return model.fit(sources, ["جيد", "سيئ"] * 20, [f"{texts[i % 4]} {i}" for i in range(30)])


MODELS: dict[str, Callable[[], Transfer]] = {
    make.__name__: make for make in (usual, mtrick, hostile, fifty_classes, one_document, scripts)
}


@cache
def fitted(name: str) -> Transfer:
    """A fitted model by name, fitted once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some are doubtful on purpose
        return MODELS[name]()
