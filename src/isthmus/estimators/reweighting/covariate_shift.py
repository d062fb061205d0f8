"""Classifiers for a covariate shift (Shimodaira 2000, Zadrozny 2004)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.linear_classifier import LinearRuleClassifier
from isthmus.estimators.components.linear_models import for_every_class, linear_model
from isthmus.estimators.components.parameters import (
    MOST_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.estimators.reweighting._domain_ratio import RATIOS, source_log_ratios
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import take_rows, with_narrow_indices, with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.solvers.reweighting.covariate_shift import effective_size, tempered_weights

# Below this part of the source the classifier learns from a handful of documents.
_FEW = 0.05


class CovariateShift(LinearRuleClassifier):
    """A classifier that learns most from the source documents that look like the target's.

    Minimises ``1/2 ||w||^2 + C sum_{x in S} r(x)^power loss(y(x), w'x)`` with the ratio of
    densities ``r(x) = p_t(x) / p_s(x)``: if the domains differ in which documents they hold, and
    not in what class a document has, the sum is with ``power=1`` in expectation the loss over the
    target. The ratio comes from

    - ``"classifier"``: a logistic regression that tells target from source,
      ``r(x) = p(t|x)/p(s|x) * n_s/n_t``. A document is judged by one that has not seen it: five are
      learnt, each without a fifth of the documents;
    - ``"kliep"``: Gaussian kernels ``k_l`` at 100 target documents, in the leading singular
      directions of all documents; ``r = sum_l a_l k_l`` with the ``a`` that maximises
      ``mean_T log r`` while ``mean_S r = 1`` and ``a >= 0``. The kernels' width by five-fold
      cross-validation of the same;
    - ``"kde"``: two Gaussian kernel densities there, one divided by the other.

    Documents are scaled to length 1. Weights have a mean of 1. Several targets are one here: the
    ratio is that of all target documents to all source documents, and one rule reads them all.
    Labelled target documents are what the weights are after, and have a weight of 1.

    The papers are not at hand. That ratios come from text by these three ways, the cross-fitting,
    KLIEP's solver (steps of expectation-maximisation, which reach the same maximum) and one width
    for both densities were chosen here. Topics that the source does not have cannot be weighed in:
    on newsgroups it gains little over the classifier alone, as the paper of CDSC reports too.

    Parameters
    ----------
    ratio : {"classifier", "kliep", "kde"}, default="classifier"
    power : float, default=0.5
        How far the weights go: 0 none, 1 the ratio itself, which is right in the mean and rests on
        few documents. In between is Shimodaira's compromise.
    classifier : {"svm", "logistic"} or scikit-learn classifier, default="svm"
        What is taught with the weights. An object must take ``sample_weight`` and have ``coef_``
        and ``intercept_`` after its fit.
    C : float, default=1.0
        How much "svm" or "logistic" is to fit the labels.
    domain_C : float, default=1.0
        How much the classifier of domains is to fit them. Without a part in the other ratios.
    n_components : int, default=2
        Singular directions that "kliep" and "kde" see. Without a part in "classifier". With more
        of them the domains hardly overlap, and a few documents get all the weight.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_terms)
    intercept_ : array of shape (n_classes,)
    sample_weight_ : array of shape (n_rows,)
        The weight of every labelled row; 0 for the others.
    effective_size_ : float
        So many source documents of equal weight would teach as much: ``(sum r)^2 / sum r^2``. A
        warning tells if it is under a twentieth of the source.
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.

    References
    ----------
    H. Shimodaira. Improving Predictive Inference under Covariate Shift by Weighting the
    Log-Likelihood Function. Journal of Statistical Planning and Inference 90, 2000.

    B. Zadrozny. Learning and Evaluating Classifiers under Sample Selection Bias. ICML 2004.

    M. Sugiyama, S. Nakajima, H. Kashima, P. von Bünau, M. Kawanabe. Direct Importance Estimation
    with Model Selection and Its Application to Covariate Shift Adaptation. NIPS 2008.

    Examples
    --------
    The first term speaks for "no" in most of the source, and for "yes" in the documents that are
    as the target's:

    >>> from isthmus import CovariateShift
    >>> X = [[1, 0, 3]] * 6 + [[0, 1, 3]] * 6 + [[1, 3, 0], [0, 3, 0]] * 3
    >>> y = ["no"] * 6 + ["yes"] * 6 + ["yes", "no"] + [None] * 4
    >>> model = CovariateShift(power=1, C=10).fit(X, y)
    >>> model.transduction_[-2:].tolist()
    ['yes', 'no']
    >>> CovariateShift(power=0, C=10).fit(X, y).transduction_[-2:].tolist()
    ['no', 'yes']
    """

    _reads_unit_rows: ClassVar[bool] = True

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **LinearRuleClassifier._fitted_shapes,
        "effective_size_": "",
    }
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
        check_number("C", self.C, above=0, most=MOST_C)
        check_number("domain_C", self.domain_C, above=0, most=MOST_C)
        check_whole_number("n_components", self.n_components, least=1)
        if isinstance(self.classifier, str):
            check_choice("classifier", self.classifier, ("svm", "logistic"))
        elif not _can_classify(self.classifier):
            raise ValueError(
                "classifier must be 'svm', 'logistic' or a scikit-learn classifier, got "
                f"{self.classifier!r}."
            )
        elif not has_fit_parameter(self.classifier, "sample_weight"):
            raise ValueError(
                f"classifier={self.classifier!r} takes no sample_weight in fit: give one that does."
            )

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        documents = with_unit_rows(with_narrow_indices(X))
        self._weigh(problem, documents)
        labels = problem.labels
        known = np.flatnonzero(labels >= 0)
        self._teach(documents, known, labels[known], problem.n_classes)
        return [self._new_memberships(part, number) for number, part in rows_of_domains(problem, X)]

    def _weigh(self, problem: Problem, documents: Any) -> None:
        """Set the weight of every labelled row."""
        in_target = problem.gather(
            [np.full(domain.documents.shape[0], domain.is_target) for domain in problem.domains]
        )
        known = problem.labels >= 0
        self.sample_weight_ = known.astype(np.float64)
        filled = as_documents(documents).row_norms() > 0  # an empty document is like no other
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
            self.sample_weight_[source] = tempered_weights(log_ratios, self.power)
        weights = self.sample_weight_[source if len(source) else known]
        self.effective_size_ = effective_size(weights)
        if self.effective_size_ < _FEW * len(weights):
            warn_user(
                f"The weights leave {self.effective_size_:.1f} of {len(weights)} source documents: "
                "the target hardly looks like any other of them. Lower power, now "
                f"{self.power}, to learn from more."
            )

    def _teach(
        self, documents: Any, rows: NDArray[np.intp], labels: NDArray[np.intp], n_classes: int
    ) -> None:
        named = isinstance(self.classifier, str)
        model = linear_model(self.classifier, self.C) if named else clone(self.classifier)
        # A classifier of the user's may work in place, and rows may be the caller's own.
        lessons = take_rows(documents, rows) if named else documents[rows]
        with one_thread() if named else nullcontext():
            model.fit(lessons, labels, sample_weight=self.sample_weight_[rows])
        if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
            raise ValueError(
                f"classifier={self.classifier!r} has no coef_ and intercept_ after its fit: give a "
                "linear classifier."
            )
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
        coef, intercept = np.atleast_2d(coef), np.atleast_1d(model.intercept_)
        if len(intercept) < len(coef):  # without an intercept some have one 0 for all classes
            intercept = np.broadcast_to(intercept, len(coef))
        self.coef_, self.intercept_ = (
            part.astype(documents.dtype) for part in for_every_class(coef, intercept)
        )
        if len(self.coef_) != n_classes:
            raise ValueError(
                f"classifier={self.classifier!r} has {len(coef)} rows of coef_ for {n_classes} "
                "classes: give one that has a row for every class (one against the rest)."
            )


def _can_classify(classifier: Any) -> bool:
    is_object = hasattr(classifier, "fit") and not isinstance(classifier, type)
    return is_object and bool(is_classifier(classifier))
