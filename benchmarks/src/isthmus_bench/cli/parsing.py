"""Values of options."""

from __future__ import annotations

from pathlib import Path

from isthmus.cli.parsing import comma_separated

__all__ = ["check_folder", "comma_separated", "comma_separated_integers"]


def check_folder(path: Path, option: str) -> None:
    """Raise an error if a folder cannot be made because a file has its name."""
    if path.exists() and not path.is_dir():
        raise ValueError(f"{option} '{path}' is a file: name a folder.")


def comma_separated_integers(text: str, option: str, example: str = "0,1,2") -> tuple[int, ...]:
    """Return the whole numbers between the commas."""
    words = comma_separated(text)
    if not all(word.isdecimal() for word in words):
        raise ValueError(
            f"{option} {text!r} must be whole numbers separated by commas, as in {example}."
        )
    return tuple(int(word) for word in words)
