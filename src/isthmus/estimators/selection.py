"""Choosing parameters with the labels of the source alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from isthmus.domains.labels import as_label_array, code_labels, known_labels
from isthmus.domains.parse import read_sample_domain


def _labelled_source(y: Any, sample_domain: Any, missing_label: Any) -> tuple[Any, Any]:
    """Class codes, and which rows are labelled rows of a source."""
    numbers = None if sample_domain is None else read_sample_domain(sample_domain, len(y))
    codes, _ = code_labels(y, missing_label, None if numbers is None else numbers < 0)
    usable = codes >= 0
    return codes, usable if numbers is None else usable & (numbers >= 0)


class SourceFolds(BaseCrossValidator):
    """Folds whose test rows are labelled rows of the source; all other rows always train.

    The target's documents take part in every fit, as they would in use, and no label of theirs is
    read. Classes are spread evenly over the folds.

    Parameters
    ----------
    n_splits : int, default=5
    shuffle : bool, default=True
    random_state : int, RandomState or None, default=None
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.

    Examples
    --------
    >>> from isthmus import SourceFolds
    >>> folds = SourceFolds(n_splits=2, random_state=0)
    >>> y = ["a", "b", "a", "b", None, None]
    >>> [sorted(test.tolist()) for _, test in folds.split(y, y)]  # rows 4, 5 are never tested
    [[1, 2], [0, 3]]
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = {"sample_domain": True}

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = True,
        random_state: Any = None,
        missing_label: Any = -1,
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.missing_label = missing_label

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, **_: Any) -> int:
        """Number of folds."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None, sample_domain: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows.

        Parameters
        ----------
        X : array-like of n_rows documents (not read)
        y : array-like of shape (n_rows,)
        groups : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            0 and above are sources; without it every labelled row is of the source.
        """
        if y is None:
            raise ValueError("SourceFolds needs y, to know which rows are labelled.")
        codes, testable = _labelled_source(y, sample_domain, self.missing_label)
        rows = np.flatnonzero(testable)
        if len(rows) == 0:
            raise ValueError("No labelled source row to test on: label some rows of the source.")
        rest = np.flatnonzero(~testable)
        inner = StratifiedKFold(
            self.n_splits,
            shuffle=self.shuffle,
            random_state=self.random_state if self.shuffle else None,
        )
        for train, test in inner.split(np.zeros(len(rows)), codes[rows]):
            yield np.sort(np.concatenate([rows[train], rest])), rows[test]


class DomainScorer(BaseEstimator):
    """A scorer that predicts every row in its own domain and counts labelled rows only.

    Held-out source rows are then read with the source's words rather than as the target's. With
    metadata routing switched on it asks for ``sample_domain`` by itself; without routing the rows
    are predicted as the target's.

    Parameters
    ----------
    scoring : str, default="accuracy"
        A scorer name of scikit-learn that works on predicted labels or probabilities.
    missing_label : object, default=-1
        The mark of rows without a label, beside None and NaN; None turns it off.
    """

    __metadata_request__score: ClassVar[dict[str, bool]] = {"sample_domain": True}

    def __init__(self, scoring: str = "accuracy", *, missing_label: Any = -1) -> None:
        self.scoring = scoring
        self.missing_label = missing_label

    def __call__(self, estimator: Any, X: Any, y: Any, sample_domain: Any = None) -> float:
        """The score of a fitted estimator on the labelled rows."""
        check_consistent_length(X, y)
        known, truth = known_labels(y, self.missing_label, estimator.classes_)
        if len(known) == 0:
            raise ValueError("No labelled row to score on.")
        numbers = sample_domain
        if sample_domain is not None:
            numbers = read_sample_domain(sample_domain, len(as_label_array(y)))[known]
        bound = _InDomains(estimator, numbers)
        return float(get_scorer(self.scoring)(bound, _safe_indexing(X, known), truth))


class _InDomains(BaseEstimator):
    """An estimator whose predictions are made in given domains."""

    def __init__(self, estimator: Any, numbers: Any) -> None:
        self.estimator = estimator
        self.numbers = numbers
        self.classes_ = estimator.classes_

    def _options(self) -> dict[str, Any]:
        return {} if self.numbers is None else {"sample_domain": self.numbers}

    def predict(self, X: Any) -> Any:
        return self.estimator.predict(X, **self._options())

    def predict_proba(self, X: Any) -> Any:
        return self.estimator.predict_proba(X, **self._options())

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        return self.estimator.__sklearn_tags__()
