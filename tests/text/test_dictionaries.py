"""BilingualDictionary, and its readers for TSV, CSV and JSON Lines."""

from __future__ import annotations

import csv
import gzip
import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isthmus.text.dictionaries import (
    BilingualDictionary,
    as_dictionary,
    read_dictionary,
    size_limits,
)


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return read_dictionary(path)


def read_error(tmp_path, name, content):
    with pytest.raises(ValueError, match=re.escape(str(tmp_path / name))) as caught:
        read(tmp_path, name, content)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


# In memory.


def test_pairs_are_clean_unique_and_in_order():
    decomposed = unicodedata.normalize("NFD", "Tür")
    dictionary = BilingualDictionary((("door", decomposed), (" Door ", "Tor"), ("door", "Tür")))
    assert dictionary.pairs == (("door", "Tür"), ("Door", "Tor"))
    assert len(dictionary) == 2


def test_from_mapping_takes_one_translation_or_several():
    dictionary = BilingualDictionary.from_mapping(
        {"book": ["Buch", "Band"], "cat": "Katze"}, languages=("en", "de"), name="mine"
    )
    assert dictionary.pairs == (("book", "Buch"), ("book", "Band"), ("cat", "Katze"))
    assert (dictionary.languages, dictionary.name) == (("en", "de"), "mine")


def test_reversed_turns_pairs_and_languages():
    dictionary = BilingualDictionary((("book", "Buch"),), ("en", "de"), "mine")
    assert dictionary.reversed() == BilingualDictionary((("Buch", "book"),), ("de", "en"), "mine")
    assert BilingualDictionary((("a", "b"),)).reversed().languages is None


@pytest.mark.parametrize(
    ("mapping", "key_words"),
    [
        ({"book": 3}, "'book' in the dictionary is 3"),
        ({"book": ["Buch", None]}, "('book', None)"),
        ({3: "drei"}, "(3, 'drei')"),
        ({"book": " "}, "empty"),
        ({"": "Buch"}, "empty"),
    ],
)
def test_invalid_words(mapping, key_words):
    with pytest.raises(ValueError, match=re.escape(key_words)):
        BilingualDictionary.from_mapping(mapping)


@pytest.mark.parametrize("pairs", [("ab",), (("a", "b", "c"),), (3,)], ids=["text", "3", "number"])
def test_invalid_pairs(pairs):
    with pytest.raises(ValueError, match="not a pair"):
        BilingualDictionary(pairs)


# Values of other types.


def test_as_dictionary_accepts_several_types(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("book\tBuch\n", encoding="utf-8")
    expected = (("book", "Buch"),)
    dictionary = BilingualDictionary(expected)
    assert as_dictionary(dictionary) is dictionary
    assert as_dictionary([dictionary]) is dictionary
    for value in ({"book": "Buch"}, path, str(path), [{"book": "Buch"}, path]):
        assert as_dictionary(value).pairs == expected


def test_a_list_is_merged_in_the_direction_of_the_first():
    forward = BilingualDictionary((("book", "Buch"),), ("en", "de"))
    backward = BilingualDictionary((("Katze", "cat"), ("Buch", "book")), ("de", "en"))
    merged = as_dictionary([{"dog": "Hund"}, forward, backward])
    assert merged.pairs == (("dog", "Hund"), ("book", "Buch"), ("cat", "Katze"))
    assert merged.languages == ("en", "de")


def test_dictionaries_of_different_languages_are_not_merged():
    german = BilingualDictionary((("book", "Buch"),), ("en", "de"), "one")
    french = BilingualDictionary((("book", "livre"),), ("en", "fr"), "two")
    with pytest.raises(ValueError, match=r"one \(en and de\) and two \(en and fr\)"):
        as_dictionary([german, french])


@pytest.mark.parametrize("value", [None, 3, [3], [["a.tsv"]], b"a.tsv"], ids=str)
def test_values_of_other_types_are_rejected(value):
    with pytest.raises(ValueError, match="not a dictionary"):
        as_dictionary(value)


def test_empty_list_and_empty_path():
    with pytest.raises(ValueError, match="list of dictionaries is empty"):
        as_dictionary([])
    with pytest.raises(ValueError, match="path of the dictionary is empty"):
        as_dictionary("")


# Tables.


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "book\tBuch\nbook\tBand\n\n \ncat\tKatze\n"),
        ("a.tsv", "\ufeffbook\tBuch\tBand\r\ncat\tKatze\t\r\n"),
        ("a.tsv.gz", gzip.compress(b"book\tBuch\tBand\ncat\tKatze", mtime=0)),
        ("a.csv", "book,Buch\nbook,Band\ncat,Katze\n"),
        ("a.csv", 'book;"Buch";Band\n"cat" ; Katze\n'.replace(" ", "")),
        ("a.txt", "book Buch\nbook Band\ncat\tKatze\n"),
        ("a.txt", "book\tBuch\nbook\tBand\ncat\tKatze\n"),
        ("a.txt", "book|Buch|Band\ncat|Katze\n"),
        ("a.csv", "book,Buch\nbook,Band\ncat,Katze\n".encode("utf-16")),
        ("a.jsonl", '{"word": "book", "translation": ["Buch", "Band"]}\n'
         '{"word": "cat", "translation": "Katze"}\n'),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a.") else "",
)  # fmt: skip
def test_all_table_formats_give_the_same_pairs(tmp_path, name, content):
    dictionary = read(tmp_path, name, content)
    assert dictionary.pairs == (("book", "Buch"), ("book", "Band"), ("cat", "Katze"))
    assert dictionary.languages is None
    assert dictionary.name == str(tmp_path / name)


