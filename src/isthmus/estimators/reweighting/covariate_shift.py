"""Classifiers for a covariate shift (Shimodaira 2000, Zadrozny 2004)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import has_fit_parameter

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.fitted_model import Fit, FittedModel, LinearModel, predict_rows
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.linear_models import linear_model, one_row_per_class
from isthmus.estimators.components.parameters import (
    MAX_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.estimators.components.repeatable_kmeans import random_projections
from isthmus.matrices.rows import as_documents, take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting._kliep import kliep_ratio
from isthmus.solvers.reweighting.covariate_shift import (
    effective_size,
    folds_by_projection,
    kernel_density_ratio,
    tempered_weights,
)

# A smaller effective proportion of the source is worth a warning.
_MIN_EFFECTIVE_PROPORTION = 0.05
#: Names of the density ratio estimates.
RATIOS = ("classifier", "kliep", "kde")
_FOLDS = 5


class CovariateShift(TransferClassifier):
    """Train a linear classifier on source documents weighted by their similarity to the target.

    Minimizes ``1/2 ||w||^2 + C sum_{x in S} r(x)^power loss(y(x), w'x)`` with the density ratio
    ``r(x) = p_t(x) / p_s(x)``. If the domains differ in ``p(x)`` but not in ``p(y|x)``, the sum
    with ``power=1`` is an unbiased estimate of the loss on the target. There are three ways to
    estimate the ratio:

    - ``"classifier"``: a logistic regression that separates target from source,
      ``r(x) = p(t|x)/p(s|x) * n_s/n_t``, with five-fold cross-fitting: the ratio of a document
      comes from a classifier that was not trained on it.
    - ``"kliep"``: Gaussian kernels ``k_l`` at 100 target documents, in the leading singular
      directions of all documents. ``r = sum_l a_l k_l``, where ``a`` maximizes ``mean_T log r``
      subject to ``mean_S r = 1`` and ``a >= 0``. The kernel width maximizes the same criterion in
      five-fold cross-validation.
    - ``"kde"``: the ratio of two Gaussian kernel density estimates in these directions.

    Documents are scaled to unit norm. Weights have a mean of 1. Several targets are pooled: the
    ratio is that of all target documents to all source documents, and one rule predicts all of
    them. Labeled target documents have a weight of 1.

    This implementation follows descriptions of the method, not the original papers. The three
    estimates for text, the cross-fitting, the solver of KLIEP (expectation-maximization, which
    reaches the same maximum) and the common width of both densities are our own choices. Weights
    cannot add topics that the source does not have: on newsgroups the gain over the unweighted
    classifier is small, as the paper of CDSC also reports.

    Parameters
    ----------
    ratio : {"classifier", "kliep", "kde"}, default="classifier"
        How the density ratio is estimated, see above.
    power : float, default=0.5
        Exponent of the density ratio. 0 gives equal weights. 1 gives the ratio itself, which is
        unbiased but may rely on few documents. Values in between are Shimodaira's compromise.
    classifier : {"svm", "logistic"} or scikit-learn classifier, default="svm"
        Fitted with the weights. An object must accept ``sample_weight`` and have ``coef_`` and
        ``intercept_`` after its fit.
    C : float, default=1.0
        Inverse regularization strength of "svm" or "logistic".
    domain_C : float, default=1.0
        Inverse regularization strength of the domain classifier. Used by ``ratio="classifier"``
        only.
    n_components : int, default=2
        Number of singular directions for "kliep" and "kde". With more of them the domains hardly
        overlap, and a few documents get all the weight.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
        Weights of the terms.
    intercept_ : array of shape (n_classes,)
        Intercept of every class.
    sample_weight_ : array of shape (n_rows,)
        Weight of every labeled row; 0 for unlabeled rows. Not stored in model files.
    effective_size_ : float
        Effective sample size of the source, ``(sum r)^2 / sum r^2``. A warning is given if it is
        below 5 % of the source. Not stored in model files.

    References
    ----------
    H. Shimodaira. Improving Predictive Inference under Covariate Shift by Weighting the
    Log-Likelihood Function. Journal of Statistical Planning and Inference 90, 2000.

    B. Zadrozny. Learning and Evaluating Classifiers under Sample Selection Bias. ICML 2004.

    M. Sugiyama, S. Nakajima, H. Kashima, P. von Bünau, M. Kawanabe. Direct Importance Estimation
    with Model Selection and Its Application to Covariate Shift Adaptation. NIPS 2008.

    Examples
    --------
    The first term indicates "no" in most of the source, and "yes" in the source documents that are
    similar to the target:

    >>> from isthmus import CovariateShift
    >>> X = [[1, 0, 3]] * 6 + [[0, 1, 3]] * 6 + [[1, 3, 0], [0, 3, 0]] * 3
    >>> y = ["no"] * 6 + ["yes"] * 6 + ["yes", "no"] + [None] * 4
    >>> model = CovariateShift(power=1, C=10).fit(X, y)
    >>> model.transduction_[-2:].tolist()
    ['yes', 'no']
    >>> CovariateShift(power=0, C=10).fit(X, y).transduction_[-2:].tolist()
    ['no', 'yes']
    """

    _model_class: ClassVar[type[FittedModel]] = LinearModel
    _presets: ClassVar[dict[str, dict[str, Any]]] = {"paper": {"power": 1.0}}

    def __init__(
        self,
        ratio: str = "classifier",
        *,
        power: float = 0.5,
        classifier: Any = "svm",
        C: float = 1.0,
        domain_C: float = 1.0,
        n_components: int = 2,
        class_prior: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.ratio = ratio
        self.power = power
        self.classifier = classifier
        self.C = C
        self.domain_C = domain_C
        self.n_components = n_components
        self.class_prior = class_prior
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_choice("ratio", self.ratio, RATIOS)
        check_number("power", self.power, least=0, most=1)
        check_number("C", self.C, above=0, most=MAX_C)
        check_number("domain_C", self.domain_C, above=0, most=MAX_C)
        check_whole_number("n_components", self.n_components, least=1)
        if isinstance(self.classifier, str):
            check_choice("classifier", self.classifier, ("svm", "logistic"))
        elif not _is_classifier_object(self.classifier):
            raise ValueError(
                "classifier must be 'svm', 'logistic' or a scikit-learn classifier, got "
                f"{self.classifier!r}."
            )
        elif not has_fit_parameter(self.classifier, "sample_weight"):
            raise ValueError(
                f"classifier={self.classifier!r} has no sample_weight in fit: use one that has it."
            )

    def _fit(self, data: TrainingData, callback: Callback | None) -> Fit:
        documents = with_unit_rows(with_narrow_indices(data.X))
        sample_weight, size = self._weights(data.problem, documents)
        coef, intercept = self._fit_weighted(data.problem, documents, sample_weight)
        model = LinearModel.of(data, coef, intercept)
        diagnostics = {"sample_weight_": sample_weight, "effective_size_": size}
        return Fit(model, predict_rows(model, data), diagnostics)

    def _weights(self, problem: Problem, documents: Any) -> tuple[NDArray[np.float64], float]:
        """Weight of every row (0 for unlabeled rows), and the effective size of the source."""
        in_target = problem.gather(
            [np.full(domain.documents.shape[0], domain.is_target) for domain in problem.domains]
        )
        known = problem.labels >= 0
        sample_weight = known.astype(np.float64)
        filled = as_documents(documents).row_norms() > 0  # the ratio of empty documents is unknown
        source = np.flatnonzero(known & ~in_target & filled)
        if len(source) and in_target[filled].any() and self.power > 0:
            log_ratios = source_log_ratios(
                documents[filled],
                in_target[filled],
                np.searchsorted(np.flatnonzero(filled), source),
                ratio=self.ratio,
                C=self.domain_C,
                n_components=self.n_components,
            )
            sample_weight[source] = tempered_weights(log_ratios, self.power)
        source_weights = sample_weight[source if len(source) else known]
        size = effective_size(source_weights)
        if size < _MIN_EFFECTIVE_PROPORTION * len(source_weights):
            warn_user(
                f"The weights reduce {len(source_weights)} source documents to an effective sample "
                f"size of {size:.1f}, because few of them resemble the target: lower power (now "
                f"{self.power})."
            )
        return sample_weight, size

    def _fit_weighted(
        self, problem: Problem, documents: Any, sample_weight: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Coefficients and intercepts of the classifier of the labeled rows."""
        rows = np.flatnonzero(problem.labels >= 0)
        named = isinstance(self.classifier, str)
        linear = linear_model(self.classifier, self.C) if named else clone(self.classifier)
        # A classifier of the user may change its input, which may share memory with X.
        training = take_rows(documents, rows) if named else documents[rows]
        with one_thread() if named else nullcontext():
            linear.fit(training, problem.labels[rows], sample_weight=sample_weight[rows])
        if not hasattr(linear, "coef_") or not hasattr(linear, "intercept_"):
            raise ValueError(
                f"classifier={self.classifier!r} has no coef_ and intercept_ after its fit: use a "
                "linear classifier."
            )
        coef = linear.coef_.toarray() if sparse.issparse(linear.coef_) else linear.coef_
        coef, intercept = np.atleast_2d(coef), np.atleast_1d(linear.intercept_)
        if len(intercept) < len(coef):  # some classifiers without intercept have a single 0
            intercept = np.broadcast_to(intercept, len(coef))
        n_rows = len(coef)
        coef, intercept = one_row_per_class(coef, intercept)
        if len(coef) != problem.n_classes:
            raise ValueError(
                f"classifier={self.classifier!r} has {n_rows} rows of coef_ for "
                f"{problem.n_classes} classes: use one with a row per class (one-vs-rest)."
            )
        return coef, intercept


def _is_classifier_object(classifier: Any) -> bool:
    is_object = hasattr(classifier, "fit") and not isinstance(classifier, type)
    return is_object and bool(is_classifier(classifier))


def source_log_ratios(
    documents: Any,
    in_target: NDArray[np.bool_],
    source: NDArray[np.intp],
    *,
    ratio: str,
    C: float,
    n_components: int,
) -> NDArray[np.float64]:
    """``log p_t(x) / p_s(x)`` of the rows ``source``."""
    with one_thread():
        projections = random_projections(documents, np.random.default_rng(0))
    if ratio == "classifier":
        return _classifier_log_ratios(documents, in_target, source, projections, C)
    svd = truncated_svd(as_documents(documents), n_components, np.random.default_rng(0))
    coordinates = svd.coordinates.astype(np.float64)
    both = coordinates[~in_target], coordinates[in_target]
    if ratio == "kliep":
        log_ratios = kliep_ratio(*both, projections[in_target]).log_ratios
    else:
        of_source, of_target = projections[~in_target], projections[in_target]
        log_ratios = kernel_density_ratio(*both, of_source, of_target).log_ratios
    return log_ratios[np.searchsorted(np.flatnonzero(~in_target), source)]


def _classifier_log_ratios(
    documents: Any,
    in_target: NDArray[np.bool_],
    source: NDArray[np.intp],
    projections: NDArray[np.float64],
    C: float,
) -> NDArray[np.float64]:
    """Log ratios of source rows, each from a domain classifier that was not trained on it."""
    folds = folds_by_projection(projections, _FOLDS)
    log_ratios = np.zeros(len(source))
    for fold in np.unique(folds[source]).tolist():
        test = np.flatnonzero(folds[source] == fold)
        training = np.flatnonzero(folds != fold)
        n_target = int(in_target[training].sum())
        n_source = len(training) - n_target
        if n_target == 0 or n_source == 0:
            continue  # with one domain only, the log ratio stays 0
        with one_thread():
            model = LogisticRegression(C=C, max_iter=300)
            model.fit(documents[training], in_target[training])
            decisions = model.decision_function(documents[source[test]])
        log_ratios[test] = decisions + np.log(n_source / n_target)
    return log_ratios
