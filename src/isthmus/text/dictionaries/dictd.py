"""Reader for dictionaries of the dictd server, the format of FreeDict and Debian."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from isthmus.files.errors import DocumentFileError, subject
from isthmus.text.dictionaries import size_limits
from isthmus.text.dictionaries.bilingual_dictionary import BilingualDictionary
from isthmus.text.dictionaries.entry_parser import entry_word, is_head_line, translations
from isthmus.text.dictionaries.language_codes import find_code
from isthmus.text.dictionaries.size_limits import LimitedFile, PairCollector

__all__ = ["entry_bytes", "read_dictd", "text_file"]

_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
# Digits of a number of 64 bits.
_MAX_DIGITS = 11
_METADATA = ("00-database", "00database")
_LANGUAGES = re.compile(r"(?:^|[-_.])([a-z]{2,3})-([a-z]{2,3})$")
_GZIP_MAGIC = b"\x1f\x8b"


def read_dictd(base: Path) -> BilingualDictionary:
    """Read the files ``base.index`` and ``base.dict`` or ``base.dict.dz``."""
    index = LimitedFile(base.with_name(base.name + ".index"))
    texts = text_file(base, index.name)
    data = texts.whole()
    pairs = PairCollector(texts.name)
    total = 0
    for number, headword, start, size in _index_entries(index):
        place = f"Line {number} of {index.name}"
        total += size
        text = entry_bytes(data, start, size, total, place, texts.name)
        try:
            lines = text.decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            raise DocumentFileError(
                f"{place} refers to an entry of {texts.name} that is not valid UTF-8: download "
                "both files again from one source."
            ) from error
        _add_entry(headword, lines, pairs)
    if not pairs.pairs:
        raise DocumentFileError(
            f"{subject(texts.name)} contains no pairs of words: check that it is a bilingual "
            "dictionary, or write the pairs as TSV."
        )
    return BilingualDictionary(tuple(pairs.pairs), _languages(base.name), str(texts.path))


def text_file(base: Path, index_name: str) -> LimitedFile:
    """Return the file of the entries, compressed or not."""
    packed, plain = base.with_name(base.name + ".dict.dz"), base.with_name(base.name + ".dict")
    if not packed.exists():
        if not plain.exists():
            raise DocumentFileError(
                f"Neither '{packed.name}' nor '{plain.name}' is in the folder of {index_name}: put "
                "the file of the entries into the same folder."
            )
        return LimitedFile(plain)
    file = LimitedFile(packed)
    if not file.starts_with(_GZIP_MAGIC):
        raise DocumentFileError(
            f"{subject(file.name)} is not compressed with dictzip or gzip: download it again, or "
            f"rename it to '{plain.name}' if it is plain text."
        )
    return file


def entry_bytes(data: bytes, start: int, size: int, total: int, place: str, name: str) -> bytes:
    """Return the bytes of an entry; raise an error if its position or size is invalid."""
    if start + size > len(data):
        raise DocumentFileError(
            f"{place} refers to bytes {start} to {start + size}, but {name} has only {len(data)} "
            "bytes: download both files again from one source."
        )
    if size > size_limits.MAX_ENTRY_BYTES or total > size_limits.MAX_ALL_ENTRIES_BYTES:
        raise DocumentFileError(
            f"{place} refers to an entry of {size} bytes, {total} with all entries before it, "
            "which is too large for a dictionary: download its files again."
        )
    return data[start : start + size]


def _index_entries(index: LimitedFile) -> Iterator[tuple[int, str, int, int]]:
    for number, line in index.lines():
        if number > size_limits.MAX_ENTRIES:
            raise DocumentFileError(
                f"{subject(index.name)} lists more than {size_limits.MAX_ENTRIES} entries, which "
                "is too many for a dictionary: check the file."
            )
        fields = line.rstrip("\r\n").split("\t")
        # A fourth field contains the original spelling.
        if not 3 <= len(fields) <= 4:
            raise DocumentFileError(
                f"Line {number} of {index.name} does not contain a word, a position and a length, "
                "separated by tabs: check that it is the index of a dictd dictionary."
            )
        if fields[0].startswith(_METADATA):
            continue
        start, size = (_number(digits, number, index.name) for digits in fields[1:3])
        yield number, fields[-1] if len(fields) == 4 else fields[0], start, size


def _number(digits: str, line: int, name: str) -> int:
    """Parse a number in base 64, the most significant digit first."""
    value = 0
    try:
        for digit in digits:
            value = value * 64 + _DIGITS[digit]
    except KeyError:
        digits = ""
    if not 0 < len(digits) <= _MAX_DIGITS:
        raise DocumentFileError(
            f"Line {line} of {name} contains a position or a length that is not in base 64: check "
            "that it is the index of a dictd dictionary."
        )
    return value


def _add_entry(headword: str, lines: list[str], pairs: PairCollector) -> None:
    if not lines:
        return
    if is_head_line(lines[0], headword):
        word = entry_word(lines[0], headword)
        lines = lines[1:]
    else:
        word = entry_word(headword, headword)
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
