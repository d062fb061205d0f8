"""Clusterers of single domains, or of all domains as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.base.clusterer import TransferClusterer, check_enough
from isthmus.estimators.base.fitted_model import ClusterFit, ClusterModel, array, field_specs, flag
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import (
    check_choice,
    check_flag,
    check_whole_number,
    make_generator,
)
from isthmus.estimators.components.repeatable_kmeans import nearest_center
from isthmus.matrices.rows import take_rows, with_unit_rows
from isthmus.numerics.progress import Callback

__all__ = ["GroupFit", "GroupModel", "ScopedClusterer", "ScopedModel"]

SCOPES = ("domain", "all")


@dataclass(frozen=True, kw_only=True)
class GroupModel:
    """Model of documents that are clustered together: the nearest center decides.

    A subclass may add fields. For every public field the clusterer has a fitted attribute: a dict
    from domain number to the value of the domain's group.
    """

    cluster_centers: NDArray[Any] = array("clusters", "terms")

    def predict_labels(self, X: Any) -> NDArray[np.intp]:
        """Cluster numbers of new documents."""
        return nearest_center(X, self.cluster_centers)


class GroupFit(NamedTuple):
    """The result of clustering one group of documents."""

    labels: NDArray[np.intp]
    model: GroupModel


@dataclass(frozen=True, kw_only=True)
class ScopedModel(ClusterModel):
    """The models of all groups, by domain number."""

    groups: Mapping[int, GroupModel]
    unit_rows: bool = flag()
    """Whether rows are scaled to unit norm first."""

    def predict_labels(self, X: Any, domain: int) -> NDArray[np.intp]:
        return self.groups[domain].predict_labels(with_unit_rows(X) if self.unit_rows else X)


class ScopedClusterer(TransferClusterer):
    """Base of the clusterers that transfer nothing between domains.

    Documents are clustered in groups: every domain is one group (``scope="domain"``), or all
    domains together are (``scope="all"``). A subclass implements ``_cluster_group``, or
    ``_cluster_groups`` if its iterations run over all groups at once.

    Parameters
    ----------
    unit_rows : bool, default=True
        Whether rows are scaled to unit norm, so that long documents do not dominate.
    """

    scope: str
    n_init: int
    unit_rows: bool
    random_state: Any

    def _check_parameters(self) -> None:
        check_choice("scope", self.scope, SCOPES)
        check_whole_number("n_init", self.n_init, least=1)
        check_flag("unit_rows", self.unit_rows)

    def _check_sizes(self, problem: Problem) -> None:
        if self.scope == "all":
            check_enough(self.n_clusters, problem.n_rows, "all domains")
        else:
            super()._check_sizes(problem)

    def _fit(self, data: TrainingData, callback: Callback | None) -> ClusterFit:
        domains = data.problem.domains
        positions = np.arange(data.problem.n_rows)
        rows = [positions[domain.rows] for domain in domains]
        # All groups use the same seed, so that a domain gets the clusters that it would get alone.
        seed = int(make_generator(self.random_state).integers(2**31 - 1))
        if self.scope == "all":
            [group], diagnostics = self._cluster_groups([self._scaled(data.X)], seed, callback)
            groups = [group._replace(labels=group.labels[part]) for part in rows]
        else:
            parts = [self._scaled(take_rows(data.X, part)) for part in rows]
            groups, diagnostics = self._cluster_groups(parts, seed, callback)
        models = {d.number: group.model for d, group in zip(domains, groups, strict=True)}
        return ClusterFit(
            ScopedModel(groups=models, unit_rows=bool(self.unit_rows)),
            [group.labels for group in groups],
            {**_by_domain(models), **diagnostics},
        )

    def _scaled(self, X: Any) -> Any:
        return with_unit_rows(X) if self.unit_rows else X

    def _cluster_groups(
        self, groups: Sequence[Any], seed: int, callback: Callback | None
    ) -> tuple[list[GroupFit], dict[str, Any]]:
        """Cluster the rows of every group; also return diagnostics of the whole fit."""
        return [self._cluster_group(X, np.random.default_rng(seed)) for X in groups], {}

    def _cluster_group(self, X: Any, generator: np.random.Generator) -> GroupFit:
        """Cluster the rows of one group."""
        raise NotImplementedError  # pragma: no cover - every clusterer defines one of the two


def _by_domain(models: Mapping[int, GroupModel]) -> dict[str, dict[int, Any]]:
    """Fitted attributes from the public fields of the groups."""
    specs = field_specs(next(iter(models.values())))
    return {
        f"{name}_": {number: getattr(model, name) for number, model in models.items()}
        for name, spec in specs.items()
        if spec.public
    }
