"""LWE, the locally weighted ensemble of Gao et al. (2008)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from isthmus.domains.model import Domain, Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, fit_to_memberships
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import probabilities
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_choice,
    check_number,
)
from isthmus.estimators.components.repeatable_kmeans import random_projections, repeatable_kmeans
from isthmus.matrices.rows import as_documents, take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting.lwe import MEASURES, locally_weighted

_MODELS = {
    "logistic": lambda: LogisticRegression(C=1.0, max_iter=300),
    "svm": lambda: LinearSVC(C=1.0, dual=False),
    "naive_bayes": MultinomialNB,
}


class LWE(TransferClassifier):
    """Average source models with weights that depend on the clusters of the target.

    The class memberships of a target document ``x`` are ``sum_i w_i(x) p_i(c | x)`` over models
    ``i`` of the source. ``K(x)`` is the set of documents in the cluster of ``x``, and ``M_i(x)``
    the set of documents to which model ``i`` assigns the class of ``x``. The weight of a model is
    the similarity of the two sets:

    ``w_i(x) = s_i(x) / sum_j s_j(x)``,  ``s_i(x) = |K(x) & M_i(x)| / |K(x) | M_i(x)|``

    (intersection over union). If the mean ``s(x)`` of ``s_i(x)`` is below ``threshold``, the models
    do not agree with the clustering. The document then gets the mean memberships of the documents
    of its cluster that are above the threshold. If there are none, the models decide. The method
    assumes that every cluster of the target belongs to one class; otherwise the clusters mislead.

    The models are logistic regression, a linear SVM (softmax of its decision values) and
    multinomial naive Bayes, fitted to unit-norm rows. If there are several sources, and each has
    labels of every class, every source has its own models. Labeled target documents are added to
    the training set of all of them. Every target is clustered separately: K-means of its unit-norm
    coordinates in its leading singular directions, with fixed initial centers. New documents are
    predicted by a logistic regression on the labels of the fitted documents.

    This implementation follows descriptions of the method, not the original paper. The similarity
    of neighborhoods as weight and the threshold of 0.5 come from them. The two similarity measures,
    the clustering and its number of clusters, and the rule for clusters without agreement are our
    own choices.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters of every target; "auto" is the number of classes. With more clusters, a
        cluster is less similar to a whole class. Lower ``threshold`` accordingly (8 clusters with
        0.2 work well for many documents of two classes), or use ``similarity="share"``.
    similarity : {"jaccard", "share"}, default="jaccard"
        Similarity of a cluster and a class: intersection over union, or the proportion of the
        cluster that has the class.
    threshold : float, default=0.5
        Mean similarity below which the cluster decides. With 0 the models always decide.
    models : sequence of {"logistic", "svm", "naive_bayes"}, default=all of them
        Naive Bayes is left out if ``X`` has negative values.
    n_components : int or "auto", default="auto"
        Number of singular directions for the clustering; "auto" is twice the number of classes.

    Attributes
    ----------
    similarity_ : array of shape (n_rows,)
        ``s(x)`` of target documents; NaN for other and empty documents. Not stored in model files.
    n_models_ : int
        Number of fitted models. Not stored in model files.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the logistic regression that predicts new documents.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    alignment_certainty_ : float
        Evidence of the shared words that classes are not swapped, see :class:`MTrick`. A warning is
        given below 4. 0 for input with negative values.

    References
    ----------
    J. Gao, W. Fan, J. Jiang, J. Han. Knowledge Transfer via Multiple Model Local Structure Mapping.
    KDD 2008.

    Examples
    --------
    The last document contains a term of class "b", but lies in a cluster of class "a":

    >>> from isthmus import LWE
    >>> source = [[3, 0, 0, 0], [2, 0, 0, 0], [0, 3, 0, 0], [0, 2, 0, 0]]
    >>> target = [[1, 0, 3, 0]] * 4 + [[0, 1, 0, 3]] * 4 + [[0, 1, 5, 0]]
    >>> y = ["a", "a", "b", "b"] + [None] * 9
    >>> LWE().fit(source + target, y).transduction_[-1]
    'a'
    """

    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _checks_class_swap: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        similarity: str = "jaccard",
        threshold: float = 0.5,
        models: Sequence[str] = ("logistic", "svm", "naive_bayes"),
        n_components: int | str = "auto",
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.similarity = similarity
        self.threshold = threshold
        self.models = models
        self.n_components = n_components
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_auto_or_whole_number("n_clusters", self.n_clusters, least=1)
        check_auto_or_whole_number("n_components", self.n_components, least=1)
        check_choice("similarity", self.similarity, MEASURES)
        check_number("threshold", self.threshold, least=0, most=1)
        if not isinstance(self.models, list | tuple) or not self.models:
            names = ", ".join(repr(name) for name in _MODELS)
            raise ValueError(f"models must be a list of names out of {names}, got {self.models!r}.")
        for name in self.models:
            check_choice("models", name, tuple(_MODELS))

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem = data.problem
        documents = with_unit_rows(with_narrow_indices(data.X))
        memberships = np.zeros((problem.n_rows, problem.n_classes))
        similarity = np.full(problem.n_rows, np.nan)
        models = self._fit_models(problem, documents)
        for domain in problem.domains:
            if not domain.is_target and domain.labeled.all():
                continue
            rows = np.arange(problem.n_rows)[domain.rows][domain.filled]
            if len(rows) == 0:
                continue
            part = take_rows(documents, rows)
            labels = problem.labels[rows]
            predicted = [_memberships(model, part, labels, problem.n_classes) for model in models]
            clusters = self._cluster(part, problem.n_classes)
            ensemble = locally_weighted(
                clusters, predicted, self.threshold, self.similarity, labels >= 0
            )
            memberships[rows] = ensemble.memberships
            if domain.is_target:
                similarity[rows] = ensemble.similarity
        diagnostics = {"similarity_": similarity, "n_models_": len(models)}
        return fit_to_memberships(data, memberships)._replace(diagnostics=diagnostics)

    def _fit_models(self, problem: Problem, documents: Any) -> list[Any]:
        """All models, for every training set."""
        names = list(self.models)
        values = documents.data if sparse.issparse(documents) else documents
        if values.min(initial=0.0) < 0:
            names = [name for name in names if name != "naive_bayes"]
        if not names:
            raise ValueError(
                "X has negative values, which naive Bayes does not support: add another name to "
                "models."
            )
        models = []
        for rows in _training_sets(problem):
            for name in names:
                with one_thread():
                    model = _MODELS[name]()
                    models.append(model.fit(take_rows(documents, rows), problem.labels[rows]))
        return models

    def _cluster(self, documents: Any, n_classes: int) -> NDArray[np.intp]:
        """Cluster numbers of the documents of a domain."""
        auto = 2 * n_classes
        n_components = auto if isinstance(self.n_components, str) else self.n_components
        n_clusters = n_classes if isinstance(self.n_clusters, str) else self.n_clusters
        generator = np.random.default_rng(0)
        with one_thread():
            projections = random_projections(documents, generator)
        svd = truncated_svd(as_documents(documents), n_components, generator)
        directions = with_unit_rows(svd.coordinates.astype(np.float64))
        with warnings.catch_warnings():
            # Duplicate documents may leave fewer distinct clusters, which is harmless here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return repeatable_kmeans(
                directions, n_clusters, generator, projections=projections
            ).labels


def _training_sets(problem: Problem) -> list[NDArray[np.intp]]:
    """Row numbers of the training sets: one per source, or one of all labeled rows."""
    all_rows = np.arange(problem.n_rows)
    sources = problem.sources
    # A model that was trained without a class would vote against it everywhere.
    if len(sources) < 2 or any(_lacks_a_class(domain, problem.n_classes) for domain in sources):
        return [np.flatnonzero(problem.labels >= 0)]
    target_rows = [all_rows[domain.rows][domain.labeled] for domain in problem.targets]
    source_rows = [all_rows[domain.rows][domain.labeled] for domain in sources]
    return [np.sort(np.concatenate([rows, *target_rows])) for rows in source_rows]


def _lacks_a_class(domain: Domain, n_classes: int) -> bool:
    return len(np.unique(domain.labels[domain.labeled])) < n_classes


def _memberships(
    model: Any, documents: Any, labels: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """Predictions of a model; one-hot for labeled rows, 0 for classes that it does not have."""
    memberships = np.zeros((documents.shape[0], n_classes))
    with one_thread():
        memberships[:, model.classes_] = probabilities(model, documents)
    labeled = labels >= 0
    memberships[labeled] = np.eye(n_classes)[labels[labeled]]
    return memberships
