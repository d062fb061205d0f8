"""Dictionaries of the dictd server, as FreeDict and Debian package them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from isthmus.files.errors import DocumentFileError, subject
from isthmus.text.dictionaries import bounded
from isthmus.text.dictionaries.bounded import BoundedFile, Pairs
from isthmus.text.dictionaries.codes import find_code
from isthmus.text.dictionaries.entries import entry_word, is_head_line, translations
from isthmus.text.dictionaries.model import BilingualDictionary

__all__ = ["entry_bytes", "read_dictd", "text_file"]

_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
# Enough for 64 bits.
_MAX_DIGITS = 11
_ABOUT_ITSELF = ("00-database", "00database")
_LANGUAGES = re.compile(r"(?:^|[-_.])([a-z]{2,3})-([a-z]{2,3})$")
_GZIP_MAGIC = b"\x1f\x8b"


def read_dictd(base: Path) -> BilingualDictionary:
    """Read the files ``base.index`` and ``base.dict`` or ``base.dict.dz``."""
    index = BoundedFile(base.with_name(base.name + ".index"))
    texts = text_file(base, index.name)
    data = texts.whole()
    pairs = Pairs(texts.name)
    total = 0
    for number, listed, start, size in _index_entries(index):
        place = f"Line {number} of {index.name}"
        total += size
        text = entry_bytes(data, start, size, total, place, texts.name)
        try:
            lines = text.decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise DocumentFileError(
                f"{place} names an entry of {texts.name} that is not valid UTF-8: get both files "
                "again, from one source."
            ) from error
        _take_entry(listed, lines, pairs)
    if not pairs.found:
        raise DocumentFileError(
            f"{subject(texts.name)} gave no pair of words: check that it is a bilingual "
            "dictionary, or write the pairs as TSV."
        )
    return BilingualDictionary(tuple(pairs.found), _languages(base.name), str(texts.path))


def text_file(base: Path, beside: str) -> BoundedFile:
    """Return the file of the entries, packed or not."""
    packed, plain = base.with_name(base.name + ".dict.dz"), base.with_name(base.name + ".dict")
    if not packed.exists():
        if not plain.exists():
            raise DocumentFileError(
                f"There is neither '{packed.name}' nor '{plain.name}' beside {beside}: put the "
                "entries beside their index."
            )
        return BoundedFile(plain)
    file = BoundedFile(packed)
    if not file.starts_with(_GZIP_MAGIC):
        raise DocumentFileError(
            f"{subject(file.name)} is not packed with dictzip or gzip, though its name says so: "
            f"get it again, or name it '{plain.name}' if it is plain text."
        )
    return file


def entry_bytes(data: bytes, start: int, size: int, total: int, place: str, name: str) -> bytes:
    """Return an entry's bytes, or say that there are none or too many."""
    if start + size > len(data):
        raise DocumentFileError(
            f"{place} points to bytes {start} to {start + size}, beyond the end of {name} at "
            f"{len(data)}: get both files again, from one source."
        )
    if size > bounded.MAX_ENTRY_BYTES or total > bounded.MAX_ALL_ENTRIES_BYTES:
        raise DocumentFileError(
            f"{place} points to an entry of {size} bytes, {total} with all before it: no "
            "dictionary has such entries, get its files again."
        )
    return data[start : start + size]


def _index_entries(index: BoundedFile) -> Iterator[tuple[int, str, int, int]]:
    for number, line in index.lines():
        if number > bounded.MAX_ENTRIES:
            raise DocumentFileError(
                f"{subject(index.name)} lists more than {bounded.MAX_ENTRIES} entries: no "
                "dictionary has so many, check the file."
            )
        fields = line.rstrip("\r\n").split("\t")
        # A fourth field holds the word as it is written.
        if not 3 <= len(fields) <= 4:
            raise DocumentFileError(
                f"Line {number} of {index.name} does not hold a word, a position and a length, "
                "parted by tabs: check that it is the index of a dictd dictionary."
            )
        if fields[0].startswith(_ABOUT_ITSELF):
            continue
        start, size = (_number(digits, number, index.name) for digits in fields[1:3])
        yield number, fields[-1] if len(fields) == 4 else fields[0], start, size


def _number(digits: str, line: int, name: str) -> int:
    """Read a number written with 64 digits, the most significant first."""
    value = 0
    try:
        for digit in digits:
            value = value * 64 + _DIGITS[digit]
    except KeyError:
        digits = ""
    if not 0 < len(digits) <= _MAX_DIGITS:
        raise DocumentFileError(
            f"Line {line} of {name} holds a position or a length that is not base64: check that it "
            "is the index of a dictd dictionary."
        )
    return value


def _take_entry(listed: str, lines: list[str], pairs: Pairs) -> None:
    if not lines:
        return
    if is_head_line(lines[0], listed):
        word = entry_word(lines[0], listed)
        lines = lines[1:]
    else:
        word = entry_word(listed, listed)
    if word:
        for translation in translations(lines):
            pairs.add(word, translation)


def _languages(name: str) -> tuple[str, str] | None:
    match = _LANGUAGES.search(name)
    if match is None:
        return None
    codes = find_code(match[1]), find_code(match[2])
    if name.startswith("freedict-"):
        return codes[0] or match[1], codes[1] or match[2]
    if codes[0] is None or codes[1] is None:
        return None
    return codes[0], codes[1]
