"""How documents become counts, as a suite says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.bench.plan.fields import only, optional, positive

__all__ = ["TextSettings", "read_text_settings"]


@dataclass(frozen=True)
class TextSettings:
    """Stop words, stems and which terms stay.

    Attributes
    ----------
    stop_words : {"english"}, optional
        Words to leave out.
    min_df : int, optional
        The least document frequency of a term within a problem; None where every problem has two
        languages.
    stemmer : str, optional
        The Snowball stemmer for what the stop words leave.
    max_terms : int, optional
        At most so many terms of a problem, those of highest document frequency.
    """

    stop_words: str | None
    min_df: int | None
    stemmer: str | None = None
    max_terms: int | None = None

    def identity(self) -> dict[str, str | int | None]:
        """What tells results apart; later fields only where they are set, so older keys hold."""
        found: dict[str, str | int | None] = {
            "stop_words": self.stop_words,
            "min_df": self.min_df,
        }
        later = {"stemmer": self.stemmer, "max_terms": self.max_terms}
        return found | {name: value for name, value in later.items() if value is not None}


def read_text_settings(data: Mapping[str, Any], where: str) -> TextSettings:
    """Read the table ``text``; ``where`` names the suite."""
    place = f"the table 'text' of {where}"
    only(data, ("stop_words", "min_df", "stemmer", "max_terms"), place)
    stop_words = data.get("stop_words")
    if stop_words not in (None, "english"):
        raise ValueError(f"stop_words={stop_words!r} in {where} must be 'english' or left out.")
    return TextSettings(
        stop_words,
        positive(data, "min_df", place),
        _stemmer(data, place),
        positive(data, "max_terms", place),
    )


def _stemmer(data: Mapping[str, Any], where: str) -> str | None:
    name = optional(data, "stemmer", str, where)
    if name is None:
        return None
    import Stemmer

    if name not in Stemmer.algorithms():
        raise ValueError(
            f"stemmer={name!r} in {where} is unknown: choose among "
            f"{', '.join(Stemmer.algorithms())}, or leave it out."
        )
    return name
