"""Clusterings of every domain by itself, or of all domains as one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.base.clusterer import TransferClusterer, check_enough
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.components.repeatable_kmeans import nearest_center
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.progress import Callback

SCOPES = ("domain", "all")

#: Clusters of the rows of one part, and the part's fitted attributes by name.
Found = tuple[NDArray[np.intp], dict[str, Any]]


class ScopedClusterer(TransferClusterer):
    """Base of the clusterers that know nothing of other domains.

    The documents come in parts: one a domain, or all in one. A subclass writes ``_cluster_part``
    (or ``_cluster_parts``, to take all of them step by step together) and, unless new documents
    belong to the nearest of ``cluster_centers_``, ``_new_labels``. A fitted attribute is a mapping
    from the number of a domain to the value of its part.
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClusterer._fitted_shapes,
        "cluster_centers_": "domain:km",
    }

    scope: str
    n_init: int
    unit_rows: bool
    random_state: Any
    cluster_centers_: dict[int, NDArray[Any]]

    def _check_parameters(self) -> None:
        check_choice("scope", self.scope, SCOPES)
        check_whole_number("n_init", self.n_init, least=1)
        check_flag("unit_rows", self.unit_rows)

    def _check_sizes(self, problem: Problem) -> None:
        if self.scope == "all":
            check_enough(self.n_clusters, problem.n_rows, "all domains")
        else:
            super()._check_sizes(problem)

    def _cluster(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[np.intp]]:
        everything = np.arange(problem.n_rows)
        rows = [everything[domain.rows] for domain in problem.domains]
        # Every part has the same draws: a domain's clusters are those that it would get alone.
        seed = int(make_generator(self.random_state).integers(2**31 - 1))
        if self.scope == "all":
            (labels, fitted), *_ = self._cluster_parts([self._prepared(X)], seed, callback)
            self._keep([fitted] * len(rows))
            return [labels[part] for part in rows]
        parts = [self._prepared(take_rows(X, part)) for part in rows]
        found = self._cluster_parts(parts, seed, callback)
        self._keep([fitted for _, fitted in found])
        return [labels for labels, _ in found]

    def _prepared(self, X: Any) -> Any:
        return with_unit_rows(X) if self.unit_rows else X

    def _keep(self, parts: Sequence[dict[str, Any]]) -> None:
        for name in parts[0]:
            values = zip(self.domains_.tolist(), parts, strict=True)
            setattr(self, name, {number: fitted[name] for number, fitted in values})

    def _cluster_parts(
        self, parts: Sequence[Any], seed: int, callback: Callback | None
    ) -> list[Found]:
        return [self._cluster_part(part, np.random.default_rng(seed)) for part in parts]

    @abstractmethod
    def _cluster_part(self, X: Any, generator: np.random.Generator) -> Found:
        """Cluster the rows of one part."""

    def _new_labels(self, X: Any, number: int) -> NDArray[np.intp]:
        return nearest_center(self._prepared(X), self.cluster_centers_[number])
