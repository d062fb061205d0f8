"""Reader for StarDict dictionaries, with generated files."""

from __future__ import annotations

import gzip
import re
import struct

import pytest

from isthmus.text.dictionaries import read_dictionary, size_limits

MAGIC = "StarDict's dict ifo file"


def write(folder, entries, *, version="2.4.2", kinds="m", bits=32, packed=False, magic=MAGIC):
    """Write a dictionary from pairs (word, content of the entry); return the path of the .ifo."""
    data, index = b"", b""
    for word, text in entries:
        coded = text if isinstance(text, bytes) else text.encode("utf-8")
        location = struct.pack(">QI" if bits == 64 else ">II", len(data), len(coded))
        index += word.encode("utf-8") + b"\x00" + location
        data += coded
    (folder / f"a.dict{'.dz' if packed else ''}").write_bytes(
        gzip.compress(data, mtime=0) if packed else data
    )
    (folder / f"a.idx{'.gz' if packed else ''}").write_bytes(
        gzip.compress(index, mtime=0) if packed else index
    )
    lines = [magic, f"version={version}", f"wordcount={len(entries)}", "bookname=Words"]
    lines += [f"sametypesequence={kinds}"] if kinds else []
    lines += [f"idxoffsetbits={bits}"] if bits != 32 else []
    info_file = folder / "a.ifo"
    info_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return info_file


def read_error(path):
    with pytest.raises(ValueError, match=re.escape(str(path.parent))) as caught:
        read_dictionary(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


ENTRIES = [("house", "Haus, Gebäude"), ("book", "1. Buch\n2. Band (of a series)")]
PAIRS = (("house", "Haus"), ("house", "Gebäude"), ("book", "Buch"), ("book", "Band"))


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("version", "bits"), [("2.4.2", 32), ("3.0.0", 32), ("3.0.0", 64)])
def test_all_versions_give_the_same_pairs(tmp_path, version, bits, packed):
    info_file = write(tmp_path, ENTRIES, version=version, bits=bits, packed=packed)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3
    for path in files:
        dictionary = read_dictionary(path)
        assert dictionary.pairs == PAIRS
        assert dictionary.languages is None
        assert dictionary.name == str(info_file)


@pytest.mark.parametrize(
    ("kinds", "entry"),
    [
        ("m", "Haus; Bau"),
        ("m", "house /haʊs/\nn. Haus; Bau\nsee: {home}"),
        ("t", "Haus, Bau"),
        ("tm", b"haus\x00Haus, Bau"),
        ("mt", b"Haus, Bau\x00haus"),
        ("Pm", struct.pack(">I", 3) + b"\x89PNHaus, Bau"),
        ("g", "<b>Haus</b>, <i>n.</i> Bau &lt;neut&gt;"),
        ("h", "<div><i>noun</i><ol><li>Haus</li><li>Bau</li></ol></div>"),
        ("h", "Haus<br/>Bau<script>alert, x</script>"),
        ("x", "<k>house</k>\n<tr>haus</tr>\n<dtrn>Haus</dtrn><dtrn>Bau</dtrn><ex>my house</ex>"),
        ("", b"mHaus, Bau\x00"),
        ("", b"mHaus, Bau"),
        ("", b"thaus\x00W" + struct.pack(">I", 2) + b"\x00\x00hHaus<br>Bau\x00"),
    ],
)
def test_all_types_of_fields(tmp_path, kinds, entry):
    dictionary = read_dictionary(write(tmp_path, [("house", entry)], kinds=kinds))
    assert dictionary.pairs == (("house", "Haus"), ("house", "Bau"))


def test_sounds_and_sentences_are_skipped(tmp_path):
    sound = ("dog", b"W" + struct.pack(">I", 2) + b"ab")
    sentence = ("How are you?", b"mWie geht es?\x00")
    info_file = write(tmp_path, [sound, sentence, ("house", b"mHaus\x00")], kinds="")
    assert read_dictionary(info_file).pairs == (("house", "Haus"),)


@pytest.mark.parametrize(
    ("options", "key_words"),
    [
        ({"magic": "StarDict's treedict ifo file"}, "does not begin with"),
        ({"version": "1.0"}, "version '1.0'"),
        ({"version": "3.0.0", "bits": 16}, "idxoffsetbits=16"),
    ],
)
def test_invalid_ifo(tmp_path, options, key_words):
    assert key_words in read_error(write(tmp_path, ENTRIES, **options))


@pytest.mark.parametrize(
    ("index", "key_words"),
    [
        (b"house", "Entry 1 of"),
        (b"house\x00\x00\x00", "truncated"),
        (b"h" * 5000 + b"\x00" * 9, "too long"),
        (b"\xff\x00" + bytes(8), "not valid UTF-8"),
        (b"house\x00" + struct.pack(">II", 2**32 - 1, 4), "has only"),
        (b"house\x00" + struct.pack(">II", 0, 2**32 - 1), "has only"),
        (b"", "no pairs of words"),
    ],
    ids=["no zero", "truncated", "long", "bytes", "position", "length", "empty"],
)
def test_invalid_index(tmp_path, index, key_words):
    info_file = write(tmp_path, ENTRIES)
    (tmp_path / "a.idx").write_bytes(index)
    assert key_words in read_error(info_file)


@pytest.mark.parametrize(
    ("kinds", "entry", "key_words"),
    [
        ("m", b"\xff", "not valid UTF-8"),
        ("", b"W\x00\x00", "beyond its end"),
        ("Wm", struct.pack(">I", 99) + b"ab", "beyond its end"),
    ],
)
def test_invalid_entry(tmp_path, kinds, entry, key_words):
    message = read_error(write(tmp_path, [("dog", entry)], kinds=kinds))
    assert key_words in message
    assert "Entry 1 ('dog')" in message


def test_missing_and_damaged_files(tmp_path):
    info_file = write(tmp_path, ENTRIES, packed=True)
    text, index = tmp_path / "a.dict.dz", tmp_path / "a.idx.gz"
    good = text.read_bytes()
    text.write_bytes(good[:-9])
    assert "damaged or cut off" in read_error(info_file)
    text.write_bytes(b"plain")
    assert "not compressed with dictzip" in read_error(info_file)
    text.unlink()
    assert "Neither 'a.dict.dz' nor 'a.dict'" in read_error(info_file)
    index.unlink()
    assert "Neither 'a.idx' nor 'a.idx.gz'" in read_error(info_file)
    index.write_bytes(b"")
    info_file.unlink()
    assert "no file or folder" in read_error(index)


@pytest.mark.parametrize(
    ("limit", "value", "key_words"),
    [
        ("MAX_UNPACKED_BYTES", 20, "more than 20 bytes"),
        ("MAX_ENTRIES", 1, "more than 1 entries"),
        ("MAX_PAIRS", 1, "more than 1 pairs"),
        ("MAX_ENTRY_BYTES", 10, "an entry of"),
        ("MAX_ALL_ENTRIES_BYTES", 20, "with all entries before it"),
    ],
)
def test_size_limits(tmp_path, monkeypatch, limit, value, key_words):
    monkeypatch.setattr(size_limits, limit, value)
    assert key_words in read_error(write(tmp_path, ENTRIES))
