"""SFA, the spectral feature alignment of Pan et al. (2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.domain_estimator import ALL_ENGINES
from isthmus.estimators.base.fitted_model import FittedModel, array
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import check_flag, check_number
from isthmus.estimators.pivots._feature_classifier import FeatureFit, PivotClassifier, unscaled
from isthmus.estimators.pivots._feature_model import FeatureFunction, FeatureMap, FeatureModel
from isthmus.matrices.protocols import Engine
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.numerics.progress import Callback
from isthmus.solvers.pivots.sfa import spectral_alignment


@dataclass(frozen=True, kw_only=True)
class SFAFeatures(FeatureMap):
    """Products of documents with the components."""

    pivots: NDArray[np.intp] = array("pivots")
    components: NDArray[Any] = array("features", "terms")
    singular_values: NDArray[Any] = array("features")

    def feature_function(self, domain: int, engine: Engine, dtype: Any) -> FeatureFunction:
        phi = engine.asarray(np.ascontiguousarray(self.components.T), dtype)
        return lambda documents: documents.times(phi)

    def word_features(self, domain: int) -> NDArray[Any]:
        return self.components.T


@dataclass(frozen=True, kw_only=True)
class SFAModel(FeatureModel, SFAFeatures):
    """Linear rule on documents and their SFA features."""


class SFA(PivotClassifier):
    """Features from co-occurrence: words that occur with the same pivots share features.

    ``M = X_ds' X_di`` measures how often every other term (ds, domain-specific) occurs with each
    pivot (di, domain-independent) in the documents of all domains, labeled or not, with unit-norm
    rows. With the degrees ``D_1`` of the terms and ``D_2`` of the pivots, the leading left singular
    vectors ``U`` of

    ``D_1^-1/2 M D_2^-1/2``,  with singular values ``s``,

    are the leading eigenvectors of the bipartite graph of terms and pivots. A linear classifier is
    fitted to the labeled documents as ``[x, gamma x phi]``, where ``phi = U diag(s)^t``. Features
    are scaled so that the mean norm of a row is 1. For the pivots, ``phi`` holds the right singular
    vectors, the other half of the graph's eigenvectors. The paper leaves them out
    (``with_pivots=False``), which costs more than two points of accuracy on new documents, whose
    rare words have no features yet.

    Labels are used by the classifier and to select pivots, unless ``pivots`` is "frequency",
    "domain" or a list. Any number of classes and domains is possible. The method is deterministic.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Maximum number of features (K), at most the number of pivots. "auto" is 100.
    n_pivots : int or "auto", default="auto"
        Maximum number of pivots (l). "auto" is 200, or 500 if ``pivots`` is not "shared", and at
        most a quarter of the vocabulary.
    pivots : {"shared", "label", "frequency", "domain"} or list of str or of int, default="shared"
        Rule that selects the pivots, see :class:`PivotSelector`, or the pivots themselves as column
        names or numbers. With a list, ``n_pivots`` and ``min_df`` are ignored. The paper uses
        "domain".
    diffusion_time : float, default=1.0
        A feature with singular value s has the weight s to this power (t): what remains of it after
        t steps of a random walk between terms and pivots. With 0, as in the paper, all features
        have the same weight, including those that are noise.
    with_pivots : bool, default=True
        Whether the pivots of a document contribute to its features.
    feature_weight : float, default=1.0
        Weight of the features relative to the documents (gamma).

    Attributes
    ----------
    components_ : array of shape (n_components, n_terms)
        ``phi'``: how much every term adds to every feature.
    singular_values_ : array of shape (n_components,)
        Strength of the association of terms and pivots in each feature, between 0 and 1.

    Notes
    -----
    This implementation follows descriptions in other papers, not the original.
    ``from_preset("paper")`` selects pivots by domain and gives all features the same weight. Two
    differences remain. The descriptions count co-occurrences; here a term and a pivot add the
    product of their weights, so that with tf-idf frequent words matter less. The first eigenvector,
    which only holds the degrees, is left out. Measurements are in
    ``benchmarks/studies/pivot_defaults.md``.

    References
    ----------
    S. J. Pan, X. Ni, J.-T. Sun, Q. Yang, Z. Chen. Cross-Domain Sentiment Classification via
    Spectral Feature Alignment. WWW 2010.

    Examples
    --------
    "thrilling" and "sturdy" both occur with "good", each in its domain, so they share a feature:

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

    _engines: ClassVar[tuple[str, ...]] = ALL_ENGINES
    _model_class: ClassVar[type[FittedModel]] = SFAModel
    _auto_pivots: ClassVar[dict[str, int]] = {"shared": 200}
    _preset_weighting: ClassVar[dict[str, str]] = {"paper": "tfidf"}
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

    def _fit_features(self, data: TrainingData, callback: Callback | None) -> FeatureFit:
        domains = data.problem.domains
        n_components = self._number_of_components(data.X.shape[1])
        pivots = self._choose_pivots(data).columns
        documents = StackedDocuments([domain.documents.unit_rows() for domain in domains])
        alignment = spectral_alignment(documents, pivots, n_components)
        weights = (alignment.singular_values**self.diffusion_time).astype(data.X.dtype)
        phi = data.engine.to_host(alignment.terms)
        if self.with_pivots:
            phi[pivots] = alignment.pivots  # the other half of each eigenvector
        return FeatureFit(
            SFAFeatures(
                **unscaled(len(weights)),
                pivots=pivots,
                components=np.ascontiguousarray((phi * weights).T),
                singular_values=alignment.singular_values,
            )
        )
