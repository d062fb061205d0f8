"""All loops, with what they compute; the versions of a loop have its name."""

from __future__ import annotations

from isthmus.kernels import plain_loops as plain
from isthmus.kernels.conventions import document_size, word_size, word_sum_size
from isthmus.kernels.dispatch import PRODUCT_SECONDS, CompiledLoop, Kernel

_DOCUMENTS = "isthmus.kernels.compiled.documents"
_WORDS = "isthmus.kernels.compiled.words"
_NEIGHBORS = "isthmus.kernels.compiled.neighbors"
_NGRAMS = "isthmus.kernels.compiled.ngrams"
_TOKENS = "isthmus.kernels.compiled.tokens"
_WORD_COUNTS = "isthmus.kernels.compiled.word_counts"

#: ``out[i] = row_scale[i] * (x_i @ right)``.
times = Kernel(plain.times, _DOCUMENTS, document_size, PRODUCT_SECONDS)

#: ``out += sum_i row_scale[i] * outer(x_i, left[i])`` for the terms ``[lowest, above)``: a part of
#: ``X.T @ left``. Ranges of terms need no separate accumulators, and sums are added in the order of
#: the rows for any ranges.
scattered = Kernel(plain.scattered, _DOCUMENTS, document_size, PRODUCT_SECONDS)

#: The fused row pass: product, multiplicative update in place, scatter of the new row.
#:
#: ``g <- g * sqrt((x @ profiles + pull * anchor) / (g @ gram + pull * g))``, rows optionally
#: divided by their sum; rows marked ``fixed`` are not updated, but are part of the scatter and of
#: ``new_gram``, to which the lower triangle of ``G.T @ G`` is added. Values whose square is
#: subnormal become zero, because arithmetic on subnormal numbers is slow. Returns the number of
#: rows whose largest class changed.
membership_rows = Kernel(plain.membership_rows, _DOCUMENTS, document_size)

#: The Kullback-Leibler step of some rows: ``expected = mixtures @ topics.T`` at the non-zeros (1
#: where it is zero), ``ratios = x / expected`` (0 there), ``out = mixtures * (ratios @ topics)``
#: with rows divided by their sums. The update of the topics is a separate scatter, because with
#: both tables in one pass neither stays in the cache (with 50 topics 42 ns per non-zero, against
#: 28 ns in two passes).
topic_rows = Kernel(plain.topic_rows, _DOCUMENTS, document_size)

#: Sum and sum of squares of every row, in float64.
row_moments = Kernel(plain.row_moments, _DOCUMENTS)

#: One update of the word clusters in place: numerator, denominator, square root and row sum.
#:
#: ``f <- f * sqrt((products @ S.T + anchor) / (profiles @ weighted + pull * f))``, with
#: ``associations = S.T``, ``profiles = F @ S`` and ``weighted = G.T @ G @ S.T``; ``anchor`` is read
#: only where ``pull`` is above 0. Then ``profiles`` holds the new ``F @ S``, and ``(F @ S).T @ F``
#: is added to ``sums``.
word_rows = Kernel(plain.word_rows, _WORDS, word_size)

#: ``sums += products.T @ clusters``.
cluster_products = Kernel(plain.cluster_products, _WORDS, word_sum_size)

#: ``profiles = F @ S``; the lower triangle of ``profiles.T @ profiles`` is added to ``gram`` and
#: ``sum(profiles * products)`` is returned, both in float64.
profile_rows = Kernel(plain.profile_rows, _WORDS, word_sum_size)

#: ``topics *= word_side``, with the sums of the columns added to ``totals``.
topic_counts = Kernel(plain.topic_counts, _WORDS)

#: ``topics *= scale``, one factor per column; values whose square is subnormal become zero.
scale_topics = Kernel(plain.scale_topics, _WORDS)

#: For some rows of ``X`` the other rows with the largest products ``x_i @ x_j``, computed from
#: ``X.T``, and those among the rows of another kind (``across``). Columns with many entries are
#: dense: ``dense_number`` has their row in ``dense_columns``, or -1. The entries of the others are
#: sorted by tiles of rows: those of term ``t`` in tile ``s`` begin at ``starts_of_columns[s *
#: n_terms + t]``.
#: ``steps`` contains the resolution of the products, the minimum rank, the number of rows and the
#: rows per tile; ties are broken by the lower row number.
nearest_rows = Kernel(plain.nearest_rows, _NEIGHBORS)

