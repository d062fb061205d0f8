"""Dictionaries of StarDict, made here."""

from __future__ import annotations

import gzip
import re
import struct

import pytest

from isthmus.text.dictionaries import bounded, read_dictionary

MAGIC = "StarDict's dict ifo file"


def write(folder, entries, *, version="2.4.2", kinds="m", bits=32, packed=False, magic=MAGIC):
    """Write a dictionary from (word, bytes or text of the entry); returns the .ifo."""
    data, index = b"", b""
    for word, text in entries:
        coded = text if isinstance(text, bytes) else text.encode("utf-8")
        place = struct.pack(">QI" if bits == 64 else ">II", len(data), len(coded))
        index += word.encode("utf-8") + b"\x00" + place
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
    about = folder / "a.ifo"
    about.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return about


def refused(path):
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
def test_every_version_gives_the_same_pairs(tmp_path, version, bits, packed):
    about = write(tmp_path, ENTRIES, version=version, bits=bits, packed=packed)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3
    for path in files:
        dictionary = read_dictionary(path)
        assert dictionary.pairs == PAIRS
        assert dictionary.languages is None
        assert dictionary.name == str(about)


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
def test_every_kind_of_text_is_read(tmp_path, kinds, entry):
    dictionary = read_dictionary(write(tmp_path, [("house", entry)], kinds=kinds))
    assert dictionary.pairs == (("house", "Haus"), ("house", "Bau"))


def test_entries_of_sounds_and_sentences_are_passed_over(tmp_path):
    sound = ("dog", b"W" + struct.pack(">I", 2) + b"ab")
    sentence = ("How are you?", b"mWie geht es?\x00")
    about = write(tmp_path, [sound, sentence, ("house", b"mHaus\x00")], kinds="")
    assert read_dictionary(about).pairs == (("house", "Haus"),)


@pytest.mark.parametrize(
    ("options", "essential"),
    [
        ({"magic": "StarDict's treedict ifo file"}, "does not begin with"),
        ({"version": "1.0"}, "version '1.0'"),
        ({"version": "3.0.0", "bits": 16}, "idxoffsetbits=16"),
    ],
)
def test_a_bad_ifo_is_told(tmp_path, options, essential):
    assert essential in refused(write(tmp_path, ENTRIES, **options))


@pytest.mark.parametrize(
    ("index", "essential"),
    [
        (b"house", "Entry 1 of"),
        (b"house\x00\x00\x00", "cut off"),
        (b"h" * 5000 + b"\x00" * 9, "too long"),
        (b"\xff\x00" + bytes(8), "not valid UTF-8"),
        (b"house\x00" + struct.pack(">II", 2**32 - 1, 4), "beyond the end"),
        (b"house\x00" + struct.pack(">II", 0, 2**32 - 1), "beyond the end"),
        (b"", "no pair of words"),
    ],
    ids=["no zero", "cut off", "long", "bytes", "position", "length", "empty"],
)
def test_a_bad_index_is_told(tmp_path, index, essential):
    about = write(tmp_path, ENTRIES)
    (tmp_path / "a.idx").write_bytes(index)
    assert essential in refused(about)


@pytest.mark.parametrize(
    ("kinds", "entry", "essential"),
    [
        ("m", b"\xff", "not valid UTF-8"),
        ("", b"W\x00\x00", "beyond its end"),
        ("Wm", struct.pack(">I", 99) + b"ab", "beyond its end"),
    ],
)
def test_a_bad_entry_is_told(tmp_path, kinds, entry, essential):
    message = refused(write(tmp_path, [("dog", entry)], kinds=kinds))
    assert essential in message
    assert "Entry 1 ('dog')" in message


def test_missing_and_damaged_files_are_told(tmp_path):
    about = write(tmp_path, ENTRIES, packed=True)
    text, index = tmp_path / "a.dict.dz", tmp_path / "a.idx.gz"
    good = text.read_bytes()
    text.write_bytes(good[:-9])
    assert "damaged or cut off" in refused(about)
    text.write_bytes(b"plain")
    assert "not packed with dictzip" in refused(about)
    text.unlink()
    assert "neither 'a.dict.dz' nor 'a.dict'" in refused(about)
    index.unlink()
    assert "neither 'a.idx' nor 'a.idx.gz'" in refused(about)
    index.write_bytes(b"")
    about.unlink()
    assert "no file or folder" in refused(index)


@pytest.mark.parametrize(
    ("limit", "value", "essential"),
    [
        ("MAX_UNPACKED_BYTES", 20, "unpacks to more than 20 bytes"),
        ("MAX_ENTRIES", 1, "more than 1 entries"),
        ("MAX_PAIRS", 1, "more than 1 pairs"),
        ("MAX_ENTRY_BYTES", 10, "an entry of"),
        ("MAX_ALL_ENTRIES_BYTES", 20, "with all before it"),
    ],
)
def test_limits_hold(tmp_path, monkeypatch, limit, value, essential):
    monkeypatch.setattr(bounded, limit, value)
    assert essential in refused(write(tmp_path, ENTRIES))
