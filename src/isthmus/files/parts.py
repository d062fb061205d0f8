"""A corpus of several files, read one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from isthmus.files.columns import listed
from isthmus.files.errors import DocumentFileError, NoDocumentsError
from isthmus.files.part_names import base_folder, is_pattern
from isthmus.files.pieces import Piece
from isthmus.files.reader import Reader
from isthmus.files.records import Part, Records
from isthmus.files.source import Opened

__all__ = ["Parts"]


OpenPart = Callable[[Path], tuple[Reader, Opened | None]]


@dataclass(frozen=True)
class PartPiece:
    """A piece of a part."""

    part: Part
    piece: Piece

    @property
    def path(self) -> Path:
        """The file."""
        return self.piece.path

    @property
    def n_bytes(self) -> int:
        """About the number of bytes to read."""
        return self.piece.n_bytes

    def records(self) -> Generator[Records]:
        """Read the records in blocks; every call starts from the beginning."""
        yield from _in_part(self.piece.records(), self.part)


@dataclass(frozen=True)
class _OpenedPart:
    part: Part
    reader: Reader
    source: Opened | None
    size: int


class Parts:
    """The files of a folder or of a pattern, as one table.

    All parts are inspected at once, so that a part that does not fit is found before any of them
    is read. Parts without documents are left out, unless all of them are.

    Parameters
    ----------
    path : pathlib.Path
        The folder or pattern.
    files : sequence of pathlib.Path
        The parts in order.
    open_part : callable
        Returns the reader of a file, and what it reads.
    """

    def __init__(self, path: Path, files: Sequence[Path], open_part: OpenPart) -> None:
        self.name = f"'{path}'"
        self._parts: list[_OpenedPart] = []
        self._n_bytes_before = 0
        self._current: _OpenedPart | None = None
        folder = base_folder(path) if is_pattern(path) else path
        no_documents: NoDocumentsError | None = None
        for file in files:
            try:
                reader, source = open_part(file)
            except NoDocumentsError as error:
                no_documents = no_documents or error
                continue
            # Many parts are not kept open.
            if source is not None:
                source.close()
            part = Part(reader.name, str(file.relative_to(folder)))
            self._parts.append(_OpenedPart(part, reader, source, file.stat().st_size))
            _check_alike(self._parts[0].reader, reader)
        if not self._parts:
            assert no_documents is not None
            raise no_documents
        self.format = self._parts[0].reader.format
        columns = chain.from_iterable(opened.reader.columns for opened in self._parts)
        self.columns = tuple(dict.fromkeys(columns))
        self._n_bytes = sum(opened.size for opened in self._parts)

    def check_columns(self, *columns: str | None) -> None:
        """Raise DocumentFileError if a part lacks a column that all of them must have."""
        for opened in self._parts:
            for column in columns:
                if column is not None and column not in opened.reader.columns:
                    raise DocumentFileError(
                        f"There is no column '{column}' in {opened.reader.name}, a part of "
                        f"{self.name}, it has {listed(opened.reader.columns)}: add it, or name "
                        "the parts to read with a pattern."
                    )

    def records(self) -> Generator[Records]:
        """Read the records of all parts; every call starts from the beginning."""
        self._n_bytes_before = 0
        try:
            for opened in self._parts:
                self._current = opened
                yield from _in_part(opened.reader.records(), opened.part)
                self._n_bytes_before += opened.size
        finally:
            self._current = None

    def pieces(self, max_bytes: int) -> Iterator[Piece]:
        """Return the pieces of all parts."""
        for opened in self._parts:
            for piece in opened.reader.pieces(max_bytes) or ():
                yield PartPiece(opened.part, piece)

    @property
    def n_bytes(self) -> int:
        """The size of all parts on the disk."""
        return self._n_bytes

    def settle(self) -> None:
        """Do nothing: the parts are not open."""

    def fraction_read(self) -> float | None:
        """Return how much of all parts the current pass has read, None before and after it."""
        if self._current is None or not self._n_bytes:
            return None
        source = self._current.source
        fraction = 0.0 if source is None else source.fraction_read() or 0.0
        return (self._n_bytes_before + fraction * self._current.size) / self._n_bytes

    def close(self) -> None:
        """Close the parts, even if a pass has not reached their end."""
        for opened in self._parts:
            if opened.source is not None:
                opened.source.close()


def _in_part(blocks: Generator[Records], part: Part) -> Generator[Records]:
    with closing(blocks):
        for records in blocks:
            yield records.in_part(part)


def _check_alike(first: Reader, other: Reader) -> None:
    """Raise DocumentFileError if a part has another format or other columns than the first."""
    if first.format != other.format:
        raise DocumentFileError(
            f"The parts {first.name} ({first.format}) and {other.name} ({other.format}) have "
            "different formats: name those of one format with a pattern such as '*.csv'."
        )
    if first.format != "jsonl" and set(first.columns) != set(other.columns):
        raise DocumentFileError(
            f"The part {other.name} has {listed(other.columns)}, while {first.name} has "
            f"{listed(first.columns)}: give all parts the same columns."
        )
