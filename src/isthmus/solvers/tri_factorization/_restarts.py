"""A tri-factorization solved from one start, or from several one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.class_alignment import least_agreement
from isthmus.numerics.progress import Callback, Progress, Stopping
from isthmus.solvers.tri_factorization._base import TriFactorization
from isthmus.solvers.tri_factorization._init import (
    InitialFactors,
    class_conditional,
    equal_associations,
    smoothed_labels,
    start_memberships,
)
from isthmus.solvers.tri_factorization.plsa import plsa, random_topics

#: Solves a method's problem from a start.
Solve = Callable[[InitialFactors, Callback | None], TriFactorization]

# How much of a label a restart leaves to the other classes.
_RESTART_SMOOTHING = 0.1


@dataclass
class Restarts:
    """What the stages share, and the orders in which they may run."""

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
    topic_sample: int | None = None
    """Documents that the topics are made from at most, drawn from all domains alike; None: all."""
    callback: Callback | None = None
    _told: int = 0

    def class_conditional(self) -> TriFactorization:
        """From the words that each class uses according to the first guesses."""
        return self._run(self._class_start(self.guesses))

    def topics(self) -> TriFactorization:
        """From topics of all documents together: the paper's start."""
        return self._run(self._topic_start())

    def two_stage(self) -> TriFactorization:
        """From topics, then class-conditional from the labels so found."""
        first = self.topics()
        return first if first.interrupted else self._restart(first)

    def agreement_with_guesses(self, result: TriFactorization) -> float:
        """How far the target's labels agree with the first guesses; see ``least_agreement``."""
        first, now = (self._target_labels(G) for G in (self.guesses, result.memberships))
        return least_agreement(first, now, self.guesses[0].shape[1])

    def renamed(
        self, result: TriFactorization, orders: Mapping[int, NDArray[np.intp]]
    ) -> TriFactorization:
        """Class-conditional from the labels found, classes of some domains called otherwise.

        ``orders[i][k]`` is what class ``k`` of domain ``i`` is to be called.
        """
        return self._restart(result, orders)

    def _run(self, start: InitialFactors) -> TriFactorization:
        return self.solve(start, None if self.callback is None else self._tell)

    def _tell(self, progress: Progress) -> bool:
        # A solver counts the iterations of every step from 1; the caller hears of all of them.
        assert self.callback is not None
        self._told += 1
        return bool(self.callback(replace(progress, iteration=self._told)))

    def _restart(
        self, result: TriFactorization, orders: Mapping[int, NDArray[np.intp]] | None = None
    ) -> TriFactorization:
        smooth = smoothed_labels(self.guesses[0].shape[1], _RESTART_SMOOTHING)
        labels = [self.engine.to_host(G).argmax(axis=1) for G in result.memberships]
        for i, order in (orders or {}).items():
            labels[i] = order[labels[i]]
        return self._run(self._class_start([smooth[found] for found in labels]))

    def _memberships(self, guesses: Sequence[Array]) -> list[Array]:
        return start_memberships(self.domains, guesses, self.smoothing, self.engine)

    def _class_start(self, guesses: Sequence[Array]) -> InitialFactors:
        blocks = [domain.documents for domain in self.domains]
        return class_conditional(blocks, self._memberships(guesses), self.engine)

    def _topic_start(self) -> InitialFactors:
        blocks = self._topic_documents()
        n_terms, dtype = blocks[0].shape[1], blocks[0].dtype
        words = plsa(
            blocks,
            random_topics(n_terms, self.n_topics, self.generator, dtype),
            engine=self.engine,
            stopping=Stopping(self.topic_steps, 0.0),
            likelihood=False,
        )
        n_classes = self.guesses[0].shape[1]
        flat = equal_associations(self.n_topics, n_classes, self.engine, dtype)
        # A word that the sample lacks belongs to all topics alike; a zero would stay one.
        seen = words.word_topics.any(axis=1, keepdims=True)
        clusters = self.engine.xp.where(seen, words.word_topics, dtype.type(1 / self.n_topics))
        return InitialFactors(clusters, self._memberships(self.guesses), flat)

    def _topic_documents(self) -> list[Documents]:
        blocks = [domain.documents for domain in self.domains]
        sizes = [block.shape[0] for block in blocks]
        if self.topic_sample is None or sum(sizes) <= self.topic_sample:
            return blocks
        drawn = np.zeros(sum(sizes), np.bool_)
        drawn[self.generator.choice(sum(sizes), self.topic_sample, replace=False)] = True
        parts = np.split(drawn, np.cumsum(sizes)[:-1])
        chosen = zip(blocks, (np.flatnonzero(part) for part in parts), strict=True)
        return [block.take_rows(rows) for block, rows in chosen if len(rows)]

    def _target_labels(self, memberships: Sequence[Array]) -> NDArray[Any]:
        """Classes of the unlabelled target rows, one domain after the other."""
        found = [
            self.engine.to_host(G).argmax(axis=1)[~domain.labelled]
            for domain, G in zip(self.domains, memberships, strict=True)
            if domain.is_target
        ]
        return np.concatenate(found) if found else np.empty(0, np.intp)
