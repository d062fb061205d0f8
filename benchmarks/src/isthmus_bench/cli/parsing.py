"""Values of options."""

from __future__ import annotations

from isthmus.cli.parsing import comma_separated

__all__ = ["comma_separated", "comma_separated_integers"]


def comma_separated_integers(text: str, option: str, example: str = "0,1,2") -> tuple[int, ...]:
    """Return the whole numbers between the commas."""
    words = comma_separated(text)
    if not all(word.isdecimal() for word in words):
        raise ValueError(
            f"{option} {text!r} must be whole numbers separated by commas, as in {example}."
        )
    return tuple(int(word) for word in words)
