"""Values of options."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path

import isthmus.cli.command
from isthmus.cli.command import comma_separated

__all__ = ["comma_separated", "comma_separated_integers", "command", "folder_option"]

#: Fields of a suite have the names of options of ``isthmus``.
command = functools.partial(isthmus.cli.command.command, only_own_options=True)


def folder_option(text: str, option: str, *, written: bool = True) -> Path:
    """Return a folder, which need not exist.

    Raises ValueError if it is none, or if it is to be written and cannot be.
    """
    if not text.strip():
        raise ValueError(f"{option} '' is empty: name a folder, '.' for the current one.")
    path = Path(text)
    place = next(place for place in (path, *path.parents) if os.path.exists(place))
    if not place.is_dir():
        what = "is a file" if place == path else f"is below the file '{place}'"
        raise ValueError(f"{option} '{path}' {what}: name a folder.")
    if written:
        try:
            tempfile.TemporaryFile(dir=place).close()
        except OSError as error:
            raise ValueError(
                f"{option} '{path}' cannot be written ({error.strerror}): name another folder."
            ) from error
    return path


def comma_separated_integers(text: str, option: str, example: str = "0,1,2") -> tuple[int, ...]:
    """Return the whole numbers between the commas."""
    words = comma_separated(text)
    if not all(word.isdecimal() for word in words):
        raise ValueError(
            f"{option} {text!r} must be whole numbers separated by commas, as in {example}."
        )
    return tuple(int(word) for word in words)
