"""Reader for dictd dictionaries, with generated files and installed ones of FreeDict."""

from __future__ import annotations

import gzip
import re
import unicodedata
from pathlib import Path

import pytest

from isthmus.text.dictionaries import read_dictionary, size_limits
from isthmus.text.dictionaries.entry_parser import (
    _without_marks,
    _without_remarks,
    entry_word,
    translations,
)
from isthmus.text.dictionaries.stardict import strip_tags

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FREEDICT = Path("/usr/share/dictd")
MILLION = 1_000_000


def number(value):
    digits = DIGITS[value % 64]
    while value := value // 64:
        digits = DIGITS[value % 64] + digits
    return digits


def write(folder, entries, base="freedict-eng-deu", packed=True):
    """Write both files from pairs (headword, text of the entry); return the path of the index."""
    data, lines = b"", []
    for headword, text in entries:
        coded = text.encode("utf-8")
        lines.append(f"{headword}\t{number(len(data))}\t{number(len(coded))}\n")
        data += coded
    if packed:
        (folder / f"{base}.dict.dz").write_bytes(gzip.compress(data, mtime=0))
    else:
        (folder / f"{base}.dict").write_bytes(data)
    index = folder / f"{base}.index"
    index.write_text("".join(lines), encoding="utf-8")
    return index


def pairs(folder, *entries):
    return read_dictionary(write(folder, [("cat", "cat\nKatze\n"), *entries])).pairs[1:]


HOUSE = ("house", "house /haʊs/ <n>\nHaus <neut>, Gebäude <neut>\n")


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("named", ["index", "text"])
def test_either_file_can_be_named(tmp_path, packed, named):
    metadata = ("00databaseinfo", "English-German\nabout, itself\n")
    index = write(tmp_path, [("00-database-utf8", "\n"), metadata, HOUSE], packed=packed)
    text = tmp_path / ("freedict-eng-deu.dict.dz" if packed else "freedict-eng-deu.dict")
    dictionary = read_dictionary(index if named == "index" else text)
    assert dictionary.pairs == (("house", "Haus"), ("house", "Gebäude"))
    assert dictionary.languages == ("en", "de")
    assert dictionary.name == str(text)


@pytest.mark.parametrize(
    ("base", "languages"),
    [
        ("freedict-deu-eng", ("de", "en")),
        ("freedict-kha-deu", ("kha", "de")),
        ("en-fr", ("en", "fr")),
        ("my.words", None),
        ("well-known", None),
    ],
)
def test_languages_from_the_file_name(tmp_path, base, languages):
    assert read_dictionary(write(tmp_path, [HOUSE], base)).languages == languages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. saler\n2. sel, gros sel; sodium\n", ["saler", "sel", "gros sel", "sodium"]),
        (" [Am.] apartment <n> [Br.] , flat <n>\n", ["apartment", "flat"]),
        ("A\n         Note: remark\nB\n   Synonyms: {x}, {y}\n\n see: {z}\n", ["A", "B"]),
        ('A\n      "an example, short"  - ein Beispiel\n', ["A"]),
        ("   A, B\n   C\n     deeper\n", ["A", "B", "C"]),
        ("(male) nurse, ash (tree, wood)\n", ["nurse", "ash"]),
        ("etw. essen, jdn./etw. tragen, pay sb. back, sb.'s right\n",
         ["essen", "tragen", "pay back", "right"]),
        ("teller machine <n>ATM,  /atm/ , cash point <n>\n", ["teller machine", "cash point"]),
        ("cost of ownershipTCO,  /te/\n", ["cost of ownership"]),
        ("fast as canf.a.c.,  /fac/, quickly\n", ["quickly"]),
        ("hohe/späte Rute, Kreislauf…, water-, 2 + 2 = 4, also: x, B\n", ["B"]),
        ("Das ist ein Satz., Was ist das?, Gotcha!, ¿qué?\n", ["Gotcha", "qué"]),
        ("one two three four five six seven, one two three four five six\n",
         ["one two three four five six"]),
        ("chou\u2010fleur, „Haus“\n", ["chou-fleur", "Haus"]),
        (unicodedata.normalize("NFD", "Tür\n"), ["Tür"]),
        ("50.000 km-Service, A, A\n", ["50.000 km-Service", "A"]),
        ("(), -, …\n", []),
        ("", []),
    ],
)  # fmt: skip
def test_translations_are_clean_words(tmp_path, text, expected):
    read_pairs = pairs(tmp_path, ("word", f"word /wəd/ <n>\n{text}"))
    assert read_pairs == tuple(("word", translation) for translation in expected)


@pytest.mark.parametrize(
    ("headword", "line", "word"),
    [
        ("black forest", "Black Forest /blæk/", "Black Forest"),
        ("cam and roller", "cam-and-roller", "cam-and-roller"),
        ("take sbsth", "take sb./sth. /take/", "take"),
        ("shrink", "shrink /ʃrink/ (shrank /ʃrank/ <>, shrunk /ʃrunk/ <>) <v>", "shrink"),
        ("banded dwarf angel", "banded (dwarf) angel /x/", "banded angel"),
        ("color", "colour, color /kʌlə/", "color"),
        ("house", "Haus\nBau", "house"),
        ("alight onupon", "alight on/upon /x/", None),
        ("it is late", "It is late. /x/", None),
        ("well then", "well, then /x/", None),
        ("", "… /x/", None),
    ],
)
def test_the_word_is_in_the_first_line(tmp_path, headword, line, word):
    read_pairs = pairs(tmp_path, (headword, f"{line}\nTür\n"))
    assert {first for first, _ in read_pairs} == ({word} if word else set())


