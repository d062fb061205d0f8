"""SFA, the spectral feature alignment of Pan et al. (2010)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.pivots._pivot_classifier import PivotClassifier
from isthmus.matrices.protocols import Documents
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import unit_rows
from isthmus.numerics.stacked import StackedDocuments
from isthmus.solvers.pivots.sfa import spectral_alignment


class SFA(PivotClassifier):
    """Words of different domains that occur beside the same pivots share features.

    ``M = X_ds' X_di`` is how much every term that is no pivot (ds, domain-specific) occurs together
    with each pivot (di, domain-independent) in the documents of all domains, labelled or not, of
    length 1. With the degrees ``D_1`` of the terms and ``D_2`` of the pivots, the leading left
    singular vectors ``U`` of

    ``D_1^-1/2 M D_2^-1/2``,  with singular values ``s``,

    are the largest eigenvectors of the bipartite graph of terms and pivots. A linear classifier
    learns from the labelled documents as ``[x, gamma x phi]``, where ``phi = U diag(s)^t`` and
    features are scaled so that a row of them has a mean length of 1. Pivots have the right singular
    vectors for their part of ``phi``, the other half of the graph's eigenvectors; the paper leaves
    them out (``with_pivots=False``), which costs new documents, whose rare words say nothing yet,
    more than two points.

    Labels are read by the classifier and by the choice of pivots unless ``pivots`` is
    "frequency", "domain" or a list; any number of classes and of domains works alike. Nothing is
    left to chance.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        The most features (K); "auto" is 100. There are never more than pivots.
    n_pivots : int or "auto", default="auto"
        The most pivots (l). "auto" is 200, and 500 if ``pivots`` is not "shared", or a quarter of
        the vocabulary if that is less.
    pivots : {"shared", "label", "frequency", "domain"} or list of str or of int, default="shared"
        How pivots are chosen, see :class:`PivotSelector`, or the pivots themselves as names or
        numbers of columns, whatever ``n_pivots`` and ``min_df`` say. The paper's is "domain".
    min_df : int or "auto", default="auto"
        The least number of documents of every domain that hold a pivot. "auto" is 10, or one
        in ten documents of a domain with fewer than a hundred.
    diffusion_time : float, default=1.0
        A feature of singular value s counts s to this power (t), which is what so many steps of a
        random walk between terms and pivots leave of it. 0 is the paper: all features count the
        same, also those that only chance has made.
    with_pivots : bool, default=True
        Whether the pivots of a document count for its features as other terms do.
    feature_weight : float, default=1.0
        Weight of the features beside the documents (gamma).
    classifier : {"svm", "logistic"} or None, default="svm"
        What is taught: a linear support vector machine or logistic regression. None makes a
        transformer, which needs no label if the choice of pivots needs none.
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
        ``phi'``: how much every term adds to every feature.
    singular_values_ : array of shape (n_components,)
        How closely the terms and pivots of a feature keep together, between 0 and 1.
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms themselves.
    feature_coef_ : array of shape (n_classes, n_components)
        Weights of the scaled features.
    intercept_ : array of shape (n_classes,)
    feature_scale_ : array of shape (n_components,)
        What features are multiplied with.

    Notes
    -----
    The paper was not at hand: this is its method as others describe it. ``from_preset("paper")``
    chooses pivots by their domain and lets all features count the same. Two things differ from what
    is described also then. Co-occurrences are counted there; here a term and a pivot add the
    product of their weights, so that ``X`` as tf-idf lets common words tell less. And the first
    eigenvector, which holds nothing but the degrees, is left out. What was measured is in
    ``benchmarks/pivot_defaults.md``.

    References
    ----------
    S. J. Pan, X. Ni, J.-T. Sun, Q. Yang, Z. Chen. Cross-Domain Sentiment Classification via
    Spectral Feature Alignment. WWW 2010.

    Examples
    --------
    "thrilling" and "sturdy" occur beside "good" in their domains, so one stands for the other:

    >>> import pandas as pd
    >>> from isthmus import SFA
    >>> terms = ["good", "bad", "thrilling", "dull", "sturdy", "flimsy"]
    >>> books = [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 2, 0, 0]]
    >>> tools = [[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 2]]
    >>> X = pd.DataFrame(books + tools, columns=terms)
    >>> y = ["+", "-", "+", "-", None, None, None, None]
    >>> SFA(pivots=["good", "bad"]).fit(X, y).transduction_[4:].tolist()
    ['+', '-', '+', '-']
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **PivotClassifier._fitted_shapes,
        "pivots_": "p",
        "singular_values_": "k",
    }
    _auto_pivots: ClassVar[dict[str, int]] = {"shared": 200}
    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {"pivots": "domain", "diffusion_time": 0.0, "with_pivots": False}
    }

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        n_pivots: int | str = "auto",
        pivots: Any = "shared",
        min_df: int | str = "auto",
        diffusion_time: float = 1.0,
        with_pivots: bool = True,
        feature_weight: float = 1.0,
        classifier: str | None = "svm",
        C: float = 0.3,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_components = n_components
        self.n_pivots = n_pivots
        self.pivots = pivots
        self.min_df = min_df
        self.diffusion_time = diffusion_time
        self.with_pivots = with_pivots
        self.feature_weight = feature_weight
        self.classifier = classifier
        self.C = C
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("diffusion_time", self.diffusion_time, least=0, most=20)
        check_flag("with_pivots", self.with_pivots)

    def _learn_features(self, problem: Problem, X: Any, callback: Callback | None) -> None:
        n_components = self._number_of_components(X.shape[1])
        pivots = self._choose_pivots(problem, X).columns
        documents = StackedDocuments([unit_rows(domain.documents) for domain in problem.domains])
        found = spectral_alignment(documents, pivots, n_components)
        self.singular_values_ = found.singular_values
        weights = (found.singular_values**self.diffusion_time).astype(X.dtype)
        if self.with_pivots:
            found.terms[pivots] = found.pivots  # the other half of an eigenvector
        self.components_ = np.ascontiguousarray((found.terms * weights).T)

    def _feature_map(self, number: int, dtype: Any) -> Callable[[Documents], NDArray[Any]]:
        words = self.components_.T
        return lambda documents: np.asarray(documents.times(words))

    def _word_features(self, number: int) -> NDArray[Any]:
        return self.components_.T
