"""What all estimators share: reading the input, presets, warnings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_non_negative, validate_data

from isthmus._warnings import warn_user
from isthmus.domains.model import Problem
from isthmus.domains.parse import make_problem, read_sample_domain
from isthmus.estimators.base.callbacks import CallbackSupportMixin
from isthmus.matrices.conversion import canonical


class DomainEstimator(CallbackSupportMixin, BaseEstimator):
    """Base of every estimator that knows about domains."""

    # With metadata routing switched on, these are asked for without another word.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sample_domain": True, "callback": True}

    #: Parameters of every preset by its name.
    _presets: ClassVar[dict[str, dict[str, Any]]] = {}
    _needs_nonnegative: ClassVar[bool] = False

    #: Fitted attributes that new documents need, with their shapes, for model files. A letter is a
    #: size (m terms, c classes, d domains, others the method's own), "domain:" means one array for
    #: every domain, and no letter a number.
    _fitted_shapes: ClassVar[dict[str, str]] = {}

    #: Those of them that may be negative though the method takes and makes nothing that is.
    _signed: ClassVar[tuple[str, ...]] = ()

    #: Fitted attributes that are fitted methods themselves, "one" or a "list" of them. A parameter
    #: of that name, without the underscore, is what it was made from.
    _fitted_parts: ClassVar[dict[str, str]] = {}

    #: Numbers of the fitted domains.
    domains_: NDArray[np.int64]

    @classmethod
    def from_preset(cls, name: str) -> Self:
        """An estimator with the parameters of a preset, written out.

        Parameters
        ----------
        name : str
            ``"paper"`` for the method as its paper describes it.
        """
        if name not in cls._presets:
            known = ", ".join(repr(preset) for preset in cls._presets) or "none"
            raise ValueError(f"{cls.__name__} has no preset {name!r}; presets are: {known}.")
        return cls(**cls._presets[name])

    @property
    def is_random(self) -> bool:
        """Whether these parameters make the result depend on ``random_state``."""
        return "random_state" in self.get_params(deep=False)

    @property
    def _most_iterations(self) -> int | None:
        """How many iterations a fit may take, for progress bars; None if nobody knows."""
        return getattr(self, "max_iter", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._needs_nonnegative
        return tags

    def _read_matrix(self, X: Any, *, reset: bool) -> Any:
        """A checked CSR matrix or array in float32 or float64; the caller's is not changed."""
        if isinstance(_first(X), str):
            raise ValueError(
                "X holds texts: count them first, for example with scikit-learn's TfidfVectorizer "
                "in a pipeline."
            )
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32))
        if self._needs_nonnegative:
            check_non_negative(X, type(self).__name__)
        return canonical(X)

    def _read_unlabelled(self, X: Any, sample_domain: Any) -> tuple[Any, Problem]:
        """The matrix and its domains, for a method that reads no label."""
        X = self._read_matrix(X, reset=True)
        no_labels = [None] * X.shape[0]
        return X, make_problem(X, no_labels, sample_domain, labels_required=False)

    def _new_documents(
        self, X: Any, sample_domain: Any
    ) -> Iterator[tuple[int, NDArray[np.intp], Any]]:
        """Every domain that new rows belong to: its number, the positions of its rows, the rows."""
        numbers = self._domains_of_rows(X.shape[0], sample_domain)
        for number in np.unique(numbers).tolist():
            rows = np.flatnonzero(numbers == number)
            yield number, rows, X if len(rows) == X.shape[0] else X[rows]

    def _domains_of_rows(self, n_rows: int, sample_domain: Any) -> NDArray[np.int64]:
        """The domain of every new row: the only target, or the only domain, if nobody says."""
        fitted = self.domains_.tolist()
        known = ", ".join(str(number) for number in fitted)
        if sample_domain is None:
            targets = [number for number in fitted if number < 0]
            candidates = targets or fitted
            if len(candidates) > 1:
                raise ValueError(
                    f"{len(candidates)} {'target ' if targets else ''}domains were fitted, so "
                    f"sample_domain is required: say for every row which of {known} it belongs to."
                )
            return np.full(n_rows, candidates[0], np.int64)
        numbers = read_sample_domain(sample_domain, n_rows)
        unknown = sorted(set(np.unique(numbers).tolist()) - set(fitted))
        if unknown:
            row = int(np.flatnonzero(numbers == unknown[0])[0])
            raise ValueError(
                f"Unknown domain {unknown[0]} in sample_domain (row {row}): the fitted domains are "
                f"{known}."
            )
        return numbers

    def _with_term_names(self, names: Any) -> Self:
        """This estimator, told the names of the columns that it is going to see."""
        return self

    def _check_fitted(self) -> None:
        """Raise ValueError if fitted attributes that came from a file do not make sense."""

    def _warn_if_unfinished(
        self,
        converged: bool,
        interrupted: bool,
        tol: float,
        what: str = "the objective",
        advice: str = "raise max_iter, or tol",
    ) -> None:
        if tol > 0 and not converged and not interrupted:
            warn_user(
                f"{type(self).__name__} stopped after max_iter={getattr(self, 'max_iter', None)} "
                f"iterations before {what} settled (tol={tol}): {advice}.",
                ConvergenceWarning,
            )


def _first(X: Any) -> Any:
    """The first element of a list, a one-dimensional array or a column; None of anything else."""
    if isinstance(X, list | tuple):
        return X[0] if X else None
    if getattr(X, "ndim", 2) != 1 or len(X) == 0:
        return None
    return X.iloc[0] if hasattr(X, "iloc") else X[0]
