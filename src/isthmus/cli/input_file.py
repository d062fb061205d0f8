"""A file of documents that is parsed once, while its words are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from isthmus.files import DocumentFile, DocumentShard
    from isthmus.files.blocks import Block
    from isthmus.files.document_blocks import DocumentBlock
    from isthmus.transfer.prediction import Prediction
    from isthmus.transfer.shards import ShardFacts

__all__ = ["InputFile", "LabeledRows", "UnlabeledRows"]

# Rows that go to the output are kept up to this size. A larger file is read again, which takes
# less time than counting its words; a pipe cannot be read again and is kept whatever its size.
_KEPT_BYTES = 64 * 1024**2
# What Python needs for a string or another value, besides its characters.
_VALUE_BYTES = 80
_HTML_SAMPLE = 20
_HTML_START = re.compile(r"\s*<(!doctype|html|head|body|div|p)\b", re.IGNORECASE)


class InputFile:
    """The documents of a file and what is known of them after :meth:`blocks` has read them.

    Parameters
    ----------
    file : DocumentFile
    copied_columns : collection of str, "all" or None
        The columns that :meth:`records` gives after the file was read; None if it is not called.

    Attributes
    ----------
    labels : list of str or None
        The labels of the documents read so far; some of their texts may not have been given yet.
    """

    #: Whether other processes can read pieces of the file.
    has_shards = True
    # Whether the texts are needed again after the file was read.
    _keeps_texts = False

    def __init__(
        self, file: DocumentFile, copied_columns: Collection[str] | str | None = None
    ) -> None:
        self.file = file
        self.labels: list[str | None] = []
        self._columns = dict.fromkeys(file.columns)
        self._copied_columns = copied_columns
        self._kept: list[tuple[list[str], Block]] | None = []
        self._kept_bytes = 0
        self._n_html_pages = 0
        self._row_numbers: list[int] | None = None  # all rows
        # The shards that other processes read, and how many documents each of them has.
        self._shards: list[DocumentShard] = []
        self._shard_sizes: list[int] = []
        self._shard_bytes = 0
        self._show: Callable[[int, float | None], None] = lambda n_documents, fraction: None
        self._when_read: Callable[[InputFile], None] = lambda file: None

    def observe(
        self,
        show: Callable[[int, float | None], None],
        when_read: Callable[[InputFile], None],
    ) -> None:
        """Tell how many documents were read and what part of the file, and when all were read."""
        self._show, self._when_read = show, when_read

    @property
    def path(self) -> Path:
        """The file."""
        return self.file.path

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns; in JSON Lines also those that only later objects have."""
        return tuple(self._columns)

    @property
    def columns_are_final(self) -> bool:
        """Whether the columns are known before the file was read."""
        return self.file.format != "jsonl"

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.labels)

    @property
    def n_labeled(self) -> int:
        """The number of documents with a label."""
        return sum(label is not None for label in self.labels)

    @property
    def class_counts(self) -> dict[str, int]:
        """The number of documents of every class, the largest class first."""
        counts = Counter(label for label in self.labels if label is not None)
        return dict(counts.most_common())

    @property
    def row_numbers(self) -> Sequence[int]:
        """The rows of the documents in the file, counted from 1."""
        if self._row_numbers is None:
            return range(1, self.n_documents + 1)
        return self._row_numbers

    @property
    def looks_like_html(self) -> bool:
        """Whether most of the first documents are HTML pages."""
        return self._n_html_pages > min(_HTML_SAMPLE, self.n_documents) / 2

    @property
    def n_bytes(self) -> int:
        """The size of the file."""
        return self.file.n_bytes

    def blocks(self) -> Iterator[list[str]]:
        """Parse the file, and record its labels, columns and rows to copy on the way."""
        self._show(0, None)
        for block in self.file.blocks():
            self._record(block)
            self._show(self.n_documents, self.file.fraction_read())
            yield block.texts

    def blocks_again(self) -> Iterator[list[str]]:
        """Read the texts in this process after others have read them."""
        return (block.texts for block in self.file.blocks())

    def end(self) -> None:
        """Take note that all documents have been read."""
        self._when_read(self)

    def shards(self, max_bytes: int) -> Iterator[DocumentShard] | None:
        """Cut the file into shards that several processes can read; None if that is impossible."""
        shards = self.file.shards(max_bytes) if self.has_shards else None
        return None if shards is None else self._kept_shards(shards)

    def _kept_shards(self, shards: Iterator[DocumentShard]) -> Iterator[DocumentShard]:
        self._show(0, None)
        for shard in shards:
            self._shards.append(shard)
            yield shard

    @property
    def was_read_in_shards(self) -> bool:
        """Whether other processes have read the file."""
        return bool(self._shard_sizes)

    def labeled_shards(
        self, prediction: Prediction
    ) -> Iterator[tuple[DocumentShard, Prediction, list[str | None]]]:
        """Yield the shards of the file again, with the predictions and labels of each.

        A shard raises an error when it is read, if the file has changed since.
        """
        stop = 0
        for shard, size in zip(self._shards, self._shard_sizes, strict=True):
            start, stop = stop, stop + size
            yield shard, prediction.part(start, stop), self.labels[start:stop]

    def add_shard(self, facts: ShardFacts) -> None:
        """Record the labels and columns of a shard that another process has read."""
        if not self._shard_sizes:
            self._look_for_html(list(islice(self.file.texts(), _HTML_SAMPLE)))
        self.labels += facts.labels
        self._shard_sizes.append(len(facts.labels))
        self._shard_bytes += facts.n_bytes
        self._columns.update(facts.columns)
        self._kept = None
        self._show(self.n_documents, self._shard_bytes / max(1, self.n_bytes))

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the values of every document by column, for the output."""
        for _, records in self._rows_to_copy():
            yield from records.rows()

    def _rows_to_copy(self) -> Iterator[tuple[list[str], Block]]:
        if self._kept is not None:
            yield from self._kept
            return
        n_rows = 0
        for block in self._read_again():
            n_left = self.n_documents - n_rows
            n_rows += len(block)
            if n_rows > self.n_documents:
                block = block.take(range(n_left))
            yield block.texts, block.records
            if n_rows > self.n_documents:
                break
        if n_rows != self.n_documents:
            raise ValueError(
                f"The file '{self.path}' changed while it was read, it had {self.n_documents} "
                "documents before: run the command again."
            )

    def _read_again(self) -> Iterator[DocumentBlock]:
        return self.file.blocks()

    def _record(self, block: DocumentBlock) -> None:
        if self.n_documents < _HTML_SAMPLE:
            self._look_for_html(block.texts[: _HTML_SAMPLE - self.n_documents])
        self.labels += block.labels
        if not self.columns_are_final:
            self._columns.update(dict.fromkeys(block.records.names()))
        if self._copied_columns is not None and self._kept is not None:
            self._keep(block)

    def _look_for_html(self, texts: list[str]) -> None:
        self._n_html_pages += sum(bool(_HTML_START.match(text[:1000])) for text in texts)

    def _keep(self, block: DocumentBlock) -> None:
        assert self._kept is not None
        records = block.records
        if self._copied_columns != "all":
            assert self._copied_columns is not None
            records = records.select(self._copied_columns)
        texts = block.texts if self._keeps_texts else []
        self._kept.append((texts, records))
        self._kept_bytes += _size(texts) + _size(records.cells())
        if self._kept_bytes > _KEPT_BYTES and self.file.can_be_read_again:
            self._kept = None


def _size(values: list[Any]) -> int:
    """Return about the number of bytes that some values need."""
    if set(map(type, values)) == {str}:
        n_characters = sum(map(len, values))
    else:
        n_characters = sum(len(value) for value in values if isinstance(value, str))
    return _VALUE_BYTES * len(values) + n_characters


class UnlabeledRows(InputFile):
    """The documents of a file that have no label; :class:`LabeledRows` reads them."""

    has_shards = False

    _keeps_texts = True

    def blocks(self) -> Iterator[list[str]]:
        """Return the texts, after the labeled documents were read."""
        return (texts for texts, _ in self._rows_to_copy())

    def _read_again(self) -> Iterator[DocumentBlock]:
        for block in self.file.blocks():
            _, unlabeled = _labeled_first(block)
            yield block.take(unlabeled)


class LabeledRows(InputFile):
    """The documents of a file that have a label.

    Attributes
    ----------
    unlabeled : UnlabeledRows
        The other documents of the file.
    """

    has_shards = False

    def __init__(self, file: DocumentFile, copied_columns: Collection[str] | str) -> None:
        super().__init__(file)
        self.unlabeled = UnlabeledRows(file, copied_columns)
        self._row_numbers, self.unlabeled._row_numbers = [], []

    def blocks(self) -> Iterator[list[str]]:
        """Parse the file, and give the documents without a label to ``unlabeled``."""
        self._show(0, None)
        for block in self.file.blocks():
            labeled, unlabeled = _labeled_first(block)
            for part, indices in ((self, labeled), (self.unlabeled, unlabeled)):
                assert part._row_numbers is not None
                part._row_numbers += [block.number + i for i in indices]
                part._record(block.take(indices))
            self._show(self.n_documents, self.file.fraction_read())
            yield [block.texts[i] for i in labeled]
        if not self.unlabeled.labels:
            raise ValueError(
                f"Every row of '{self.path}' has a label, so there is nothing to predict: name the "
                "file to label with --target."
            )


def _labeled_first(block: DocumentBlock) -> tuple[list[int], list[int]]:
    """Return the positions of the documents with a label, and of those without one."""
    labeled = [i for i, label in enumerate(block.labels) if label is not None]
    unlabeled = [i for i, label in enumerate(block.labels) if label is None]
    return labeled, unlabeled
