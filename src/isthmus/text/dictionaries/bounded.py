"""Files from others, read with suspicion."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from isthmus.files.decoding import encoding_of, lines_of
from isthmus.files.errors import NAME_ENCODING, DocumentFileError, subject
from isthmus.files.source import FileSource, unreadable

__all__ = ["BoundedFile", "Pairs", "in_own_words"]

# A thousand times a pocket dictionary, and still a file that fits into memory: the largest of
# FreeDict unpack to 100 MB.
MAX_UNPACKED_BYTES = 512 * 1024**2
MAX_PAIRS = 5_000_000
MAX_ENTRIES = 5_000_000
# Entries may lie upon each other, so their sum needs a limit of its own.
MAX_ENTRY_BYTES = 256 * 1024
MAX_ALL_ENTRIES_BYTES = 1024**3
MAX_WORD_CHARACTERS = 1_000

# Sentences of the room of files that name options which a dictionary does not have.
_OWN_WORDS = (
    (f"{NAME_ENCODING}, often latin-1 or cp1252", "save it as UTF-8"),
    (NAME_ENCODING, "save it as UTF-8"),
    ('{"text": "...", "label": "..."}', '{"en": "book", "de": "Buch"}'),
    ("name one that holds documents", "name one that holds pairs of words"),
)
_Read = TypeVar("_Read")


class BoundedFile(FileSource):
    """A regular file that unpacks to no more than the limit."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            raise unreadable(self.name, error) from error
        except ValueError as error:
            raise DocumentFileError(
                f"The name {str(path)!r} is no file's: name another."
            ) from error
        if not stat.S_ISREG(mode):
            raise DocumentFileError(
                f"{self.name} is no regular file: name a dictionary's file, or one of its files if "
                "it has several."
            )

    def chunks(self) -> Iterator[bytes]:
        """Read from the beginning, unpacked, as far as the limit allows."""
        total = 0
        for chunk in super().chunks():
            total += len(chunk)
            if total > MAX_UNPACKED_BYTES:
                raise DocumentFileError(
                    f"{subject(self.name)} unpacks to more than {MAX_UNPACKED_BYTES} bytes: no "
                    "dictionary is that large, check the file."
                )
            yield chunk

    def whole(self) -> bytes:
        """Return all bytes, unpacked."""
        return b"".join(self.chunks())

    def lines(self) -> Iterator[tuple[int, str]]:
        """Read the lines that are not blank, with their numbers."""
        encoding = encoding_of(self.head(), None)
        for number, line in enumerate(lines_of(self.chunks(), encoding, self.name), 1):
            if not line.isspace():
                yield number, line


class Pairs:
    """Pairs as they are read from a file, counted."""

    def __init__(self, name: str) -> None:
        self.found: dict[tuple[str, str], None] = {}
        self._name = name

    def add(self, word: str, translation: str) -> None:
        """Take a pair, unless there are too many."""
        self.found[word, translation] = None
        if len(self.found) > MAX_PAIRS:
            raise DocumentFileError(
                f"{subject(self._name)} holds more than {MAX_PAIRS} pairs: give a part of it."
            )

    def add_checked(self, word: str, translation: str, place: str) -> None:
        """Take a pair that stands in the file as it is, unless it is too long for a word."""
        if max(len(word), len(translation)) > MAX_WORD_CHARACTERS:
            raise DocumentFileError(
                f"{place[0].upper()}{place[1:]} of {self._name} holds a word of more than "
                f"{MAX_WORD_CHARACTERS} characters: a dictionary pairs words, check the file."
            )
        self.add(word, translation)


def in_own_words(read: Callable[[], _Read]) -> _Read:
    """Run a reader; what the room of files says about documents is said about dictionaries."""
    try:
        return read()
    except DocumentFileError as error:
        message = str(error)
        for theirs, ours in _OWN_WORDS:
            message = message.replace(theirs, ours)
        raise DocumentFileError(message) from error
