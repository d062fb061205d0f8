"""A folder of text files; its sub-folders are the labels."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NoReturn

from isthmus.files import limits
from isthmus.files.blocks import Block, Table, TableBlock
from isthmus.files.decoding import decoded, encoding_of
from isthmus.files.errors import DocumentFileError, unreadable
from isthmus.files.json_lines import without_surrogates
from isthmus.files.source import FileSource, check_text

__all__ = ["Folder"]


@dataclass(frozen=True)
class _FolderShard:
    """Some of the files of a folder."""

    path: Path
    n_bytes: int
    folder: Folder
    files: tuple[tuple[str, ...], ...]

    def blocks(self) -> Generator[Block]:
        """Read the files in order; every call starts from the beginning."""
        return self.folder.read(self.files)


class Folder(Table):
    """Text files, one document each.

    The label of a file is the name of its sub-folder of the first level, however deep the file is;
    files directly in the folder have no label. Names that begin with a dot are ignored, and so is
    everything but regular files. A link is followed to a file in the same folder; one that leads
    elsewhere is an error, because it would read what the user did not name.
    """

    format = "folder"

    def __init__(self, path: Path, encoding: str | None) -> None:
        self.name = f"'{path}'"
        self._path = path
        self._encoding = encoding
        has_files = labeled = False
        for parts in self._files():
            has_files = True
            labeled = len(parts) > 1
            # Files of the folder itself come first.
            if labeled:
                break
        if not has_files:
            raise DocumentFileError(
                f"The folder {self.name} contains no files: name one with text files, in a "
                "sub-folder for every label if there are labels."
            )
        self.columns = ("file", "text", "label") if labeled else ("file", "text")

    def check_labeled(self) -> None:
        """Raise DocumentFileError if there are no sub-folders that give labels."""
        if "label" not in self.columns:
            raise DocumentFileError(
                f"The folder {self.name} has no sub-folders with files, and so no labels: put the "
                "files of every label into a sub-folder of that name."
            )

    def blocks(self) -> Generator[Block]:
        """Read the files in sorted order; every call starts from the beginning."""
        return self.read(self._files())

    def shards(self, max_bytes: int) -> Iterator[_FolderShard]:
        """Return lists of files of about ``max_bytes`` that can be read alone."""
        files: list[tuple[str, ...]] = []
        n_bytes = 0
        for parts in self._files():
            files.append(parts)
            n_bytes += self._path.joinpath(*parts).stat().st_size
            if n_bytes >= max_bytes:
                yield _FolderShard(self._path, n_bytes, self, tuple(files))
                files, n_bytes = [], 0
        if files:
            yield _FolderShard(self._path, n_bytes, self, tuple(files))

    def read(self, files: Iterable[tuple[str, ...]]) -> Generator[Block]:
        """Read some files, given by the folders on the way to them and their names."""
        for parts in files:
            file = without_surrogates("/".join(parts))
            row = [file, self._read(self._path.joinpath(*parts))]
            if "label" in self.columns:
                row.append(without_surrogates(parts[0]) if len(parts) > 1 else None)
            yield TableBlock("file", [file], self.columns, [row])

    def _files(self) -> Iterator[tuple[str, ...]]:
        """Walk through the folder: the files of a folder first, then its sub-folders."""
        for place, folders, files in os.walk(self._path, onerror=_raise):
            here = Path(place).relative_to(self._path).parts
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in folders:
                if os.path.islink(os.path.join(place, name)):
                    raise self._stray_link("/".join((*here, name)))
            for name in sorted(files):
                if not name.startswith(".") and self._is_document(place, here, name):
                    yield (*here, name)

    def _is_document(self, place: str, here: tuple[str, ...], name: str) -> bool:
        path = os.path.join(place, name)
        if os.path.islink(path) and not self._leads_inside(path):
            raise self._stray_link("/".join((*here, name)))
        try:
            return stat.S_ISREG(os.stat(path).st_mode)
        except OSError as error:
            raise unreadable(f"'{path}'", error) from error

    def _leads_inside(self, path: str) -> bool:
        folder = os.path.realpath(self._path)
        target = os.path.realpath(path)
        return os.path.commonpath([folder, target]) == folder and os.path.exists(target)

    def _stray_link(self, link: str) -> DocumentFileError:
        return DocumentFileError(
            f"The link '{without_surrogates(link)}' in the folder {self.name} leads to a folder, "
            "out of it, or nowhere: replace it by a copy, or remove it."
        )

    def _read(self, path: Path) -> str:
        source = FileSource(path)
        name = without_surrogates(source.name)
        pieces: list[str] = []
        size = 0
        with closing(source.chunks()) as chunks:
            head = next(chunks, b"")
            encoding = encoding_of(head, self._encoding)
            check_text(head, encoding, source.suffix, name)
            for piece in decoded(chain([head], chunks), encoding, name):
                pieces.append(piece)
                size += len(piece)
                if size > limits.MAX_CHARACTERS:
                    raise DocumentFileError(
                        f"The file {name} has more than {limits.MAX_CHARACTERS} characters: no "
                        "document is that long, remove it from the folder."
                    )
        return "".join(pieces)


def _raise(error: OSError) -> NoReturn:
    raise unreadable(f"'{error.filename}'", error) from error
