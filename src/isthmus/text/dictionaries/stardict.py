"""Dictionaries of StarDict: ``.ifo``, ``.idx`` and ``.dict``, of versions 2.4.2 and 3.0.0."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from isthmus.files.errors import DocumentFileError, subject
from isthmus.text.dictionaries import bounded
from isthmus.text.dictionaries.bounded import BoundedFile, Pairs
from isthmus.text.dictionaries.dictd import entry_bytes, text_file
from isthmus.text.dictionaries.entries import entry_word, translations
from isthmus.text.dictionaries.model import BilingualDictionary
from isthmus.text.dictionaries.tags import without_tags

__all__ = ["MAGIC", "read_stardict"]

MAGIC = "StarDict's dict ifo file"
_VERSIONS = ("2.4.2", "3.0.0")
# Kinds of text, the best first; the phonetic "t" is read where there is nothing else.
_TEXT_KINDS = "mghxlwt"
_TAGGED = "ghx"
# Definitions may go on for pages, translations stand at their beginning.
_MAX_LINES = 20


def read_stardict(base: Path) -> BilingualDictionary:
    """Read ``base.ifo``, ``base.idx`` or ``base.idx.gz``, ``base.dict`` or ``base.dict.dz``."""
    about = BoundedFile(base.with_name(base.name + ".ifo"))
    facts = _facts(about)
    index = _index_file(base, about.name)
    texts = text_file(base, about.name)
    data = texts.whole()
    kinds = facts.get("sametypesequence", "")
    pairs = Pairs(texts.name)
    total = 0
    for number, (word, start, size) in enumerate(_index_entries(index, facts), 1):
        place = f"Entry {number} ({word!r:.60}) of {index.name}"
        total += size
        fields = _fields(entry_bytes(data, start, size, total, place, texts.name), kinds, place)
        _take_entry(word, fields, pairs)
    if not pairs.found:
        raise DocumentFileError(
            f"{subject(texts.name)} gave no pair of words: check that it is a bilingual "
            "dictionary, or write the pairs as TSV."
        )
    return BilingualDictionary(tuple(pairs.found), None, str(about.path))


def _facts(about: BoundedFile) -> dict[str, str]:
    lines = [line.strip() for _, line in about.lines()]
    if not lines or lines[0] != MAGIC:
        raise DocumentFileError(
            f'{subject(about.name)} does not begin with the line "{MAGIC}": check that it is '
            "StarDict's."
        )
    facts = {
        key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)
    }
    if facts.get("version") not in _VERSIONS:
        raise DocumentFileError(
            f"{subject(about.name)} is of version {facts.get('version', 'unknown')!r:.20}, not of "
            f"{' or '.join(_VERSIONS)}: convert it."
        )
    if facts.get("idxoffsetbits", "32") not in ("32", "64"):
        raise DocumentFileError(
            f"{subject(about.name)} says idxoffsetbits={facts['idxoffsetbits']:.20}, which is "
            "neither 32 nor 64: convert the dictionary."
        )
    return facts


def _index_file(base: Path, beside: str) -> BoundedFile:
    for ending in (".idx", ".idx.gz"):
        path = base.with_name(base.name + ending)
        if path.exists():
            return BoundedFile(path)
    raise DocumentFileError(
        f"There is neither '{base.name}.idx' nor '{base.name}.idx.gz' beside {beside}: put the "
        "index beside it."
    )


def _index_entries(index: BoundedFile, facts: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    """Read word, position and length: the word ends with a zero, the numbers are big-endian."""
    # Version 2.4.2 has 32 bits whatever the file says.
    wide = facts.get("idxoffsetbits") == "64" and facts["version"] == "3.0.0"
    numbers = struct.Struct(">QI" if wide else ">II")
    data = index.whole()
    position = count = 0
    while position < len(data):
        count += 1
        end = data.find(b"\x00", position, position + bounded.MAX_WORD_CHARACTERS)
        if end < 0 or end + 1 + numbers.size > len(data):
            raise DocumentFileError(
                f"Entry {count} of {index.name}, at byte {position}, is cut off or too long: get "
                "the dictionary's files again."
            )
        if count > bounded.MAX_ENTRIES:
            raise DocumentFileError(
                f"{subject(index.name)} lists more than {bounded.MAX_ENTRIES} entries: no "
                "dictionary has so many, check the file."
            )
        start, size = numbers.unpack_from(data, end + 1)
        yield _decoded(data[position:end], f"Entry {count} of {index.name}"), start, size
        position = end + 1 + numbers.size


def _fields(entry: bytes, kinds: str, place: str) -> dict[str, str]:
    """Return the texts of an entry by their kind.

    With a list of kinds for the whole file, the last field has neither length nor end of its own.
    """
    fields: dict[str, str] = {}
    position = place_in_kinds = 0
    while position < len(entry) and (not kinds or place_in_kinds < len(kinds)):
        if kinds:
            kind = kinds[place_in_kinds]
            place_in_kinds += 1
        else:
            kind = chr(entry[position])
            position += 1
        if kinds and place_in_kinds == len(kinds):
            end = following = len(entry)
        elif kind.isupper():
            if position + 4 > len(entry):
                raise _cut_off(place)
            (size,) = struct.unpack_from(">I", entry, position)
            position += 4
            end = following = position + size
        else:
            end = entry.find(b"\x00", position)
            end = len(entry) if end < 0 else end
            following = end + 1
        if end > len(entry):
            raise _cut_off(place)
        if kind in _TEXT_KINDS and kind not in fields:
            fields[kind] = _decoded(entry[position:end].rstrip(b"\x00"), place)
        position = following
    return fields


def _cut_off(place: str) -> DocumentFileError:
    return DocumentFileError(
        f"{place} has a field that goes beyond its end: get the dictionary's files again."
    )


def _decoded(text: bytes, place: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentFileError(
            f"{place} is not valid UTF-8: get the dictionary's files again, or convert it."
        ) from error


def _take_entry(listed: str, fields: dict[str, str], pairs: Pairs) -> None:
    kind = next((kind for kind in _TEXT_KINDS if kind in fields), None)
    word = entry_word(listed, listed)
    if kind is None or not word:
        return
    text = fields[kind]
    if kind in _TAGGED:
        lines = [line.strip() for line in without_tags(text, xdxf=kind == "x").split("\n")]
    else:
        lines = text.split("\n")
    lines = [line for line in lines if line.strip()][:_MAX_LINES]
    # Some repeat the word in a line of its own, with its pronunciation.
    if len(lines) > 1 and entry_word(lines[0], listed).lower() == word.lower():
        lines = lines[1:]
    for translation in translations(lines):
        pairs.add(word, translation)
