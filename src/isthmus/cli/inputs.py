"""The files of a command: told apart, named and opened as the user wishes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isthmus.cli.options import STANDARD_STREAM

if TYPE_CHECKING:
    from isthmus.files import DocumentFile

__all__ = ["FileOptions", "check_different", "domain_names"]


def check_different(files: dict[str, list[Path]]) -> None:
    """Raise ValueError if two of the files, listed by what they are for, are one and the same."""
    seen: dict[Path, str] = {}
    for purpose, paths in files.items():
        for path in paths:
            place = Path(os.path.realpath(path))
            if place in seen:
                one, other = seen[place], purpose
                if one == other:
                    raise ValueError(f"The {one} '{path}' is named twice: once is enough.")
                raise ValueError(
                    f"The {one} and the {other} are the same file '{path}': give two different "
                    "ones."
                    + (
                        " If one file holds labelled and unlabelled rows, leave --target out."
                        if {one, other} == {"source", "target"}
                        else ""
                    )
                )
            if place.exists() and not place.is_file() and not place.is_dir():
                continue  # a terminal or /dev/null may take everything
            seen[place] = purpose


def domain_names(paths: list[Path]) -> list[str]:
    """Short and different names of the domains, from the names of the files alone."""
    names: list[str] = []
    for path in paths:
        stem = name = _stem(path)
        number = 2
        while name in names:
            name, number = f"{stem}-{number}", number + 1
        names.append(name)
    return names


def _stem(path: Path) -> str:
    name = path.resolve().name
    if not path.is_dir():
        name = Path(name.removesuffix(".gz")).stem
    # A name that is no text in any encoding could not be written to a model file.
    return os.fsencode(name).decode("utf-8", "replace") or "documents"


@dataclass(frozen=True)
class FileOptions:
    """What the user said of the files."""

    text_col: str | None
    label_col: str | None
    target_text_col: str | None
    target_label_col: str | None
    encoding: str | None
    target_encoding: str | None
    quotes: bool

    def check_without_target(self) -> None:
        """Raise ValueError if something was said of a target that is not there."""
        for option in ("target_text_col", "target_label_col", "target_encoding"):
            if getattr(self, option) is not None:
                raise ValueError(
                    f"--{option.replace('_', '-')} is about the target, and no --target was named."
                )

    def open_source(self, path: Path) -> DocumentFile:
        """Open a file of labelled documents."""
        from isthmus.files import open_documents

        _check_can_be_read_again(path)
        return open_documents(
            path,
            text_col=self.text_col,
            label_col=self.label_col,
            need_label=True,
            encoding=self.encoding,
            quotes=self.quotes,
        )

    def open_target(self, path: Path, source: DocumentFile) -> DocumentFile:
        """Open the file to be labelled; without a word from the user, as the source was."""
        _check_can_be_read_again(path)
        self._check_columns_of_target(path)
        if self.target_text_col is not None or self.text_col is not None:
            return self._opened_target(path, self.target_text_col or self.text_col)
        file = self._opened_target(path, None)
        # Two columns may look like text: the one that the source has is meant.
        if file.text_guessed and source.text_col in file.columns:
            file = self._opened_target(path, source.text_col)
        return file

    def _check_columns_of_target(self, path: Path) -> None:
        """An error about a column names the option that is meant for the target."""
        from isthmus.files.table_reader import open_table

        table = open_table(path, encoding=self._encoding_of_target, quotes=self.quotes)
        if self.target_label_col is not None:
            table.require(self.target_label_col, "target_label_col")
        text_col = self.target_text_col or self.text_col
        if text_col is not None:
            table.require(text_col, "target_text_col")

    @property
    def _encoding_of_target(self) -> str | None:
        return self.target_encoding or self.encoding

    def _opened_target(self, path: Path, text_col: str | None) -> DocumentFile:
        from isthmus.files import open_documents

        return open_documents(
            path,
            text_col=text_col,
            label_col=self.target_label_col,
            with_labels=self.target_label_col is not None,
            encoding=self._encoding_of_target,
            quotes=self.quotes,
        )


def _check_can_be_read_again(path: Path) -> None:
    if str(path) == STANDARD_STREAM or (path.exists() and not path.is_file() and not path.is_dir()):
        raise ValueError(
            f"'{path}' can be read only once, and its words and its rows are needed one after the "
            "other: save it to a file first."
        )
