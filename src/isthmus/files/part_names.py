"""Find the files of a corpus that consists of several."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from isthmus.files.errors import DocumentFileError, unreadable
from isthmus.files.kinds import JSON_SUFFIXES, PARQUET_SUFFIXES, TAB_SUFFIXES
from isthmus.files.source import suffix_of

__all__ = ["base_folder", "files_of", "is_pattern", "part_files"]

TEXT_SUFFIXES = {".csv", *TAB_SUFFIXES, *JSON_SUFFIXES}


def is_pattern(path: Path) -> bool:
    """Return whether a path is a pattern such as ``data/part-*.csv``, and not a file's name."""
    return glob.has_magic(str(path)) and not os.path.lexists(path)


def base_folder(pattern: Path) -> Path:
    """Return the folder of a pattern, up to the first part of it that may vary."""
    parts = pattern.parts
    n_fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return Path(*parts[:n_fixed])


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path stands for: its parts, or the path itself.

    Raises
    ------
    DocumentFileError
        If it is a pattern that no file matches, or a folder that cannot be read.
    """
    path = Path(path)
    parts = part_files(path)
    return [path] if parts is None else parts


def part_files(path: Path) -> list[Path] | None:
    """Return the parts of a corpus in sorted order; None if the path is a single file or folder.

    The parts are the regular files that match a pattern, or the files of a folder if all of them
    are tables. Names in a folder that begin with a dot or an underscore do not count. A folder with
    sub-folders has no parts.
    """
    if is_pattern(path):
        parts = _matching_files(path)
        if not parts:
            raise DocumentFileError(
                f"No file matches the pattern '{path}': check the name and the folder."
            )
        return parts
    return _tables_in(path) if path.is_dir() else None


def _matching_files(pattern: Path) -> list[Path]:
    try:
        names = set(glob.glob(str(pattern), recursive=True))
    except ValueError:  # not a valid name
        return []
    return [Path(name) for name in sorted(names) if os.path.isfile(name)]


def _tables_in(folder: Path) -> list[Path] | None:
    parts: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                # The check of links is that of folders of text files.
                if entry.is_dir() or (entry.is_symlink() and not _leads_inside(entry, folder)):
                    return None
                if entry.name.startswith("_") or not entry.is_file():
                    continue
                if not _is_table(Path(entry.name)):
                    return None
                parts.append(folder / entry.name)
    except OSError as error:
        raise unreadable(f"'{folder}'", error) from error
    return sorted(parts) or None


def _leads_inside(entry: os.DirEntry[str], folder: Path) -> bool:
    return Path(os.path.realpath(entry.path)).parent == Path(os.path.realpath(folder))


def _is_table(path: Path) -> bool:
    suffix = suffix_of(path)
    return suffix in TEXT_SUFFIXES or (suffix in PARQUET_SUFFIXES and path.suffix.lower() != ".gz")
