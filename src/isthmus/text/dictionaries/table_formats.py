"""Readers for dictionaries in TSV, CSV and JSON Lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from isthmus.files.blocks import Block
from isthmus.files.decoding import encoding_of
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.json_lines import json_table
from isthmus.text.dictionaries.bilingual_dictionary import BilingualDictionary
from isthmus.text.dictionaries.language_codes import find_code
from isthmus.text.dictionaries.size_limits import MAX_WORD_CHARACTERS, LimitedFile, PairCollector

__all__ = ["read_delimited", "read_json_lines"]

_WORD_HEADERS = {"source", "word", "words", "term", "headword", "from"}
_TRANSLATION_HEADERS = {"target", "translation", "translations", "meaning", "to"}
_SEPARATOR = re.compile("[,;\u060c\u3001\uff0c\uff1b]")
_QUOTED = re.compile(r'"[^"]*"')
# Longer than any row of words, and within the field limit of the csv module.
_MAX_LINE = 100 * MAX_WORD_CHARACTERS


def read_delimited(source: LimitedFile, delimiter: str | None) -> BilingualDictionary:
    """Read one row per line: a word, its translation, and optionally further translations.

    If the delimiter is None it is detected in the first row: a tab, or else the most frequent of
    semicolon, bar and comma, or else a space between two words.
    """
    pairs = PairCollector(source.name)
    languages: tuple[str, str] | None = None
    first = True
    for number, line in source.lines():
        if first and delimiter is None:
            delimiter = _guess_delimiter(line)
        cells = _cells(line, delimiter or "\t", number, source.name)
        header, first = first and _is_header(cells), False
        if header:
            languages = _languages(cells[0], cells[1])
            continue
        if len(cells) < 2 or not cells[0] or not any(cells[1:]):
            raise DocumentFileError(
                f"Line {number} of {source.name} does not contain a word and its translation, "
                f"separated by {_delimiter_name(delimiter)}: write both, or remove the line."
            )
        for word in _split_cell(cells[0]):
            for translation in (one for cell in cells[1:] for one in _split_cell(cell)):
                pairs.add_checked(word, translation, f"line {number}")
    return _dictionary(source, pairs, languages)


def read_json_lines(source: LimitedFile) -> BilingualDictionary:
    """Read one object per line with two keys, the languages; values are strings or lists."""
    pairs = PairCollector(source.name)
    keys: tuple[str, ...] = ()
    table = json_table(source, encoding_of(source.head(), None))
    for place, record in _records(table.blocks()):
        location = f"{place[0].upper()}{place[1:]} of {source.name}"
        if not keys:
            keys = tuple(record)
            if len(keys) != 2:
                raise DocumentFileError(
                    f"{location} has {len(keys)} keys: write two keys, the languages, as in "
                    '{"en": "book", "de": "Buch"}.'
                )
        if record.keys() != set(keys):
            raise DocumentFileError(
                f"{location} has the keys {_listed(record)}, but the first line has "
                f"{_listed(keys)}: write the same two keys in every line."
            )
        for word in _texts(record[keys[0]], keys[0], location):
            for translation in _texts(record[keys[1]], keys[1], location):
                pairs.add_checked(word, translation, place)
    return _dictionary(source, pairs, _languages(*keys) if keys else None)


def _dictionary(
    source: LimitedFile, pairs: PairCollector, languages: tuple[str, str] | None
) -> BilingualDictionary:
    if not pairs.pairs:
        raise DocumentFileError(
            f"{subject(source.name)} contains no pairs of words: write one word and its "
            "translation per line."
        )
    return BilingualDictionary(tuple(pairs.pairs), languages, str(source.path))


def _guess_delimiter(line: str) -> str:
    bare = _QUOTED.sub("", line)
    # A tab is never part of a word, a comma sometimes is.
    if "\t" in bare:
        return "\t"
    best = max(";|,", key=bare.count)
    return " " if best not in bare and len(bare.split()) == 2 else best


def _cells(line: str, delimiter: str, number: int, name: str) -> list[str]:
    if len(line) > _MAX_LINE:
        raise DocumentFileError(
            f"Line {number} of {name} is longer than {_MAX_LINE} characters: check that the file "
            "has one word and its translations per line."
        )
    if delimiter == " ":
        cells = line.split()
        return cells if len(cells) == 2 else []
    try:
        (cells,) = csv.reader([line.strip("\r\n")], delimiter=delimiter, strict=True)
    except csv.Error as error:
        raise DocumentFileError(
            f"The double quotes in line {number} of {name} do not match: close them, or write "
            'them twice ("") inside a cell that is in double quotes.'
        ) from error
    return [cell.strip() for cell in cells]


def _delimiter_name(delimiter: str | None) -> str:
    names = {",": "a comma", ";": "a semicolon", "|": "a bar", " ": "a space"}
    return names.get(delimiter or "", "a tab")


def _is_header(cells: list[str]) -> bool:
    if len(cells) < 2:
        return False
    word, translation = cells[0].lower(), cells[1].lower()
    usual = word in _WORD_HEADERS and translation in _TRANSLATION_HEADERS
    return usual or _languages(word, translation) is not None


def _languages(first: str, second: str) -> tuple[str, str] | None:
    codes = find_code(first), find_code(second)
    if codes[0] is None or codes[1] is None or codes[0] == codes[1]:
        return None
    return codes[0], codes[1]


def _texts(value: Any, key: str, location: str) -> Iterator[str]:
    for text in value if isinstance(value, list) else [value]:
        if text is None:
            continue
        if not isinstance(text, str):
            raise DocumentFileError(
                f"{location} contains {text!r:.40} in '{key}': write a string or a list of strings."
            )
        yield from _split_cell(text)


def _split_cell(text: str) -> list[str]:
    """Return the words or phrases in a cell, separated by commas or semicolons."""
    parts = (part.strip() for part in _SEPARATOR.split(text))
    return [part for part in parts if part]


def _records(blocks: Generator[Block]) -> Iterator[tuple[str, dict[str, Any]]]:
    with closing(blocks):
        for block in blocks:
            yield from zip(block.places(), block.rows(), strict=True)


def _listed(keys: Any) -> str:
    return ", ".join(f"'{key}'" for key in keys) or "none"
