"""Reader for StarDict dictionaries (``.ifo``, ``.idx``, ``.dict``), versions 2.4.2 and 3.0.0."""

from __future__ import annotations

import html
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from isthmus.files.errors import DocumentFileError, subject
from isthmus.text.dictionaries import size_limits
from isthmus.text.dictionaries.bilingual_dictionary import BilingualDictionary
from isthmus.text.dictionaries.dictd import entry_bytes, text_file
from isthmus.text.dictionaries.entry_parser import entry_word, translations
from isthmus.text.dictionaries.size_limits import LimitedFile, PairCollector

__all__ = ["MAGIC", "read_stardict", "strip_tags"]

MAGIC = "StarDict's dict ifo file"
_VERSIONS = ("2.4.2", "3.0.0")
# Types of text fields by preference; the phonetic "t" is used only if there is no other.
_TEXT_KINDS = "mghxlwt"
_TAGGED = "ghx"
# Definitions may be long; translations are at their beginning.
_MAX_LINES = 20
# Possessive quantifiers ("*+") avoid backtracking on malicious texts.
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*+)[^<>]*+>")
_LINE_BREAKS = frozenset(
    ["br", "p", "div", "li", "dt", "dd", "td", "def", "ar", "dtrn", "blockquote"]
)
# Content that is not a translation: dictionaries use italics for grammar and remarks, and XDXF has
# tags for the headword, pronunciation, grammar, examples, remarks and references.
_DROPPED = frozenset(["i", "em", "small", "sup", "sub", "script", "style"])
_DROPPED_XDXF = _DROPPED | {"k", "tr", "ex", "co", "abr", "gr", "pos", "c", "kref", "rref", "iref"}


def read_stardict(base: Path) -> BilingualDictionary:
    """Read ``base.ifo``, ``base.idx`` or ``base.idx.gz``, ``base.dict`` or ``base.dict.dz``."""
    info_file = LimitedFile(base.with_name(base.name + ".ifo"))
    info = _read_info(info_file)
    index = _index_file(base, info_file.name)
    texts = text_file(base, info_file.name)
    data = texts.whole()
    kinds = info.get("sametypesequence", "")
    pairs = PairCollector(texts.name)
    total = 0
    for number, (word, start, size) in enumerate(_index_entries(index, info), 1):
        place = f"Entry {number} ({word!r:.60}) of {index.name}"
        total += size
        fields = _fields(entry_bytes(data, start, size, total, place, texts.name), kinds, place)
        _add_entry(word, fields, pairs)
    if not pairs.pairs:
        raise DocumentFileError(
            f"{subject(texts.name)} contains no pairs of words: check that it is a bilingual "
            "dictionary, or write the pairs as TSV."
        )
    return BilingualDictionary(tuple(pairs.pairs), None, str(info_file.path))


def _read_info(info_file: LimitedFile) -> dict[str, str]:
    lines = [line.strip() for _, line in info_file.lines()]
    if not lines or lines[0] != MAGIC:
        raise DocumentFileError(
            f'{subject(info_file.name)} does not begin with the line "{MAGIC}": check that it is '
            "a StarDict file."
        )
    info = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    if info.get("version") not in _VERSIONS:
        raise DocumentFileError(
            f"{subject(info_file.name)} has version {info.get('version', 'unknown')!r:.20} instead "
            f"of {' or '.join(_VERSIONS)}: convert it."
        )
    if info.get("idxoffsetbits", "32") not in ("32", "64"):
        raise DocumentFileError(
            f"{subject(info_file.name)} has idxoffsetbits={info['idxoffsetbits']:.20}, which is "
            "neither 32 nor 64: convert the dictionary."
        )
    return info


def _index_file(base: Path, info_name: str) -> LimitedFile:
    for ending in (".idx", ".idx.gz"):
        path = base.with_name(base.name + ending)
        if path.exists():
            return LimitedFile(path)
    raise DocumentFileError(
        f"Neither '{base.name}.idx' nor '{base.name}.idx.gz' is in the folder of {info_name}: put "
        "the index into the same folder."
    )


