"""Bilingual dictionaries: pairs of words that translate each other, from files of several kinds."""

from __future__ import annotations

from isthmus.text.dictionaries.model import BilingualDictionary
from isthmus.text.dictionaries.reading import are_pairs, as_dictionary, read_dictionary

__all__ = ["BilingualDictionary", "are_pairs", "as_dictionary", "read_dictionary"]
