"""Locate, verify and read the corpus files of the loaders."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

__all__ = [
    "CORPUS_FILES",
    "DATA_VARIABLE",
    "ChecksumError",
    "CorpusFile",
    "DataNotFoundError",
    "data_folder",
    "package_text",
    "read_columns",
    "read_json_lines",
    "read_text",
    "select_names",
    "stack_rows",
    "verified_path",
]

DATA_VARIABLE = "ISTHMUS_DATA"

# The longest line of the five corpora has 0.2 million characters, the largest file 40 MB after
# decompression: these limits only stop a file that would exhaust the memory.
MAX_LINE_BYTES = 32 * 1024**2
MAX_TOTAL_BYTES = 2 * 1024**3
# Plain text files are word lists of a few kilobytes.
MAX_TEXT_BYTES = 1024**2

_verified: set[tuple[str, int, int]] = set()


class DataNotFoundError(FileNotFoundError):
    """The data folder or a file in it does not exist.

    Examples
    --------
    >>> from isthmus.datasets import DataNotFoundError, load_webkb
    >>> try:
    ...     pages = load_webkb("no-such-folder")
    ... except DataNotFoundError:
    ...     print("Copy the corpora first.")
    Copy the corpora first.
    """


class ChecksumError(ValueError):
    """The SHA-256 of a data file differs from the expected one: copy it again.

    It is a :class:`ValueError`. All loaders of files check the sums.
    """


@dataclass(frozen=True)
class CorpusFile:
    """A corpus file: its path relative to the data folder, and its SHA-256."""

    path: str
    sha256: str


def package_text(name: str) -> str:
    """Return a text file of this package."""
    return resources.files("isthmus.datasets").joinpath(name).read_text(encoding="utf-8")


CORPUS_FILES = {
    path: CorpusFile(path, sha256)
    for sha256, path in map(str.split, package_text("SHA256SUMS").splitlines())
}
"""All files of the loaders by path. The list has the format of the program sha256sum."""


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the corpora.

    Parameters
    ----------
    data_home : path, optional
        The folder; by default the value of the environment variable ``ISTHMUS_DATA``.

    Returns
    -------
    pathlib.Path
        An existing folder.

    Raises
    ------
    DataNotFoundError
        If neither is given, or the folder does not exist.
    """
    path = data_home if data_home is not None else os.environ.get(DATA_VARIABLE)
    if not path:
        raise DataNotFoundError(
            f"No data folder was given: set the environment variable {DATA_VARIABLE} to the folder "
            "with '20newsgroups', 'reuters21578' and so on, or pass data_home."
        )
    folder = Path(path).expanduser()
    if not folder.is_dir():
        origin = "data_home" if data_home is not None else DATA_VARIABLE
        problem = "is a file" if folder.exists() else "does not exist"
        raise DataNotFoundError(
            f"The data folder '{folder}' ({origin}) {problem}: name the folder with "
            "'20newsgroups', 'reuters21578' and so on."
        )
    return folder


