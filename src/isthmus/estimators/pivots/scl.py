"""SCL, the structural correspondence learning of Blitzer et al. (2006, 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.domains.parse import rows_of_domains
from isthmus.estimators.base.fitted_model import FittedModel, array, array_per_domain
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.idf import document_frequency
from isthmus.estimators.components.parameters import check_number
from isthmus.estimators.pivots._feature_classifier import FeatureFit, PivotClassifier, unscaled
from isthmus.estimators.pivots._feature_model import FeatureFunction, FeatureMap, FeatureModel
from isthmus.matrices.protocols import Documents, Engine
from isthmus.matrices.rows import as_documents
from isthmus.matrices.threads import one_thread
from isthmus.numerics.derived_documents import CenteredDocuments, StackedDocuments
from isthmus.numerics.progress import Callback
from isthmus.solvers.pivots.scl import SelectedTerms, correspondences


@dataclass(frozen=True, kw_only=True)
class SCLFeatures(FeatureMap):
    """Products of documents with the components, minus those of the domain's mean document."""

    pivots: NDArray[np.intp] = array("pivots")
    components: NDArray[Any] = array("features", "terms")
    singular_values: NDArray[Any] = array("features")
    domain_means: Mapping[int, NDArray[Any]] = array_per_domain("features")

    def feature_function(self, domain: int, engine: Engine, dtype: Any) -> FeatureFunction:
        theta, mean = self.components.T, self.domain_means[domain]

        def features(documents: Documents) -> NDArray[Any]:
            # Empty documents have no features, as in the fit.
            filled = documents.row_norms() > 0
            return np.asarray(documents.times(theta) - filled[:, None] * mean)

        return features

    def word_features(self, domain: int) -> NDArray[Any]:
        return self.components.T


@dataclass(frozen=True, kw_only=True)
class SCLModel(FeatureModel, SCLFeatures):
    """Linear rule on documents and their SCL features."""


class SCL(PivotClassifier):
    """Features from linear predictors: words that predict the same pivots share features.

    For every pivot, a linear predictor of its presence is fitted to all other terms, on the
    documents of all domains, labeled or not:

    ``W = argmin ||X W - P||^2 + lambda ||W||^2``

    where ``X`` are the documents (unit-norm rows) without the pivots and ``P`` is the presence of
    the pivots. ``theta`` are the leading left singular vectors of ``W``. A linear classifier is
    fitted to the labeled documents as ``[x, gamma x theta]``. Features are scaled so that the mean
    norm of a row is 1.

    This implementation differs from the papers; ``benchmarks/studies/pivot_defaults.md`` has the
    measurements. Pivots get features too, from the right singular vectors; this helps new
    documents, whose rare words have no features yet. Every predictor is scaled to norm 1, or else
    frequent pivots dominate, and so is every row of ``P``, or else long documents dominate. The
    domain mean is subtracted from documents, pivots and features, so that features do not separate
    the domains. Features are weighted by their singular values; without that, most features of a
    small collection are noise. Predictors are ridge regressions instead of a modified Huber loss.
    Documents of the fit gain more than new ones, because their rare words were part of the fit.

    Labels are used by the classifier and, with ``pivots="label"``, to select pivots. Any number of
    classes and domains is possible. The method is deterministic. Values may have any sign. If every
    document contains every term, as in dense embeddings, no pivot can be predicted and only the
    documents themselves are used.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of features (h), at most the number of pivots. "auto" is 100.
    n_pivots : int or "auto", default="auto"
        Maximum number of pivots. "auto" is 500, or a quarter of the vocabulary if that is less.
    ridge : float, default=10
        lambda, in numbers of documents: a word needs about this many before it gets much weight.
    feature_weight : float, default=0.25
        Weight of the features relative to the documents (gamma).

    Attributes
    ----------
    components_ : array of shape (n_components, n_terms)
        ``theta``: how much every term adds to every feature; zeros for unused terms.
    singular_values_ : array of shape (n_components,)
        Singular values of the predictors, one per feature.
    domain_means_ : dict of domain number to array of shape (n_components,)
        Features of the mean document of each domain, which are subtracted.

    References
    ----------
    J. Blitzer, R. McDonald, F. Pereira. Domain Adaptation with Structural Correspondence Learning.
    EMNLP 2006.

    J. Blitzer, M. Dredze, F. Pereira. Biographies, Bollywood, Boom-boxes and Blenders: Domain
    Adaptation for Sentiment Classification. ACL 2007.

    Examples
    --------
    "thrilling" and "sturdy" both predict "good", each in its domain, so they share a feature:

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

    _model_class: ClassVar[type[FittedModel]] = SCLModel

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

    def _fit_features(self, data: TrainingData, callback: Callback | None) -> FeatureFit:
        X, problem = data.X, data.problem
        n_components = self._number_of_components(X.shape[1])
        pivots = self._choose_pivots(data).columns
        documents = CenteredDocuments(
            StackedDocuments([domain.documents.unit_rows() for domain in problem.domains])
        )
        terms = _other_terms(X, pivots)
        result = correspondences(
            SelectedTerms(documents, terms),
            CenteredDocuments(_pivot_presence(problem, X, pivots)),
            n_components,
            self.ridge,
        )
        weights = result.singular_values / max(result.singular_values[0], np.finfo(X.dtype).tiny)
        components = np.zeros((result.directions.shape[1], X.shape[1]), X.dtype)
        components[:, terms] = (result.directions * weights).T
        components[:, pivots] = (result.pivots * weights).T
        with one_thread():
            means = documents.means @ components.T
        numbers = [domain.number for domain in problem.domains]
        return FeatureFit(
            SCLFeatures(
                **unscaled(len(components)),
                pivots=pivots,
                components=components,
                singular_values=result.singular_values,
                domain_means=dict(zip(numbers, means, strict=True)),
            )
        )


def _other_terms(X: Any, pivots: NDArray[np.intp]) -> NDArray[np.intp]:
    """Columns of the terms that predict pivots: all others that occur in a document."""
    is_predictor = document_frequency(X) > 0
    is_predictor[pivots] = False
    return np.flatnonzero(is_predictor)


def _pivot_presence(problem: Problem, X: Any, pivots: NDArray[np.intp]) -> StackedDocuments:
    """Presence of the pivots in every document, domain by domain, with unit-norm rows."""
    blocks = [(rows[:, pivots] != 0).astype(X.dtype) for _, rows in rows_of_domains(problem, X)]
    return StackedDocuments([as_documents(block).unit_rows() for block in blocks])
