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
from isthmus.estimators.base.linear_classifier import FoundLabelsClassifier
from isthmus.estimators.components.init_classifier import probabilities
from isthmus.estimators.components.parameters import (
    check_auto_or_whole_number,
    check_choice,
    check_number,
)
from isthmus.estimators.components.repeatable_kmeans import random_places, repeatable_kmeans
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting.lwe import MEASURES, locally_weighted

_MODELS = {
    "logistic": lambda: LogisticRegression(C=1.0, max_iter=300),
    "svm": lambda: LinearSVC(C=1.0, dual=False),
    "naive_bayes": MultinomialNB,
}


class LWE(FoundLabelsClassifier):
    """Models of the source, each listened to where the target's clusters bear it out.

    The class memberships of a target document ``x`` are ``sum_i w_i(x) p_i(c | x)`` over models
    ``i`` of the source. With ``K(x)`` the documents in the cluster of ``x`` and ``M_i(x)`` those to
    which model ``i`` gives the same class as to ``x``, a model weighs as much as the two are alike:

    ``w_i(x) = s_i(x) / sum_j s_j(x)``,  ``s_i(x) = |K(x) & M_i(x)| / |K(x) | M_i(x)|``

    (intersection over union). Where the mean ``s(x)`` of ``s_i(x)`` is below ``threshold``, no
    model fits the clusters: the document gets the mean memberships of those of its cluster that are
    above. In a cluster without such documents the models have the last word. The assumption is that
    clusters of the target are of one class each; where they are not, neighbours mislead.

    Models are logistic regression, a linear SVM (its decision values squashed) and multinomial
    naive Bayes, on documents of length 1. If there are several sources, and each has labels of
    every class, every source has models of its own; labelled target documents teach all of them.
    Every target is clustered by itself: K-means of the directions of its documents in its leading
    singular directions, with starts that are always the same. New documents are read by a logistic
    regression on the labels found.

    The paper is not at hand. That the weight of a model is the likeness of two neighbourhoods, and
    the threshold of .5, come from an account of it; the two ways of measuring likeness, the
    clustering and its number of clusters, and what happens in a cluster that nobody fits were
    chosen here.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Clusters of every target; "auto" is the number of classes. The more there are, the less like
        a whole class a cluster can be, so lower ``threshold`` with them (with many documents of two
        classes, 8 and .2 do well), or take ``similarity="share"``.
    similarity : {"jaccard", "share"}, default="jaccard"
        How like a cluster a class is: intersection over union, or the share of the cluster that
        has the class.
    threshold : float, default=0.5
        delta: the mean similarity below which neighbours decide. 0 leaves all to the models.
    models : sequence of {"logistic", "svm", "naive_bayes"}, default=all of them
        Naive Bayes is left out where a value of ``X`` is negative.
    n_components : int or "auto", default="auto"
        Singular directions in which targets are clustered; "auto" is twice the classes.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    similarity_ : array of shape (n_rows,)
        ``s(x)`` of target documents; NaN for the others and for empty ones.
    n_models_ : int
    coef_ : array of shape (n_classes, n_terms)
        Weights of the logistic regression that reads new documents.
    intercept_ : array of shape (n_classes,)
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.
    alignment_certainty_ : float
        How clearly words speak for the names of the targets' classes, as of :class:`MTrick`; a
        warning tells of less than 4. 0 for documents with values below zero.

    References
    ----------
    J. Gao, W. Fan, J. Jiang, J. Han. Knowledge Transfer via Multiple Model Local Structure Mapping.
    KDD 2008.

    Examples
    --------
    "b" stands in the last document by chance; its neighbours know better:

    >>> from isthmus import LWE
    >>> source = [[3, 0, 0, 0], [2, 0, 0, 0], [0, 3, 0, 0], [0, 2, 0, 0]]
    >>> target = [[1, 0, 3, 0]] * 4 + [[0, 1, 0, 3]] * 4 + [[0, 1, 5, 0]]
    >>> y = ["a", "a", "b", "b"] + [None] * 9
    >>> LWE().fit(source + target, y).transduction_[-1]
    'a'
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **FoundLabelsClassifier._fitted_shapes,
        "n_models_": "",
    }

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
            words = ", ".join(repr(name) for name in _MODELS)
            raise ValueError(f"models must be a list of some of {words}, got {self.models!r}.")
        for name in self.models:
            check_choice("models", name, tuple(_MODELS))

    def _find_memberships(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> NDArray[Any]:
        documents = with_unit_rows(with_narrow_indices(X))
        found = np.zeros((problem.n_rows, problem.n_classes))
        self.similarity_ = np.full(problem.n_rows, np.nan)
        everyone = np.arange(problem.n_rows)
        asked = {
            domain.number: everyone[domain.rows][domain.documents.row_norms() > 0]
            for domain in problem.domains
            if domain.is_target or not domain.labelled.all()
        }
        models = self._learn_models(problem, documents)
        self.n_models_ = len(models)
        for number, rows in asked.items():
            if len(rows) == 0:
                continue
            part = take_rows(documents, rows)
            known = problem.labels[rows]
            said = [_memberships(model, part, known, problem.n_classes) for model in models]
            clusters = self._cluster(part, problem.n_classes)
            ensemble = locally_weighted(clusters, said, self.threshold, self.similarity, known >= 0)
            found[rows] = ensemble.memberships
            if number < 0:
                self.similarity_[rows] = ensemble.similarity
        return found

    def _learn_models(self, problem: Problem, documents: Any) -> list[Any]:
        """Every kind of model, of every source, or of all labelled rows."""
        names = list(self.models)
        values = documents.data if sparse.issparse(documents) else documents
        if values.min(initial=0.0) < 0:
            names = [name for name in names if name != "naive_bayes"]
        if not names:
            raise ValueError(
                "X has negative values, of which naive Bayes makes nothing: add another of models."
            )
        models = []
        for rows in _lessons(problem):
            for name in names:
                with one_thread():
                    model = _MODELS[name]()
                    models.append(model.fit(take_rows(documents, rows), problem.labels[rows]))
        return models

    def _cluster(self, documents: Any, n_classes: int) -> NDArray[np.intp]:
        auto = 2 * n_classes
        n_components = auto if isinstance(self.n_components, str) else self.n_components
        n_clusters = n_classes if isinstance(self.n_clusters, str) else self.n_clusters
        generator = np.random.default_rng(0)
        with one_thread():
            places = random_places(documents, generator)
        svd = truncated_svd(as_documents(documents), n_components, generator)
        directions = with_unit_rows(svd.coordinates.astype(np.float64))
        with warnings.catch_warnings():
            # Fewer clusters where documents are copies: that is as it should be.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return repeatable_kmeans(directions, n_clusters, generator, places=places).labels


def _lessons(problem: Problem) -> list[NDArray[np.intp]]:
    """The rows that models learn from, one list for each set of models."""
    everyone = np.arange(problem.n_rows)
    sources = problem.sources
    # A model that does not know a class would vote against it everywhere.
    if len(sources) < 2 or any(_lacks_a_class(domain, problem.n_classes) for domain in sources):
        return [np.flatnonzero(problem.labels >= 0)]
    given = [everyone[domain.rows][domain.labelled] for domain in problem.targets]
    own = [everyone[domain.rows][domain.labelled] for domain in sources]
    return [np.sort(np.concatenate([rows, *given])) for rows in own]


def _lacks_a_class(domain: Domain, n_classes: int) -> bool:
    return len(np.unique(domain.labels[domain.labelled])) < n_classes


def _memberships(
    model: Any, documents: Any, known: NDArray[np.intp], n_classes: int
) -> NDArray[np.float64]:
    """What a model says, which may not know every class; labels that are given stay."""
    found = np.zeros((documents.shape[0], n_classes))
    with one_thread():
        found[:, model.classes_] = probabilities(model, documents)
    given = known >= 0
    found[given] = np.eye(n_classes)[known[given]]
    return found
