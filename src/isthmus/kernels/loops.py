"""All loops, with what they compute; both versions of a loop have its name."""

from __future__ import annotations

from isthmus.kernels.dispatch import Kernel
from isthmus.kernels.plain import documents, neighbors, ngrams, words

_DOCUMENTS = "isthmus.kernels.compiled.documents"
_WORDS = "isthmus.kernels.compiled.words"
_NEIGHBORS = "isthmus.kernels.compiled.neighbors"
_NGRAMS = "isthmus.kernels.compiled.ngrams"

#: ``out[i] = row_scale[i] * (x_i @ right)``.
times = Kernel(documents.times, _DOCUMENTS)

#: ``out += sum_i row_scale[i] * outer(x_i, left[i])`` for the terms ``[lowest, above)``: a part of
#: ``X.T @ left``. Ranges of terms need no separate accumulators, and sums are added in the order of
#: the rows for any ranges.
scattered = Kernel(documents.scattered, _DOCUMENTS)

#: The fused row pass: product, multiplicative update in place, scatter of the new row.
#:
#: ``g <- g * sqrt((x @ profiles + pull * anchor) / (g @ gram + pull * g))``, rows optionally
#: divided by their sum; rows marked ``fixed`` are not updated, but are part of the scatter and of
#: ``new_gram``, to which the lower triangle of ``G.T @ G`` is added. Values whose square is
#: subnormal become zero, because arithmetic on subnormal numbers is slow. Returns the number of
#: rows whose largest class changed.
membership_rows = Kernel(documents.membership_rows, _DOCUMENTS)

#: The Kullback-Leibler step of some rows: ``expected = mixtures @ topics.T`` at the non-zeros (1
#: where it is zero), ``ratios = x / expected`` (0 there), ``out = mixtures * (ratios @ topics)``
#: with rows divided by their sums. The update of the topics is a separate scatter, because with
#: both tables in one pass neither stays in the cache (with 50 topics 42 ns per non-zero, against
#: 28 ns in two passes).
topic_rows = Kernel(documents.topic_rows, _DOCUMENTS)

#: Sum and sum of squares of every row, in float64.
row_moments = Kernel(documents.row_moments, _DOCUMENTS)

#: One update of the word clusters in place: numerator, denominator, square root and row sum.
#:
#: ``f <- f * sqrt((products @ S.T + anchor) / (profiles @ weighted + pull * f))``, with
#: ``associations = S.T``, ``profiles = F @ S`` and ``weighted = G.T @ G @ S.T``; ``anchor`` is read
#: only where ``pull`` is above 0. Then ``profiles`` holds the new ``F @ S``, and ``(F @ S).T @ F``
#: is added to ``sums``.
word_rows = Kernel(words.word_rows, _WORDS)

#: ``sums += products.T @ clusters``.
cluster_products = Kernel(words.cluster_products, _WORDS)

#: ``profiles = F @ S``; the lower triangle of ``profiles.T @ profiles`` is added to ``gram`` and
#: ``sum(profiles * products)`` is returned, both in float64.
profile_rows = Kernel(words.profile_rows, _WORDS)

#: ``topics *= word_side``, with the sums of the columns added to ``totals``.
topic_counts = Kernel(words.topic_counts, _WORDS)

#: ``topics *= scale``, one factor per column; values whose square is subnormal become zero.
scale_topics = Kernel(words.scale_topics, _WORDS)

#: For some rows of ``X`` the rows of ``Z`` with the largest products ``x_i @ z_j``, computed from
#: ``Z.T``. ``own[i]`` is the row of ``Z`` that is ``x_i`` itself and is excluded, or -1. ``steps``
#: contains the resolution of the products, the minimum rank and the number of rows of ``Z``; ties
#: are broken by the lower row number.
nearest_rows = Kernel(neighbors.nearest_rows, _NEIGHBORS)

#: Numbers of the character n-grams of some words: different n-grams have different numbers, from 0
#: without gaps. The characters of word ``i`` are ``codes[starts[i]:starts[i + 1]]``. Its n-grams
#: have ``shortest[i]`` to ``longest[i]`` characters and are sorted by position, then by length;
#: their numbers are written to ``numbers[pointers[i]:pointers[i + 1]]``. Returns how many different
#: n-grams there are.
ngram_numbers = Kernel(ngrams.ngram_numbers, _NGRAMS)

#: Adds the number of documents that contain an n-gram to ``frequencies``. Rows are documents as
#: lists of words, and words are lists of n-grams.
ngram_frequencies = Kernel(ngrams.ngram_frequencies, _NGRAMS)

#: The rows of ``X @ N``, where ``X`` counts the words of a document and ``N`` the n-grams of a
#: word, with sorted columns. Row ``i`` is written to ``[ends[i], ends[i + 1])`` of ``counts`` and
#: ``columns``; ``ends[start]`` is given.
ngram_counts = Kernel(ngrams.ngram_counts, _NGRAMS)
