"""What a reader of one format offers."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Protocol

from isthmus.files.pieces import Piece
from isthmus.files.records import Records

__all__ = ["Reader"]


class Reader(Protocol):
    """The reader of one format."""

    @property
    def name(self) -> str:
        """The file name used in messages."""

    @property
    def format(self) -> str:
        """The name of the format."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in order."""

    def records(self) -> Generator[Records]:
        """Read the records in blocks; every call starts from the beginning.

        Records before one that cannot be read are yielded before the error is raised, and no block
        waits for more of a pipe than it needs.
        """

    def pieces(self, max_bytes: int) -> Iterator[Piece] | None:
        """Return pieces of about ``max_bytes`` in order; None if they cannot be read alone.

        The blocks of all pieces have the records of :meth:`records`.
        """
