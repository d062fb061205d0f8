"""Open a file of documents in any supported format."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Self

from isthmus.files import limits
from isthmus.files.columns import ColumnRequest, choose_columns
from isthmus.files.errors import DocumentFileError
from isthmus.files.folder import Folder
from isthmus.files.readers import Reader, find_reader
from isthmus.files.records import MISSING, Records
from isthmus.files.source import ByteSource, PipeSource
from isthmus.files.values import LabelCache, UnsuitableValue, as_text

__all__ = ["DocumentFile", "Row", "RowBlock", "open_documents"]


class Row(NamedTuple):
    """One document of a file.

    Attributes
    ----------
    number : int
        Its number among the documents, counted from 1.
    place : str
        Its place in the file: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``.
    text : str
        The document.
    label : str or None
        Its label, if it has one.
    values : dict
        All columns as read: strings in CSV and TSV files, otherwise JSON or Parquet values.
    """

    number: int
    place: str
    text: str
    label: str | None
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some consecutive documents of a file.

    Attributes
    ----------
    number : int
        The number of the first one among all documents, counted from 1.
    texts : list of str
        The documents.
    labels : list of str or None
        Their labels.
    records : Records
        All their columns as read.
    """

    number: int
    texts: list[str]
    labels: list[str | None]
    records: Records

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.texts)

    def take(self, indices: Sequence[int]) -> RowBlock:
        """Return some of the documents, without their numbers."""
        return RowBlock(
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
class DocumentFile:
    """A file of documents whose columns are known; made by :func:`open_documents`.

    The file stays open until it is read: use it in a ``with`` statement, or close it, if it may
    not be read to its end.

    Attributes
    ----------
    path : pathlib.Path
        The file or folder; ``-`` is standard input.
    format : {"csv", "tsv", "jsonl", "parquet", "folder"}
        The format; a file separated by tabs is ``"tsv"`` whatever its name.
    columns : tuple of str
        All columns in order. In JSON Lines, the keys of the first objects.
    text_col : str
        The column of the texts.
    label_col : str or None
        The column of the labels, if there is one.
    text_guessed, label_guessed : bool
        Whether the column was chosen by its name or content, not by the caller.
    """

    path: Path
    format: str
    columns: tuple[str, ...]
    text_col: str
    label_col: str | None
    text_guessed: bool
    label_guessed: bool
    _reader: Reader = field(repr=False)
    _request: ColumnRequest = field(repr=False, default=ColumnRequest())
    _encoding: str | None = field(repr=False, default=None)
    _source: ByteSource | None = field(repr=False, default=None)

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file, also if it was not read to its end."""
        if self._source is not None:
            self._source.close()

    @property
    def can_be_read_again(self) -> bool:
        """Whether :meth:`rows` can be called more than once; a pipe can be read once."""
        return not isinstance(self._source, PipeSource)

    def fraction_read(self) -> float | None:
        """Return how much of the file the current pass has read, or None if that is unknown."""
        return None if self._source is None else self._source.fraction_read()

    def rows(self) -> Generator[Row]:
        """Read the documents one by one; every call starts from the beginning.

        Yields
        ------
        Row
            The documents in order.

        Raises
        ------
        DocumentFileError
            If a document cannot be read; the message states its place.
        """
        with closing(self.blocks()) as blocks:
            for block in blocks:
                yield from block.rows()

    def texts(self) -> Generator[str]:
        """Read the texts alone, one by one."""
        with closing(self.blocks()) as blocks:
            for block in blocks:
                yield from block.texts

    def labels(self) -> list[str | None]:
        """Return the labels of all documents, in one pass over the file."""
        return [label for block in self.blocks() for label in block.labels]

    def blocks(self) -> Generator[RowBlock]:
        """Read the documents in blocks of as many as are at hand; see :meth:`rows`."""
        number = 1
        labels = LabelCache(self._encoding)
        with closing(self._reader.records()) as blocks:
            for records in blocks:
                try:
                    block = self._block(number, records, labels)
                except UnsuitableValue:
                    yield from self._until_error(number, records, labels)
                    raise AssertionError("a value was unsuitable") from None
                yield block
                number += len(records)

    def _block(self, number: int, records: Records, labels: LabelCache) -> RowBlock:
        """Return records as documents; raise UnsuitableValue if one of them cannot be read."""
        return RowBlock(number, self._texts(records), self._labels(records, labels), records)

    def _texts(self, records: Records) -> list[str]:
        texts = records.column(self.text_col, MISSING)
        if set(map(type, texts)) == {str}:
            return texts
        if MISSING in texts:
            raise UnsuitableValue("nothing")
        return [as_text(text, self._encoding) for text in texts]

    def _labels(self, records: Records, labels: LabelCache) -> list[str | None]:
        if self.label_col is None:
            return [None] * len(records)
        return labels.of(records.column(self.label_col))

    def _until_error(
        self, number: int, records: Records, labels: LabelCache
    ) -> Generator[RowBlock]:
        """Yield the documents before the first one that cannot be read, and raise its error."""
        for i, place in enumerate(records.places()):
            record = records.take([i])
            try:
                if MISSING in record.column(self.text_col, MISSING):
                    raise self._without_text(place, record.rows()[0])
                role, column = "text", self.text_col
                self._texts(record)
                role, column = "label", self.label_col or ""
                self._labels(record, labels)
            except UnsuitableValue as error:
                raise self._unsuitable(place, role, column, error) from None
            yield self._block(number + i, record, labels)

    def _without_text(self, place: str, values: dict[str, Any]) -> DocumentFileError:
        keys = ", ".join(f"'{key}'" for key in values) or "nothing"
        return DocumentFileError(
            f"{place.capitalize()} of {self._reader.name} has no key '{self.text_col}' for the "
            f"text, it has {keys}: add it, or name another with {self._request.option('text')}."
        )

    def _unsuitable(
        self, place: str, role: str, column: str, error: UnsuitableValue
    ) -> DocumentFileError:
        return DocumentFileError(
            f"{place.capitalize()} of {self._reader.name} contains {error} in '{column}', where "
            f"the {role} is expected: write it as text, or name another column with "
            f"{self._request.option(role)}."
        )


def open_documents(
    path: str | os.PathLike[str],
    *,
    text_col: str | None = None,
    label_col: str | None = None,
    preferred_text_col: str | None = None,
    need_label: bool = False,
    with_labels: bool = True,
    encoding: str | None = None,
    quotes: bool = True,
    option_prefix: str = "",
) -> DocumentFile:
    """Open a file or folder of documents and detect its format and columns.

    The formats are CSV (separated by commas, semicolons, tabs or bars), TSV, JSON Lines, Parquet,
    and a folder of text files whose sub-folders are the labels; all but Parquet may be packed with
    gzip. Only the beginning is read here.

    Parameters
    ----------
    path : path
        The file or folder; ``-`` is standard input, which can be read once.
    text_col, label_col : str, optional
        The columns of the texts and of the labels; by default they are recognised by usual
        names, the texts also by their length.
    preferred_text_col : str, optional
        The column of the texts if ``text_col`` is None and the file has this column.
    need_label : bool
        Whether a file without a column of labels is an error.
    with_labels : bool
        Whether to look for a column of labels that was not named.
    encoding : str, optional
        The encoding of text files; by default that of the byte order mark, or UTF-8.
    quotes : bool
        Whether double quotes enclose fields of CSV and TSV files; otherwise they are text.
    option_prefix : str
        Prefix of the options that messages name: ``"target_"`` for target_text_col.

    Returns
    -------
    DocumentFile
        The file, ready to be read.

    Raises
    ------
    DocumentFileError
        If the file does not exist or cannot be read, or if its columns cannot be guessed.
    """
    request = ColumnRequest(
        text_col, label_col, preferred_text_col, need_label, with_labels, option_prefix
    )
    reader, source, encoding = find_reader(path, encoding, quotes)
    try:
        if isinstance(reader, Folder) and need_label and label_col is None:
            reader.check_labelled()
        choice = choose_columns(
            reader.columns,
            request,
            sample=lambda: limits.first_rows(reader.records()),
            name=reader.name,
        )
    except BaseException:
        if source is not None:
            source.close()
        raise
    if source is not None:
        source.settle()
    return DocumentFile(
        Path(path),
        reader.format,
        reader.columns,
        choice.text_col,
        choice.label_col,
        # The columns of a folder are fixed.
        choice.text_guessed and reader.format != "folder",
        choice.label_guessed and reader.format != "folder",
        reader,
        request,
        encoding,
        source,
    )
