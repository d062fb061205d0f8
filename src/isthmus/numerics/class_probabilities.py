"""Class probabilities: reductions over their rows, scales of scores, shifts of the class prior.

NumPy has a cost per row that is much larger than the work on two or three values. Reductions by
operations on whole columns avoid it; results are the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from isthmus.matrices.protocols import Array, Engine

# NumPy adds fewer values than this from left to right, and others in an order of its own.
_UNORDERED = 8
# Lower bound of memberships under the logarithm; float32 cannot represent much smaller ones.
_MIN_MEMBERSHIP = 1e-30
# Margins with a smaller relative difference are equal.
_ROUNDING = 1e-9
# Inverse temperatures: the soft proportions of the first one approach the counts of the last one.
_INVERSE_TEMPERATURES = np.geomspace(1.0, 200.0, 8)
_MAX_STEPS = 30


def row_argmax(values: Array) -> Array:
    """The same as ``values.argmax(axis=1)``, faster for two columns."""
    if values.shape[1] != 2:
        return values.argmax(axis=1)
    first, second = values[:, 0], values[:, 1]
    # As in NumPy, the first of equal values counts, and the first NaN is larger than any number.
    is_second = ~(second <= first) & (first == first)
    return is_second.astype(np.intp)


def row_sums(values: Array) -> Array:
    """The same as ``values.sum(axis=1)`` of floats, faster for few columns."""
    n_columns = values.shape[1]
    if not 2 <= n_columns < _UNORDERED:
        return values.sum(axis=1)
    totals = values[:, 0] + values[:, 1]
    for column in range(2, n_columns):
        totals += values[:, column]
    return totals


def most_likely_scale(scores: Array, labels: Array, engine: Engine) -> float:
    """The ``b`` for which ``softmax(b * scores)`` maximizes the likelihood of the labels.

    Scores have one row per document, in float64, and labels are class numbers. Labels are smoothed
    so that ``b`` stays finite for separable classes.
    """
    xp, (n_rows, n_classes) = engine.xp, scores.shape
    smoothing = 1 / (n_rows + 2)
    # A number that is added to a row of scores changes nothing.
    below = scores - scores.max(axis=1, keepdims=True)
    given = float(below[xp.arange(n_rows), labels].sum())
    mean = (1 - smoothing) * given + smoothing / n_classes * float(below.sum())
    low, high = 1e-6, 1e6
    for _ in range(60):  # the likelihood is concave: bisect where its slope changes sign
        middle = float(np.sqrt(low * high))
        powers = xp.exp(middle * below)
        if float(((powers * below).sum(axis=1) / powers.sum(axis=1)).sum()) < mean:
            low = middle
        else:
            high = middle
    return middle


def scale_to_confidence(scores: Array, confidence: float, engine: Engine) -> float:
    """The ``b`` for which the mean largest probability in ``softmax(b * scores)`` is as given."""
    below = scores - scores.max(axis=1, keepdims=True)
    low, high = 1e-3, 1e3
    for _ in range(40):
        middle = float(np.sqrt(low * high))
        # The exponential of the largest score is 1.
        if float((1 / engine.xp.exp(middle * below).sum(axis=1)).mean()) > confidence:
            high = middle
        else:
            low = middle
    return middle


def softmax_rows(scores: Array, engine: Engine) -> Array:
    """The softmax of every row."""
    powers = engine.xp.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def log_memberships(memberships: NDArray[Any]) -> NDArray[np.float64]:
    """Logarithms of memberships, with a lower bound for zeros."""
    return np.asarray(np.log(np.maximum(memberships.astype(np.float64), _MIN_MEMBERSHIP)))


def shifted(memberships: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
    """Rows times ``exp(shift)``, scaled to sum 1; rows of zeros stay zeros."""
    known = memberships.any(axis=1, keepdims=True)
    probabilities = softmax(log_memberships(memberships) + shift, axis=1)
    return np.asarray(np.where(known, probabilities, 0.0), memberships.dtype)


def match_mean(memberships: NDArray[Any], prior: NDArray[Any]) -> NDArray[Any]:
    """Memberships whose mean is the class prior, by one factor per class.

    The factors ``w`` solve ``mean_i p_ic w_c / (p_i w) = prior_c``. This is Bayes' rule for
    probabilities that were fitted under another class prior, with factors that give the mean. Rows
    of zeros stay zeros and do not count.
    """
    known = memberships.any(axis=1)
    if not known.any():
        return memberships
    scores = log_memberships(memberships[known])
    if len(prior) == 2:
        return shifted(memberships, _soft_threshold(scores[:, 1] - scores[:, 0], prior[1]))
    return shifted(memberships, _soft_shift(scores, prior, 1.0, np.zeros(len(prior)), 300))


def shift_to_prior(memberships: NDArray[Any], prior: NDArray[Any]) -> NDArray[np.float64]:
    """The shift of log memberships under which the predicted classes have the given proportions.

    For two classes the threshold is the midpoint between the two nearest documents. For more
    classes the shift solves the dual of the assignment problem that maximizes the total log
    membership under these class counts. Documents with equal memberships get the same class, so
    the proportions may not be met exactly.
    """
    known = memberships.any(axis=1)
    n_classes = len(prior)
    if not known.any():
        return np.zeros(n_classes)
    scores = log_memberships(memberships[known])
    if n_classes == 2:
        margins = scores[:, 1] - scores[:, 0]
        preferred = np.array([np.mean(margins < 0), np.mean(margins > 0)])
        return _threshold(margins, class_counts(len(scores), prior, preferred))
    shift = np.zeros(n_classes)
    spread = max(float(scores.std()), 1e-6)
    for inverse_temperature in _INVERSE_TEMPERATURES / spread:
        shift = _soft_shift(scores, prior, inverse_temperature, shift, _MAX_STEPS)
    return shift


def class_counts(
    n_rows: int, prior: NDArray[Any], preferred: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """Number of rows of every class that sum to ``n_rows``, by the largest remainder method.

    Equal remainders are ordered by ``preferred``, the largest value first.
    """
    exact = n_rows * np.asarray(prior, np.float64)
    counts = np.floor(exact + 1e-9).astype(np.int64)
    remainders = np.round(counts - exact, 9)
    second_key = np.zeros(len(counts)) if preferred is None else -preferred
    order = np.lexsort((second_key, remainders))
    counts[order[: n_rows - int(counts.sum())]] += 1
    return counts


def most_confident(
    memberships: NDArray[Any],
    prior: NDArray[Any] | None,
    n_rows: int,
    groups: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The ``n_rows`` most confident documents and their classes, in the proportions of ``prior``.

    Memberships are first shifted so that the classes of all documents match the prior. Then the
    documents with the largest margins are selected per class. Without a prior, those with the
    largest margins are selected whatever their class. Documents of one of the ``groups`` are
    duplicates: they count as one, and all of them are returned.
    """
    groups = np.arange(len(memberships)) if groups is None else groups
    _, first, group_of = np.unique(groups, return_index=True, return_inverse=True)
    usable = memberships[first].any(axis=1)
    rows = first[usable]
    if len(rows) == 0:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    scores = log_memberships(memberships[rows])
    if prior is not None:
        scores += shift_to_prior(memberships[rows], prior)
    labels = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    margins = ordered[:, -1] - ordered[:, -2]
    label_of_group = np.full(len(first), -1)
    selected = select_by_quota(labels, margins, prior, min(n_rows, len(rows)))
    label_of_group[np.flatnonzero(usable)[selected]] = labels[selected]
    label_of_row = label_of_group[group_of]
    selected_rows = np.flatnonzero(label_of_row >= 0)
    return selected_rows, label_of_row[selected_rows]


