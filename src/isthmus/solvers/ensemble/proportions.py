"""Class proportions of a target, estimated from several classifiers and from its documents.

A labeling that follows the classes can be learned from half of the documents and predicted for
the others. One with wrong class proportions cuts through a class, where no boundary is, and is
learned worse. Cohen's kappa of given and predicted labels over a grid of proportions therefore has
its maximum near the true proportion, if the classes are visible in the documents at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

#: Proportions at which the labeling of a class is tried.
GRID = np.array([0.01, 0.02, 0.04, *np.arange(0.06, 0.96, 0.04)])
# Ridge penalty; coordinates come from unit-norm documents.
_PENALTY = 1.0
# All constants were chosen on the development scenarios of the suite "everyday" and on variants
# of them (benchmarks/studies/auto.md).
#
# A difference of kappa of this size is one unit of log weight, for this many documents; with fewer
# documents kappa is less exact.
_KAPPA_UNIT, _KAPPA_DOCUMENTS = 0.01, 2_500
# Proportions with fewer documents on one side are not tried.
_MIN_SIDE = 20
# Standard deviation, in log odds, of the true proportion around the mean of the other estimates.
_LOGIT_SPREAD = 1.6
# The proportion with the largest kappa is not used below the first value of kappa and fully used
# from the second one on. With three classes or more, the rest is not one class and kappa is
# large for any small group that stands out, so that more is needed.
_TWO_CLASSES, _MORE_CLASSES = (0.75, 0.85), (0.85, 0.95)
_FINE_GRID = np.linspace(0.01, 0.99, 197)
_MIN_PROPORTION = 0.003
# An estimated change of the class proportions up to the first total variation distance is taken for
# an error of the estimate, and one from the second on for a change.
_NO_CHANGE, _CHANGE = 0.03, 0.08
# Half-width of the 80 % interval: 1.28 standard deviations of a constant error and the spread of
# the estimates together.
_CONSTANT_ERROR = 0.04
_NORMAL_80 = 1.28


class HalfPredictor:
    """Ridge regression from one half of the documents to the other, and back.

    Parameters
    ----------
    coordinates : array of shape (n_documents, n_components)
        Coordinates in a space with few dimensions.
    in_first : array of bool of shape (n_documents,)
        Which documents are in the first half.
    """

    def __init__(self, coordinates: NDArray[Any], in_first: NDArray[np.bool_]) -> None:
        ones = np.ones((len(coordinates), 1))
        self._Z = np.hstack([coordinates.astype(np.float64), ones])
        self._halves = []
        penalty = _PENALTY * np.eye(self._Z.shape[1])
        for train in (in_first, ~in_first):
            Z = self._Z[train]
            # The products of all labelings share this solution operator.
            solution = np.linalg.solve(Z.T @ Z + penalty, Z.T)
            self._halves.append((np.flatnonzero(train), np.flatnonzero(~train), solution))

    def halves(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and test rows of both directions."""
        return [(train, test) for train, test, _ in self._halves]

    def predict(self, labels: NDArray[Any]) -> NDArray[np.float64]:
        """Scores of every document by the regression on the other half.

        ``labels`` has one column per labeling, with values 0 and 1.
        """
        scores = np.zeros(labels.shape)
        for train, test, solution in self._halves:
            scores[test] = self._Z[test] @ (solution @ labels[train])
        return scores


def kappa_curves(scores: NDArray[np.float64], predictor: HalfPredictor) -> NDArray[np.float64]:
    """Cohen's kappa of every class (row) and proportion of ``GRID`` (column).

    The documents with the largest margins of a class get its label, as many as the proportion
    says. The prediction of the other half is cut at the same proportion.
    """
    n_documents, n_classes = scores.shape
    curves = np.zeros((n_classes, len(GRID)))
    # The second class of two is the complement of the first.
    for k in range(n_classes if n_classes > 2 else 1):
        others = np.delete(scores, k, axis=1).max(axis=1)
        ranks = np.empty(n_documents, np.intp)
        ranks[np.argsort(others - scores[:, k], kind="stable")] = np.arange(n_documents)
        labels = (ranks[:, None] < GRID * n_documents).astype(np.float64)
        curves[k] = _kappas(labels, predictor)
    if n_classes == 2:
        curves[1] = np.interp(1 - GRID, GRID, curves[0])
    return curves


def _kappas(labels: NDArray[np.float64], predictor: HalfPredictor) -> NDArray[np.float64]:
    predicted = predictor.predict(labels)
    kappas = np.zeros(labels.shape[1])
    for _, test in predictor.halves():
        order = np.argsort(-predicted[test], axis=0, kind="stable")
        given = np.take_along_axis(labels[test], order, axis=0)
        sizes = given.sum(axis=0)
        cumulated = np.vstack([np.zeros(labels.shape[1]), np.cumsum(given, axis=0)])
        n = max(len(test), 1)
        # Both labelings have the proportion p, so kappa depends on the common positives alone.
        p = sizes / n
        common = np.take_along_axis(cumulated, sizes.astype(np.intp)[None], axis=0)[0] / n
        chance = p**2 + (1 - p) ** 2
        kappas += (1 - 2 * (p - common) - chance) / np.maximum(1 - chance, 1e-9) / 2
    return np.where((labels.sum(axis=0) > 0), kappas, 0.0)


