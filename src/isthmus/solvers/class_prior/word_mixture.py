"""A mixture of multinomial word distributions, fitted to documents without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from isthmus.matrices.protocols import Documents

__all__ = ["mixture_memberships"]

# Added to the weight of every word in every class.
_SMOOTHING = 0.1
# Inverse temperatures of the first steps. Values above 1 separate the classes before their
# proportions have changed much, if the initial memberships are wrong.
_INVERSE_TEMPERATURES = np.geomspace(3.0, 1.0, 12)
_MIN_PROPORTION = 1e-3


def mixture_memberships(
    documents: Documents,
    memberships: NDArray[Any],
    *,
    max_iter: int = 40,
    tol: float = 1e-3,
) -> NDArray[np.float64]:
    """Memberships under a mixture of multinomials, by expectation-maximization.

    The word distributions of the classes are ``f = X' R`` with columns scaled to sum 1. The
    memberships are ``R_ic ~ q_c exp(s sum_w x_iw log f_wc)``, where ``q`` is the mean of the rows
    of ``R`` and ``s`` falls from 3 to 1 in the first steps. Only the initial memberships come from
    outside, so the classes are clusters of these documents, and the mean memberships are their
    proportions.

    References
    ----------
    K. Nigam, A. McCallum, S. Thrun, T. Mitchell. Text Classification from Labeled and Unlabeled
    Documents using EM. Machine Learning 39, 2000.
    """
    memberships = np.asarray(memberships, np.float64)
    for step in range(max_iter):
        inverse_temperature = _INVERSE_TEMPERATURES[min(step, len(_INVERSE_TEMPERATURES) - 1)]
        prior = np.maximum(memberships.mean(axis=0), _MIN_PROPORTION)
        words = np.asarray(documents.transposed_times(memberships)) + _SMOOTHING
        scores = np.asarray(documents.times(np.log(words / words.sum(axis=0))))
        updated = np.asarray(softmax(inverse_temperature * scores + np.log(prior), axis=1))
        change = float(np.abs(updated - memberships).max())
        memberships = updated
        if change < tol and step >= len(_INVERSE_TEMPERATURES):
            break
    return memberships
