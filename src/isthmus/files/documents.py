"""Open a file of documents in any supported format."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from isthmus.files.blocks import Table, first_rows
from isthmus.files.columns import ColumnRequest, choose_columns
from isthmus.files.decoding import check_encoding, encoding_of, text_of_head
from isthmus.files.delimited import delimited_table
from isthmus.files.document_blocks import DocumentBlock, DocumentColumns, DocumentShard, Row
from isthmus.files.errors import DocumentFileError, NoDocumentsError, subject, unreadable
from isthmus.files.folder import Folder
from isthmus.files.json_lines import json_table
from isthmus.files.parquet import ParquetTable
from isthmus.files.parts import Parts, part_files
from isthmus.files.source import (
    PARQUET_MAGIC,
    PARQUET_SUFFIXES,
    FileSource,
    Source,
    check_text,
    find_source,
    standard_input,
    text_format,
)

__all__ = ["DocumentFile", "find_table", "open_documents"]


STANDARD_INPUT = "-"


@dataclass(frozen=True)
class DocumentFile:
    """A file of documents whose columns are known; made by :func:`isthmus.files.open_documents`.

    The file stays open until it is read: use it in a ``with`` statement, or close it, if it may
    not be read to its end.

    Attributes
    ----------
    path : pathlib.Path
        The file, folder or pattern; ``-`` is standard input.
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

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from isthmus.files import open_documents
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "reviews.csv")
    ...     _ = path.write_text("text,label\\nA gripping story.,good\\nDull.,bad\\n")
    ...     with open_documents(path) as file:
    ...         print(file.format, file.columns, file.labels())
    csv ('text', 'label') ['good', 'bad']
    """

    path: Path
    format: str
    columns: tuple[str, ...]
    text_col: str
    label_col: str | None
    text_guessed: bool
    label_guessed: bool
    _table: Table = field(repr=False)
    _request: ColumnRequest = field(repr=False, default=ColumnRequest())
    _encoding: str | None = field(repr=False, default=None)

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file, even if it was not read to its end."""
        self._table.close()

    @property
    def can_be_read_again(self) -> bool:
        """Whether :meth:`rows` can be called more than once; a pipe can be read once."""
        return self._table.can_be_read_again

    @property
    def _documents(self) -> DocumentColumns:
        return DocumentColumns(
            self.text_col, self.label_col, self._table.name, self._encoding, self._request
        )

    @property
    def n_bytes(self) -> int:
        """The size of the file or its parts on the disk; 0 for a pipe or a folder of texts."""
        return self._table.n_bytes

    def fraction_read(self) -> float | None:
        """Return how much of the file the current pass has read.

        Returns
        -------
        float or None
            A number from 0 to 1; None if it is unknown.
        """
        return self._table.fraction_read()

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
        """Read the texts alone, one by one.

        Yields
        ------
        str
            The texts in order.
        """
        with closing(self.blocks()) as blocks:
            for block in blocks:
                yield from block.texts

    def labels(self) -> list[str | None]:
        """Read the labels of all documents, in one pass over the file.

        Returns
        -------
        list of str or None
            The labels in order; None for a document without a label.
        """
        return [label for block in self.blocks() for label in block.labels]

    def shards(self, max_bytes: int) -> Iterator[DocumentShard] | None:
        """Return pieces of the file that other processes can read.

        The blocks of all shards, one after the other, have the documents and places of
        :meth:`blocks`. The file is scanned while the shards are taken.

        :meta private:

        Parameters
        ----------
        max_bytes : int
            About the size of a shard. It is larger where a record, a row group or a file packed
            with gzip is larger.

        Returns
        -------
        iterator of DocumentShard, or None
            None if the documents come from a pipe, which only this process can read.
        """
        if max_bytes < 1:
            raise ValueError(f"max_bytes must be 1 or more, not {max_bytes}.")
        shards = self._table.shards(max_bytes)
        return None if shards is None else (DocumentShard(s, self._documents) for s in shards)

    def blocks(self) -> Generator[DocumentBlock]:
        """Read the documents in blocks, without waiting for more of a pipe; see :meth:`rows`.

        :meta private:
        """
        return self._documents.blocks(self._table.blocks())


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

    A corpus may consist of several files of one format: a folder of tables without sub-folders, or
    all files that match a pattern. They are read in the sorted order of their names. All must have
    the same columns, but not in the same order; objects of JSON Lines may have other keys. Files
    without documents are left out, and so are names in a folder that begin with ``_`` or a dot.

    Parameters
    ----------
    path : path
        The file or folder, or a pattern such as ``data/part-*.csv`` or ``data/**/*.parquet``;
        ``-`` is standard input, which can be read once.
    text_col, label_col : str, default=None
        The columns of the texts and of the labels; by default they are recognized by usual
        names, the texts also by their length.
    preferred_text_col : str, default=None
        The column of the texts if ``text_col`` is None and the file has this column.
    need_label : bool, default=False
        Whether a file without a column of labels is an error.
    with_labels : bool, default=True
        Whether to look for a column of labels that was not named.
    encoding : str, default=None
        The encoding of text files; by default that of the byte order mark, or UTF-8.
    quotes : bool, default=True
        Whether double quotes enclose fields of CSV and TSV files; otherwise they are text.
    option_prefix : str, default=""
        Prefix of the options that messages name: ``"target_"`` for target_text_col.

    Returns
    -------
    DocumentFile
        The file, ready to be read.

    Raises
    ------
    DocumentFileError
        If the file does not exist or cannot be read, or if its columns cannot be guessed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from isthmus.files import open_documents
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "reviews.tsv")
    ...     _ = path.write_text("title\\treview\\tstars\\nBook\\tA gripping story.\\t5\\n")
    ...     with open_documents(path, label_col="stars") as file:
    ...         for row in file.rows():
    ...             print(file.text_col, row.number, row.text, row.label)
    review 1 A gripping story. 5
    """
    request = ColumnRequest(
        text_col, label_col, preferred_text_col, need_label, with_labels, option_prefix
    )
    table, encoding = find_table(path, encoding, quotes)
    try:
        if isinstance(table, Folder) and need_label and label_col is None:
            table.check_labeled()
        choice = choose_columns(
            table.columns,
            request,
            sample=lambda: first_rows(table.blocks()),
            name=table.name,
        )
        if isinstance(table, Parts):
            table.check_columns(choice.text_col, choice.label_col)
    except BaseException:
        table.close()
        raise
    table.settle()
    return DocumentFile(
        Path(path),
        table.format,
        table.columns,
        choice.text_col,
        choice.label_col,
        # The columns of a folder are fixed.
        choice.text_guessed and table.format != "folder",
        choice.label_guessed and table.format != "folder",
        table,
        request,
        encoding,
    )


def find_table(
    path: str | os.PathLike[str], encoding: str | None, quotes: bool
) -> tuple[Table, str | None]:
    """Return the table of a file, folder or pattern, and the usual name of the encoding.

    A text file is still being inspected: call ``settle`` before all of it is read, or ``close``.
    """
    if encoding is not None:
        encoding = check_encoding(encoding)
    if not os.fspath(path):
        raise DocumentFileError("The name of the file is empty: name a file or a folder.")
    path = Path(path)
    files = None if str(path) == STANDARD_INPUT else part_files(path)
    if files is not None:
        return Parts(path, files, lambda file: _table_of(file, encoding, quotes)), encoding
    return _table_of(path, encoding, quotes), encoding


def _table_of(path: Path, encoding: str | None, quotes: bool) -> Table:
    if str(path) == STANDARD_INPUT:
        source: Source = standard_input()
    else:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            raise unreadable(f"'{path}'", error) from error
        except ValueError as error:
            raise DocumentFileError(
                f"{str(path)!r} is not a valid file name: name another."
            ) from error
        if stat.S_ISDIR(mode):
            return Folder(path, encoding)
        source = find_source(path, mode)
        if isinstance(source, FileSource) and source.suffix in PARQUET_SUFFIXES:
            return ParquetTable(path)
    try:
        table = _text_table(source, path, encoding, quotes)
    except BaseException:
        source.close()
        raise
    if isinstance(table, ParquetTable):
        source.close()
    return table


def _text_table(source: Source, path: Path, encoding: str | None, quotes: bool) -> Table:
    """Return the table of a text file, or of a Parquet file whatever its name."""
    source.look_ahead()
    head = source.head()
    if not head:
        raise NoDocumentsError(f"{subject(source.name)} is empty: name one that holds documents.")
    # A gzip file of Parquet data is reported below.
    if (
        isinstance(source, FileSource)
        and head.startswith(PARQUET_MAGIC)
        and source.starts_with(PARQUET_MAGIC)
    ):
        return ParquetTable(path)
    chosen = encoding_of(head, encoding)
    check_text(head, chosen, source.suffix, source.name)
    format = text_format(text_of_head(head, chosen), source.suffix, source.name)
    if format == "jsonl":
        return json_table(source, chosen)
    return delimited_table(source, chosen, "\t" if format == "tsv" else None, quotes)
