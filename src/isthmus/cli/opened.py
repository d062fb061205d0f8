"""A file that was read once, so that it is known to be sound, and is read again when needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isthmus.cli.talk import Talk
    from isthmus.files import DocumentFile, Row

__all__ = ["OpenedFile", "count", "part_by_labels", "read_labels"]

_SAMPLE = 20
_PAGE = re.compile(r"\s*<(!doctype|html|head|body|div|p)\b", re.IGNORECASE)


@dataclass(frozen=True)
class OpenedFile:
    """The documents of a file, or those of them with or without a label.

    Attributes
    ----------
    file : DocumentFile
    all_labels : list of str or None
        Of all documents of the file.
    columns : tuple of str
        All columns, also those that the first look at a file of JSON Lines did not meet.
    labelled : bool or None
        Whether only documents with a label are meant, or only those without; None: all.
    looks_like_html : bool
    """

    file: DocumentFile
    all_labels: list[str | None]
    columns: tuple[str, ...]
    labelled: bool | None = None
    looks_like_html: bool = False

    @property
    def labels(self) -> list[str | None]:
        return [label for label in self.all_labels if self._is_meant(label)]

    @property
    def n_labelled(self) -> int:
        return sum(label is not None for label in self.labels)

    @property
    def classes(self) -> dict[str, int]:
        """Documents of every class, the largest first."""
        counts = Counter(label for label in self.labels if label is not None)
        return dict(counts.most_common())

    def rows(self) -> Iterator[Row]:
        """The rows again, with a check that their number is the same as before."""
        found = 0
        for row in self.file.rows():
            found += 1
            if self._is_meant(row.label):
                yield row
        if found != len(self.all_labels):
            raise ValueError(
                f"The file '{self.file.path}' changed while it was read ({len(self.all_labels)} "
                f"documents before, {found} now): run the command again."
            )

    def texts(self) -> Iterator[str]:
        return (row.text for row in self.rows())

    def _is_meant(self, label: str | None) -> bool:
        return self.labelled is None or self.labelled == (label is not None)


def read_labels(file: DocumentFile, talk: Talk, update: Callable[[str], None]) -> OpenedFile:
    """Read a file once, for its labels and for whatever is wrong with it."""
    labels: list[str | None] = []
    columns = dict.fromkeys(file.columns)
    n_pages = 0
    for row in talk.counted(file.rows(), f"Reading {file.path}: document", update):
        if len(labels) < _SAMPLE:
            n_pages += bool(_PAGE.match(row.text[:1000]))
        labels.append(row.label)
        if file.format == "jsonl":
            columns.update(dict.fromkeys(row.values))
    looks_like_html = n_pages > min(_SAMPLE, len(labels)) / 2
    return OpenedFile(file, labels, tuple(columns), looks_like_html=looks_like_html)


def part_by_labels(opened: OpenedFile) -> tuple[OpenedFile, OpenedFile]:
    """The documents of one file with a label, and those without."""
    labelled, others = (replace(opened, labelled=wanted) for wanted in (True, False))
    if not others.labels:
        raise ValueError(
            f"Every row of '{opened.file.path}' has a label, so there is none to find: name the "
            "file to be labelled with --target."
        )
    return labelled, others


def count(number: int, one: str, many: str | None = None) -> str:
    """A number of things in words: "1 document", "2,000 documents"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
