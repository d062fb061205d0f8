"""Lists that an option takes, separated by commas."""

from __future__ import annotations

__all__ = ["numbers", "words"]


def words(text: str) -> tuple[str, ...]:
    """The words between the commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str, option: str) -> tuple[int, ...]:
    """The whole numbers between the commas."""
    found = words(text)
    if not all(word.isdecimal() for word in found):
        raise ValueError(
            f"{option} {text!r} must be whole numbers separated by commas, as in 0,1,2."
        )
    return tuple(int(word) for word in found)
