"""What the methods with pivots share: parameters and the selection of pivots."""

from __future__ import annotations

from typing import Any, ClassVar

from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.components.parameters import check_auto_or_whole_number
from isthmus.estimators.pivots._feature_classifier import FeatureClassifier
from isthmus.estimators.pivots._pivot_choice import (
    AUTO_PIVOTS,
    PIVOT_RULES,
    Pivots,
    auto_pivots,
    check_list_of_pivots,
    check_pivot_parameters,
    choose_pivots,
    columns_of,
)


class PivotClassifier(FeatureClassifier):
    """Base: features from the co-occurrence of words and pivots.

    Parameters
    ----------
    min_df : int or "auto", default="auto"
        Minimum number of documents with the pivot in every domain. "auto" is 10, or a tenth of the
        documents of a domain with fewer than 100.
    classifier : {"svm", "logistic"} or None, default="svm"
        Linear support vector machine or logistic regression. None makes a transformer, which needs
        labels only if the pivots are selected by label.

    Attributes
    ----------
    pivots_ : array of int
        Columns of the pivots, best first.
    feature_coef_ : array of shape (n_classes, n_components)
        Weights of the scaled features.
    feature_shift_, feature_scale_ : array of shape (n_components,)
        What is subtracted from every feature, and the factor by which it is then multiplied.
    """

    #: Number of features with ``n_components="auto"``, if there are that many terms.
    _auto_components: ClassVar[int] = 100
    #: Maximum number of pivots with ``n_pivots="auto"`` by selection rule; 500 for other rules.
    _auto_pivots: ClassVar[dict[str, int]] = {}

    n_components: int | str
    n_pivots: int | str
    pivots: Any
    min_df: int | str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_auto_or_whole_number("n_components", self.n_components, least=1)
        if isinstance(self.pivots, str):
            if self.pivots not in PIVOT_RULES:
                rules = ", ".join(repr(rule) for rule in PIVOT_RULES)
                raise ValueError(
                    f"pivots must be one of {rules}, or a list such as ['good', 'bad'], got "
                    f"{self.pivots!r}."
                )
        else:
            check_list_of_pivots(self.pivots)
        check_pivot_parameters(self.n_pivots, PIVOT_RULES[0], self.min_df, None)

    def _choose_pivots(self, data: TrainingData) -> Pivots:
        rule, columns = self.pivots, None
        if not isinstance(self.pivots, str):
            rule, columns = PIVOT_RULES[0], columns_of(self.pivots, data.feature_names)
        number = self.n_pivots
        if isinstance(number, str):
            number = auto_pivots(data.X.shape[1], self._auto_pivots.get(rule, AUTO_PIVOTS))
        return choose_pivots(data.problem, data.X, number, rule, self.min_df, columns)

    def _number_of_components(self, n_terms: int) -> int:
        if isinstance(self.n_components, str):
            return min(self._auto_components, n_terms)
        if self.n_components > n_terms:
            raise ValueError(
                f"n_components={self.n_components} is more than the {n_terms} terms of the "
                "documents: lower it, or use 'auto'."
            )
        return self.n_components