#: Numbers of the character n-grams of some words: different n-grams have different numbers, from 0
#: without gaps. The characters of word ``i`` are ``codes[starts[i]:starts[i + 1]]``. Its n-grams
#: have ``shortest[i]`` to ``longest[i]`` characters and are sorted by position, then by length;
#: their numbers are written to ``numbers[pointers[i]:pointers[i + 1]]``. Returns how many different
#: n-grams there are.
ngram_numbers = Kernel(plain.ngram_numbers, _NGRAMS)

#: Adds the number of documents that contain an n-gram to ``frequencies``. Rows are documents as
#: lists of words, and words are lists of n-grams.
ngram_frequencies = Kernel(plain.ngram_frequencies, _NGRAMS)

#: The rows of ``X @ N``, where ``X`` counts the words of a document and ``N`` the n-grams of a
#: word, with sorted columns. Row ``i`` is written to ``[ends[i], ends[i + 1])`` of ``counts`` and
#: ``columns``; ``ends[start]`` is given.
ngram_counts = Kernel(plain.ngram_counts, _NGRAMS)

# The loops below have no plain version: where compiling is not worth its time, texts are counted
# with Python's regular expressions and dictionaries (``isthmus.text``). A loop that returns a row
# stopped there because a table was full: make the table larger and call it again from that row.

#: Words of documents in UTF-8 as numbers. ``fold`` has a value for every character: -1 if it
#: separates words, else the code of the character to count, with bit 30 if it cannot begin a word,
#: bit 29 if it is a word by itself, bit 28 if two of them are a word (the letters of flags). Other
#: words have at least ``min_length`` characters. Words with a number below ``n_excluded`` are left
#: out. A word that is not in the table is added if ``grow``, else its number is -1. ``folded`` and
#: ``bounds`` are memory of the caller, twice as long as the longest document and some bytes.
#:
#: The table: ``slots`` (see ``compiled/hash_tables.py``), ``letters``, where word ``i`` is
#: ``letters[ends[i]:ends[i + 1]]`` in UTF-8, and ``n_words``, an array with one number. Row ``i``
#: is written to ``[number_ends[i], number_ends[i + 1])`` of ``numbers``; ``number_ends[start]`` is
#: given.
text_words = CompiledLoop("text_words", _TOKENS)

#: Numbers of given words, which are added to the table if they are new.
add_words = CompiledLoop("add_words", _TOKENS)

#: Copies the used slots of a table of words or n-grams to a larger, empty array.
move_slots = CompiledLoop("move_slots", _TOKENS)

#: Counts of the words of documents; negative numbers are left out. ``place_of`` is memory of the
#: caller, one value per word. Adds the number of documents that contain a word to ``frequencies``.
#: Row ``i`` is written to ``[ends[i], ends[i + 1])`` of ``columns`` and ``counts``.
word_counts = CompiledLoop("word_counts", _WORD_COUNTS)

#: Counts of word n-grams, each a number of its prefix and of its last word. In ``columns`` a word
#: has its number and an n-gram the complement of its number. A negative number is not part of any
#: n-gram. The table of n-grams: ``slots``, ``prefixes`` (a word, or the complement of an n-gram)
#: and ``lasts``, and ``n_ngrams``, an array with one number.
word_ngram_counts = CompiledLoop("word_ngram_counts", _WORD_COUNTS)

#: Numbers of given n-grams, which are added to the table if they are new; a negative prefix is the
#: complement of the position of an earlier one of the given n-grams.
add_word_ngrams = CompiledLoop("add_word_ngrams", _WORD_COUNTS)

#: Renumbers the columns of counts in place, drops those whose new number is -1, and sorts every
#: row by column.
sorted_rows = CompiledLoop("sorted_rows", _WORD_COUNTS)

#: Replaces counts by ``(1 + log tf) * idf`` in place, rows with unit norm; counts below 1 are not
#: changed before they are multiplied. ``log_tf`` has ``1 + log tf`` for the smallest integers.
log_tfidf_rows = CompiledLoop("log_tfidf_rows", _WORD_COUNTS)
