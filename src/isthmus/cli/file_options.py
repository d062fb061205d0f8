"""Options of the input files, and the files opened with them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from isthmus.cli.output_options import is_standard_stream

if TYPE_CHECKING:
    from isthmus.cli.input_file import InputFile
    from isthmus.files import DocumentFile

__all__ = ["EncodingOptions", "FileOptions", "TextColumn", "check_different", "domain_names"]

_PANEL = "Input"
# Purposes of files that may be folders or patterns of several.
_DOCUMENTS = {"source", "target", "input"}
# The beginning of names that says nothing about the content.
_PLAIN_STEMS = {"", "part", "data", "file", "chunk", "shard"}

TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text-col",
        metavar="NAME",
        help="Column of the texts. Default: guessed by its name.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True)
class EncodingOptions:
    """How a file is decoded."""

    PANEL: ClassVar[str] = _PANEL

    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Encoding of the input, such as latin-1. Default: UTF-8."
        ),
    ] = None
    no_quotes: Annotated[
        bool,
        typer.Option(
            "--no-quotes", metavar="", help="Treat quote characters as text (some TSV files)."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """The sources, the target and their columns."""

    PANEL: ClassVar[str] = _PANEL

    source: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE",
            help="Labeled documents: CSV, TSV, JSON Lines (also .gz), Parquet, a folder or a "
            "quoted pattern ('data/*.csv') of such files, or a folder with one sub-folder per "
            "label. Repeat it for several sources.",
        ),
    ]
    target: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Documents to label, in the same formats. Default: the rows of the source without "
            "a label.",
        ),
    ] = None
    text_col: TextColumn = None
    label_col: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column of the source's labels. Default: guessed by its name."
        ),
    ] = None
    target_text_col: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of the target's texts, if it differs."),
    ] = None
    target_label_col: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column of the target's known labels, which are used to train."
        ),
    ] = None
    encoding: EncodingOptions
    target_encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Encoding of the target, if it differs."),
    ] = None

    @property
    def target_path(self) -> Path | None:
        """The file to label, if there is one."""
        return self.target[0] if self.target else None

    @property
    def uses_target_labels(self) -> bool:
        """Whether labels of the target are used to train."""
        return self.target_label_col is not None

    def check(self) -> None:
        """Raise ValueError if the options contradict each other."""
        if self.target and len(self.target) > 1:
            raise ValueError(
                f"--target was given {len(self.target)} times: run the command once per target."
            )
        if self.target is not None:
            return
        for option in ("target_text_col", "target_label_col", "target_encoding"):
            if getattr(self, option) is not None:
                raise ValueError(f"--{option.replace('_', '-')} needs a --target.")
        if len(self.source) > 1:
            raise ValueError(
                "With several sources, name the file to label with --target: only a single file "
                "can be split into rows with and without a label."
            )

    @contextmanager
    def open(
        self, copied_columns: Collection[str] | str
    ) -> Iterator[tuple[Mapping[str, InputFile], tuple[str, InputFile]]]:
        """Open the files, of which only the beginnings are read, and close them at the end.

        Yields the sources by the name of their domain, and the name and file of the target.
        """
        from isthmus.cli.input_file import InputFile, LabeledRows

        with ExitStack() as stack:
            files = [stack.enter_context(self._open_source(path)) for path in self.source]
            if self.target_path is None:
                labeled = LabeledRows(files[0], copied_columns)
                yield {"labeled": labeled}, ("unlabeled", labeled.unlabeled)
                return
            target_file = stack.enter_context(self._open_target(self.target_path, files[0]))
            target = InputFile(target_file, copied_columns)
            *names, target_name = domain_names([*self.source, self.target_path])
            sources = {name: InputFile(file) for name, file in zip(names, files, strict=True)}
            yield sources, (target_name, target)

    def _open_source(self, path: Path) -> DocumentFile:
        from isthmus.files import open_documents

        return open_documents(
            path,
            text_col=self.text_col,
            label_col=self.label_col,
            need_label=True,
            encoding=self.encoding.encoding,
            quotes=not self.encoding.no_quotes,
        )

    def _open_target(self, path: Path, source: DocumentFile) -> DocumentFile:
        from isthmus.files import open_documents

        return open_documents(
            path,
            text_col=self.target_text_col or self.text_col,
            label_col=self.target_label_col,
            # If two columns look like texts, the target is read like the source.
            preferred_text_col=source.text_col,
            with_labels=self.uses_target_labels,
            encoding=self.target_encoding or self.encoding.encoding,
            quotes=not self.encoding.no_quotes,
            option_prefix="target_",
        )


def check_different(files: Mapping[str, Sequence[Path]]) -> None:
    """Raise ValueError if two files, listed by their purpose, are the same file.

    A folder or pattern of documents stands for its parts. The output may be ``-`` besides an input
    ``-``: these are two streams.
    """
    purposes: dict[Path, str] = {}
    for purpose, paths in files.items():
        for path in paths:
            if purpose == "output" and is_standard_stream(path):
                continue
            new: dict[Path, str] = {}
            for place, file in _places(path, purpose).items():
                _check_place(purposes.get(place), purpose, file)
                if _is_regular(place) or not place.exists():  # /dev/null may be named twice
                    new[place] = purpose
            purposes |= new


def _places(path: Path, purpose: str) -> dict[Path, Path]:
    """Return the files and folders that a path stands for, by what they really are."""
    files = [path]
    if purpose in _DOCUMENTS and not is_standard_stream(path):
        from isthmus.files import files_of

        # A folder counts besides its parts.
        files = [*files_of(path), *([path] if path.is_dir() else [])]
    return {Path(os.path.realpath(file)): file for file in files}


def _check_place(other: str | None, purpose: str, path: Path) -> None:
    if other == purpose:
        raise ValueError(f"The {purpose} '{path}' is named twice: name it once.")
    if other is not None:
        hint = ""
        if {other, purpose} == {"source", "target"}:
            hint = " If one file has rows with and without a label, leave --target out."
        raise ValueError(
            f"The {other} and the {purpose} are the same file '{path}': name two different "
            f"files.{hint}"
        )


def domain_names(paths: Sequence[Path]) -> list[str]:
    """Return short and different names of domains, made from the names of their files."""
    names: list[str] = []
    for path in paths:
        stem = name = _stem(path)
        number = 2
        while name in names:
            name, number = f"{stem}-{number}", number + 1
        names.append(name)
    return names


def _stem(path: Path) -> str:
    from isthmus.files.parts import base_folder, is_pattern

    if is_standard_stream(path) or (path.exists() and not _is_regular(path)):
        return "input"
    name = path.resolve().name
    if is_pattern(path):
        # "books" of books-*.csv, "2024" of 2024/part-*.csv
        folder = base_folder(path)
        varying = path.relative_to(folder).parts[0]
        stem = re.split(r"[*?[]", varying, maxsplit=1)[0].strip("-_. ")
        name = folder.resolve().name if stem.lower() in _PLAIN_STEMS else stem
    elif not path.is_dir():
        name = Path(name.removesuffix(".gz")).stem
    # A name that is not valid text could not be written to a model file.
    return os.fsencode(name).decode("utf-8", "replace") or "input"


def _is_regular(path: Path) -> bool:
    return path.is_file() or path.is_dir()
