"""Dictionaries as tables: TSV, CSV and JSON Lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any

from isthmus.files.decoding import encoding_of
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.json_lines import JsonLines
from isthmus.text.dictionaries.bounded import MAX_WORD_CHARACTERS, BoundedFile, Pairs
from isthmus.text.dictionaries.codes import find_code
from isthmus.text.dictionaries.model import BilingualDictionary

__all__ = ["read_delimited", "read_json_lines"]

_WORD_HEADERS = {"source", "word", "words", "term", "headword", "from"}
_TRANSLATION_HEADERS = {"target", "translation", "translations", "meaning", "to"}
_SEPARATOR = re.compile("[,;\u060c\u3001\uff0c\uff1b]")
_QUOTED = re.compile(r'"[^"]*"')
# No row of words is longer; a longer field would also be too much for the csv module.
_MAX_LINE = 100 * MAX_WORD_CHARACTERS


def read_delimited(source: BoundedFile, delimiter: str | None) -> BilingualDictionary:
    """Read a row a line: a word, its translation, and further translations if there are more.

    Without a delimiter it is what the first row holds: a tab, or else the most frequent of
    semicolon, bar and comma, or else a blank between two words.
    """
    pairs = Pairs(source.name)
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
                f"Line {number} of {source.name} does not hold a word and its translation, parted "
                f"by {_in_words(delimiter)}: write both, or take the line out."
            )
        for word in _listed_words(cells[0]):
            for translation in (one for cell in cells[1:] for one in _listed_words(cell)):
                pairs.add_checked(word, translation, f"line {number}")
    return _dictionary(source, pairs, languages)


def read_json_lines(source: BoundedFile) -> BilingualDictionary:
    """Read an object a line with two keys, the languages; values are texts or lists of texts."""
    pairs = Pairs(source.name)
    keys: tuple[str, ...] = ()
    for place, record in JsonLines(source, encoding_of(source.head(), None)).records():
        where = f"{place[0].upper()}{place[1:]} of {source.name}"
        if not keys:
            keys = tuple(record)
            if len(keys) != 2:
                raise DocumentFileError(
                    f"{where} has {len(keys)} keys: write two, the languages, such as "
                    '{"en": "book", "de": "Buch"}.'
                )
        if record.keys() != set(keys):
            raise DocumentFileError(
                f"{where} has the keys {_listed(record)} where the first line has "
                f"{_listed(keys)}: write the same two keys in every line."
            )
        for word in _texts(record[keys[0]], keys[0], where):
            for translation in _texts(record[keys[1]], keys[1], where):
                pairs.add_checked(word, translation, place)
    return _dictionary(source, pairs, _languages(*keys) if keys else None)


def _dictionary(
    source: BoundedFile, pairs: Pairs, languages: tuple[str, str] | None
) -> BilingualDictionary:
    if not pairs.found:
        raise DocumentFileError(
            f"{subject(source.name)} holds no pair of words: write a word and its translation a "
            "line."
        )
    return BilingualDictionary(tuple(pairs.found), languages, str(source.path))


def _guess_delimiter(line: str) -> str:
    bare = _QUOTED.sub("", line)
    # A tab never stands in a word, a comma sometimes does.
    if "\t" in bare:
        return "\t"
    best = max(";|,", key=bare.count)
    return " " if best not in bare and len(bare.split()) == 2 else best


def _cells(line: str, delimiter: str, number: int, name: str) -> list[str]:
    if len(line) > _MAX_LINE:
        raise DocumentFileError(
            f"Line {number} of {name} is longer than {_MAX_LINE} characters: a dictionary has one "
            "word and its translations a line, check the file."
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


def _in_words(delimiter: str | None) -> str:
    names = {",": "a comma", ";": "a semicolon", "|": "a bar", " ": "a blank"}
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


def _texts(value: Any, key: str, where: str) -> Iterator[str]:
    for text in value if isinstance(value, list) else [value]:
        if text is None:
            continue
        if not isinstance(text, str):
            raise DocumentFileError(
                f"{where} holds {text!r:.40} in '{key}': write a text or a list of texts."
            )
        yield from _listed_words(text)


def _listed_words(text: str) -> list[str]:
    """What a cell holds: a word or phrase, or several of them, parted by commas or semicolons."""
    parts = (part.strip() for part in _SEPARATOR.split(text))
    return [part for part in parts if part]


def _listed(keys: Any) -> str:
    return ", ".join(f"'{key}'" for key in keys) or "none"
