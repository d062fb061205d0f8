"""Open a file of documents in any supported format."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from isthmus.files import limits
from isthmus.files.columns import ColumnRequest, choose_columns
from isthmus.files.errors import DocumentFileError
from isthmus.files.folder import Folder
from isthmus.files.readers import Reader, find_reader
from isthmus.files.source import ByteSource, PipeSource
from isthmus.files.values import UnsuitableValue, as_label, as_text

__all__ = ["DocumentFile", "Row", "open_documents"]


@dataclass(frozen=True, slots=True)
class Row:
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
        text_col, label_col = self.text_col, self.label_col
        with closing(self._reader.records()) as records:
            for number, (place, values) in enumerate(records, 1):
                try:
                    text = values[text_col]
                except KeyError:
                    raise self._without_text(place, values) from None
                if type(text) is not str:
                    try:
                        text = as_text(text, self._encoding)
                    except UnsuitableValue as error:
                        raise self._unsuitable(place, "text", text_col, error) from None
                label = None
                if label_col is not None:
                    try:
                        label = as_label(values.get(label_col), self._encoding)
                    except UnsuitableValue as error:
                        raise self._unsuitable(place, "label", label_col, error) from None
                yield Row(number, place, text, label, values)

    def texts(self) -> Generator[str]:
        """Read the texts alone, one by one."""
        with closing(self.rows()) as rows:
            for row in rows:
                yield row.text

    def labels(self) -> list[str | None]:
        """Return the labels of all documents, in one pass over the file."""
        return [row.label for row in self.rows()]

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
