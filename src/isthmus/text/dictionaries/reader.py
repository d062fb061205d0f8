"""Read a bilingual dictionary from a file of any supported format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isthmus.files.decoding import encoding_of, text_of_head
from isthmus.files.errors import DocumentFileError, subject
from isthmus.files.source import check_text, text_format
from isthmus.text.dictionaries.bilingual_dictionary import BilingualDictionary, merge
from isthmus.text.dictionaries.dictd import read_dictd
from isthmus.text.dictionaries.size_limits import LimitedFile, with_dictionary_wording
from isthmus.text.dictionaries.stardict import MAGIC, read_stardict
from isthmus.text.dictionaries.table_formats import read_delimited, read_json_lines

__all__ = ["are_pairs", "as_dictionary", "read_dictionary"]

_STARDICT_ENDINGS = (".ifo", ".idx", ".idx.gz")
_DICTD_ENDING = ".index"
_ENTRIES_ENDINGS = (".dict", ".dict.dz")  # used by both formats


def read_dictionary(path: str | os.PathLike[str]) -> BilingualDictionary:
    """Read a bilingual dictionary from a file.

    The format is detected by the name, or else by the content: TSV or CSV with two columns, JSON
    Lines with two keys (these may be compressed with gzip), the dictd format of FreeDict
    (``.index`` with ``.dict`` or ``.dict.dz``) and the StarDict format (``.ifo``, ``.idx``,
    ``.dict``). For a dictionary of several files, name any of them.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    BilingualDictionary
        The dictionary.

    Raises
    ------
    ValueError
        If the file is missing, damaged, too large, or contains no pairs of words.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from isthmus import read_dictionary
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "en_de.tsv")
    ...     _ = path.write_text("book\\tBuch\\nbook\\tBand\\n", encoding="utf-8")
    ...     read_dictionary(path).pairs
    (('book', 'Buch'), ('book', 'Band'))
    """
    if not os.fspath(path):
        raise DocumentFileError("The path of the dictionary is empty: name a file.")
    return with_dictionary_wording(lambda: _read(Path(path)))


def as_dictionary(value: Any) -> BilingualDictionary:
    """Return a dictionary from a value of any supported type.

    Parameters
    ----------
    value : BilingualDictionary, mapping, list of pairs, path, or list of these
        A mapping has one translation or several per word; a path is read with
        :func:`isthmus.read_dictionary`. The dictionaries of a list are merged; one in the opposite
        direction of the first is reversed.

    Returns
    -------
    BilingualDictionary
        The dictionary.

    Raises
    ------
    ValueError
        If the value has another type, or a file cannot be read.

    Examples
    --------
    >>> from isthmus.text.dictionaries import as_dictionary
    >>> as_dictionary([{"book": ["Buch", "Band"]}, [("cat", "Katze")]]).pairs
    (('book', 'Buch'), ('book', 'Band'), ('cat', 'Katze'))
    """
    if not isinstance(value, (list, tuple)) or are_pairs(value):
        return _as_single_dictionary(value)
    if not value:
        raise ValueError("The list of dictionaries is empty: pass at least one.")
    return merge([_as_single_dictionary(item) for item in value])


def are_pairs(value: Any) -> bool:
    """Whether a value is a list of pairs of words, as in [("book", "Buch"), ...]."""
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


def _as_single_dictionary(value: Any) -> BilingualDictionary:
    if isinstance(value, BilingualDictionary):
        return value
    if are_pairs(value):
        return BilingualDictionary(tuple((word, translation) for word, translation in value))
    if isinstance(value, Mapping):
        return BilingualDictionary.from_mapping(value)
    if isinstance(value, (str, os.PathLike)):
        return read_dictionary(value)
    raise ValueError(
        f"{value!r:.60} is not a dictionary: pass a BilingualDictionary, a mapping from words to "
        "translations, a list of pairs, the path of a file, or a list of these."
    )


def _read(path: Path) -> BilingualDictionary:
    source = LimitedFile(path)
    name = path.name
    if name.endswith(_DICTD_ENDING):
        return read_dictd(_without_ending(path, (_DICTD_ENDING,)))
    if name.endswith(_STARDICT_ENDINGS):
        return read_stardict(_without_ending(path, _STARDICT_ENDINGS))
    if name.endswith(_ENTRIES_ENDINGS):
        return _read_from_entries_file(path, source)
    return _read_table(source)


def _read_from_entries_file(path: Path, source: LimitedFile) -> BilingualDictionary:
    base = _without_ending(path, _ENTRIES_ENDINGS)
    if base.with_name(base.name + _DICTD_ENDING).exists():
        return read_dictd(base)
    if base.with_name(base.name + ".ifo").exists():
        return read_stardict(base)
    raise DocumentFileError(
        f"Neither '{base.name}.index' nor '{base.name}.ifo' is in the folder of {source.name}: put "
        "the index of the dictionary into the same folder."
    )


def _read_table(source: LimitedFile) -> BilingualDictionary:
    head = source.head()
    if not head:
        raise DocumentFileError(
            f"{subject(source.name)} is empty: name a file with pairs of words."
        )
    encoding = encoding_of(head, None)
    check_text(head, encoding, source.suffix, source.name)
    text = text_of_head(head, encoding)
    if text.startswith(MAGIC):
        raise DocumentFileError(
            f"{subject(source.name)} is a StarDict file, but its name does not end with .ifo: "
            "rename the files of the dictionary."
        )
    format = text_format(text, source.suffix, source.name)
    if format == "jsonl":
        return read_json_lines(source)
    return read_delimited(source, "\t" if format == "tsv" else None)


def _without_ending(path: Path, endings: tuple[str, ...]) -> Path:
    ending = next(ending for ending in sorted(endings, key=len)[::-1] if path.name.endswith(ending))
    return path.with_name(path.name.removesuffix(ending))
