"""Clusterers of several domains at once, and of groups: single domains, or all as one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.domains.model import Problem
from isthmus.estimators.base.domain_estimator import (
    DomainEstimator,
    check_same_index,
    end_callbacks,
    join_callbacks,
    with_callbacks,
)
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

SCOPES = ("domain", "all")


class TransferClusterer(ClusterMixin, DomainEstimator):
    """Base of the clusterers; they use no labels.

    A subclass implements ``_check_parameters()`` and ``_fit(data, callback)``, which returns a
    :class:`ClusterFit` and sets no attribute. All rows belong to one domain if ``sample_domain`` is
    not given.

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        Cluster of every fitted document.
    n_clusters_ : int
        Number of clusters.
    """

    _kind: ClassVar[str] = "clusterer"

    __metadata_request__predict: ClassVar[dict[str, bool]] = {"sample_domain": True}

    n_clusters: int
    model_: ClusterModel

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> Self:
        """Cluster the rows of all domains.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents of all domains, one per row.
        y : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row, any whole number. By default all rows belong to one domain.
        callback : function, default=None
            Called after every iteration; return True to stop the fit.

        Returns
        -------
        self
        """
        self._check_settings()
        with self._on_engine(X, fits=True) as X:
            data = self._read_optional_labels(X, None, sample_domain)
            self._check_sizes(data.problem)
            model, labels, diagnostics = self._fit(data, join_callbacks(self, callback))
        self._set_unlabeled_fit(data, model, diagnostics)
        self.n_clusters_ = int(self.n_clusters)
        self.labels_ = data.problem.gather([np.asarray(part, np.intp) for part in labels])
        end_callbacks(self)
        return self

    def fit_predict(
        self, X: Any, y: Any = None, sample_domain: Any = None, callback: Callback | None = None
    ) -> NDArray[np.intp]:
        """Fit, then return the clusters of the same rows.

        Returns
        -------
        array of int of shape (n_rows,)
            Cluster of every row.
        """
        return self.fit(X, y, sample_domain=sample_domain, callback=callback).labels_

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[np.intp]:
        """Predict the clusters of new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents, one per row, with the columns of the fit.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default rows belong to the target, or to the only domain.
            Required if several targets, or several domains and no target, were fitted.

        Returns
        -------
        array of int of shape (n_rows,)
            Cluster of every row.
        """
        check_is_fitted(self)
        check_same_index(X, sample_domain, "sample_domain")
        with self._on_engine(X) as X:
            X = self._read_matrix(X, reset=False)
            labels = np.zeros(X.shape[0], np.intp)
            for number, rows, part in self._new_documents(X, sample_domain):
                labels[rows] = self.model_.predict_labels(part, number)
        return labels

    def _check_settings(self) -> None:
        """Raise ValueError if a parameter makes no sense."""
        check_whole_number("n_clusters", self.n_clusters, least=1)
        self._check_parameters()

    def _check_sizes(self, problem: Problem) -> None:
        """Raise ValueError if a domain has too few documents for this many clusters."""
        for domain in problem.domains:
            check_enough(self.n_clusters, domain.documents.shape[0], domain.name)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError if a parameter other than ``n_clusters`` makes no sense."""

    @abstractmethod
    def _fit(self, data: TrainingData, callback: Callback | None) -> ClusterFit:
        """Cluster the data; attributes of the estimator are only read."""


def check_enough(n_clusters: int, n_documents: int, where: str) -> None:
    """Raise ValueError if there are more clusters than documents."""
    if n_clusters > n_documents:
        raise ValueError(
            f"n_clusters={n_clusters} is larger than the number of documents of {where} "
            f"(n_samples={n_documents}): use at most {n_documents}."
        )


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
    n_clusters : int, default=2
        Number of clusters of a group of documents, see ``scope``.
    scope : "domain" or "all", default="domain"
        Whether every domain is clustered separately, or the documents of all domains together.
        Cluster 0 is the largest. With "domain" the cluster numbers of different domains are
        unrelated.
    n_init : int, default=10
        Number of random initializations of K-means; the best result is kept.
    unit_rows : bool, default=True
        Whether rows are scaled to unit norm, so that long documents do not dominate.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        scope: str = "domain",
        n_init: int = 10,
        unit_rows: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.scope = scope
        self.n_init = n_init
        self.unit_rows = unit_rows
        self.random_state = random_state

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
