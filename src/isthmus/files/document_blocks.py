"""The documents of a file: texts and labels, made from the records of a table."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from isthmus.files.blocks import MISSING, Block, Shard
from isthmus.files.columns import ColumnRequest
from isthmus.files.errors import DocumentFileError

__all__ = [
    "DocumentBlock",
    "DocumentColumns",
    "DocumentShard",
    "LabelCache",
    "Row",
    "UnsuitableValue",
    "as_label",
]


# What is called a label may be a text that occurs once.
_CACHED_LABELS = 10_000
_CACHED_LENGTH = 100


class Row(NamedTuple):
    """One document of a file.

    Attributes
    ----------
    number : int
        Its number among the documents, counted from 1.
    place : str
        Its place in the file: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``; in a corpus of
        several files ``"line 7 of 'b.csv'"``.
    text : str
        The document.
    label : str or None
        Its label, if it has one.
    values : dict
        All columns as read: strings in CSV and TSV files, otherwise JSON or Parquet values.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from isthmus.files import open_documents
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "reviews.jsonl")
    ...     _ = path.write_text('{"id": 7, "text": "A gripping story.", "label": "good"}\\n')
    ...     with open_documents(path) as file:
    ...         (row,) = file.rows()
    >>> row.place, row.text, row.label, row.values["id"]
    ('line 1', 'A gripping story.', 'good', 7)
    """

    number: int
    place: str
    text: str
    label: str | None
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """Some consecutive documents of a file.

    Attributes
    ----------
    number : int
        The number of the first one among all documents, counted from 1.
    texts : list of str
        The documents.
    labels : list of str or None
        Their labels.
    records : Block
        All their columns as read.
    """

    number: int
    texts: list[str]
    labels: list[str | None]
    records: Block

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.texts)

    def take(self, indices: Sequence[int]) -> DocumentBlock:
        """Return some of the documents, without their numbers."""
        return DocumentBlock(
            self.number,
            [self.texts[i] for i in indices],
            [self.labels[i] for i in indices],
            self.records.take(indices),
        )

    def rows(self) -> Iterator[Row]:
        """Return the documents one by one."""
        values = count(self.number), self.records.places(), self.texts, self.labels
        return map(Row, *values, self.records.rows())


@dataclass(frozen=True)
class DocumentColumns:
    """The columns of the texts and labels; turns records into documents.

    Attributes
    ----------
    text_col : str
        The column of the texts.
    label_col : str or None
        The column of the labels, if there is one.
    name : str
        The file name used in messages.
    encoding : str or None
        The encoding of texts that are stored as bytes.
    request : ColumnRequest
        What the caller asked for; messages name its options.
    """

    text_col: str
    label_col: str | None
    name: str
    encoding: str | None
    request: ColumnRequest

    def blocks(self, blocks: Generator[Block]) -> Generator[DocumentBlock]:
        """Return the documents of all records, in blocks numbered from 1.

        Documents before one that cannot be read are yielded before the error is raised.
        """
        number = 1
        labels = LabelCache(self.encoding)
        with closing(blocks):
            for records in blocks:
                try:
                    block = self._block(number, records, labels)
                except UnsuitableValue:
                    yield from self._until_error(number, records, labels)
                    raise AssertionError("a value was unsuitable") from None
                yield block
                number += len(records)

    def _block(self, number: int, records: Block, labels: LabelCache) -> DocumentBlock:
        """Return records as documents; raise UnsuitableValue if one of them cannot be read."""
        return DocumentBlock(number, self._texts(records), self._labels(records, labels), records)

    def _texts(self, records: Block) -> list[str]:
        texts = records.column(self.text_col, MISSING)
        if set(map(type, texts)) == {str}:
            return texts
        if MISSING in texts:
            raise UnsuitableValue("nothing")
        return [as_text(text, self.encoding) for text in texts]

    def _labels(self, records: Block, labels: LabelCache) -> list[str | None]:
        if self.label_col is None:
            return [None] * len(records)
        return labels.of(records.column(self.label_col))

    def _until_error(
        self, number: int, records: Block, labels: LabelCache
    ) -> Generator[DocumentBlock]:
        """Yield the documents before the first one that cannot be read, and raise its error."""
        for i in range(len(records)):
            record = records.take([i])
            try:
                if MISSING in record.column(self.text_col, MISSING):
                    raise self._without_text(record)
                role, column = "text", self.text_col
                self._texts(record)
                role, column = "label", self.label_col or ""
                self._labels(record, labels)
            except UnsuitableValue as error:
                raise self._unsuitable(record, role, column, error) from None
            yield self._block(number + i, record, labels)

    def _without_text(self, record: Block) -> DocumentFileError:
        keys = ", ".join(f"'{key}'" for key in record.names()) or "nothing"
        return DocumentFileError(
            f"{record.where(0, self.name)} has no key '{self.text_col}' for the text, it has "
            f"{keys}: add it, or name another with {self.request.option('text')}."
        )

    def _unsuitable(
        self, record: Block, role: str, column: str, error: UnsuitableValue
    ) -> DocumentFileError:
        return DocumentFileError(
            f"{record.where(0, self.name)} contains {error} in '{column}', where the {role} is "
            f"expected: write it as text, or name another column with "
            f"{self.request.option(role)}."
        )


@dataclass(frozen=True)
class DocumentShard:
    """Some consecutive documents of a file; made by :meth:`DocumentFile.shards`.

    It is small and can be pickled. It may have no documents.
    """

    _shard: Shard
    _documents: DocumentColumns = field(repr=False)

    @property
    def path(self) -> Path:
        """The file or folder that is read."""
        return self._shard.path

    @property
    def n_bytes(self) -> int:
        """About the number of bytes to read: packed in gzip files, unpacked in Parquet files."""
        return self._shard.n_bytes

    def blocks(self) -> Generator[DocumentBlock]:
        """Read the documents in blocks; their numbers are counted from 1 within the shard.

        Raises
        ------
        DocumentFileError
            If a document cannot be read, as by :meth:`DocumentFile.blocks`, or if the file has
            changed since the shard was made.
        """
        return self._documents.blocks(self._shard.blocks())


class UnsuitableValue(Exception):  # noqa: N818 -- never reaches the caller
    """A value that is neither a text nor a label; the message says what it is."""


def as_text(value: Any, encoding: str | None = None) -> str:
    """Return a document: text unchanged, a number in digits, "" for a missing value."""
    if value is None or value != value:
        return ""
    return _as_string(value, encoding)


def as_label(value: Any, encoding: str | None = None) -> str | None:
    """Return a label without the blanks around it, or None if it is missing."""
    if value is None or value != value:
        return None
    return _as_string(value, encoding).strip() or None


class LabelCache:
    """Converts columns of labels; few distinct texts are many labels."""

    def __init__(self, encoding: str | None = None) -> None:
        self._encoding = encoding
        self._labels = _StrippedTexts()

    def of(self, values: list[Any]) -> list[str | None]:
        """Return the label of every value, see :func:`as_label`."""
        if set(map(type, values)) == {str}:
            return list(map(self._labels.__getitem__, values))
        return [as_label(value, self._encoding) for value in values]


class _StrippedTexts(dict[str, str | None]):
    """Maps short texts to their labels."""

    def __missing__(self, text: str) -> str | None:
        label = text.strip() or None
        if len(self) < _CACHED_LABELS and len(text) < _CACHED_LENGTH:
            self[text] = label
        return label


def _as_string(value: Any, encoding: str | None) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        raise UnsuitableValue("a list")
    if isinstance(value, dict):
        raise UnsuitableValue("an object")
    if isinstance(value, bytes):
        # Some programs write texts as plain bytes.
        try:
            return value.decode(encoding or "utf-8")
        except UnicodeDecodeError as error:
            raise UnsuitableValue(f"bytes that are not {encoding or 'utf-8'}") from error
    return str(value)
