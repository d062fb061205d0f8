"""What all estimators share: input validation, engines, presets, callbacks, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_n_features, check_non_negative, validate_data

from isthmus._docstrings import inherit_entries
from isthmus._warnings import warn_user
from isthmus.domains.parse import make_problem, read_sample_domain
from isthmus.estimators.base.fitted_model import field_specs
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.registry import methods_on
from isthmus.matrices.engines import (
    current_engine,
    engine_is_chosen,
    engine_setting,
    fit_engine,
    host_matrix,
    is_dask_client,
    is_distributed,
    resolve_engine,
)
from isthmus.matrices.host import HostEngine
from isthmus.matrices.protocols import Engine
from isthmus.matrices.rows import canonical, is_finite, is_signed, take_rows
from isthmus.numerics.progress import Callback, Progress

# scikit-learn 1.9 introduced callbacks: ``set_callbacks``, a progress bar, a hook after every task
# that may stop the fit. Here an iteration is a task, and its values are passed as metadata. ``fit``
# also accepts a plain function, because older releases are supported.
try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replacement for releases of scikit-learn without callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


__all__ = [
    "ALL_ENGINES", "ONE_MACHINE", "DomainEstimator", "check_same_index", "end_callbacks",
    "join_callbacks", "with_callbacks",
]  # fmt: skip

#: Values of ``_engines``.
ONE_MACHINE = ("cpu", "gpu")
ALL_ENGINES = ("cpu", "gpu", "dask")


class DomainEstimator(CallbackSupportMixin, BaseEstimator):
    """Base of every estimator that knows about domains.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Random seed.

    Attributes
    ----------
    domains_ : array of int of shape (n_domains,)
        Numbers of the fitted domains.
    """

    # With metadata routing, fit requests these by default.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sample_domain": True, "callback": True}

    #: Kind of the estimator, as in the registry.
    _kind: ClassVar[str]
    #: Engines that the method runs on; an estimator that is derived from it runs there, too.
    _engines: ClassVar[tuple[str, ...]] = ("cpu",)
    #: Whether a fit records ``objective_``, one value per iteration.
    _has_objective: ClassVar[bool] = False
    #: Parameters of every preset, by name.
    _presets: ClassVar[dict[str, dict[str, Any]]] = {}
    #: Weighting of the words in the paper of a preset, by the name of the preset.
    _preset_weighting: ClassVar[dict[str, str]] = {}
    #: Whether negative values in ``X`` are refused.
    _needs_nonnegative: ClassVar[bool] = False

    domains_: NDArray[np.int64]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        bases = [base for base in cls.__mro__[1:] if issubclass(base, DomainEstimator)]
        inherit_entries(cls, bases)

    @classmethod
    def from_preset(cls, name: str) -> Self:
        """Create an estimator with the parameters of a preset.

        Parameters
        ----------
        name : str
            ``"paper"`` for the method as its paper describes it.

        Returns
        -------
        estimator
            An unfitted estimator of this class.
        """
        if name not in cls._presets:
            known = ", ".join(repr(preset) for preset in cls._presets) or "none"
            raise ValueError(f"{cls.__name__} has no preset {name!r}; presets are: {known}.")
        return cls(**cls._presets[name])

    @property
    def is_random(self) -> bool:
        """Whether the result depends on ``random_state`` with the current parameters."""
        return "random_state" in self.get_params(deep=False)

    @property
    def max_iterations(self) -> int | None:
        """Upper bound of the iterations of a fit, for progress bars; None if it is unknown."""
        return getattr(self, "max_iter", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._needs_nonnegative
        return tags

    @contextmanager
    def _on_engine(self, X: Any, *, fits: bool = False) -> Iterator[Any]:
        """Compute on the engine that the setting asks for; yields the matrix on the CPU.

        The outermost call decides: methods that fit other methods share one engine, if they run on
        it. A method that does not run on the GPU or on Dask refuses to be fitted there, but
        predicts on the CPU, unless the matrix is distributed.
        """
        if engine_is_chosen():
            stays = self._runs_on_engine(current_engine()) or is_distributed(X)
            with nullcontext() if stays else fit_engine(HostEngine()):
                yield host_matrix(X)
            return
        if fits or is_distributed(X) or self._runs_on(_kind_of_setting()):
            engine = resolve_engine(
                X,
                runs_on=self._runs_on,
                who=type(self).__name__,
                others=self._methods_on,
            )
        else:
            engine = HostEngine()
        with fit_engine(engine):
            yield host_matrix(X)

    def _runs_on(self, engine: str) -> bool:
        """Whether this estimator runs on an engine, with its current parameters."""
        return engine in self._engines

    def _methods_on(self, engine: str) -> str:
        """Names of the methods that run on an engine: of the same kind if there are some."""
        return ", ".join(methods_on(engine, self._kind) or methods_on(engine))

    def _runs_on_engine(self, engine: Engine) -> bool:
        """The same for an engine itself; arrays of any other device are like those of the GPU."""
        return self._runs_on("dask" if engine.name == "dask" else "gpu")

    def _read_matrix(self, X: Any, *, reset: bool) -> Any:
        """Validate a matrix: CSR or an array, float32 or float64. The input is not changed.

        On Dask, the result is a distributed matrix.
        """
        if is_distributed(X):
            return self._read_distributed(X, reset=reset)
        if isinstance(_first(X), str):
            raise ValueError(
                "X holds texts: count their words first, for example with scikit-learn's "
                "TfidfVectorizer in a pipeline, or use isthmus.Transfer."
            )
        # A large matrix is read by several threads; scikit-learn writes the messages.
        is_known = (
            sparse.issparse(X)
            and X.format in ("csr", "csc", "coo")
            and X.dtype in (np.float64, np.float32)
            and is_finite(X)
        )
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite=not is_known,
        )
        if self._needs_nonnegative and is_signed(X):
            check_non_negative(X, type(self).__name__)
        return current_engine().matrix(canonical(X))

    def _read_distributed(self, X: Any, *, reset: bool) -> Any:
        """Validate a matrix on the workers of a Dask cluster."""
        _check_n_features(self, X, reset=reset)
        if not is_finite(X):
            raise ValueError("Input X contains NaN or infinity, or its sums overflow.")
        if self._needs_nonnegative and is_signed(X):
            raise ValueError(f"Negative values in data passed to {type(self).__name__}.")
        return X

    def _read_optional_labels(
        self, X: Any, y: Any, sample_domain: Any, *, missing_label: Any = None, reset: bool = True
    ) -> TrainingData:
        """Validate the input of a method that uses no labels (``y`` is None) or needs none."""
        check_same_index(X, y, "y")
        check_same_index(X, sample_domain, "sample_domain")
        X = self._read_matrix(X, reset=reset)
        labels = [None] * X.shape[0] if y is None else y
        problem = make_problem(
            X, labels, sample_domain, missing_label=missing_label, labels_required=False
        )
        return TrainingData(problem, X, self._feature_names())

    def _new_documents(
        self, X: Any, sample_domain: Any
    ) -> Iterator[tuple[int, NDArray[np.intp], Any]]:
        """Yield for every domain of new rows: its number, the row positions, the rows."""
        numbers = self._domains_of_rows(X.shape[0], sample_domain)
        for number in np.unique(numbers).tolist():
            rows = np.flatnonzero(numbers == number)
            if len(rows) == X.shape[0]:
                part = X
            else:
                part = take_rows(X, rows) if is_distributed(X) else X[rows]
            yield number, rows, part

    def _domains_of_rows(self, n_rows: int, sample_domain: Any) -> NDArray[np.int64]:
        """Domain of every new row; by default the only target, or else the only domain."""
        fitted = self.domains_.tolist()
        known = ", ".join(str(number) for number in fitted)
        if sample_domain is None:
            targets = [number for number in fitted if number < 0]
            candidates = targets or fitted
            if len(candidates) > 1:
                raise ValueError(
                    f"{len(candidates)} {'target ' if targets else ''}domains were fitted, so "
                    f"sample_domain is required: give the domain of every row (one of {known})."
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

    def _feature_names(self) -> Any:
        """Column names of the data frame that was fitted; None for other input."""
        return getattr(self, "feature_names_in_", None)

    def _set_fields(self, *parts: Any) -> None:
        """Set the public fields of fitted models as attributes with a trailing underscore."""
        for part in parts:
            for name, spec in field_specs(part).items():
                value = getattr(part, name)
                if spec.public and value is not None:
                    setattr(self, f"{name}_", value)

    def _set_unlabeled_fit(
        self, data: TrainingData, model: Any, diagnostics: Mapping[str, Any]
    ) -> None:
        """Set the fitted attributes after a fit without labels."""
        self._clear_fitted_attributes()
        self.domains_ = np.array([domain.number for domain in data.problem.domains])
        self.model_ = model
        self._set_fields(model)
        for name, value in diagnostics.items():
            setattr(self, name, value)

    def _clear_fitted_attributes(self) -> None:
        """Remove what an earlier fit has set, so that no attribute of it survives."""
        kept = ("n_features_in_", "feature_names_in_")
        for name in [n for n in vars(self) if n.endswith("_") and n not in kept]:
            if not name.startswith("_"):
                delattr(self, name)

    def _warn_if_unfinished(
        self,
        converged: bool,
        interrupted: bool,
        tol: float,
        what: str = "the objective",
        advice: str = "increase max_iter or tol",
    ) -> None:
        if tol > 0 and not converged and not interrupted:
            warn_user(
                f"{type(self).__name__} stopped after max_iter={getattr(self, 'max_iter', None)} "
                f"iterations before {what} converged (tol={tol}): {advice}.",
                ConvergenceWarning,
            )


def join_callbacks(
    estimator: Any, function: Callback | None, max_iterations: int | None = None
) -> Callback | None:
    """Combine a function and the callbacks of the estimator into one callback for the solver.

    ``max_iterations`` is for estimators whose number of iterations depends on the data. None means
    that of the estimator.
    """
    if function is not None and not callable(function):
        raise ValueError(f"callback must be a function that takes the progress, got {function!r}.")
    if not getattr(estimator, "_skl_callbacks", None):
        return function
    if max_iterations is None:
        max_iterations = estimator.max_iterations
    context = estimator._init_callback_context(max_subtasks=max_iterations)
    context.call_on_fit_task_begin(estimator=estimator)

    def report(progress: Progress) -> bool:
        metadata = {
            "iteration": progress.iteration,
            "objective": progress.objective,
            "changed": progress.changed,
        }
        task = context.subcontext(task_name="iteration")
        task.call_on_fit_task_begin(estimator=estimator, metadata=metadata)
        stop = bool(task.call_on_fit_task_end(estimator=estimator, metadata=metadata))
        if function is not None:
            stop = bool(function(progress)) or stop
        return stop

    return report


def end_callbacks(estimator: Any) -> None:
    """Notify the callbacks of scikit-learn that the fit has ended."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator)


def check_same_index(X: Any, values: Any, name: str) -> None:
    """Raise ValueError if both are pandas objects whose indexes differ."""
    if hasattr(X, "iloc") and hasattr(values, "iloc") and not X.index.equals(values.index):
        raise ValueError(
            f"X and {name} are pandas objects with different indexes: align them first, for "
            f"example with {name} = {name}.loc[X.index], or pass {name}.to_numpy() to match them "
            "by position."
        )


def _kind_of_setting() -> str:
    """The engine that the setting may lead to, apart from the CPU."""
    setting = engine_setting()
    return "dask" if setting == "dask" or is_dask_client(setting) else "gpu"


def _first(X: Any) -> Any:
    """First element of a list, one-dimensional array or column; None for anything else."""
    if isinstance(X, list | tuple):
        return X[0] if X else None
    if getattr(X, "ndim", 2) != 1 or len(X) == 0:
        return None
    return X.iloc[0] if hasattr(X, "iloc") else X[0]