def test_a_fourth_field_is_the_original_spelling(tmp_path):
    index = write(tmp_path, [("house", "Haus\n")], packed=False)
    index.write_text(index.read_text().strip() + "\tHouse\n")
    assert read_dictionary(index).pairs == (("House", "Haus"),)


def read_error(path):
    with pytest.raises(ValueError, match=re.escape(path.stem.split(".")[0])) as caught:
        read_dictionary(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize(
    ("line", "key_words"),
    [
        ("house\tA", ["Line 2", "position and a length"]),
        ("house\tA\tB\tc\td", ["Line 2", "position and a length"]),
        ("house\tA*\tB", ["Line 2", "base 64"]),
        ("house\t\tB", ["Line 2", "base 64"]),
        ("house\tA\t" + "A" * 12, ["Line 2", "base 64"]),
        ("house\tzzzz\tB", ["Line 2", "has only"]),
        ("house\tA\tzzzz", ["Line 2", "has only"]),
        ("h\udcffuse\tA\tB", ["Line 2", "not valid utf-8", "save it as UTF-8"]),
    ],
)
def test_invalid_index(tmp_path, line, key_words):
    index = write(tmp_path, [HOUSE])
    with open(index, "ab") as stream:
        stream.write(line.encode("utf-8", "surrogateescape"))
    message = read_error(index)
    for words in key_words:
        assert words in message


def test_invalid_entries(tmp_path):
    index = write(tmp_path, [HOUSE])
    packed = tmp_path / "freedict-eng-deu.dict.dz"
    good = packed.read_bytes()
    packed.write_bytes(good[:-10])
    assert "damaged or cut off" in read_error(index)
    packed.write_bytes(good[:10] + bytes(20) + good[30:])
    assert "damaged or cut off" in read_error(index)
    packed.write_bytes(gzip.decompress(good))
    assert "not compressed with dictzip" in read_error(packed)
    packed.write_bytes(gzip.compress(b"\xff" * 200, mtime=0))
    assert "Line 1" in (message := read_error(index))
    assert "not valid UTF-8" in message
    packed.unlink()
    assert "Neither 'freedict-eng-deu.dict.dz' nor" in read_error(index)


def test_entries_without_an_index(tmp_path):
    path = tmp_path / "a.dict"
    path.write_text("house\nHaus\n", encoding="utf-8")
    assert "Neither 'a.index' nor 'a.ifo'" in read_error(path)


def test_dictionary_without_translations(tmp_path):
    assert "no pairs of words" in read_error(
        write(tmp_path, [("it is", "It is late, is it.\n…\n")])
    )


@pytest.mark.parametrize(
    ("limit", "value", "key_words"),
    [
        ("MAX_UNPACKED_BYTES", 60, "more than 60 bytes"),
        ("MAX_ENTRIES", 1, "more than 1 entries"),
        ("MAX_PAIRS", 1, "more than 1 pairs"),
        ("MAX_ENTRY_BYTES", 10, "an entry of"),
        ("MAX_ALL_ENTRIES_BYTES", 70, "with all entries before it"),
    ],
)
def test_size_limits(tmp_path, monkeypatch, limit, value, key_words):
    monkeypatch.setattr(size_limits, limit, value)
    assert key_words in read_error(write(tmp_path, [HOUSE, HOUSE]))


@pytest.mark.parametrize(
    "line",
    ["foo" + " " * MILLION + "x", "aA" * MILLION + "! /x/", "<a" * MILLION, "(" * MILLION + "a/"],
    ids=["spaces", "capitals", "brackets", "parentheses"],
)
def test_regular_expressions_do_not_backtrack(line):
    """With backtracking, the time would be quadratic: hours for lines of this length."""
    _without_remarks(line)
    _without_marks(line + "\x01")
    strip_tags("<" + line)
    translations([line, line[:1999]] * 10)
    entry_word(line[:1999], "foo")


# Installed dictionaries of FreeDict.

KNOWN = {
    "eng-deu": {"house": "Haus", "book": "Buch", "water": "Wasser", "green": "grün"},
    "deu-eng": {"Haus": "house", "Buch": "book", "Wasser": "water", "gut": "good"},
    "eng-fra": {"house": "maison", "book": "livre", "winter": "hiver", "cat": "chat"},
    "fra-eng": {"maison": "house", "livre": "book", "abeille": "bee", "chat": "cat"},
    "eng-spa": {"house": "casa", "book": "libro", "silver": "plata", "five": "cinco"},
}


@pytest.mark.parametrize("languages", KNOWN)
def test_freedict(languages):
    index = FREEDICT / f"freedict-{languages}.index"
    if not index.exists():
        pytest.skip(f"{index} is not here: install the Debian package dict-freedict-{languages}")
    dictionary = read_dictionary(index)
    read_pairs = set(dictionary.pairs)
    for pair in KNOWN[languages].items():
        assert pair in read_pairs
    assert dictionary.languages is not None
    headwords = {line.partition("\t")[0] for line in index.read_text(encoding="utf-8").splitlines()}
    # The index has words in lower case without punctuation; many long entries are sentences.
    words = {"".join(filter(str.isalnum, word.lower())) for word, _ in read_pairs}
    simple = {word for word in headwords if word.isalpha()}
    assert len(simple & words) > 0.9 * len(simple)
    assert not any(set("/<>[]{}()…") & set(word + translation) for word, translation in read_pairs)
