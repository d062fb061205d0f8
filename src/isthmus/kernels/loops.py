"""Every loop, with what it does; its two forms have its name."""

from __future__ import annotations

from isthmus.kernels.choice import Kernel
from isthmus.kernels.plain import documents, neighbours, words

_DOCUMENTS = "isthmus.kernels.compiled.documents"
_WORDS = "isthmus.kernels.compiled.words"
_NEIGHBOURS = "isthmus.kernels.compiled.neighbours"

#: ``out[i] = row_scale[i] * (x_i @ right)``.
times = Kernel(documents.times, _DOCUMENTS)

#: ``out += sum_i row_scale[i] * outer(x_i, left[i])`` for the terms ``[lowest, above)``: a part of
#: ``X.T @ left``. Ranges of terms need no accumulators of their own, and every number is added in
#: the order of the rows, however the terms are cut.
scattered = Kernel(documents.scattered, _DOCUMENTS)

#: The fused row pass: product, multiplicative update in place, scatter of the new row.
#:
#: ``g <- g * sqrt((x @ profiles + pull * anchor) / (g @ gram + pull * g))``, rows optionally
#: divided by their sum; rows marked ``fixed`` only take part in the scatter and in ``new_gram``,
#: to which the lower triangle of ``G.T @ G`` is added. A share so small that its square is not a
#: normal number becomes zero: arithmetic on such numbers is slow. Returns how many rows have
#: another largest class than before.
membership_rows = Kernel(documents.membership_rows, _DOCUMENTS)

#: The Kullback-Leibler step of some rows: ``expected = mixtures @ topics.T`` at the non-zeros (1
#: where it is zero), ``ratios = x / expected`` (0 there), ``out = mixtures * (ratios @ topics)``
#: with rows divided by their sums. The word side is a scatter of its own: with both tables in one
#: pass neither stays in the cache (measured with 50 topics: 42 ns a non-zero, 28 in two passes).
topic_rows = Kernel(documents.topic_rows, _DOCUMENTS)

#: Sum and sum of squares of every row, gathered in float64.
row_moments = Kernel(documents.row_moments, _DOCUMENTS)

#: One pass over the word clusters, in place: numerator, denominator, root and row sum.
#:
#: ``f <- f * sqrt((products @ S.T + anchor) / (profiles @ weighted + pull * f))``, with
#: ``associations = S.T``, ``profiles = F @ S`` and ``weighted = G.T @ G @ S.T``; ``anchor`` is read
#: only where ``pull`` is above 0. Then ``profiles`` holds the new ``F @ S``, and ``(F @ S).T @ F``
#: is added to ``use``.
word_rows = Kernel(words.word_rows, _WORDS)

#: ``use += products.T @ clusters``.
word_use = Kernel(words.word_use, _WORDS)

#: ``profiles = F @ S``; the lower triangle of ``profiles.T @ profiles`` is added to ``gram`` and
#: ``sum(profiles * products)`` is returned, both in float64.
profile_rows = Kernel(words.profile_rows, _WORDS)

#: ``topics *= word_side``, with the sums of the columns added to ``totals``.
topic_counts = Kernel(words.topic_counts, _WORDS)

#: ``topics *= scale``, a number for every column; dust becomes zero.
topic_shares = Kernel(words.topic_shares, _WORDS)

#: For some rows of ``X`` the rows of ``Z`` with the largest products ``x_i @ z_j``, found through
#: the rows of every term (``Z.T``); ``own[i]`` is the row of ``Z`` that is ``x_i`` itself and does
#: not count, or -1. ``steps`` holds how fine products are ranked, the least rank that counts and
#: the number of rows of ``Z``; of equal ranks the first row comes first.
nearest_rows = Kernel(neighbours.nearest_rows, _NEIGHBOURS)