def verified_path(file: CorpusFile, data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the path of a corpus file after checking its SHA-256.

    A file is verified once per process, and again only if its size or modification time changed.

    Parameters
    ----------
    file : CorpusFile
        The file.
    data_home : path, optional
        See :func:`data_folder`.

    Returns
    -------
    pathlib.Path
        The path of the file.

    Raises
    ------
    DataNotFoundError
        If the file does not exist.
    ChecksumError
        If it has other content.
    """
    folder = data_folder(data_home)
    path = folder / file.path
    if not path.is_file():
        raise DataNotFoundError(
            f"The file '{file.path}' is missing in the data folder '{folder}': "
            f"put it there, or set {DATA_VARIABLE} or data_home to another folder."
        )
    state = path.stat()
    key = (str(path.resolve()), state.st_size, state.st_mtime_ns)
    if key not in _verified:
        sha256 = _sha256(path)
        if sha256 != file.sha256:
            raise ChecksumError(
                f"The file '{path}' has SHA-256 {sha256}, expected {file.sha256}: "
                "copy or download it again."
            )
        _verified.add(key)
    return path


def read_json_lines(
    path: Path, *, max_line_bytes: int = MAX_LINE_BYTES, max_total_bytes: int = MAX_TOTAL_BYTES
) -> Iterator[dict[str, Any]]:
    """Read a gzip-compressed file of JSON objects, one per line.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    max_line_bytes, max_total_bytes : int
        Limits on the decompressed size, against a file that would exhaust the memory.

    Yields
    ------
    dict
        The objects in order.

    Raises
    ------
    ValueError
        If the file is not a gzip file, a line is not a JSON object, or a limit is exceeded.
    """
    number = total = 0
    try:
        with gzip.open(path, "rb") as stream:
            while line := stream.readline(max_line_bytes + 1):
                number += 1
                total += len(line)
                if len(line) > max_line_bytes:
                    raise ValueError(
                        f"Line {number} of '{path}' is longer than {max_line_bytes} bytes: "
                        "it is not a corpus file of isthmus."
                    )
                if total > max_total_bytes:
                    raise ValueError(
                        f"The file '{path}' decompresses to more than {max_total_bytes} bytes: "
                        "it is not a corpus file of isthmus."
                    )
                if line.strip():
                    yield _parse_object(line, path, number)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"The file '{path}' is not a complete gzip file (after line {number}): "
            "copy or download it again."
        ) from error


def read_columns(
    file: CorpusFile,
    data_home: str | os.PathLike[str] | None,
    fields: Mapping[str, str],
    **selected: Collection[str],
) -> dict[str, list[Any]]:
    """Read some fields of the selected records of a corpus file, as columns.

    Parameters
    ----------
    file : CorpusFile
        The file.
    data_home : path or None
        See :func:`data_folder`.
    fields : mapping of str to str
        The name of every column, and the field that it contains.
    **selected : collection of str
        Fields, and the values that selected records have.
    """
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    for record in read_json_lines(verified_path(file, data_home)):
        if all(record[field] in values for field, values in selected.items()):
            for name, field in fields.items():
                columns[name].append(record[field])
    return columns


def stack_rows(rows: Sequence[tuple[np.ndarray, np.ndarray]], n_columns: int) -> sparse.csr_matrix:
    """Return a matrix of rows that are given by their columns and values."""
    columns, values = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    starts = np.cumsum([0, *(len(row) for row, _ in rows)])
    return sparse.csr_matrix((values, columns, starts), shape=(len(rows), n_columns))


def read_text(path: Path, *, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Read a small plain text file (UTF-8).

    Parameters
    ----------
    path : pathlib.Path
        The file.
    max_bytes : int
        Limit on its size.

    Returns
    -------
    str
        The content.

    Raises
    ------
    ValueError
        If the file is larger.
    """
    with path.open("rb") as stream:
        content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError(
            f"The file '{path}' is larger than {max_bytes} bytes: "
            "it is not a corpus file of isthmus."
        )
    return content.decode("utf-8")


def _parse_object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ValueError(
            f"Line {number} of '{path}' is not valid JSON: repair the file."
        ) from error
    if not isinstance(value, dict):
        raise ValueError(f"Line {number} of '{path}' is not a JSON object: repair the file.")
    return value


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def select_names(
    names: str | Collection[str] | None, known: tuple[str, ...], kind: str, corpus: str
) -> set[str]:
    """Return the selected names as a set.

    Parameters
    ----------
    names : str or collection of str, optional
        One name or several; None for all.
    known : tuple of str
        The existing names.
    kind, corpus : str
        What a name stands for, and the name of the corpus, for error messages.

    Raises
    ------
    ValueError
        If a name is unknown, or none is given.
    """
    if names is None:
        return set(known)
    selected = {names} if isinstance(names, str) else set(names)
    if not selected:
        raise ValueError(f"No {kind} of {corpus} was selected: use one of {', '.join(known)}.")
    unknown = sorted(map(repr, selected.difference(known)))
    if unknown:
        raise ValueError(
            f"Unknown {kind} {', '.join(unknown)} in {corpus}: use one of {', '.join(known)}."
        )
    return selected
