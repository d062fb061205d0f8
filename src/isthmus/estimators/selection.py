"""Cross-validation on the labeled source rows, for parameter search."""

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


def _labeled_source(y: Any, sample_domain: Any, missing_label: Any) -> tuple[Any, Any]:
    """Class codes, and a mask of the labeled source rows."""
    numbers = None if sample_domain is None else read_sample_domain(sample_domain, len(y))
    codes, _ = code_labels(y, missing_label, None if numbers is None else numbers < 0)
    labeled = codes >= 0
    return codes, labeled if numbers is None else labeled & (numbers >= 0)


def labeled_rows(
    y: Any, missing_label: Any, classes: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Positions and labels of the rows that can be scored; ValueError if there are none."""
    known, truth = known_labels(y, missing_label, classes)
    if len(known) == 0:
        raise ValueError(
            "No row to score has a label: pass labeled rows, and in a cross-validation or grid "
            "search use cv=SourceFolds() and scoring=DomainScorer(), which test on labeled source "
            "rows."
        )
    return known, truth


class SourceFolds(BaseCrossValidator):
    """Stratified folds whose test rows are labeled source rows; all other rows always train.

    The target documents are part of every training set, as in a normal fit. Their labels are not
    used for testing.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=True
        Whether rows are shuffled before they are divided into folds.
    random_state : int, RandomState or None, default=None
        Random seed.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.

    Notes
    -----
    The default folds of scikit-learn do not work if unlabeled rows are marked with None or NaN:
    :class:`~sklearn.model_selection.GridSearchCV` sorts ``y`` before it calls any estimator, and
    fails with "'<' not supported between instances of 'NoneType' and 'str'". Pass ``SourceFolds``
    as ``cv`` and :class:`DomainScorer` as ``scoring``.

    Without ``SourceFolds``, mark unlabeled rows with a value that can be compared with the labels:
    -1 for numbers, or for example ``missing_label="?"`` for strings. The score of the estimator
    ignores these rows. Target documents in a test fold are then not part of the training set.

    Examples
    --------
    Rows 4 and 5 are never tested:

    >>> from isthmus import DomainScorer, SourceFolds, SourceLogistic
    >>> y = ["a", "b", "a", "b", None, None]
    >>> [sorted(test.tolist()) for _, test in SourceFolds(2, random_state=0).split(y, y)]
    [[1, 2], [0, 3]]

    A grid search:

    >>> from sklearn.model_selection import GridSearchCV
    >>> X = [[3, 0, 1], [0, 3, 1], [2, 0, 1], [0, 2, 1], [1, 0, 2], [0, 1, 2]]
    >>> search = GridSearchCV(
    ...     SourceLogistic(),
    ...     {"C": [0.1, 1.0]},
    ...     cv=SourceFolds(2, random_state=0),
    ...     scoring=DomainScorer(),
    ... )
    >>> search.fit(X, y).best_estimator_.transduction_.tolist()
    ['a', 'b', 'a', 'b', 'a', 'b']

    The same with the default folds and another mark of unlabeled rows:

    >>> y = ["a", "b", "a", "b", "?", "?"]
    >>> search = GridSearchCV(SourceLogistic(missing_label="?"), {"C": [0.1, 1.0]}, cv=2)
    >>> search.fit(X, y).best_estimator_.transduction_.tolist()
    ['a', 'b', 'a', 'b', 'a', 'b']
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
        """Return the number of folds.

        Parameters
        ----------
        X : ignored
        y : ignored
        groups : ignored
        **_ : ignored

        Returns
        -------
        int
            ``n_splits``.
        """
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None, sample_domain: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and test rows of every fold.

        Parameters
        ----------
        X : ignored
        y : array-like of shape (n_rows,)
            Labels, with None, NaN or ``missing_label`` for unlabeled rows.
        groups : ignored
        sample_domain : array-like of int of shape (n_rows,), default=None
            0 and above are source domains. By default every labeled row belongs to the source.

        Yields
        ------
        train, test : array of int
            Positions of the training rows and of the test rows of a fold.
        """
        if y is None:
            raise ValueError(
                "SourceFolds requires y: pass the labels, with None for unlabeled rows."
            )
        codes, is_test_row = _labeled_source(y, sample_domain, self.missing_label)
        rows = np.flatnonzero(is_test_row)
        if len(rows) == 0:
            raise ValueError("No labeled source row to test on: label some rows of the source.")
        always_train = np.flatnonzero(~is_test_row)
        folds = StratifiedKFold(
            self.n_splits,
            shuffle=self.shuffle,
            random_state=self.random_state if self.shuffle else None,
        )
        for train, test in folds.split(np.zeros(len(rows)), codes[rows]):
            yield np.sort(np.concatenate([rows[train], always_train])), rows[test]


class DomainScorer(BaseEstimator):
    """A scorer that predicts every row in its own domain and ignores unlabeled rows.

    With metadata routing enabled in scikit-learn, it requests ``sample_domain``, and source rows
    are predicted with the word distributions of their source. Without routing, all rows are
    predicted as target rows.

    Parameters
    ----------
    scoring : str, default="accuracy"
        Name of a scikit-learn scorer that uses predicted labels or probabilities.
    missing_label : object, default=-1
        Marks unlabeled rows, in addition to None and NaN. None turns it off.

    Examples
    --------
    The score is that of the labeled rows:

    >>> from isthmus import DomainScorer, SourceLogistic
    >>> X = [[3, 0, 1], [0, 3, 1], [2, 0, 1], [0, 2, 1], [1, 0, 2], [0, 1, 2]]
    >>> y = ["a", "b", "a", "b", None, None]
    >>> model = SourceLogistic().fit(X, y)
    >>> DomainScorer()(model, X, y)
    1.0
    >>> DomainScorer("f1_macro")(model, X, ["a", "a", None, None, None, "b"])  # doctest: +ELLIPSIS
    0.66...
    """

    __metadata_request__score: ClassVar[dict[str, bool]] = {"sample_domain": True}

    def __init__(self, scoring: str = "accuracy", *, missing_label: Any = -1) -> None:
        self.scoring = scoring
        self.missing_label = missing_label

    def __call__(self, estimator: Any, X: Any, y: Any, sample_domain: Any = None) -> float:
        """Score a fitted estimator on the labeled rows.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier of isthmus, or a pipeline that ends with one.
        X : sparse matrix or array of shape (n_rows, n_terms)
            Documents, one per row.
        y : array-like of shape (n_rows,)
            True labels; unlabeled rows are left out.
        sample_domain : array-like of int of shape (n_rows,), default=None
            Domain of every row. By default rows belong to the target.

        Returns
        -------
        float
            The score.
        """
        check_consistent_length(X, y)
        known, truth = labeled_rows(y, self.missing_label, estimator.classes_)
        numbers = sample_domain
        if sample_domain is not None:
            numbers = read_sample_domain(sample_domain, len(as_label_array(y)))[known]
        bound = _InDomains(estimator, numbers)
        return float(get_scorer(self.scoring)(bound, _safe_indexing(X, known), truth))


class _InDomains(BaseEstimator):
    """A fitted estimator that predicts rows in given domains."""

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
