"""The files of a command: opened, counted and told apart before any work is done."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isthmus.cli.talk import Talk
    from isthmus.files import DocumentFile

__all__ = ["OpenedFile", "check_different", "domain_names", "read_labels"]

_SUFFIXES_DROPPED = 2  # as in reviews.csv.gz


@dataclass(frozen=True)
class OpenedFile:
    """A file of documents that was read once from end to end, so that it is known to be sound."""

    file: DocumentFile
    labels: list[str | None]

    @property
    def n_labelled(self) -> int:
        return sum(label is not None for label in self.labels)

    @property
    def classes(self) -> dict[str, int]:
        """Documents of every class, the largest first."""
        counts = Counter(label for label in self.labels if label is not None)
        return dict(counts.most_common())

    def texts(self) -> Iterator[str]:
        """The texts again, after a check that their number is the same as before."""
        found = 0
        for text in self.file.texts():
            found += 1
            yield text
        if found != len(self.labels):
            raise ValueError(
                f"The file '{self.file.path}' changed while it was read ({len(self.labels)} "
                f"documents before, {found} now): run the command again."
            )


def read_labels(file: DocumentFile, talk: Talk, update: Callable[[str], None]) -> OpenedFile:
    """Read a file once, for its labels and for whatever is wrong with it."""
    rows = talk.counted(file.rows(), f"Reading {file.path}: document", update)
    return OpenedFile(file, [row.label for row in rows])


def check_different(files: dict[str, list[Path]]) -> None:
    """Raise ValueError if two of the files, listed by what they are for, are one and the same."""
    seen: dict[Path, str] = {}
    for purpose, paths in files.items():
        for path in paths:
            place = Path(os.path.realpath(path))
            if place in seen:
                one, other = seen[place], purpose
                raise ValueError(
                    f"The {one} and the {other} are the same file '{path}': give two different "
                    "ones."
                    + (
                        " If one file holds labelled and unlabelled rows, part it into two."
                        if {one, other} == {"source", "target"}
                        else ""
                    )
                )
            if place.exists() and not place.is_file() and not place.is_dir():
                continue  # a terminal or /dev/null may take everything
            seen[place] = purpose


def domain_names(sources: list[Path], target: Path) -> tuple[list[str], str]:
    """Short names of the domains: the files' names, or whole paths where these are the same."""
    paths = [*sources, target]
    short = [_stem(path) for path in paths]
    names = short if len(set(short)) == len(short) else [str(path) for path in paths]
    return names[:-1], names[-1]


def _stem(path: Path) -> str:
    name = path.resolve().name
    for _ in range(_SUFFIXES_DROPPED):
        name = Path(name).stem if not path.is_dir() else name
    return name or str(path)
