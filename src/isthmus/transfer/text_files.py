"""Texts in files, for ``Transfer`` and for the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isthmus.files import DocumentFile, DocumentShard
    from isthmus.transfer.shards import ShardFacts

__all__ = ["TextFiles"]


class TextFiles:
    """Texts of a file, a folder of files or all files of a pattern, read as a stream.

    Pass it to :meth:`isthmus.Transfer.fit` or :meth:`isthmus.Transfer.predict` in place of a list
    of texts. The texts are never in memory together, and large files are read by several processes.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON Lines (also ``.gz``) or Parquet; a folder of such files; a pattern such as
        ``"tickets/2024-*.parquet"``; or a folder of text files with one sub-folder per label.
    text_col : str, default=None
        Column of the texts. None guesses it by its name.
    label_col : str, default=None
        Column of the labels. None guesses it for a source, and reads no labels for a target: name
        it if labels of the target are to be learned from.
    encoding : str, default=None
        Encoding of text files. None means UTF-8, or what the byte order mark says.
    quotes : bool, default=True
        Whether double quotes enclose fields of CSV and TSV files.

    Attributes
    ----------
    labels : list of str or None
        The labels of the texts that an iteration over this object has read so far. A fit reads a
        copy.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from isthmus import TextFiles
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("a.csv", "b.csv"):
    ...         _ = Path(folder, name).write_text(f"text,label\\nfrom {name},good\\n")
    ...     files = TextFiles(folder, label_col="label")
    ...     list(files), files.labels
    (['from a.csv', 'from b.csv'], ['good', 'good'])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        text_col: str | None = None,
        label_col: str | None = None,
        encoding: str | None = None,
        quotes: bool = True,
    ) -> None:
        self.path = Path(path)
        self.text_col = text_col
        self.label_col = label_col
        self.encoding = encoding
        self.quotes = quotes
        self.labels: list[str | None] = []
        self._needs_labels = False

    def __repr__(self) -> str:
        return f"TextFiles({str(self.path)!r})"

    def __iter__(self) -> Iterator[str]:
        """Yield the texts from the beginning, and record their labels."""
        for block in self.blocks():
            yield from block

    def blocks(self) -> Iterator[list[str]]:
        """Read the texts in blocks, and record their labels.

        :meta private:
        """
        self.labels.clear()
        for block in self.file.blocks():
            self.labels += block.labels
            yield block.texts

    @cached_property
    def file(self) -> DocumentFile:
        """The file with its columns, which are detected when it is used first.

        See :class:`isthmus.files.DocumentFile`.
        """
        from isthmus.files import open_documents

        file = open_documents(
            self.path,
            text_col=self.text_col,
            label_col=self.label_col,
            need_label=self._needs_labels,
            with_labels=self.has_labels,
            encoding=self.encoding,
            quotes=self.quotes,
        )
        file.close()  # it is opened again when it is read
        return file

    @property
    def has_labels(self) -> bool:
        """Whether labels are read."""
        return self._needs_labels or self.label_col is not None

    def unread(self, *, need_labels: bool = False) -> TextFiles:
        """Return the same files, which have labels of their own when they are read.

        With ``need_labels``, labels are read even if their column was not named.

        :meta private:
        """
        files = TextFiles(
            self.path,
            text_col=self.text_col,
            label_col=self.label_col,
            encoding=self.encoding,
            quotes=self.quotes,
        )
        files._needs_labels = need_labels
        return files

    def __getstate__(self) -> dict[str, Any]:
        # The file is opened again when it is needed.
        return {name: value for name, value in vars(self).items() if name != "file"}

    @property
    def n_bytes(self) -> int:
        """The size of the files in bytes."""
        return self.file.n_bytes

    def shards(self, max_bytes: int) -> Iterator[DocumentShard] | None:
        """Cut the files into shards that several processes can read; None if that is impossible.

        :meta private:
        """
        self.labels.clear()
        return self.file.shards(max_bytes)

    def add_shard(self, facts: ShardFacts) -> None:
        """Take note of the next shard, which has been read.

        :meta private:
        """
        self.labels += facts.labels

    def blocks_again(self) -> Iterator[list[str]]:
        """Read the texts in this process after others have read them.

        :meta private:
        """
        return (block.texts for block in self.file.blocks())

    def end(self) -> None:
        """Take note that all texts have been read.

        :meta private:
        """
