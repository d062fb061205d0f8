"""CORAL, the correlation alignment of Sun, Feng and Saenko (2016)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isthmus.domains.model import Problem
from isthmus.domains.rows import rows_of_domains
from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.components.linear_models import (
    for_every_class,
    linear_memberships,
    linear_model,
)
from isthmus.estimators.components.parameters import (
    MOST_C,
    check_choice,
    check_number,
    check_whole_number,
)
from isthmus.matrices.conversion import as_documents
from isthmus.matrices.rows import with_unit_rows
from isthmus.matrices.threads import one_thread
from isthmus.numerics.progress import Callback
from isthmus.numerics.scaling import unit_rows
from isthmus.numerics.stacked import StackedDocuments
from isthmus.numerics.truncated_svd import truncated_svd
from isthmus.solvers.reweighting.coral import Alignment, align


class CORAL(TransferClassifier):
    """A classifier that learns from the source with the correlations of the target.

    Documents ``x`` of length 1 have coordinates ``f = xV`` in the leading singular directions of
    all domains' documents. Those of a source, less their mean, are whitened and given the target's
    covariance,

    ``z = (f - mean_s) A``,  ``A = (C_s + e I)^-1/2 (C_t + e I)^1/2``

    which is ``min_A ||A' C_s A - C_t||^2`` but for the regularisation ``e``. A linear classifier
    learns from ``z`` and reads the target as ``f - mean_t``. So it is linear in the documents of
    each domain: a target has the weights ``V w``, a source ``V A w``.

    The paper is not at hand. It aligns features as they are, of variance 1, with ``e = 1``; terms
    are too many for their covariance, hence the singular directions, and their variances differ,
    hence an ``e`` in units of their mean. It takes means to be 0: here every domain loses its own,
    and with it a difference of class shares between the domains, unless ``class_prior`` names it.
    Several sources are aligned one by one. Several targets have one covariance, that around their
    own means, and one classifier. Labelled target documents are learnt beside the source's.

    Correlations are second moments: which words go together in the target. They do not say what a
    word means that the source never has, so the gain is a modest one, and part of it comes from the
    means alone.

    Parameters
    ----------
    n_components : int, default=100
        Singular directions.
    ridge : float, default=1.0
        ``e`` as a part of the mean variance of a coordinate. Large values leave the source as it
        is, but for its mean.
    classifier : {"svm", "logistic"}, default="svm"
    C : float, default=0.1
        How much the classifier is to fit the labels; coordinates are scaled to a mean squared
        length of 1.
    class_prior : None, "source", "estimate", array or dict, default=None
        Class shares that the labels of every target are held to, by one shift a class; see
        :func:`isthmus.estimate_class_prior` for "estimate". None takes the labels as they come.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Attributes
    ----------
    coef_ : dict of domain number to array of shape (n_classes, n_terms)
        How much a term speaks for each class, in every domain.
    intercept_ : dict of domain number to array of shape (n_classes,)
    components_ : array of shape (n_components, n_terms)
        ``V'``: the singular directions.
    classes_, transduction_, label_distributions_, domains_, class_prior_, term_totals_
        As of :class:`MTrick`.

    References
    ----------
    B. Sun, J. Feng, K. Saenko. Return of Frustratingly Easy Domain Adaptation. AAAI 2016.

    Examples
    --------
    In the source the third term varies most and says nothing; in the target it hardly varies:

    >>> from isthmus import CORAL
    >>> source = [[3, 1, 0], [3, 1, 9], [1, 3, 0], [1, 3, 9]]
    >>> target = [[3, 1, 1], [1, 3, 1]]
    >>> CORAL().fit(source + target, ["a", "a", "b", "b", None, None]).transduction_[4:].tolist()
    ['a', 'b']
    """

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **TransferClassifier._fitted_shapes,
        "coef_": "domain:cm",
        "intercept_": "domain:c",
    }
    _signed: ClassVar[tuple[str, ...]] = (*TransferClassifier._signed, "coef_", "intercept_")

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
        check_number("C", self.C, above=0, most=MOST_C)

    def _fit_problem(
        self, problem: Problem, X: Any, callback: Callback | None
    ) -> list[NDArray[Any]]:
        stacked = StackedDocuments([unit_rows(domain.documents) for domain in problem.domains])
        svd = truncated_svd(stacked, self.n_components, np.random.default_rng(0))
        ends = np.cumsum([domain.documents.shape[0] for domain in problem.domains])[:-1]
        parts = np.split(svd.coordinates.astype(np.float64), ends)
        # An empty document lies nowhere: it would pull means and correlations to zero.
        filled = [part[part.any(axis=1)] for part in parts]
        alignment = align(filled, [domain.is_target for domain in problem.domains], self.ridge)
        self.components_ = svd.directions.T
        self._teach(problem, parts, alignment)
        return [self._new_memberships(part, number) for number, part in rows_of_domains(problem, X)]

    def _teach(
        self, problem: Problem, parts: list[NDArray[np.float64]], alignment: Alignment
    ) -> None:
        """Learn from aligned coordinates, and write the rule in terms, domain by domain."""
        with one_thread():
            aligned = [
                (part - mean) @ map_
                for part, mean, map_ in zip(parts, alignment.means, alignment.maps, strict=True)
            ]
        everyone = np.vstack(aligned)
        length = float(np.sqrt((everyone**2).sum(axis=1).mean()))
        scale = 1 / length if length > 0 else 1.0
        lessons, labels = problem.gather(aligned), problem.labels
        # Nor does an empty document teach, unless its class has no other.
        filled = problem.gather(parts).any(axis=1)
        known = np.flatnonzero((labels >= 0) & (filled | ~np.isin(labels, labels[filled])))
        with one_thread():
            model = linear_model(self.classifier, self.C).fit(scale * lessons[known], labels[known])
            weights, intercept = for_every_class(model.coef_ * scale, model.intercept_)
            self.coef_, self.intercept_ = {}, {}
            for number, mean, map_ in zip(
                self.domains_.tolist(), alignment.means, alignment.maps, strict=True
            ):
                own = weights @ map_.T
                dtype = self.components_.dtype
                self.coef_[number] = (own.astype(dtype) @ self.components_).astype(dtype)
                self.intercept_[number] = (intercept - own @ mean).astype(dtype)

    def _new_memberships(self, X: Any, number: int) -> NDArray[Any]:
        found = linear_memberships(with_unit_rows(X), self.coef_[number], self.intercept_[number])
        # Without its domain's mean an empty document would be the opposite of it.
        found[as_documents(X).row_norms() == 0] = 0
        return found.astype(X.dtype)

    def _word_strengths(self) -> dict[int, NDArray[Any]]:
        return {
            number: use[:, None] * self.coef_[number].T for number, use in self.term_totals_.items()
        }
