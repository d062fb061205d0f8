"""Size limits for dictionary files, which may be damaged or malicious."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from isthmus.files.decoding import encoding_of, lines_of
from isthmus.files.errors import NAME_ENCODING, DocumentFileError, subject, unreadable
from isthmus.files.source import FileSource

__all__ = ["LimitedFile", "PairCollector", "with_dictionary_wording"]

# Larger than any known dictionary (those of FreeDict decompress to 100 MB at most), and small
# enough for the memory.
MAX_UNPACKED_BYTES = 512 * 1024**2
MAX_PAIRS = 5_000_000
MAX_ENTRIES = 5_000_000
# Entries may overlap, so their total size has a limit of its own.
MAX_ENTRY_BYTES = 256 * 1024
MAX_ALL_ENTRIES_BYTES = 1024**3
MAX_WORD_CHARACTERS = 1_000

# Parts of error messages of isthmus.files that do not apply to dictionaries, and replacements.
_REPLACEMENTS = (
    (f"{NAME_ENCODING}, often latin-1 or cp1252", "save it as UTF-8"),
    (NAME_ENCODING, "save it as UTF-8"),
    ('{"text": "...", "label": "..."}', '{"en": "book", "de": "Buch"}'),
    ("name one that holds documents", "name one that holds pairs of words"),
)
_Read = TypeVar("_Read")


class LimitedFile(FileSource):
    """A regular file whose decompressed size is limited."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            raise unreadable(self.name, error) from error
        except ValueError as error:
            raise DocumentFileError(
                f"{str(path)!r} is not a valid file name: use another path."
            ) from error
        if not stat.S_ISREG(mode):
            raise DocumentFileError(
                f"{self.name} is not a regular file: name the file of a dictionary, or one of its "
                "files if it has several."
            )

    def chunks(self) -> Generator[bytes]:
        """Yield the decompressed content; raise an error beyond the limit."""
        total = 0
        with closing(super().chunks()) as chunks:
            for chunk in chunks:
                total += len(chunk)
                if total > MAX_UNPACKED_BYTES:
                    raise DocumentFileError(
                        f"{subject(self.name)} decompresses to more than {MAX_UNPACKED_BYTES} "
                        "bytes, which is too large for a dictionary: check the file."
                    )
                yield chunk

    def whole(self) -> bytes:
        """Return the whole decompressed content."""
        return b"".join(self.chunks())

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of every line that is not blank."""
        encoding = encoding_of(self.head(), None)
        with closing(self.chunks()) as chunks:
            for number, line in enumerate(lines_of(chunks, encoding, self.name), 1):
                if not line.isspace():
                    yield number, line


class PairCollector:
    """Distinct pairs of words read from a file, limited in number."""

    def __init__(self, name: str) -> None:
        self.pairs: dict[tuple[str, str], None] = {}
        self._name = name

    def add(self, word: str, translation: str) -> None:
        """Add a pair; raise an error if there are too many."""
        self.pairs[word, translation] = None
        if len(self.pairs) > MAX_PAIRS:
            raise DocumentFileError(
                f"{subject(self._name)} contains more than {MAX_PAIRS} pairs: use a part of it."
            )

    def add_checked(self, word: str, translation: str, place: str) -> None:
        """Add a pair; raise an error if a word is too long."""
        if max(len(word), len(translation)) > MAX_WORD_CHARACTERS:
            raise DocumentFileError(
                f"{place[0].upper()}{place[1:]} of {self._name} contains a word of more than "
                f"{MAX_WORD_CHARACTERS} characters: check that the file is a dictionary."
            )
        self.add(word, translation)


def with_dictionary_wording(read: Callable[[], _Read]) -> _Read:
    """Run a reader; error messages about documents are reworded for dictionaries."""
    try:
        return read()
    except DocumentFileError as error:
        message = str(error)
        for old, new in _REPLACEMENTS:
            message = message.replace(old, new)
        raise DocumentFileError(message) from error
