"""The class shares of documents as clusters of their own words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.matrices.protocols import Documents

__all__ = ["mixture_memberships"]

# Added to the weight of every word in every class: a word that a class has never used.
_SMOOTHING = 0.1
# The first steps are taken with words that count more than they do in the end: classes that start
# in the wrong place part from each other before their shares have drifted far.
_SHARPNESS = np.geomspace(3.0, 1.0, 12)
_LEAST_SHARE = 1e-3


def mixture_memberships(
    documents: Documents,
    memberships: NDArray[Any],
    *,
    max_iter: int = 40,
    tol: float = 1e-3,
) -> NDArray[np.float64]:
    """Memberships under a mixture of multinomial distributions, started from given ones.

    By expectation-maximisation: every class has the words of its documents, ``f = X' R`` with the
    columns scaled to sum 1, and every document belongs to the classes by
    ``R_ic ~ q_c exp(s sum_w x_iw log f_wc)``, with ``q`` the mean of the rows of ``R`` and ``s``
    falling from 3 to 1 in the first steps. Nothing is taken from elsewhere but the start, so the
    classes are clusters of these documents; the means of their memberships are their shares.

    References
    ----------
    K. Nigam, A. McCallum, S. Thrun, T. Mitchell. Text Classification from Labeled and Unlabeled
    Documents using EM. Machine Learning 39, 2000.
    """
    memberships = np.asarray(memberships, np.float64)
    for step in range(max_iter):
        sharpness = _SHARPNESS[min(step, len(_SHARPNESS) - 1)]
        shares = np.maximum(memberships.mean(axis=0), _LEAST_SHARE)
        words = np.asarray(documents.transposed_times(memberships)) + _SMOOTHING
        scores = np.asarray(documents.times(np.log(words / words.sum(axis=0))))
        moved = np.asarray(softmax(sharpness * scores + np.log(shares), axis=1))
        change = float(np.abs(moved - memberships).max())
        memberships = moved
        if change < tol and step >= len(_SHARPNESS):
            break
    return memberships
