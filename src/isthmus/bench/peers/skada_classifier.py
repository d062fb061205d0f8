"""skada's methods on sparse text, with the conventions of our own estimators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from isthmus.bench.peers.extra import missing_extra
from isthmus.domains.labels import code_labels
from isthmus.domains.model import UNLABELLED
from isthmus.domains.parse import read_sample_domain

__all__ = ["SkadaClassifier"]


class SkadaClassifier(ClassifierMixin, BaseEstimator):
    """Base: documents in a truncated SVD of all rows, a method of skada, a logistic regression.

    skada takes no sparse matrix, hence the SVD; its rows have length 1. Source rows without a label
    have a part in the SVD alone. What becomes of the labels of target rows is the method's choice:
    see :mod:`isthmus.bench.peers.skada_methods`.

    Parameters
    ----------
    n_components : int, default=50
        Dimensions of the SVD. Input that has no more columns than that is taken as it is. Of 50,
        100 and 200 the default is best, over six development problems of MTrick's Table 1, for the
        strongest of the methods (92.5, 91.1 and 87.6 % by ``skada-ot-class``).
    C : float, default=1.0
        Of the logistic regression.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    transduction_ : array of shape (n_rows,)
        The class of every row; rows with a label keep it. A source row without one is read like a
        row of the target.
    """

    _presets: ClassVar[dict[str, dict[str, Any]]] = {}

    #: Every start is a fixed one, so that one run is enough.
    is_random: ClassVar[bool] = False

    _two_classes_only: ClassVar[bool] = False

    def __init__(self, n_components: int = 50, *, C: float = 1.0) -> None:
        self.n_components = n_components
        self.C = C

    def fit(self, X: Any, y: Any, sample_domain: Any) -> Self:
        """Learn from labelled rows and label the others.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        y : array-like of shape (n_rows,)
            Labels, text or numbers; None for rows without one.
        sample_domain : array-like of int of shape (n_rows,)
            0 and above are source domains, below 0 target domains.
        """
        numbers = read_sample_domain(sample_domain, X.shape[0])
        if not (numbers.min() < 0 <= numbers.max()):
            raise ValueError(
                "sample_domain marks no row as source, or none as target: skada needs both, 0 or "
                "above for source rows and below 0 for target rows."
            )
        # The codes are our own, so that skada may write into them; -1 is its mark as well.
        codes, self.classes_ = code_labels(y, None, numbers < 0)
        if self._two_classes_only and len(self.classes_) > 2:
            raise ValueError(
                f"{type(self).__name__} is for two classes and y holds {len(self.classes_)}: "
                "choose another method."
            )
        rows = self._fit_svd(X)
        self.n_dimensions_ = rows.shape[1]
        self._n_sources = int(numbers.max()) + 1
        self._first_target = int(numbers[numbers < 0].max())
        # TCA takes it for granted that the rows of the sources come first, and JCPOT that the
        # domains come one after the other, the lowest number first.
        order = np.lexsort((numbers, numbers < 0))
        taught = order[(numbers[order] < 0) | (codes[order] != UNLABELLED)]
        with _skada(type(self).__name__) as skada:
            self.model_ = self._make_model(skada)
            domains = self._skada_domains(numbers[taught])
            self.model_.fit(rows[taught], codes[taught], sample_domain=domains)
        unknown = np.flatnonzero(codes == UNLABELLED)
        if len(unknown):
            codes[unknown] = self._predict_codes(rows[unknown], numbers[unknown])
        self.transduction_ = self.classes_[codes]
        return self

    def predict(self, X: Any, sample_domain: Any = None) -> NDArray[Any]:
        """Labels of new documents.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_rows, n_terms)
        sample_domain : array-like of int of shape (n_rows,), default=None
            The domain of every row; without it, and for source rows, the first target.
        """
        numbers = np.full(X.shape[0], self._first_target, np.int64)
        if sample_domain is not None:
            numbers = read_sample_domain(sample_domain, X.shape[0])
        return np.asarray(self.classes_[self._predict_codes(self._reduced(X), numbers)])

    @abstractmethod
    def _make_model(self, skada: Any) -> Any:
        """The unfitted pipeline; ``skada`` is the module."""

    def _logistic(self) -> LogisticRegression:
        """The classifier behind the adaptation; it takes weights where the adaptation has them."""
        return LogisticRegression(C=self.C, max_iter=1000).set_fit_request(sample_weight=True)

    def _fit_svd(self, X: Any) -> NDArray[np.float64]:
        from sklearn.decomposition import TruncatedSVD

        self.svd_ = None
        if X.shape[1] > self.n_components:
            # No more dimensions than rows: the others would be zero.
            size = min(self.n_components, X.shape[0])
            self.svd_ = TruncatedSVD(size, random_state=0).fit(X)
        return self._reduced(X)

    def _reduced(self, X: Any) -> NDArray[np.float64]:
        from sklearn.preprocessing import normalize

        if self.svd_ is not None:
            X = self.svd_.transform(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return np.asarray(normalize(np.asarray(X, dtype=np.float64)))

    def _skada_domains(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Domains as skada counts them: sources from 1 on, and no number on both sides."""
        return np.where(numbers >= 0, numbers + 1, numbers - self._n_sources)

    def _predict_codes(
        self, rows: NDArray[np.float64], numbers: NDArray[np.int64]
    ) -> NDArray[np.intp]:
        # skada's classifiers are made for targets.
        domains = self._skada_domains(np.where(numbers < 0, numbers, self._first_target))
        with _skada(type(self).__name__):
            return np.asarray(self.model_.predict(rows, sample_domain=domains)).astype(np.intp)


@contextmanager
def _skada(needed_by: str) -> Iterator[Any]:
    """The module, with the routing that it needs; afterwards scikit-learn is as it was.

    The import alone would switch metadata routing on for good.
    """
    with config_context(enable_metadata_routing=True):
        try:
            import skada
        except ImportError:
            raise missing_extra("skada", needed_by) from None
        yield skada
