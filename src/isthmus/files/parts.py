"""A table of several files, read one after the other."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from isthmus.files.blocks import Block, FileName, Shard, Table
from isthmus.files.columns import listed
from isthmus.files.errors import DocumentFileError, NoDocumentsError, unreadable
from isthmus.files.source import JSON_SUFFIXES, PARQUET_SUFFIXES, TAB_SUFFIXES, suffix_of

__all__ = ["Parts", "base_folder", "files_of", "is_pattern", "part_files"]

TEXT_SUFFIXES = {".csv", *TAB_SUFFIXES, *JSON_SUFFIXES}


@dataclass(frozen=True)
class _ShardOfPart:
    """A shard of one of several files."""

    file: FileName
    shard: Shard

    @property
    def path(self) -> Path:
        """The file."""
        return self.shard.path

    @property
    def n_bytes(self) -> int:
        """About the number of bytes to read."""
        return self.shard.n_bytes

    def blocks(self) -> Generator[Block]:
        """Read the records; every call starts from the beginning."""
        return _of_file(self.shard.blocks(), self.file)


@dataclass(frozen=True)
class _Part:
    file: FileName
    table: Table
    size: int


class Parts(Table):
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
        Returns the table of a file.
    """

    def __init__(
        self, path: Path, files: Sequence[Path], open_part: Callable[[Path], Table]
    ) -> None:
        self.name = f"'{path}'"
        self._parts: list[_Part] = []
        self._n_bytes_before = 0
        self._current: _Part | None = None
        folder = base_folder(path) if is_pattern(path) else path
        no_documents: NoDocumentsError | None = None
        for file in files:
            try:
                table = open_part(file)
            except NoDocumentsError as error:
                no_documents = no_documents or error
                continue
            # Many parts are not kept open.
            table.close()
            name = FileName(table.name, str(file.relative_to(folder)))
            self._parts.append(_Part(name, table, file.stat().st_size))
            _check_alike(self._parts[0].table, table)
        if not self._parts:
            assert no_documents is not None
            raise no_documents
        self.format = self._parts[0].table.format
        columns = chain.from_iterable(part.table.columns for part in self._parts)
        self.columns = tuple(dict.fromkeys(columns))

    @property
    def n_bytes(self) -> int:
        """The size of all parts on the disk."""
        return sum(part.size for part in self._parts)

    def check_columns(self, *columns: str | None) -> None:
        """Raise DocumentFileError if a part lacks a column that all of them must have."""
        for part in self._parts:
            for column in columns:
                if column is not None and column not in part.table.columns:
                    raise DocumentFileError(
                        f"There is no column '{column}' in {part.table.name}, a part of "
                        f"{self.name}, it has {listed(part.table.columns)}: add it, or name "
                        "the parts to read with a pattern."
                    )

    def blocks(self) -> Generator[Block]:
        """Read the records of all parts; every call starts from the beginning."""
        self._n_bytes_before = 0
        try:
            for part in self._parts:
                self._current = part
                yield from _of_file(part.table.blocks(), part.file)
                self._n_bytes_before += part.size
        finally:
            self._current = None

    def shards(self, max_bytes: int) -> Iterator[Shard]:
        """Return the shards of all parts."""
        for part in self._parts:
            for shard in part.table.shards(max_bytes) or ():
                yield _ShardOfPart(part.file, shard)

    def fraction_read(self) -> float | None:
        """Return how much of all parts the current pass has read, None before and after it."""
        n_bytes = self.n_bytes
        if self._current is None or not n_bytes:
            return None
        fraction = self._current.table.fraction_read() or 0.0
        return (self._n_bytes_before + fraction * self._current.size) / n_bytes

    def close(self) -> None:
        """Close the parts, even if a pass has not reached their end."""
        for part in self._parts:
            part.table.close()


def _of_file(blocks: Generator[Block], file: FileName) -> Generator[Block]:
    with closing(blocks):
        for block in blocks:
            yield block.of_file(file)


def _check_alike(first: Table, other: Table) -> None:
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


def is_pattern(path: Path) -> bool:
    """Return whether a path is a pattern such as ``data/part-*.csv``, and not a file's name."""
    return glob.has_magic(str(path)) and not os.path.lexists(path)


def base_folder(pattern: Path) -> Path:
    """Return the folder of a pattern, up to the first part of it that may vary."""
    parts = pattern.parts
    n_fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return Path(*parts[:n_fixed])


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path stands for: its parts, or the path itself.

    Raises
    ------
    DocumentFileError
        If it is a pattern that no file matches, or a folder that cannot be read.
    """
    path = Path(path)
    parts = part_files(path)
    return [path] if parts is None else parts


def part_files(path: Path) -> list[Path] | None:
    """Return the parts of a corpus in sorted order; None if the path is a single file or folder.

    The parts are the regular files that match a pattern, or the files of a folder if all of them
    are tables. Names in a folder that begin with a dot or an underscore do not count. A folder with
    sub-folders has no parts.
    """
    if is_pattern(path):
        parts = _matching_files(path)
        if not parts:
            raise DocumentFileError(
                f"No file matches the pattern '{path}': check the name and the folder."
            )
        return parts
    return _tables_in(path) if path.is_dir() else None


def _matching_files(pattern: Path) -> list[Path]:
    try:
        names = set(glob.glob(str(pattern), recursive=True))
    except ValueError:  # not a valid name
        return []
    return [Path(name) for name in sorted(names) if os.path.isfile(name)]


def _tables_in(folder: Path) -> list[Path] | None:
    parts: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                # The check of links is that of folders of text files.
                if entry.is_dir() or (entry.is_symlink() and not _leads_inside(entry, folder)):
                    return None
                if entry.name.startswith("_") or not entry.is_file():
                    continue
                if not _is_table(Path(entry.name)):
                    return None
                parts.append(folder / entry.name)
    except OSError as error:
        raise unreadable(f"'{folder}'", error) from error
    return sorted(parts) or None


def _leads_inside(entry: os.DirEntry[str], folder: Path) -> bool:
    return Path(os.path.realpath(entry.path)).parent == Path(os.path.realpath(folder))


def _is_table(path: Path) -> bool:
    suffix = suffix_of(path)
    return suffix in TEXT_SUFFIXES or (suffix in PARQUET_SUFFIXES and path.suffix.lower() != ".gz")
