"""A small problem in two languages."""

from __future__ import annotations

from typing import Any

from isthmus import BilingualVectorizer

SOURCE = ["a good book", "a fine song about hotels", "the hotel was fine fine fine"]
TARGET = ["Das Buch ist gut", "gute Bücher, gute Opern", "Hotel Oper"]
WORDS = {"Buch": "book", "gut": ["good", "fine"], "Lied": "song"}


def make(**options: Any) -> BilingualVectorizer:
    return BilingualVectorizer("en", "de", WORDS, **options)


def fitted(**options: Any) -> BilingualVectorizer:
    vectorizer = make(**options)
    vectorizer.fit_transform_domains(SOURCE, TARGET)
    return vectorizer
