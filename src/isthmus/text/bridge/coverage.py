"""How much of the target's words a bridge carries over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["KINDS", "Coverage"]

#: What can become of a word of the target.
KINDS = ("translated", "shared", "unknown")


@dataclass(frozen=True)
class Coverage:
    """What became of the words of the target that are counted.

    Attributes
    ----------
    words, tokens : dict of "translated", "shared", "unknown" to int
        Distinct words, and occurrences of words. A word is translated if the dictionary leads it
        to words that the source uses; shared if it is not and the source uses the same string;
        otherwise unknown, and a feature of the target alone.
    unused_translations : int
        Unknown words that the dictionary has, but only with translations that the source does
        not use.
    frequent_unknown : tuple of (str, int)
        The most frequent unknown words that the dictionary lacks, with their number of
        occurrences.
    n_pairs : int
        Pairs of the dictionary; 0 without one.
    """

    words: Mapping[str, int]
    tokens: Mapping[str, int]
    unused_translations: int = 0
    frequent_unknown: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    n_pairs: int = 0

    def word_share(self, kind: str) -> float:
        """Share of a kind among the distinct words."""
        return _share(self.words, kind)

    def token_share(self, kind: str) -> float:
        """Share of a kind among all occurrences of words."""
        return _share(self.tokens, kind)

    def __str__(self) -> str:
        parts = [
            f"{kind} {100 * self.token_share(kind):.1f} % of the tokens "
            f"({100 * self.word_share(kind):.1f} % of the words)"
            for kind in KINDS
        ]
        return ", ".join(parts)


def _share(counts: Mapping[str, int], kind: str) -> float:
    if kind not in KINDS:
        raise ValueError(f"There is no kind {kind!r} of words: kinds are {', '.join(KINDS)}.")
    return counts[kind] / max(1, sum(counts.values()))