def select_by_quota(
    labels: NDArray[np.intp],
    confidence: NDArray[Any],
    prior: NDArray[Any] | None,
    n_rows: int,
) -> NDArray[np.intp]:
    """The ``n_rows`` most confident rows, with a quota per class by the prior.

    Rows with a negative label are not selected. Without a prior there are no quotas. Ties with the
    last selected row are included, so that the order of the rows has no influence.
    """
    quotas = [(labels >= 0, n_rows)]
    if prior is not None:
        counts = class_counts(n_rows, prior).tolist()
        quotas = [(labels == label, count) for label, count in enumerate(counts)]
    selected = []
    for candidates, count in quotas:
        selected.append(largest(confidence, np.flatnonzero(candidates), count))
    return np.concatenate(selected)


def largest(values: NDArray[Any], positions: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Those ``positions`` that have the ``count`` largest values, including ties with the last."""
    if count <= 0 or len(positions) <= count:
        return positions[: max(count, 0)]
    threshold = np.partition(values[positions], -count)[-count]
    return positions[values[positions] >= threshold - _ROUNDING * abs(threshold)]


def _threshold(margins: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shifts after which the ``counts[1]`` largest margins are positive.

    The threshold is the midpoint of two neighboring margins. Equal margins stay together, on the
    side that gives the nearest counts.
    """
    values, sizes = np.unique(margins, return_counts=True)
    # Thresholds lie between neighboring values, and beyond both ends.
    edges = np.concatenate([[values[0] - 2.0], values, [values[-1] + 2.0]])
    below = np.concatenate([[0], np.cumsum(sizes)])
    best = int(np.abs(below - counts[0]).argmin())
    threshold = (edges[best] + edges[best + 1]) / 2
    return np.array([threshold, -threshold]) / 2


def _soft_threshold(margins: NDArray[np.float64], proportion: float) -> NDArray[np.float64]:
    """Shifts under which the mean probability of the second class is ``proportion``."""
    low, high = float(margins.min()) - 30.0, float(margins.max()) + 30.0
    for _ in range(60):
        threshold = (low + high) / 2
        if float(expit(margins - threshold).mean()) > proportion:
            low = threshold
        else:
            high = threshold
    return np.array([threshold, -threshold]) / 2


def _soft_shift(
    scores: NDArray[np.float64],
    prior: NDArray[Any],
    inverse_temperature: float,
    shift: NDArray[np.float64],
    max_steps: int,
) -> NDArray[np.float64]:
    """The shift for which ``softmax(inverse_temperature (scores + shift))`` has mean ``prior``."""
    log_prior = np.log(np.maximum(np.asarray(prior, np.float64), 1e-12))
    tol = max(1e-6, 0.25 / len(scores))  # a quarter of a document
    for _ in range(max_steps):
        means = softmax(inverse_temperature * (scores + shift), axis=1).mean(axis=0)
        if np.abs(means - prior).max() < tol:
            break
        shift = shift + (log_prior - np.log(np.maximum(means, 1e-300))) / inverse_temperature
    return shift - shift.mean()
