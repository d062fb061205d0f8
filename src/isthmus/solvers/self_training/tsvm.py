"""Support vector machines that look for gaps between unlabelled documents as well.

Over machines ``f_c``, one a class against the rest (one in all for two classes), and the classes of
the unlabelled documents, of which so many of every class are fixed,

``sum_c 1/2 |w_c|^2 + C sum_labelled loss_c(i) + C* sum_unlabelled loss_c(j)``

is lowered in turns, with the squared hinge as the loss: the machines for the classes found so far,
then the classes for the scores. Of two documents, one of class ``a`` and one of class ``b``, the
classes are switched if that lowers the loss. For two classes it does exactly if the slacks sum to
more than 2, which is to say if the scores are in the wrong order, so that all switches together are
a ranking (Sindhwani and Keerthi 2006). ``C*`` grows from little by doubling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.threads import one_blas_thread
from isthmus.numerics.progress import Callback, Progress
from isthmus.numerics.stacked import StackedDocuments
from isthmus.solvers.self_training._label_switching import first_classes, switched
from isthmus.solvers.self_training._primal_svm import Machine, least_machine

__all__ = ["Quota", "Settings", "TransductiveMachines", "transductive_machines"]

# What differs by no more than this part is equal, as of documents that are copies.
_SAME = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-9}
# A smaller part of the documents is rounding.
_DUST = 1e-9


@dataclass(frozen=True)
class Quota:
    """Unlabelled documents of which so many of every class are to be found."""

    rows: NDArray[np.intp]
    shares: NDArray[np.float64] | None
    """None takes the shares that the labels have which the first machine gives."""


@dataclass(frozen=True)
class Settings:
    """What the objective weighs, and how closely it is followed."""

    labelled_weight: float
    """``C``."""
    unlabelled_weight: float
    """The last ``C*``."""
    initial_ratio: float
    """``C*`` begins with at most this part of its last value."""
    constant: float
    """The feature that the intercept is a weight of."""
    max_iter: int
    """How often, at the most, the machines are taught at one ``C*``."""
    tol: float
    """A ``C*`` is done with when no greater part of the documents was switched."""
    accuracy: float = 1e-3
    """See :func:`least_machine`."""

    @property
    def levels(self) -> list[float]:
        """Every ``C*``, each twice the one before; none if unlabelled documents weigh nothing."""
        if self.unlabelled_weight == 0:
            return []
        doublings = int(np.ceil(np.log2(1 / self.initial_ratio)))
        return [self.unlabelled_weight * 0.5**d for d in range(doublings, -1, -1)]


@dataclass(frozen=True)
class TransductiveMachines:
    """Weights, and the classes that go with them."""

    weights: NDArray[np.float64]
    """A row a machine and a column a term; one machine for two classes."""
    intercept: NDArray[np.float64]
    memberships: NDArray[np.float64]
    """Classes of all rows, 1 or 0; documents that tie across a quota share what is left of it."""
    objective: list[float]
    """Whenever the machines have been taught, for the ``C*`` of that time."""
    levels: list[float]
    """That ``C*``; 0 for the first machine."""


def transductive_machines(
    documents: StackedDocuments,
    labels: NDArray[np.intp],
    n_classes: int,
    quotas: Sequence[Quota],
    settings: Settings,
    callback: Callback | None = None,
) -> TransductiveMachines:
    """Machines for labelled rows, and for those of the quotas; the others (label < 0) say nothing.

    Without a row in a quota it is the support vector machine of the labelled rows.
    """
    memberships = np.zeros((documents.shape[0], n_classes))
    known = labels >= 0
    memberships[known, labels[known]] = 1
    n_open = sum(len(quota.rows) for quota in quotas)
    weight = np.where(known, settings.labelled_weight, 0.0)
    with one_blas_thread():
        machines = _taught(documents, memberships, weight, settings, None)
        curve, levels, ended = [_total(machines)], [0.0], n_open == 0
        scores, same = _scores_of(machines), _SAME[np.dtype(documents.dtype)]
        for quota in quotas:
            memberships[quota.rows] = first_classes(scores[quota.rows], quota.shares, same)
        for level in settings.levels:
            for _ in range(0 if ended else settings.max_iter):
                for quota in quotas:
                    weight[quota.rows] = level
                machines = _taught(documents, memberships, weight, settings, machines)
                moved = _switch(memberships, machines, quotas, same) / n_open
                curve.append(_total(machines))
                levels.append(level)
                told = Progress(len(curve) - 1, curve[-1], moved)
                ended = callback is not None and bool(callback(told))
                if ended or moved <= max(settings.tol, _DUST):
                    break
    weights = np.stack([machine.weights for machine in machines])
    intercept = settings.constant * weights[:, -1]
    return TransductiveMachines(weights[:, :-1], intercept, memberships, curve, levels)


def _taught(
    documents: StackedDocuments,
    memberships: NDArray[np.float64],
    weight: NDArray[np.float64],
    settings: Settings,
    machines: list[Machine] | None,
) -> list[Machine]:
    """The machines for classes that stay."""
    n_classes = memberships.shape[1]
    found = []
    for number, label in enumerate([1] if n_classes == 2 else range(n_classes)):
        up = weight * memberships[:, label]
        found.append(
            least_machine(
                documents,
                up,
                weight * memberships.sum(axis=1) - up,
                constant=settings.constant,
                start=None if machines is None else machines[number],
                tol=settings.accuracy,
            )
        )
    return found


def _total(machines: list[Machine]) -> float:
    return sum(machine.objective for machine in machines)


def _scores_of(machines: list[Machine]) -> NDArray[np.float64]:
    """A column a class, for two classes too."""
    scores = np.stack([machine.scores for machine in machines], axis=1)
    return np.hstack([-scores, scores]) if len(machines) == 1 else scores


def _switch(
    memberships: NDArray[np.float64],
    machines: list[Machine],
    quotas: Sequence[Quota],
    same: float,
) -> float:
    """Switch classes in place; how many documents have another one."""
    scores = _scores_of(machines)
    moved = 0.0
    for quota in quotas:
        before = memberships[quota.rows]
        after = switched(before, scores[quota.rows], same)
        moved += float(np.abs(after - before).sum()) / 2
        memberships[quota.rows] = after
    return moved
