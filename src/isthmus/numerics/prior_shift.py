"""Class memberships held to given class shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

__all__ = [
    "class_counts",
    "filled_quotas",
    "largest",
    "logarithms",
    "most_certain",
    "recentred",
    "shift_to_shares",
    "shifted",
]

# Below the smallest membership that a float32 can tell from 0: further apart means nothing.
_LEAST = 1e-30
# Margins that differ by less than this part of themselves are equal.
_ROUNDING = 1e-9
# The soft shares of the first level become, level by level, the hard counts of the last.
_SHARPNESS = np.geomspace(1.0, 200.0, 8)
_STEPS = 30


def logarithms(memberships: NDArray[Any]) -> NDArray[np.float64]:
    """Logarithms of memberships, a floor under those of zeros."""
    return np.asarray(np.log(np.maximum(memberships.astype(np.float64), _LEAST)))


def shifted(memberships: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
    """Rows times ``exp(shift)``, scaled to sum 1; rows of zeros stay zeros."""
    known = memberships.any(axis=1, keepdims=True)
    moved = softmax(logarithms(memberships) + shift, axis=1)
    return np.asarray(np.where(known, moved, 0.0), memberships.dtype)


def recentred(memberships: NDArray[Any], shares: NDArray[Any]) -> NDArray[Any]:
    """Memberships whose mean is the given shares, by one factor a class.

    The factors ``w`` solve ``mean_i p_ic w_c / (p_i w) = shares_c``: what Bayes' rule makes of
    probabilities that were learnt under other class shares, with the factors chosen so that the
    new ones come out. Rows of zeros stay zeros and do not count.
    """
    known = memberships.any(axis=1)
    if not known.any():
        return memberships
    scores = logarithms(memberships[known])
    if len(shares) == 2:
        return shifted(memberships, _soft_threshold(scores[:, 1] - scores[:, 0], shares[1]))
    return shifted(memberships, _soft_shift(scores, shares, 1.0, np.zeros(len(shares)), 300))


def shift_to_shares(memberships: NDArray[Any], shares: NDArray[Any]) -> NDArray[np.float64]:
    """What to add to the log memberships so that the likeliest classes have the given shares.

    For two classes the threshold is put midway between the two documents on either side of it. For
    more, the shifts solve the dual of the assignment that has the largest total log membership
    under those counts. Documents that tie stay together, and may keep it from being met.
    """
    known = memberships.any(axis=1)
    n_classes = len(shares)
    if not known.any():
        return np.zeros(n_classes)
    scores = logarithms(memberships[known])
    if n_classes == 2:
        margins = scores[:, 1] - scores[:, 0]
        preferred = np.array([np.mean(margins < 0), np.mean(margins > 0)])
        return _threshold(margins, class_counts(len(scores), shares, preferred))
    shift = np.zeros(n_classes)
    spread = max(float(scores.std()), 1e-6)
    for sharpness in _SHARPNESS / spread:
        shift = _soft_shift(scores, shares, sharpness, shift, _STEPS)
    return shift


def class_counts(
    n_rows: int, shares: NDArray[Any], preferred: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """So many rows of every class, adding up: largest remainders are rounded up.

    Of equal remainders those go first whose class has more of ``preferred``.
    """
    wanted = n_rows * np.asarray(shares, np.float64)
    counts = np.floor(wanted + 1e-9).astype(np.int64)
    remainders = np.round(counts - wanted, 9)
    second = np.zeros(len(counts)) if preferred is None else -preferred
    order = np.lexsort((second, remainders))
    counts[order[: n_rows - int(counts.sum())]] += 1
    return counts


def most_certain(
    memberships: NDArray[Any],
    shares: NDArray[Any] | None,
    n_rows: int,
    groups: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The ``n_rows`` most certain documents and their classes, which have the given shares.

    Memberships are first shifted so that all documents together have the shares; of every class
    those are taken that are furthest from the next class. Without shares the most certain ones are
    taken, whatever their classes. Documents of one of the ``groups`` are copies of each other: they
    take one place together, and all of them are returned.
    """
    groups = np.arange(len(memberships)) if groups is None else groups
    _, first, group_of = np.unique(groups, return_index=True, return_inverse=True)
    usable = memberships[first].any(axis=1)
    ones = first[usable]
    if len(ones) == 0:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    scores = logarithms(memberships[ones])
    if shares is not None:
        scores += shift_to_shares(memberships[ones], shares)
    labels = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    margins = ordered[:, -1] - ordered[:, -2]
    label_of_group = np.full(len(first), -1)
    best = filled_quotas(labels, margins, shares, min(n_rows, len(ones)))
    label_of_group[np.flatnonzero(usable)[best]] = labels[best]
    found = label_of_group[group_of]
    rows = np.flatnonzero(found >= 0)
    return rows, found[rows]


def filled_quotas(
    labels: NDArray[np.intp],
    certainty: NDArray[Any],
    shares: NDArray[Any] | None,
    n_rows: int,
) -> NDArray[np.intp]:
    """The ``n_rows`` most certain rows, of no class more than its share of them.

    Rows with a label below 0 are not to be had; without shares the classes do not matter. Whoever
    ties with the last comes along, so that the order of the rows decides nothing.
    """
    quotas = [(labels >= 0, n_rows)]
    if shares is not None:
        counts = class_counts(n_rows, shares).tolist()
        quotas = [(labels == label, count) for label, count in enumerate(counts)]
    chosen = []
    for candidates, count in quotas:
        chosen.append(largest(certainty, np.flatnonzero(candidates), count))
    return np.concatenate(chosen)


def largest(values: NDArray[Any], places: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """The ``places`` with the ``count`` largest values, and whoever ties with the last."""
    if count <= 0 or len(places) <= count:
        return places[: max(count, 0)]
    least = np.partition(values[places], -count)[-count]
    return places[values[places] >= least - _ROUNDING * abs(least)]


def _threshold(margins: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shifts after which the ``counts[1]`` largest margins are above 0, midway to the next.

    Margins that are equal stay on one side, where the counts come nearer to those wanted.
    """
    values, sizes = np.unique(margins, return_counts=True)
    # Thresholds lie between neighbouring values, and beyond both ends.
    edges = np.concatenate([[values[0] - 2.0], values, [values[-1] + 2.0]])
    below = np.concatenate([[0], np.cumsum(sizes)])
    best = int(np.abs(below - counts[0]).argmin())
    threshold = (edges[best] + edges[best + 1]) / 2
    return np.array([threshold, -threshold]) / 2


def _soft_threshold(margins: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Shifts under which the mean probability of the second class is ``share``."""
    low, high = float(margins.min()) - 30.0, float(margins.max()) + 30.0
    for _ in range(60):
        threshold = (low + high) / 2
        if float(expit(margins - threshold).mean()) > share:
            low = threshold
        else:
            high = threshold
    return np.array([threshold, -threshold]) / 2


def _soft_shift(
    scores: NDArray[np.float64],
    shares: NDArray[Any],
    sharpness: float,
    shift: NDArray[np.float64],
    most_steps: int,
) -> NDArray[np.float64]:
    """The shift under which the mean of ``softmax(sharpness (scores + shift))`` is the shares."""
    wanted = np.log(np.maximum(np.asarray(shares, np.float64), 1e-12))
    close = max(1e-6, 0.25 / len(scores))  # a quarter of a document
    for _ in range(most_steps):
        means = softmax(sharpness * (scores + shift), axis=1).mean(axis=0)
        if np.abs(means - shares).max() < close:
            break
        shift = shift + (wanted - np.log(np.maximum(means, 1e-300))) / sharpness
    return shift - shift.mean()
