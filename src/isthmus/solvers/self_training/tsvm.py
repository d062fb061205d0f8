"""Transductive support vector machines: margins that also avoid unlabeled documents.

Over linear machines ``f_c``, one class against the rest (a single one for two classes), and the
classes of the unlabeled documents, with a fixed number of documents per class,

``sum_c 1/2 |w_c|^2 + C sum_labeled loss_c(i) + C* sum_unlabeled loss_c(j)``

is minimized by alternation, with the squared hinge loss: first over the machines with fixed
classes, then over the classes with fixed scores. Two documents of classes ``a`` and ``b`` are
switched if that lowers the loss. For two classes this is the case if and only if their slacks sum
to more than 2, that is, if their scores are in the wrong order, so all switches together are a
ranking (Sindhwani and Keerthi 2006). ``C*`` starts small and is doubled.

Memberships are 0 or 1, except for documents that tie: they share what remains of a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.class_probabilities import class_counts
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.numerics.progress import Callback, Progress
from isthmus.solvers.self_training._primal_svm import LinearSVM, fit_svm, hinge

# Values that differ by a smaller relative amount tie, as those of duplicate documents.
_TIE_TOLERANCE = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-9}
# Maximum number of passes over all pairs of classes.
_MAX_SWEEPS = 20
# A smaller part of a document, or proportion of the documents, is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Quota:
    """Unlabeled documents with a fixed proportion of every class."""

    rows: NDArray[np.intp]
    class_prior: NDArray[np.float64] | None
    """None takes the class proportions of the labels by the first machine."""


@dataclass(frozen=True)
class Settings:
    """Weights of the objective and stopping rules."""

    labeled_weight: float
    """``C``."""
    unlabeled_weight: float
    """Final value of ``C*``."""
    initial_ratio: float
    """The first ``C*`` is at most this proportion of its final value."""
    constant: float
    """Value of the constant feature whose weight is the intercept."""
    max_iter: int
    """Maximum number of fits of the machines per value of ``C*``."""
    tol: float
    """The next ``C*`` follows when at most this proportion of the documents was switched."""
    accuracy: float = 1e-3
    """``tol`` of :func:`fit_svm`."""

    @property
    def levels(self) -> list[float]:
        """All values of ``C*``, each twice the previous one; none if the final value is 0."""
        if self.unlabeled_weight == 0:
            return []
        doublings = int(np.ceil(np.log2(1 / self.initial_ratio)))
        return [self.unlabeled_weight * 0.5**d for d in range(doublings, -1, -1)]


@dataclass(frozen=True)
class TransductiveSVM:
    """Fitted weights and the classes of all documents."""

    weights: NDArray[np.float64]
    """One row per machine and one column per term; one machine for two classes."""
    intercept: NDArray[np.float64]
    memberships: NDArray[np.float64]
    """Classes of all rows, 0 or 1; documents that tie at the border of a quota share the rest."""
    objective: list[float]
    """Objective after every fit of the machines, with the current ``C*``."""
    levels: list[float]
    """``C*`` of every fit; 0 for the first one."""


def transductive_svm(
    documents: StackedDocuments,
    labels: NDArray[np.intp],
    n_classes: int,
    quotas: Sequence[Quota],
    settings: Settings,
    callback: Callback | None = None,
) -> TransductiveSVM:
    """Machines fitted to the labeled rows and to the rows of the quotas.

    Other unlabeled rows (label below 0) are ignored. If the quotas have no row, this is the
    support vector machine of the labeled rows.
    """
    memberships = np.zeros((documents.shape[0], n_classes))
    known = labels >= 0
    memberships[known, labels[known]] = 1
    n_unlabeled = sum(len(quota.rows) for quota in quotas)
    weight = np.where(known, settings.labeled_weight, 0.0)
    with one_blas_thread():
        machines = _fit_machines(documents, memberships, weight, settings, None)
        objective, levels, finished = [_total(machines)], [0.0], n_unlabeled == 0
        scores, tolerance = _class_scores(machines), _TIE_TOLERANCE[np.dtype(documents.dtype)]
        for quota in quotas:
            memberships[quota.rows] = best_memberships(
                scores[quota.rows], quota.class_prior, tolerance
            )
        for level in settings.levels:
            for _ in range(0 if finished else settings.max_iter):
                for quota in quotas:
                    weight[quota.rows] = level
                machines = _fit_machines(documents, memberships, weight, settings, machines)
                switched = _switch(memberships, machines, quotas, tolerance) / n_unlabeled
                objective.append(_total(machines))
                levels.append(level)
                progress = Progress(len(objective) - 1, objective[-1], switched)
                finished = callback is not None and bool(callback(progress))
                if finished or switched <= max(settings.tol, _ROUNDING):
                    break
    weights = np.stack([machine.weights for machine in machines])
    intercept = settings.constant * weights[:, -1]
    return TransductiveSVM(weights[:, :-1], intercept, memberships, objective, levels)


def _fit_machines(
    documents: StackedDocuments,
    memberships: NDArray[np.float64],
    weight: NDArray[np.float64],
    settings: Settings,
    initial: list[LinearSVM] | None,
) -> list[LinearSVM]:
    """The machines for fixed classes."""
    n_classes = memberships.shape[1]
    machines = []
    for number, label in enumerate([1] if n_classes == 2 else range(n_classes)):
        positive = weight * memberships[:, label]
        machines.append(
            fit_svm(
                documents,
                positive,
                weight * memberships.sum(axis=1) - positive,
                constant=settings.constant,
                initial=None if initial is None else initial[number],
                tol=settings.accuracy,
            )
        )
    return machines


def _total(machines: list[LinearSVM]) -> float:
    return sum(machine.objective for machine in machines)


def _class_scores(machines: list[LinearSVM]) -> NDArray[np.float64]:
    """Scores with one column per class, also for two classes."""
    scores = np.stack([machine.scores for machine in machines], axis=1)
    return np.hstack([-scores, scores]) if len(machines) == 1 else scores


def _switch(
    memberships: NDArray[np.float64],
    machines: list[LinearSVM],
    quotas: Sequence[Quota],
    tolerance: float,
) -> float:
    """Switch classes in place; returns the number of documents whose class changed."""
    scores = _class_scores(machines)
    moved = 0.0
    for quota in quotas:
        before = memberships[quota.rows]
        after = switch_classes(before, scores[quota.rows], tolerance)
        moved += float(np.abs(after - before).sum()) / 2
        memberships[quota.rows] = after
    return moved


def best_memberships(
    scores: NDArray[np.float64], class_prior: NDArray[np.float64] | None, tolerance: float
) -> NDArray[np.float64]:
    """The best memberships that match the prior; without one, those with the largest scores."""
    n_rows, n_classes = scores.shape
    predicted = np.bincount(scores.argmax(axis=1), minlength=n_classes) / max(n_rows, 1)
    counts = class_counts(n_rows, predicted if class_prior is None else class_prior, predicted)
    # Equal rows have the right totals, and switching does the rest.
    equal_rows = np.tile(counts / max(n_rows, 1), (n_rows, 1))
    return switch_classes(equal_rows, scores, tolerance)


def switch_classes(
    memberships: NDArray[np.float64], scores: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    """Memberships with the same total per class after all switches that lower the loss.

    Class ``c`` instead of another class lowers the loss by ``loss(-f_c) - loss(f_c)``. For two
    classes at a time, the documents of either class are ordered by the difference of their gains.
    Gains are equal if they differ by at most ``tolerance`` times the largest.
    """
    gains = np.asfortranarray(hinge(-scores) ** 2 - hinge(scores) ** 2)
    switched = np.array(memberships, order="F")
    members = [np.flatnonzero(column) for column in switched.T]
    pairs = list(combinations(range(scores.shape[1]), 2))
    for _ in range(_MAX_SWEEPS if len(pairs) > 1 else 1):
        moved = [_switch_pair(switched, gains, members, a, b, tolerance) for a, b in pairs]
        if max(moved) < _ROUNDING:
            break
    return switched


def _switch_pair(
    memberships: NDArray[np.float64],
    gains: NDArray[np.float64],
    members: list[NDArray[np.intp]],
    a: int,
    b: int,
    tolerance: float,
) -> float:
    """Switch documents of two classes in place; returns how much membership moved."""
    first, second = members[a], members[b]
    if len(first) == 0 or len(second) == 0:
        return 0.0
    preference = gains[:, a] - gains[:, b]
    if preference[first].min() >= preference[second].max():
        return 0.0
    rows = np.union1d(first, second)
    mass = memberships[rows, a] + memberships[rows, b]
    total = float(memberships[rows, a].sum())
    part = _largest_part(preference[rows], mass, total, tolerance)
    moved = float(np.abs(part - memberships[rows, a]).sum())
    memberships[rows, a], memberships[rows, b] = part, mass - part
    members[a], members[b] = rows[part > 0], rows[mass > part]
    return moved


def _largest_part(
    values: NDArray[np.float64], mass: NDArray[np.float64], total: float, tolerance: float
) -> NDArray[np.float64]:
    """The part of every mass that belongs to the largest values with the given total.

    Values that tie at the border share what remains of the total.
    """
    order = np.argsort(-values, kind="stable")
    border = np.searchsorted(np.cumsum(mass[order]), total - _ROUNDING)
    border_value = values[order[min(int(border), len(order) - 1)]]
    distance = tolerance * max(float(np.abs(values).max()), 1.0)
    above = values > border_value + distance
    tied = np.abs(values - border_value) <= distance
    remaining = total - float(mass[above].sum())
    # Rounded, so that an inexact sum leaves no tiny membership behind.
    share = np.round(np.clip(remaining / float(mass[tied].sum()), 0.0, 1.0), 9)
    return np.where(above, mass, np.where(tied, share * mass, 0.0))
