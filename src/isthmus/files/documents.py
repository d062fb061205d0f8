"""Open a user's file of documents, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isthmus.files import limits
from isthmus.files.columns import choose_columns
from isthmus.files.errors import DocumentFileError
from isthmus.files.folder import Folder
from isthmus.files.readers import Reader, find_reader
from isthmus.files.values import Unfit, as_label, as_text

__all__ = ["DocumentFile", "Row", "open_documents"]


@dataclass(frozen=True, slots=True)
class Row:
    """One document of a file.

    Attributes
    ----------
    number : int
        Its number among the documents, from 1.
    place : str
        Where it stands: ``"line 7"``, ``"row 7"`` or ``"file sub/a.txt"``.
    text : str
        The document.
    label : str or None
        Its label, if there is one.
    values : dict
        All columns as they were read: text in CSV and TSV files, JSON or Parquet values else.
    """

    number: int
    place: str
    text: str
    label: str | None
    values: dict[str, Any]


@dataclass(frozen=True)
class DocumentFile:
    """A file of documents whose columns are known; made by :func:`open_documents`.

    Attributes
    ----------
    path : pathlib.Path
        The file or folder; ``-`` is standard input.
    format : {"csv", "tsv", "jsonl", "parquet", "folder"}
        What it is; a file parted by tabs is ``"tsv"`` whatever its name.
    columns : tuple of str
        All columns in order. Of JSON Lines these are the keys of the first objects.
    text_col : str
        The column of the texts.
    label_col : str or None
        The column of the labels, if there is one.
    text_guessed, label_guessed : bool
        Whether the column was chosen by its name or content and not by the caller.
    """

    path: Path
    format: str
    columns: tuple[str, ...]
    text_col: str
    label_col: str | None
    text_guessed: bool
    label_guessed: bool
    _reader: Reader = field(repr=False)
    _encoding: str | None = field(repr=False, default=None)

    def rows(self) -> Iterator[Row]:
        """Read the documents one by one; every call starts anew, and nothing is kept.

        Yields
        ------
        Row
            The documents in order.

        Raises
        ------
        DocumentFileError
            If a document cannot be read; the message names its place.
        """
        text_col, label_col = self.text_col, self.label_col
        for number, (place, values) in enumerate(self._reader.records(), 1):
            try:
                text = values[text_col]
            except KeyError:
                raise self._without_text(place, values) from None
            if type(text) is not str:
                try:
                    text = as_text(text, self._encoding)
                except Unfit as error:
                    raise self._unfit(place, "text", text_col, error) from None
            label = None
            if label_col is not None:
                try:
                    label = as_label(values.get(label_col), self._encoding)
                except Unfit as error:
                    raise self._unfit(place, "label", label_col, error) from None
            yield Row(number, place, text, label, values)

    def texts(self) -> Iterator[str]:
        """Read the texts alone, one by one."""
        for row in self.rows():
            yield row.text

    def labels(self) -> list[str | None]:
        """Return the labels of all documents, in one pass over the file."""
        return [row.label for row in self.rows()]

    def _without_text(self, place: str, values: dict[str, Any]) -> DocumentFileError:
        keys = ", ".join(f"'{key}'" for key in values) or "nothing"
        return DocumentFileError(
            f"{place.capitalize()} of {self._reader.name} has no key '{self.text_col}' for the "
            f"text, it has {keys}: add it, or name another with text_col (--text-col)."
        )

    def _unfit(self, place: str, role: str, column: str, error: Unfit) -> DocumentFileError:
        return DocumentFileError(
            f"{place.capitalize()} of {self._reader.name} holds {error} in '{column}', where the "
            f"{role} is expected: write it as text, or name another column with {role}_col "
            f"(--{role}-col)."
        )


def open_documents(
    path: str | os.PathLike[str],
    *,
    text_col: str | None = None,
    label_col: str | None = None,
    need_label: bool = False,
    with_labels: bool = True,
    encoding: str | None = None,
    quotes: bool = True,
) -> DocumentFile:
    """Open a file or folder of documents and find out what it holds.

    The format is recognised: CSV (parted by commas, semicolons, tabs or bars), TSV, JSON Lines,
    Parquet, or a folder of text files whose sub-folders are the labels; all but Parquet may be
    packed with gzip. Only the head is read here.

    Parameters
    ----------
    path : path
        The file or folder; ``-`` is standard input, which can be read once.
    text_col, label_col : str, optional
        The columns of the texts and of the labels; by default they are found by usual names,
        the texts also by their length.
    need_label : bool
        Whether a file without a column of labels is an error.
    with_labels : bool
        Whether to look for labels at all; if not, a column of a usual name is one like others.
    encoding : str, optional
        The encoding of text files; by default what the byte order mark says, or UTF-8.
    quotes : bool
        Whether double quotes enclose fields of CSV and TSV files; if not, they are text.

    Returns
    -------
    DocumentFile
        The file, ready to be read.

    Raises
    ------
    DocumentFileError
        If the file is not there, cannot be read, or its columns cannot be told.
    """
    reader, source, encoding = find_reader(path, encoding, quotes)
    if isinstance(reader, Folder) and need_label and label_col is None:
        reader.check_labelled()
    choice = choose_columns(
        reader.columns,
        text_col=text_col,
        label_col=label_col,
        need_label=need_label,
        with_labels=with_labels,
        sample=lambda: limits.first_rows(reader.records()),
        name=reader.name,
    )
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
        encoding,
    )
