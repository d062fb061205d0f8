"""Runs of a tri-factorization from one or several initializations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Domain
from isthmus.matrices.protocols import Array, Documents, Engine
from isthmus.numerics.class_alignment import min_pairwise_agreement
from isthmus.numerics.class_probabilities import row_argmax
from isthmus.numerics.progress import Callback, Progress, Stopping
from isthmus.solvers.tri_factorization._base import (
    InitialFactors,
    TriFactorization,
    class_conditional,
    equal_associations,
    smoothed_labels,
    smoothed_memberships,
)
from isthmus.solvers.tri_factorization.plsa import plsa, random_topics

#: Solves the problem of a method from initial factors, with the keyword ``callback``.
Solve = Callable[..., TriFactorization]

# Label smoothing of restarts.
_RESTART_SMOOTHING = 0.1


@dataclass
class Restarts:
    """The initializations of a tri-factorization, and the data that they need."""

    solve: Solve
    domains: Sequence[Domain]
    predicted: Sequence[NDArray[Any]]
    """Initial class probabilities of every row."""
    smoothing: float
    """Smoothing of the source labels in the initial factors."""
    n_topics: int
    topic_steps: int
    generator: np.random.Generator
    engine: Engine
    topic_sample: int | None = None
    """Maximum number of documents for the topics, drawn from all domains; None: all."""
    callback: Callback | None = None
    _n_reported: int = 0

    def class_conditional(self) -> TriFactorization:
        """Start from the words of each class according to the initial probabilities."""
        return self._run(self._class_factors(self.predicted))

    def topics(self) -> TriFactorization:
        """Start from topics of all documents, as in the paper."""
        return self._run(self._topic_factors())

    def two_stage(self) -> TriFactorization:
        """Start from topics, then again class-conditional from the predicted labels."""
        first = self.topics()
        return first if first.interrupted else self.restart(first)

    def initial_agreement(self, memberships: Sequence[NDArray[Any]]) -> float:
        """Agreement of the target labels with the initial ones, see `min_pairwise_agreement`."""
        initial, labels = (self._target_labels(G) for G in (self.predicted, memberships))
        return min_pairwise_agreement(initial, labels, self.predicted[0].shape[1])

    def _run(self, initial: InitialFactors) -> TriFactorization:
        return self.solve(initial, callback=None if self.callback is None else self._report)

    def _report(self, progress: Progress) -> bool:
        # A solver counts from 1 in every step; the callback counts over all steps.
        assert self.callback is not None
        self._n_reported += 1
        return bool(self.callback(replace(progress, iteration=self._n_reported)))

    def restart(
        self, result: TriFactorization, orders: Mapping[int, NDArray[np.intp]] | None = None
    ) -> TriFactorization:
        """Start class-conditional from the predicted labels, with some classes swapped.

        ``orders[i][k]`` is the new class of class ``k`` in domain ``i``.
        """
        smooth = smoothed_labels(self.predicted[0].shape[1], _RESTART_SMOOTHING)
        labels = [self.engine.to_host(row_argmax(G)) for G in result.memberships]
        for i, order in (orders or {}).items():
            labels[i] = order[labels[i]]
        return self._run(self._class_factors([smooth[part] for part in labels]))

    def _memberships(self, predicted: Sequence[NDArray[Any]]) -> list[Array]:
        return smoothed_memberships(self.domains, predicted, self.smoothing)

    def _class_factors(self, predicted: Sequence[NDArray[Any]]) -> InitialFactors:
        blocks = [domain.documents for domain in self.domains]
        return class_conditional(blocks, self._memberships(predicted), self.engine)

    def _topic_factors(self) -> InitialFactors:
        blocks = self._topic_documents()
        n_terms, dtype = blocks[0].shape[1], blocks[0].dtype
        result = plsa(
            blocks,
            self.engine.asarray(random_topics(n_terms, self.n_topics, self.generator, dtype)),
            engine=self.engine,
            stopping=Stopping(self.topic_steps, 0.0),
            likelihood=False,
        )
        n_classes = self.predicted[0].shape[1]
        associations = equal_associations(self.n_topics, n_classes, dtype)
        # Words that are not in the sample get uniform topics; updates cannot change zeros.
        known = result.word_topics.any(axis=1, keepdims=True)
        clusters = self.engine.xp.where(known, result.word_topics, dtype.type(1 / self.n_topics))
        return InitialFactors(clusters, self._memberships(self.predicted), associations)

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

    def _target_labels(self, memberships: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Classes of the unlabeled rows of all targets."""
        labels = [
            row_argmax(G)[~domain.labeled]
            for domain, G in zip(self.domains, memberships, strict=True)
            if domain.is_target
        ]
        return np.concatenate(labels) if labels else np.empty(0, np.intp)
