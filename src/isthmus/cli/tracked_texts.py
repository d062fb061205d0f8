"""The texts of an input file while a model is fitted: they are counted, and progress is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from isthmus.cli.command import raise_if_interrupted

if TYPE_CHECKING:
    from isthmus.cli.input_checks import InputChecks
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.progress import Progress
    from isthmus.files.shards import Shard
    from isthmus.transfer.file_shards import ShardFacts

__all__ = ["TrackedTexts"]


class TrackedTexts:
    """The texts of a file, which this process or several others can read.

    The file is described and checked as soon as it has been read.
    """

    def __init__(self, file: InputFile, progress: Progress, checks: InputChecks) -> None:
        self._file, self._progress, self._checks = file, progress, checks
        self._title = f"Counting words of {file.path}: document"
        self._bytes_read = 0

    def __iter__(self) -> Iterator[str]:
        """Read the texts in this process."""
        yield from self._progress.track(
            self._file.texts(), self._title, self._file.file.fraction_read
        )
        self._checks.after_reading(self._file)

    @property
    def n_bytes(self) -> int:
        """The size of the file; 0 if other processes cannot read it."""
        return self._file.file.n_bytes

    def shards(self, max_bytes: int) -> Iterator[Shard] | None:
        """Cut the file into pieces that several processes can read; None if that is impossible."""
        self._progress.begin("Counting words in parallel")
        return self._file.shards(max_bytes)

    def add_shard(self, facts: ShardFacts) -> None:
        """Take note of the next piece, which has been read."""
        raise_if_interrupted()
        self._file.add_shard(facts)
        self._bytes_read += facts.n_bytes
        self._progress.show_fraction(
            f"{self._title} {self._file.n_documents:,}", self._bytes_read / max(1, self.n_bytes)
        )

    def end(self) -> None:
        """Describe and check the file, after all pieces have been read."""
        self._checks.after_reading(self._file)

    def read_again(self) -> Iterator[str]:
        """Read the texts in this process."""
        return self._file.file.texts()
