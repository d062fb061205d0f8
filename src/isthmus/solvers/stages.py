"""A tri-factorization solved from one start, or from several one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Engine
from isthmus.solvers.direction import least_agreement
from isthmus.solvers.plsa import plsa, random_topics
from isthmus.solvers.progress import Callback, Stopping, counting_on
from isthmus.solvers.starts import (
    Start,
    class_conditional,
    equal_associations,
    smoothed_labels,
    start_memberships,
)
from isthmus.solvers.tri_factorization import TriFactorization

#: Solves a method's problem from a start.
Solve = Callable[[Start, Stopping, Callback | None], TriFactorization]

# How much of a label a restart leaves to the other classes.
_RESTART_SMOOTHING = 0.1
# Below this agreement with the first classifier a second opinion is asked for, in few iterations:
# it need not be sharp, only point the right way.
_DOUBT = 0.6
_OPINION = Stopping(60, 1e-6, patience=10)
# Of fewer documents no share says anything.
_FEWEST = 20


@dataclass
class Stages:
    """What all stages share; every method runs them in another order."""

    solve: Solve
    domains: Sequence[Domain]
    guesses: Sequence[Array]
    """First class probabilities of every row."""
    smoothing: float
    """Share of a source label that goes to the other classes at the start."""
    n_topics: int
    topic_steps: int
    generator: np.random.Generator
    engine: Engine
    stopping: Stopping
    callback: Callback | None = None
    agreement: float | None = None
    """Of the answer with the first guesses, where :meth:`checked` measured it."""
    redirected: bool = False
    """Whether :meth:`checked` followed the second opinion."""
    _n_iter: int = 0

    def class_conditional(self) -> TriFactorization:
        """From the words that each class uses according to the first guesses."""
        return self._run(self._class_start(self.guesses), self.stopping)

    def topics(self) -> TriFactorization:
        """From topics of all documents together: the paper's start."""
        return self._run(self._topic_start(), self.stopping)

    def two_stage(self) -> TriFactorization:
        """From topics, then class-conditional from the labels so found."""
        first = self.topics()
        return first if first.interrupted else self._restart(first)

    def checked(self) -> TriFactorization:
        """Class-conditional, with a second opinion where its direction is in doubt.

        With a word cluster for every class nothing but the first guesses decides which target
        cluster is which class. Where hardly more than half of them survive, the topic start is
        asked, whose many clusters tie the target's words to the source's labels through S; if it
        calls two classes by each other's name, the fit starts again from its labels.
        """
        result = self.class_conditional()
        labels = self._target_labels(result.memberships)
        if result.interrupted or len(labels) == 0:
            return result
        n_classes = self.guesses[0].shape[1]
        self.agreement = least_agreement(self._target_labels(self.guesses), labels, n_classes)
        if self.agreement >= _DOUBT or len(labels) < _FEWEST:
            return result
        opinion = self._run(self._topic_start(), _OPINION)
        other = self._target_labels(opinion.memberships)
        if opinion.interrupted or least_agreement(other, labels, n_classes) >= 0.5:
            return result
        self.redirected = True
        return self._restart(opinion)

    def _run(self, start: Start, stopping: Stopping) -> TriFactorization:
        result = self.solve(start, stopping, counting_on(self.callback, self._n_iter))
        self._n_iter += result.n_iter
        return result

    def _restart(self, result: TriFactorization) -> TriFactorization:
        smooth = smoothed_labels(self.guesses[0].shape[1], _RESTART_SMOOTHING)
        labels = [self.engine.to_host(G).argmax(axis=1) for G in result.memberships]
        return self._run(self._class_start([smooth[found] for found in labels]), self.stopping)

    def _memberships(self, guesses: Sequence[Array]) -> list[Array]:
        return start_memberships(self.domains, guesses, self.smoothing, self.engine)

    def _class_start(self, guesses: Sequence[Array]) -> Start:
        blocks = [domain.documents for domain in self.domains]
        return class_conditional(blocks, self._memberships(guesses), self.engine)

    def _topic_start(self) -> Start:
        blocks = [domain.documents for domain in self.domains]
        n_terms, dtype = blocks[0].shape[1], blocks[0].dtype
        words = plsa(
            blocks,
            random_topics(n_terms, self.n_topics, self.generator, dtype),
            engine=self.engine,
            stopping=Stopping(self.topic_steps, 0.0),
        )
        n_classes = self.guesses[0].shape[1]
        flat = equal_associations(self.n_topics, n_classes, self.engine, dtype)
        return Start(words.word_topics, self._memberships(self.guesses), flat)

    def _target_labels(self, memberships: Sequence[Array]) -> NDArray[Any]:
        """Classes of the unlabelled target rows, one domain after the other."""
        found = [
            self.engine.to_host(G).argmax(axis=1)[~domain.labelled]
            for domain, G in zip(self.domains, memberships, strict=True)
            if domain.is_target
        ]
        return np.concatenate(found) if found else np.empty(0, np.intp)
