"""What the methods that carry labels over pivots share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from isthmus.domains.model import Problem
from isthmus.estimators.components.parameters import check_auto_or_whole_number
from isthmus.estimators.pivots._base import AugmentedClassifier
from isthmus.estimators.pivots._pivot_choice import (
    AUTO_PIVOTS,
    PIVOT_KINDS,
    Pivots,
    auto_pivots,
    check_list_of_pivots,
    check_pivot_parameters,
    choose_pivots,
    columns_of,
)


class PivotClassifier(AugmentedClassifier):
    """Base: features from the company that words keep with pivots."""

    _fitted_shapes: ClassVar[dict[str, str]] = {
        **AugmentedClassifier._fitted_shapes,
        "components_": "km",
    }

    #: Features where nobody asks for another number, and terms are not too few.
    _auto_components: ClassVar[int] = 100
    #: The same of pivots, by the rule that chooses them; 500 for others.
    _auto_pivots: ClassVar[dict[str, int]] = {}

    n_components: int | str
    n_pivots: int | str
    pivots: Any
    min_df: int | str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_auto_or_whole_number("n_components", self.n_components, least=1)
        if isinstance(self.pivots, str):
            if self.pivots not in PIVOT_KINDS:
                kinds = ", ".join(repr(kind) for kind in PIVOT_KINDS)
                raise ValueError(
                    f"pivots must be one of {kinds}, or a list such as ['good', 'bad'], got "
                    f"{self.pivots!r}."
                )
        else:
            check_list_of_pivots(self.pivots)
        check_pivot_parameters(self.n_pivots, PIVOT_KINDS[0], self.min_df, None)

    def _with_term_names(self, names: Any) -> Self:
        # Beside the parameters, not in them: a list of words has to stay one when it is saved.
        self._counted_terms = names
        return self

    def _pivot_rule(self) -> tuple[str, Any]:
        """How pivots are chosen, and the user's own, if there are any."""
        if isinstance(self.pivots, str):
            return self.pivots, None
        return PIVOT_KINDS[0], self.pivots

    def _choose_pivots(self, problem: Problem, X: Any) -> Pivots:
        rule, own = self._pivot_rule()
        if own is not None:
            names = getattr(self, "feature_names_in_", None)
            names = getattr(self, "_counted_terms", None) if names is None else names
            own = columns_of(own, names)
        number = self.n_pivots
        if isinstance(number, str):
            number = auto_pivots(X.shape[1], self._auto_pivots.get(rule, AUTO_PIVOTS))
        chosen = choose_pivots(problem, X, number, rule, self.min_df, own)
        self.pivots_ = chosen.columns
        return chosen

    def _number_of_components(self, n_terms: int) -> int:
        if isinstance(self.n_components, str):
            return min(self._auto_components, n_terms)
        if self.n_components > n_terms:
            raise ValueError(
                f"n_components={self.n_components} is more than the {n_terms} terms of the "
                "documents: lower it, or leave it 'auto'."
            )
        return self.n_components
