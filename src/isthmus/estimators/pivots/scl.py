"""SCL, the structural correspondence learning of Blitzer et al. (2006, 2007)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import check_number
from isthmus.estimators.pivots._pivot_classifier import PivotClassifier
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.protocols import Documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.centered import CentredDocuments
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import unit_rows
from isthmus.numerics.stacked import StackedDocuments
from isthmus.solvers.pivots.scl import SomeTerms, correspondences


class SCL(PivotClassifier):
    """Words of different domains that foretell the same pivots share features.

    For every pivot a linear predictor of its presence is learnt from all other terms, in the
    documents of all domains, labelled or not:

    ``W = argmin ||X W - P||^2 + lambda ||W||^2``

    with the documents ``X`` (length 1) without their pivots and ``P`` the pivots that stand in
    each. ``theta`` are the leading left singular vectors of ``W``, and for the pivots the right
    ones, which the papers leave out: new documents, whose rare words say nothing yet, gain by them.
    A linear classifier learns from the labelled documents as ``[x, gamma x theta]``, with features
    scaled so that a row of them has a mean length of 1.

    Some things were added (``benchmarks/pivot_defaults.md`` has what was measured). A predictor is
    scaled to length 1, or frequent pivots rule, and so is a document's row of ``P``, or long ones
    do. The mean of a domain is taken from its documents, pivots and features, so that features do
    not tell domains apart. A feature counts as much as its singular value, without which those of a
    small collection are mostly chance. Predictors are ridge regressions, where the papers minimise
    a modified Huber loss. Documents that took part in the fit gain more than new ones: their rare
    words were learnt from the pivots beside them.

    Labels are read by the classifier and, with ``pivots="label"``, by the choice of pivots; any
    number of classes and of domains works alike. Nothing is left to chance. Values may have any
    sign, but where every document holds every term, as in dense embeddings, there is nothing to
    foretell, and the documents alone decide.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Features (h). "auto" is 100. There are never more than pivots.
    n_pivots : int or "auto", default="auto"
        The most pivots. "auto" is 500, or a quarter of the vocabulary if that is less.
    pivots : {"label", "shared", "frequency", "domain"} or list of str or of int, default="label"
        How pivots are chosen, see :class:`PivotSelector`, or the pivots themselves as names or
        numbers of columns, whatever ``n_pivots`` and ``min_df`` say.
    min_df : int or "auto", default="auto"
        The least number of documents of every domain that hold a pivot. "auto" is 10, or one
        in ten documents of a domain with fewer than a hundred.
    ridge : float, default=10
        lambda: how many documents of length 1 must speak for a word before it is believed.
    feature_weight : float, default=0.25
        Weight of the features beside the documents (gamma).
    classifier : {"svm", "logistic"} or None, default="svm"
        What is taught: a linear support vector machine or logistic regression. None makes a
        transformer, which needs no label unless pivots are chosen by them.
    C : float, default=0.3
        How much the classifier is to fit the labels.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.
    pivots_ : array of int
        Columns of the pivots, the best first.
    components_ : array of shape (n_components, n_terms)
        ``theta``: how much every term adds to every feature; zeros for unused terms.
    singular_values_ : array of shape (n_components,)
        How much of the predictors lies in each feature.
    domain_means_ : dict of domain number to array of shape (n_components,)
        The features of a domain's mean document, which are taken from those of each.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms themselves.
    feature_coef_ : array of shape (n_classes, n_components)
        Weights of the scaled features.
    intercept_ : array of shape (n_classes,)
    feature_scale_ : array of shape (n_components,)
        What features are multiplied with.

    References
    ----------
    J. Blitzer, R. McDonald, F. Pereira. Domain Adaptation with Structural Correspondence Learning.
    EMNLP 2006.

    J. Blitzer, M. Dredze, F. Pereira. Biographies, Bollywood, Boom-boxes and Blenders: Domain
    Adaptation for Sentiment Classification. ACL 2007.

    Examples
    --------
    "thrilling" and "sturdy" foretell "good", each in its domain, so one stands for the other:

    >>> import pandas as pd
    >>> from isthmus import SCL
    >>> terms = ["good", "bad", "thrilling", "dull", "sturdy", "flimsy"]
    >>> books = [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 2, 0, 0]]
    >>> tools = [[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 2]]
    >>> X = pd.DataFrame(books + tools, columns=terms)
    >>> y = ["+", "-", "+", "-", None, None, None, None]
    >>> SCL(pivots=["good", "bad"]).fit(X, y).transduction_[4:].tolist()
    ['+', '-', '+', '-']
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **PivotClassifier._fitted_shapes,
        "pivots_": "p",
        "singular_values_": "k",
        "domain_means_": "domain:k",
    }

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        n_pivots: int | str = "auto",
        pivots: Any = "label",
        min_df: int | str = "auto",
        ridge: float = 10.0,
        feature_weight: float = 0.25,
        classifier: str | None = "svm",
        C: float = 0.3,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_components = n_components
        self.n_pivots = n_pivots
        self.pivots = pivots
        self.min_df = min_df
        self.ridge = ridge
        self.feature_weight = feature_weight
        self.classifier = classifier
        self.C = C
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("ridge", self.ridge, least=1e-6)

    def _learn_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        n_components = self._number_of_components(X.shape[1])
        pivots = self._choose_pivots(problem, X).columns
        documents = CentredDocuments(
            StackedDocuments([unit_rows(domain.documents) for domain in problem.domains])
        )
        terms = _other_terms(X, pivots)
        found = correspondences(
            SomeTerms(documents, terms),
            CentredDocuments(_presence(problem, X, pivots)),
            n_components,
            self.ridge,
        )
        self.components_ = np.zeros((found.directions.shape[1], X.shape[1]), X.dtype)
        weights = found.singular_values / max(found.singular_values[0], np.finfo(X.dtype).tiny)
        self.components_[:, terms] = (found.directions * weights).T
        self.components_[:, pivots] = (found.pivots * weights).T
        self.singular_values_ = found.singular_values
        with one_thread():
            means = documents.means @ self.components_.T
        self.domain_means_ = dict(zip(self.domains_.tolist(), means, strict=True))

    def _feature_map(self, number: int, dtype: Any) -> Callable[[Documents], NDArray[Any]]:
        words, mean = self.components_.T, self.domain_means_[number]

        def features(documents: Documents) -> NDArray[Any]:
            filled = documents.row_norms() > 0  # an empty document says nothing, as when fitted
            return np.asarray(documents.times(words) - filled[:, None] * mean)

        return features

    def _word_features(self, number: int) -> NDArray[Any]:
        return self.components_.T


def _other_terms(X: Any, pivots: NDArray[np.intp]) -> NDArray[np.intp]:
    """Columns of the terms that may foretell pivots: all others that a document holds."""
    able = document_frequency(X) > 0
    able[pivots] = False
    return np.flatnonzero(able)


def _presence(problem: Problem, X: Any, pivots: NDArray[np.intp]) -> StackedDocuments:
    """Which pivots stand in every document, domain by domain, as rows of length 1."""
    held = [(rows[:, pivots] != 0).astype(X.dtype) for _, rows in rows_of_domains(problem, X)]
    return StackedDocuments([unit_rows(as_documents(rows)) for rows in held])
