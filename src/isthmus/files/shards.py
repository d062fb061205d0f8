"""Shards: documents of a file that another process reads by itself."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

from isthmus.files.pieces import Piece
from isthmus.files.rows import DocumentColumns, RowBlock

__all__ = ["Shard"]


@dataclass(frozen=True)
class Shard:
    """Some consecutive documents of a file; made by :meth:`DocumentFile.shards`.

    It is small and can be pickled. It may have no documents.
    """

    _piece: Piece
    _documents: DocumentColumns = field(repr=False)

    @property
    def path(self) -> Path:
        """The file or folder that is read."""
        return self._piece.path

    @property
    def n_bytes(self) -> int:
        """About the number of bytes to read: packed in gzip files, unpacked in Parquet files."""
        return self._piece.n_bytes

    def blocks(self) -> Generator[RowBlock]:
        """Read the documents in blocks; their numbers are counted from 1 within the shard.

        Raises
        ------
        DocumentFileError
            If a document cannot be read, as by :meth:`DocumentFile.blocks`, or if the file has
            changed since the shard was made.
        """
        return self._documents.blocks(self._piece.records())
