"""Read a bilingual dictionary whatever its format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isthmus.files.decoding import encoding_of, text_of_head
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.kinds import check_text, text_format
from isthmus.text.dictionaries.bounded import BoundedFile, in_own_words
from isthmus.text.dictionaries.dictd import read_dictd
from isthmus.text.dictionaries.model import BilingualDictionary, merge
from isthmus.text.dictionaries.stardict import MAGIC, read_stardict
from isthmus.text.dictionaries.tables import read_delimited, read_json_lines

__all__ = ["are_pairs", "as_dictionary", "read_dictionary"]

_STARDICT_ENDINGS = (".ifo", ".idx", ".idx.gz")
_DICTD_ENDING = ".index"
_TEXT_ENDINGS = (".dict", ".dict.dz")  # of both


def read_dictionary(path: str | os.PathLike[str]) -> BilingualDictionary:
    """Read a bilingual dictionary from a file.

    The format is recognised by the name, or else by the content: TSV or CSV with two columns,
    JSON Lines with two keys (all three may be packed with gzip), the dictd format of FreeDict
    (``.index`` beside ``.dict`` or ``.dict.dz``) and StarDict's (``.ifo``, ``.idx``, ``.dict``).
    Of a dictionary of several files name any.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    BilingualDictionary
        Its pairs.

    Raises
    ------
    ValueError
        If the file is not there, damaged, too large, or holds no pairs of words.
    """
    if not os.fspath(path):
        raise DocumentFileError("The name of the dictionary is empty: name a file.")
    return in_own_words(lambda: _read(Path(path)))


def as_dictionary(value: Any) -> BilingualDictionary:
    """Return a dictionary from what a caller may give for one.

    Parameters
    ----------
    value : BilingualDictionary, mapping, list of pairs, path, or list of these
        A mapping leads from a word to a translation or to several, a path to a file as for
        :func:`read_dictionary`. Those of a list are merged; one that is known to lead the other
        way than the first is reversed.

    Returns
    -------
    BilingualDictionary
        The dictionary.

    Raises
    ------
    ValueError
        If the value is none of these, or a file cannot be read.
    """
    if not isinstance(value, (list, tuple)) or are_pairs(value):
        return _one(value)
    if not value:
        raise ValueError("The list of dictionaries is empty: give one at least.")
    return merge([_one(item) for item in value])


def are_pairs(value: Any) -> bool:
    """Whether a list holds pairs of words, as in [("book", "Buch"), ...]."""
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(
            isinstance(pair, (list, tuple))
            and len(pair) == 2
            and all(isinstance(word, str) for word in pair)
            for pair in value
        )
    )


def _one(value: Any) -> BilingualDictionary:
    if isinstance(value, BilingualDictionary):
        return value
    if are_pairs(value):
        return BilingualDictionary(tuple((word, translation) for word, translation in value))
    if isinstance(value, Mapping):
        return BilingualDictionary.from_mapping(value)
    if isinstance(value, (str, os.PathLike)):
        return read_dictionary(value)
    raise ValueError(
        f"{value!r:.60} is no dictionary: give a BilingualDictionary, a mapping from words to "
        "translations, a list of pairs, the path of a file, or a list of these."
    )


def _read(path: Path) -> BilingualDictionary:
    source = BoundedFile(path)
    name = path.name
    if name.endswith(_DICTD_ENDING):
        return read_dictd(_without_ending(path, (_DICTD_ENDING,)))
    if name.endswith(_STARDICT_ENDINGS):
        return read_stardict(_without_ending(path, _STARDICT_ENDINGS))
    if name.endswith(_TEXT_ENDINGS):
        return _read_beside(path, source)
    return _read_table(source)


def _read_beside(path: Path, source: BoundedFile) -> BilingualDictionary:
    base = _without_ending(path, _TEXT_ENDINGS)
    if base.with_name(base.name + _DICTD_ENDING).exists():
        return read_dictd(base)
    if base.with_name(base.name + ".ifo").exists():
        return read_stardict(base)
    raise DocumentFileError(
        f"There is neither '{base.name}.index' nor '{base.name}.ifo' beside {source.name}: put the "
        "index of the dictionary beside its entries."
    )


def _read_table(source: BoundedFile) -> BilingualDictionary:
    head = source.head()
    if not head:
        raise DocumentFileError(
            f"{subject(source.name)} is empty: name one that holds pairs of words."
        )
    encoding = encoding_of(head, None)
    check_text(head, encoding, source.suffix, source.name)
    text = text_of_head(head, encoding)
    if text.startswith(MAGIC):
        raise DocumentFileError(
            f"{subject(source.name)} is StarDict's, but its name does not end with .ifo: give its "
            "files their usual names."
        )
    format = text_format(text, source.suffix, source.name)
    if format == "jsonl":
        return read_json_lines(source)
    return read_delimited(source, "\t" if format == "tsv" else None)


def _without_ending(path: Path, endings: tuple[str, ...]) -> Path:
    ending = next(ending for ending in sorted(endings, key=len)[::-1] if path.name.endswith(ending))
    return path.with_name(path.name.removesuffix(ending))
