"""The compiled loops that counting needs, all of them or none."""

from __future__ import annotations

import numpy as np

from isthmus.kernels import loops

__all__ = ["can_count"]

# Estimated cost of a character in plain Python, in multiplications.
_WORK_OF_CHARACTER = 32
_WORDS = (loops.text_words, loops.add_words, loops.move_slots)


def can_count(n_characters: int, *, goes_on: bool, for_matrix: bool, with_ngrams: bool) -> bool:
    """Compile the loops if that is worth its time; return whether they are ready.

    Parameters
    ----------
    n_characters : int
        Size of the texts that are known.
    goes_on : bool
        Whether there may be many more.
    for_matrix, with_ngrams : bool
        Whether the loops for a sorted matrix and for word n-grams are needed.
    """
    counts = (loops.word_ngram_counts, loops.add_word_ngrams) if with_ngrams else ()
    needed = (*_WORDS, *(counts or (loops.word_counts,)), *(for_matrix * (loops.sorted_rows,)))
    work = n_characters * _WORK_OF_CHARACTER
    # A failure is reported once, and then no loop is compiled.
    return all(
        loop.find(1, work, np.float32, np.int32, repeated=goes_on) is not None for loop in needed
    )