@pytest.mark.parametrize(
    ("header", "languages"),
    [
        ("en\tde", ("en", "de")),
        ("English\tGerman", ("en", "de")),
        ("EN\tjp", ("en", "ja")),
        ("ja\tzh", ("ja", "zh")),
        ("th\teng", ("th", "en")),
        ("source\ttarget", None),
        ("Word\tTranslation", None),
    ],
)
def test_a_header_names_the_languages_or_is_skipped(tmp_path, header, languages):
    dictionary = read(tmp_path, "a.tsv", f"{header}\nbook\tBuch\n")
    assert dictionary.pairs == (("book", "Buch"),)
    assert dictionary.languages == languages


@pytest.mark.parametrize("row", ["hotel\thotel", "en\ten", "en\tBuch", "word\tWort"])
def test_a_first_row_that_is_no_header_is_a_pair(tmp_path, row):
    dictionary = read(tmp_path, "a.tsv", f"{row}\ncat\tKatze\n")
    assert dictionary.pairs[0] == tuple(row.split("\t"))
    assert dictionary.languages is None


def test_a_header_counts_only_in_the_first_row(tmp_path):
    assert ("en", "de") in read(tmp_path, "a.tsv", "book\tBuch\nen\tde\n").pairs


@pytest.mark.parametrize(
    ("name", "content", "key_words"),
    [
        ("a.tsv", "", ["is empty", "pairs of words"]),
        ("a.tsv", "en\tde\n", ["no pairs of words"]),
        ("a.tsv", "\n\n", ["no pairs of words"]),
        ("a.tsv", "book\tBuch\n\ncat\n", ["Line 3", "a tab"]),
        ("a.tsv", "book\tBuch\ncat\t \n", ["Line 2"]),
        ("a.tsv", "book\tBuch\n\tKatze\n", ["Line 2"]),
        ("a.csv", "book,Buch\ncat\n", ["Line 2", "a comma"]),
        ("a.txt", "book Buch\nthe black cat\n", ["Line 2", "a space"]),
        ("a.csv", 'book,Buch\n"cat,Katze\n', ["double quotes in line 2"]),
        ("a.tsv", b"book\tBuch\nT\xfcr\tdoor\n", ["Line 2", "not valid utf-8", "save it as UTF-8"]),
        ("a.tsv", "book\t" + "B" * 1001, ["Line 1", "more than 1000 characters"]),
        ("a.tsv", "book\tBuch\n" + "B\t" * 60_000, ["Line 2", "longer than"]),
        ("a.tsv.gz", gzip.compress(b"book\tBuch\n" * 99, mtime=0)[:-12], ["damaged or cut off"]),
        ("a.tsv", b"PK\x03\x04rest", ["zip archive"]),
        ("a.bin", b"\x00\x01", ["binary", "save it as UTF-8"]),
        ("a.txt", "StarDict's dict ifo file\nversion=2.4.2\n", ["StarDict", ".ifo"]),
        ("a.json", '[{"en": "book"}]', ["JSON array"]),
        ("a.jsonl", "\n", ["only blank lines", '{"en": "book", "de": "Buch"}']),
        ("a.jsonl", '{"en": "a", "de": "b"}\n["a"]', ["Line 2", "list", '{"en": "book",']),
        ("a.jsonl", '{"en": "book"', ["Line 1", "not valid JSON"]),
        ("a.jsonl", '{"en": "book"}', ["Line 1", "1 keys"]),
        ("a.jsonl", '{"en": "a", "de": "b", "fr": "c"}', ["Line 1", "3 keys"]),
        ("a.jsonl", '{"en": "a", "de": "b"}\n{"en": "a", "fr": "b"}', ["Line 2", "'en', 'fr'"]),
        ("a.jsonl", '{"en": "a", "de": "b"}\n{"en": "a", "de": 3}', ["Line 2", "3 in 'de'"]),
        ("a.jsonl", '{"en": "a", "de": [["b"]]}', ["Line 1", "in 'de'"]),
        ("a.jsonl", '{"en": "a", "de": null}', ["no pairs of words"]),
        ("a.jsonl", '{"en": "a", "de": "' + "b" * 1001 + '"}', ["Line 1", "1000 characters"]),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a.") else "",
)
def test_invalid_tables(tmp_path, name, content, key_words):
    message = read_error(tmp_path, name, content)
    for words in key_words:
        assert words in message


def test_missing_file_folder_and_invalid_name(tmp_path):
    for path in (tmp_path / "none.tsv", tmp_path):
        with pytest.raises(ValueError, match=re.escape(f"'{path}'")):
            read_dictionary(path)
    with pytest.raises(ValueError, match="not a valid file name"):
        read_dictionary("a\x00b")


def test_size_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(size_limits, "MAX_PAIRS", 2)
    assert "more than 2 pairs" in read_error(tmp_path, "a.tsv", "a\tb\nc\td\ne\tf\n")
    monkeypatch.setattr(size_limits, "MAX_UNPACKED_BYTES", 100_000)
    bomb = gzip.compress(b"\n" * 1_000_000, mtime=0)
    assert "more than 100000 bytes" in read_error(tmp_path, "a.tsv.gz", bomb)
    assert "more than 100000 bytes" in read_error(tmp_path, "a.jsonl.gz", bomb)


# JSON Lines.


def test_json_lines_name_the_languages(tmp_path):
    content = (
        '{"english": "book", "jp": ["\\u672c", null, " "]}\n\n{"jp": "\\u732b", "english": "cat"}'
    )
    dictionary = read(tmp_path, "a.jsonl", content)
    assert dictionary.pairs == (("book", "本"), ("cat", "猫"))
    assert dictionary.languages == ("en", "ja")


@pytest.mark.parametrize("keys", [("src", "tgt"), ("lemma", "gloss"), ("en", "tlh")])
def test_keys_that_are_not_languages(tmp_path, keys):
    dictionary = read(tmp_path, "a.jsonl", json.dumps(dict(zip(keys, "ab", strict=True))))
    assert dictionary.languages is None
    assert dictionary.pairs == (("a", "b"),)


def test_several_translations_in_a_cell(tmp_path):
    pairs = (("soup", "Suppe"), ("soup", "Zeug"), ("cat", "Katze"), ("puss", "Katze"))
    assert read(tmp_path, "a.tsv", "soup\tSuppe, Zeug\ncat; puss\tKatze\n").pairs == pairs
    lines = '{"en": "soup", "de": "Suppe; Zeug"}\n{"en": ["cat", "puss"], "de": "Katze,"}'
    assert read(tmp_path, "a.jsonl", lines).pairs == pairs
    assert read(tmp_path, "b.csv", 'soup,"Suppe, Zeug"\n').pairs == pairs[:2]


def test_a_list_of_pairs():
    assert as_dictionary([("book", "Buch"), ["cat", "Katze"]]).pairs == (
        ("book", "Buch"),
        ("cat", "Katze"),
    )


# Round trips.

SEPARATORS = (
    "\ufeff,;\u060c\u3001\uff0c\uff1b"  # and a byte order mark, which a file may begin with
)
words = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters=SEPARATORS),
    min_size=1,
    max_size=12,
).filter(lambda word: word == unicodedata.normalize("NFC", word).strip() != "")
some_pairs = st.lists(st.tuples(words, words), min_size=1, max_size=8, unique=True)


@given(pairs=some_pairs, name=st.sampled_from(["a.tsv", "a.csv", "a.csv.gz"]))
def test_tables_read_back_what_was_written(tmp_path_factory, pairs, name):
    path = tmp_path_factory.mktemp("tables") / name
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path, "wt", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t" if "tsv" in name else ",", quoting=csv.QUOTE_ALL)
        writer.writerows([["word", "translation"], *pairs])
    assert read_dictionary(path).pairs == tuple(pairs)


@given(pairs=some_pairs, escaped=st.booleans())
def test_json_lines_read_back_what_was_written(tmp_path_factory, pairs, escaped):
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    lines = [json.dumps({"en": a, "de": b}, ensure_ascii=escaped) for a, b in pairs]
    path.write_text("\n".join(lines), encoding="utf-8")
    dictionary = read_dictionary(path)
    assert dictionary.pairs == tuple(pairs)
    assert dictionary.languages == ("en", "de")