def _index_entries(index: LimitedFile, info: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    """Yield word, position and length: the word ends with a zero, the numbers are big-endian."""
    # Version 2.4.2 always has 32 bits.
    wide = info.get("idxoffsetbits") == "64" and info["version"] == "3.0.0"
    numbers = struct.Struct(">QI" if wide else ">II")
    data = index.whole()
    position = count = 0
    while position < len(data):
        count += 1
        end = data.find(b"\x00", position, position + size_limits.MAX_WORD_CHARACTERS)
        if end < 0 or end + 1 + numbers.size > len(data):
            raise DocumentFileError(
                f"Entry {count} of {index.name}, at byte {position}, is truncated or too long: "
                "download the files of the dictionary again."
            )
        if count > size_limits.MAX_ENTRIES:
            raise DocumentFileError(
                f"{subject(index.name)} lists more than {size_limits.MAX_ENTRIES} entries, which "
                "is too many for a dictionary: check the file."
            )
        start, size = numbers.unpack_from(data, end + 1)
        yield _decoded(data[position:end], f"Entry {count} of {index.name}"), start, size
        position = end + 1 + numbers.size


def _fields(entry: bytes, kinds: str, place: str) -> dict[str, str]:
    """Return the texts of an entry by type.

    If the file has one list of types for all entries, the last field has neither a length nor a
    terminator.
    """
    fields: dict[str, str] = {}
    position = kind_number = 0
    while position < len(entry) and (not kinds or kind_number < len(kinds)):
        if kinds:
            kind = kinds[kind_number]
            kind_number += 1
        else:
            kind = chr(entry[position])
            position += 1
        if kinds and kind_number == len(kinds):
            end = following = len(entry)
        elif kind.isupper():
            if position + 4 > len(entry):
                raise _truncated_entry(place)
            (size,) = struct.unpack_from(">I", entry, position)
            position += 4
            end = following = position + size
        else:
            end = entry.find(b"\x00", position)
            end = len(entry) if end < 0 else end
            following = end + 1
        if end > len(entry):
            raise _truncated_entry(place)
        if kind in _TEXT_KINDS and kind not in fields:
            fields[kind] = _decoded(entry[position:end].rstrip(b"\x00"), place)
        position = following
    return fields


def _truncated_entry(place: str) -> DocumentFileError:
    return DocumentFileError(
        f"{place} has a field beyond its end: download the files of the dictionary again."
    )


def _decoded(text: bytes, place: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentFileError(
            f"{place} is not valid UTF-8: download the files of the dictionary again, or convert "
            "them."
        ) from error


def _add_entry(headword: str, fields: dict[str, str], pairs: PairCollector) -> None:
    kind = next((kind for kind in _TEXT_KINDS if kind in fields), None)
    word = entry_word(headword, headword)
    if kind is None or not word:
        return
    text = fields[kind]
    if kind in _TAGGED:
        lines = [line.strip() for line in strip_tags(text, xdxf=kind == "x").split("\n")]
    else:
        lines = text.split("\n")
    lines = [line for line in lines if line.strip()][:_MAX_LINES]
    # Some dictionaries repeat the word with its pronunciation in the first line.
    if len(lines) > 1 and entry_word(lines[0], headword).lower() == word.lower():
        lines = lines[1:]
    for translation in translations(lines):
        pairs.add(word, translation)


def strip_tags(text: str, xdxf: bool = False) -> str:
    """Return the text without tags, in lines; unmatched tags are tolerated."""
    dropped = _DROPPED_XDXF if xdxf else _DROPPED
    parts: list[str] = []
    dropping = ""
    depth = 0
    position = 0
    for tag in _TAG.finditer(text):
        closing, name = tag[1] == "/", tag[2].lower()
        if not dropping:
            parts.append(text[position : tag.start()])
            parts.append("\n" if name in _LINE_BREAKS else "")
        position = tag.end()
        if tag[0].endswith("/>"):
            continue
        if name == dropping:
            depth += -1 if closing else 1
            dropping = dropping if depth else ""
        elif not dropping and not closing and name in dropped:
            dropping, depth = name, 1
    if not dropping:
        parts.append(text[position:])
    return html.unescape("".join(parts))
