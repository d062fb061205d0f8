"""Bilingual dictionaries and readers for their file formats."""

from __future__ import annotations

from isthmus.text.dictionaries.bilingual_dictionary import BilingualDictionary
from isthmus.text.dictionaries.reader import are_pairs, as_dictionary, read_dictionary

__all__ = ["BilingualDictionary", "are_pairs", "as_dictionary", "read_dictionary"]
