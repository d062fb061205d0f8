"""Labels that a classifier gives to the target's documents, to learn from them in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import UNLABELLED, Domain, Problem
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.duplicates import duplicate_groups
from isthmus.matrices.rows import take_rows
from isthmus.numerics.prior_shift import most_certain

__all__ = ["Candidates", "candidates_of", "changed_share", "with_labels"]


class Candidates:
    """The unlabelled documents of one target, from which some are labelled and learnt."""

    def __init__(self, domain: Domain, X: Any, shares: NDArray[np.float64] | None) -> None:
        everyone = np.arange(X.shape[0])[domain.rows]
        self.number = domain.number
        self._n_rows = len(domain.labels)
        self.places = np.flatnonzero(~domain.labelled)
        """Where they stand in the domain."""
        self.X = take_rows(X, everyone[self.places])
        self._filled = as_documents(self.X).row_norms() > 0
        self.shares = shares
        """Shares of the classes among them; None if nobody says."""
        self.groups = duplicate_groups(self.X)
        """Documents of one number are the same one again."""
        self.n_different = len(np.unique(self.groups))

    def most_certain(
        self, memberships: NDArray[Any], fraction: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows (among these) of the most certain part of the different documents, and classes.

        Copies of a document take one place together. Every class gets its share of the places.
        """
        n_rows = max(1, round(fraction * self.n_different))
        # Nobody learns from a document without a term.
        memberships = np.where(self._filled[:, None], memberships, 0)
        return most_certain(memberships, self.shares, n_rows, self.groups)

    def spread(self, rows: NDArray[np.intp], labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """Classes of some of these rows, put in their places in the domain; -1 in the others."""
        found = np.full(self._n_rows, UNLABELLED, np.intp)
        found[self.places[rows]] = labels
        return found


def candidates_of(
    problem: Problem, X: Any, shares: dict[int, NDArray[np.float64]]
) -> list[Candidates]:
    """The candidates of every target that has any."""
    return [
        Candidates(domain, X, shares.get(domain.number))
        for domain in problem.targets
        if not domain.labelled.all()
    ]


def with_labels(problem: Problem, found: dict[int, NDArray[np.intp]]) -> Problem:
    """The problem with labels added: for a target's number, a class or -1 for every row of it.

    A label that is known already stays.
    """
    domains = []
    for domain in problem.domains:
        labels = domain.labels
        if domain.number in found:
            labels = np.where(domain.labelled, labels, found[domain.number]).astype(labels.dtype)
        domains.append(replace(domain, labels=labels))
    return replace(problem, domains=tuple(domains))


def changed_share(before: Sequence[NDArray[Any]] | None, now: Sequence[NDArray[Any]]) -> float:
    """Share of the documents whose label is another one than before; 1 the first time."""
    if before is None:
        return 1.0
    return float(np.mean(np.concatenate(list(before)) != np.concatenate(list(now))))
