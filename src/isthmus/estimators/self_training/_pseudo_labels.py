"""Labels that a classifier predicts for target documents, which are then added as known labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import UNLABELED, Domain
from isthmus.estimators.base.fitted_model import FittedModel, LinearModel
from isthmus.estimators.base.training_data import TrainingData
from isthmus.matrices.rows import duplicate_groups, take_rows
from isthmus.numerics.class_probabilities import most_confident


class Candidates:
    """The unlabeled documents of one target, some of which get pseudo-labels."""

    def __init__(self, domain: Domain, X: Any, class_prior: NDArray[np.float64] | None) -> None:
        self.number = domain.number
        """Number of the target."""
        self._n_rows = len(domain.labels)
        self._positions = np.flatnonzero(~domain.labeled)
        self.X = take_rows(X, np.arange(X.shape[0])[domain.rows][self._positions])
        self._domain = domain
        self.class_prior = class_prior
        """Class proportions of the pseudo-labels; None if there is no class prior."""
        self.groups = duplicate_groups(self.X)
        """Group of every document; duplicates have the same group."""
        self.n_different = len(np.unique(self.groups))
        """Number of documents without duplicates."""

    def memberships(self, model: FittedModel) -> NDArray[Any]:
        """Memberships of the documents by the rule for new documents."""
        documents = self._domain.documents
        if isinstance(model, LinearModel) and documents.engine.name != "cpu":
            # The documents of the target are on the engine already.
            return model.memberships_of(documents)[self._positions]
        return model.predict_memberships(self.X, self.number)

    def most_confident(
        self, memberships: NDArray[Any], fraction: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows of the most certain fraction of the different documents, and their classes.

        Duplicates count as one document. Every class gets its prior proportion.
        """
        n_rows = max(1, round(fraction * self.n_different))
        # Empty documents get no pseudo-label.
        filled = self._domain.filled[self._positions]
        memberships = np.where(filled[:, None], memberships, 0)
        return most_confident(memberships, self.class_prior, n_rows, self.groups)

    def labels_of_domain(
        self, rows: NDArray[np.intp], labels: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """The labels of some candidates as labels of all rows of the target."""
        all_labels = np.full(self._n_rows, UNLABELED, np.intp)
        all_labels[self._positions[rows]] = labels
        return all_labels


def candidates_of(data: TrainingData, X: Any) -> list[Candidates]:
    """The candidates of every target that has any; ``X`` has the rows of ``data.X``."""
    return [
        Candidates(domain, X, data.target_prior.get(domain.number))
        for domain in data.problem.targets
        if not domain.labeled.all()
    ]


def changed_proportion(
    previous: Sequence[NDArray[Any]] | None, current: Sequence[NDArray[Any]]
) -> float:
    """Proportion of documents whose label changed; 1 if there are no previous labels."""
    if previous is None:
        return 1.0
    return float(np.mean(np.concatenate(list(previous)) != np.concatenate(list(current))))
