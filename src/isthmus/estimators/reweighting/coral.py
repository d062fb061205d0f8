"""CORAL, the correlation alignment of Sun, Feng and Saenko (2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, array_per_domain, predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import (
    linear_model,
    one_row_per_class,
    softmax_memberships,
)
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.matrices.rows import as_documents, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.derived_documents import StackedDocuments
from isthmus.numerics.progress import Callback
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting.coral import CorrelationAlignment, align


@dataclass(frozen=True, kw_only=True)
class DomainLinearModel(FittedModel):
    """A linear rule per domain: class probabilities are a softmax of unit-norm rows."""

    coef: Mapping[int, NDArray[Any]] = array_per_domain("classes", "terms")
    intercept: Mapping[int, NDArray[Any]] = array_per_domain("classes")

    def predict_memberships(self, X: Any, domain: int) -> NDArray[Any]:
        rows = with_unit_rows(X)
        memberships = softmax_memberships(rows, self.coef[domain], self.intercept[domain])
        # After centering, an empty document would get the scores of the negative mean.
        memberships[as_documents(X).row_norms() == 0] = 0
        return memberships.astype(X.dtype)

    def word_weights(self) -> dict[int, NDArray[Any]]:
        return {n: totals[:, None] * self.coef[n].T for n, totals in self.term_totals.items()}


class CORAL(TransferClassifier):
    """Train a linear classifier on source documents with the correlations of the target.

    Unit-norm documents ``x`` have coordinates ``f = xV`` in the leading singular directions of all
    documents. The coordinates of a source are centered, whitened, and given the covariance of the
    target:

    ``z = (f - mean_s) A``,  ``A = (C_s + e I)^-1/2 (C_t + e I)^1/2``

    which solves ``min_A ||A' C_s A - C_t||^2`` up to the regularization ``e``. A linear classifier
    is fitted to ``z`` and predicts the target from ``f - mean_t``. In terms of the words it has one
    weight vector per domain: ``V w`` for a target and ``V A w`` for a source.

    This implementation follows descriptions of the method, not the original paper, which aligns
    standardized features with ``e = 1``. Two details differ. A covariance of all terms would be too
    large, hence the singular directions; their variances differ, so ``e`` is relative to the mean
    variance. The paper assumes zero means. Here every domain is centered, which also removes
    differences in the class proportions, unless ``class_prior`` gives them. Several sources are
    aligned separately. Several targets share one covariance, computed around the mean of each, and
    one classifier. Labeled target documents are added to the training set.

    Correlations are second moments: they tell which words occur together in the target, but not
    the meaning of words that the source does not have. The gain is therefore modest, and part of it
    comes from the centering alone.

    Parameters
    ----------
    n_components : int, default=100
        Number of singular directions.
    ridge : float, default=1.0
        ``e`` as a multiple of the mean variance of a coordinate. Large values leave the source
        unchanged except for its mean.
    classifier : {"svm", "logistic"}, default="svm"
        Linear classifier that is fitted to the aligned source documents.
    C : float, default=0.1
        Inverse regularization strength. Coordinates are scaled to a mean squared norm of 1.

    Attributes
    ----------
    coef_ : dict of domain number to array of shape (n_classes, n_terms)
        Weights of the terms in every domain.
    intercept_ : dict of domain number to array of shape (n_classes,)
        Intercept of every class.
    components_ : array of shape (n_components, n_terms)
        ``V'``: the singular directions. Not stored in model files.

    References
    ----------
    B. Sun, J. Feng, K. Saenko. Return of Frustratingly Easy Domain Adaptation. AAAI 2016.

    Examples
    --------
    The third term has the largest variance in the source and is constant in the target:

    >>> from isthmus import CORAL
    >>> source = [[3, 1, 0], [3, 1, 9], [1, 3, 0], [1, 3, 9]]
    >>> target = [[3, 1, 1], [1, 3, 1]]
    >>> CORAL().fit(source + target, ["a", "a", "b", "b", None, None]).transduction_[4:].tolist()
    ['a', 'b']
    """

    _model_class: ClassVar[type[FittedModel]] = DomainLinearModel

    def __init__(
        self,
        n_components: int = 100,
        *,
        ridge: float = 1.0,
        classifier: str = "svm",
        C: float = 0.1,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.classifier = classifier
        self.C = C
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_whole_number("n_components", self.n_components, least=1)
        check_number("ridge", self.ridge, least=1e-6)
        check_choice("classifier", self.classifier, ("svm", "logistic"))
        check_number("C", self.C, above=0, most=MAX_C)

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        problem = data.problem
        stacked = StackedDocuments([domain.documents.unit_rows() for domain in problem.domains])
        svd = truncated_svd(stacked, self.n_components, np.random.default_rng(0))
        ends = np.cumsum([domain.documents.shape[0] for domain in problem.domains])[:-1]
        parts = np.split(svd.coordinates.astype(np.float64), ends)
        # Empty documents would move means and correlations towards zero.
        filled = [part[part.any(axis=1)] for part in parts]
        alignment = align(filled, [domain.is_target for domain in problem.domains], self.ridge)
        components = svd.directions.T
        coef, intercept = self._fit_aligned(problem, parts, alignment, components)
        model = DomainLinearModel(term_totals=data.term_totals, coef=coef, intercept=intercept)
        return Fit(model, predict_rows(model, data), {"components_": components})

    def _fit_aligned(
        self,
        problem: Problem,
        parts: list[NDArray[np.float64]],
        alignment: CorrelationAlignment,
        components: NDArray[Any],
    ) -> tuple[dict[int, NDArray[Any]], dict[int, NDArray[Any]]]:
        """Fit the classifier to aligned coordinates; its weights of the terms in every domain."""
        with one_thread():
            aligned = [
                (part - mean) @ map_
                for part, mean, map_ in zip(parts, alignment.means, alignment.maps, strict=True)
            ]
        norm = float(np.sqrt((np.vstack(aligned) ** 2).sum(axis=1).mean()))
        scale = 1 / norm if norm > 0 else 1.0
        rows, labels = problem.gather(aligned), problem.labels
        # Empty documents are left out of the training set, unless their class has no others.
        filled = problem.gather(parts).any(axis=1)
        training = np.flatnonzero((labels >= 0) & (filled | ~np.isin(labels, labels[filled])))
        dtype = components.dtype
        coef_by_domain, intercept_by_domain = {}, {}
        with one_thread():
            linear = linear_model(self.classifier, self.C)
            linear.fit(scale * rows[training], labels[training])
            weights, intercept = one_row_per_class(linear.coef_ * scale, linear.intercept_)
            for domain, mean, map_ in zip(
                problem.domains, alignment.means, alignment.maps, strict=True
            ):
                mapped = weights @ map_.T
                coef_by_domain[domain.number] = (mapped.astype(dtype) @ components).astype(dtype)
                intercept_by_domain[domain.number] = (intercept - mapped @ mean).astype(dtype)
        return coef_by_domain, intercept_by_domain
