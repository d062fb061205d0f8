"""Proportions of the target words that are translated, shared or unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["KINDS", "Coverage"]

#: The kinds of target words.
KINDS = ("translated", "shared", "unknown")


@dataclass(frozen=True)
class Coverage:
    """How the target words are mapped to source words.

    Attributes
    ----------
    words, tokens : dict of "translated", "shared", "unknown" to int
        Number of distinct words and of their occurrences. A word is translated if the dictionary
        has a translation that occurs in the source, shared if it has none and the identical string
        occurs in the source, and unknown otherwise.
    unused_translations : int
        Unknown words that are in the dictionary, but whose translations do not occur in the
        source.
    frequent_unknown : tuple of (str, int)
        The most frequent unknown words that are not in the dictionary, with their counts.
    n_pairs : int
        Number of pairs in the dictionary; 0 without a dictionary.

    Examples
    --------
    >>> from isthmus import BilingualVectorizer
    >>> vectorizer = BilingualVectorizer("en", "de", {"Buch": "book", "gut": "good"})
    >>> vectorizer = vectorizer.fit(["a good book", "gut, ein Buch"], sample_domain=[0, -1])
    >>> round(vectorizer.coverage_.token_share("translated"), 2)
    0.67
    >>> vectorizer.coverage_.frequent_unknown
    (('ein', 1),)
    """

    words: Mapping[str, int]
    tokens: Mapping[str, int]
    unused_translations: int = 0
    frequent_unknown: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    n_pairs: int = 0

    def word_share(self, kind: str) -> float:
        """Return the proportion of a kind among the distinct words.

        Parameters
        ----------
        kind : {"translated", "shared", "unknown"}
            The kind of words.

        Returns
        -------
        float
            The proportion, from 0 to 1.
        """
        return _share(self.words, kind)

    def token_share(self, kind: str) -> float:
        """Return the proportion of a kind among all occurrences of words.

        Parameters
        ----------
        kind : {"translated", "shared", "unknown"}
            The kind of words.

        Returns
        -------
        float
            The proportion, from 0 to 1.
        """
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
        raise ValueError(f"Unknown kind of words {kind!r}: use one of {', '.join(KINDS)}.")
    return counts[kind] / max(1, sum(counts.values()))
