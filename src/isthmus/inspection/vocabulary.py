"""How many words two domains have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["VocabularyOverlap", "vocabulary_overlap"]


@dataclass(frozen=True)
class VocabularyOverlap:
    """Numbers of different words, after rare ones were dropped."""

    n_shared: int
    n_source_only: int
    n_target_only: int
    known_part: float
    """Part of the words of a target document that also occur in the source, on average."""


def vocabulary_overlap(
    in_source: NDArray[np.bool_], in_target: NDArray[np.bool_], target: Any
) -> VocabularyOverlap:
    """Count words by the domains that use them.

    ``target`` has sampled documents of the target.
    """
    n_words = np.diff(target.indptr)
    known = np.add.reduceat(
        np.append(in_source[target.indices], False), target.indptr[:-1], dtype=float
    )
    filled = n_words > 0
    part = float((known[filled] / n_words[filled]).mean()) if filled.any() else 0.0
    return VocabularyOverlap(
        int((in_source & in_target).sum()),
        int((in_source & ~in_target).sum()),
        int((~in_source & in_target).sum()),
        part,
    )