def mean_kappa(labels: NDArray[np.float64], predictor: HalfPredictor) -> float:
    """Mean of Cohen's kappa over the classes of a labeling, one column per class."""
    used = labels.any(axis=0)
    return float(_kappas(labels[:, used], predictor).mean()) if used.sum() > 1 else 0.0


@dataclass(frozen=True)
class Proportions:
    """Estimated class proportions with an 80 % interval each."""

    prior: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    weight: NDArray[np.float64]
    """Weight of the proportions that can be learned best, from 0 to 1 per class."""

    @property
    def is_given(self) -> bool:
        """Whether these are known proportions, which have no interval."""
        return bool(np.all(self.low == self.high))

    def moved_to(self, prior: NDArray[np.float64], scale: float = 1.0) -> Proportions:
        """The same intervals around other proportions, with their widths times ``scale``."""
        return Proportions(
            prior,
            np.maximum(prior - scale * (self.prior - self.low), 0.0),
            np.minimum(prior + scale * (self.high - self.prior), 1.0),
            self.weight,
        )


def estimate_proportions(
    estimates: Sequence[NDArray[np.float64]],
    curves: NDArray[np.float64] | None,
    n_documents: int = _KAPPA_DOCUMENTS,
    two_classes: tuple[float, float] = _TWO_CLASSES,
    votes: NDArray[np.float64] | None = None,
    others: Sequence[NDArray[np.float64]] = (),
) -> Proportions:
    """Combine estimates of classifiers with the proportions that can be learned best.

    Parameters
    ----------
    estimates : sequence of arrays of shape (n_classes,)
        Class proportions by several classifiers.
    curves : array of shape (n_classes, n_grid) or None
        See :func:`isthmus.solvers.ensemble.proportions.kappa_curves`; None if there are too few
        documents.
    n_documents : int
        Number of documents behind the curves.
    two_classes : pair of float
        Values of kappa from which the curves count a little and fully, for two classes.
    votes : array of shape (n_classes,) or None
        Class proportions of the labels of all classifiers together. They count as much as
        ``estimates``: they change less than these, and are less often wrong if nothing changed.
    others : sequence of arrays of shape (n_classes,)
        Further estimates that only widen the interval.
    """
    anchor = _bounded(np.mean(estimates, axis=0))
    if votes is not None:
        anchor = _geometric_mean(anchor, _bounded(votes))
    weight = np.zeros(len(anchor))
    combined = anchor
    if curves is not None:
        low, high = two_classes if len(anchor) == 2 else _MORE_CLASSES
        learned, kappa = _most_learnable(curves, anchor, n_documents)
        weight = np.clip((kappa - low) / (high - low), 0, 1)
        combined = _bounded(weight * learned + (1 - weight) * anchor)
    spread = np.sqrt(np.mean((np.asarray([*estimates, *others]) - combined) ** 2, axis=0))
    sampling = combined * (1 - combined) / max(n_documents, 1)
    error = np.sqrt(_CONSTANT_ERROR**2 + sampling + ((1 - 0.5 * weight) * spread) ** 2)
    width = _NORMAL_80 * error
    return Proportions(
        combined, np.maximum(combined - width, 0.0), np.minimum(combined + width, 1.0), weight
    )


def near_source(proportions: Proportions, source_prior: NDArray[np.float64]) -> Proportions:
    """The source's class proportions in place of a small change; the interval keeps its width.

    Most targets have nearly the proportions of the source or clearly other ones, and an estimate
    has an error of some points anyway.
    """
    prior = proportions.prior
    change = float(np.abs(prior - source_prior).sum() / 2)
    weight = float(np.clip((change - _NO_CHANGE) / (_CHANGE - _NO_CHANGE), 0, 1))
    return proportions.moved_to(_geometric_mean(prior, _bounded(source_prior), weight))


def _geometric_mean(
    first: NDArray[np.float64], second: NDArray[np.float64], weight: float = 0.5
) -> NDArray[np.float64]:
    """Normalized geometric mean; ``weight`` is that of the first."""
    mean = first**weight * second ** (1 - weight)
    return np.asarray(mean / mean.sum())


def _most_learnable(
    curves: NDArray[np.float64], anchor: NDArray[np.float64], n_documents: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per class the mean proportion and the mean kappa, weighted by kappa and nearness."""
    proportions, kappas = anchor.copy(), np.zeros(len(anchor))
    sides = np.minimum(_FINE_GRID, 1 - _FINE_GRID) * n_documents
    allowed = sides >= _MIN_SIDE
    if not allowed.any():
        return proportions, kappas
    unit = _KAPPA_UNIT * np.sqrt(max(_KAPPA_DOCUMENTS / n_documents, 1.0))
    for k, curve in enumerate(curves):
        kappa = np.interp(_FINE_GRID, GRID, curve)
        distance = (logit(_FINE_GRID) - logit(np.clip(anchor[k], 0.01, 0.99))) / _LOGIT_SPREAD
        log_weights = np.where(allowed, kappa / unit - distance**2 / 2, -np.inf)
        weights = np.exp(log_weights - log_weights.max())
        weights /= (_FINE_GRID * (1 - _FINE_GRID)).clip(1e-3)  # uniform in the log odds
        weights /= weights.sum()
        proportions[k], kappas[k] = weights @ _FINE_GRID, weights @ kappa
    return proportions, kappas


def _bounded(prior: NDArray[np.float64]) -> NDArray[np.float64]:
    bounded = np.maximum(prior, _MIN_PROPORTION)
    return np.asarray(bounded / bounded.sum())
