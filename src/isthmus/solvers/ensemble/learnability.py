"""How well one half of the documents teaches a labeling to the other half.

A labeling that follows the classes can be learned from half of the documents and predicted for
the others. One with wrong class proportions cuts through a class, where no boundary is, and is
learned worse. Cohen's kappa of given and predicted labels over a grid of proportions therefore has
its maximum near the true proportion, if the classes are visible in the documents at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GRID", "HalfPredictor", "kappa_curves", "mean_kappa"]

#: Proportions at which the labeling of a class is tried.
GRID = np.array([0.01, 0.02, 0.04, *np.arange(0.06, 0.96, 0.04)])
# Ridge penalty; coordinates come from unit-norm documents.
_PENALTY = 1.0


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
