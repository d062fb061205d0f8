"""Support for scikit-learn's callbacks in addition to plain functions.

scikit-learn 1.9 introduced callbacks (``set_callbacks``, a progress bar, a hook after every task
that may stop the fit). Here an iteration is a task, and its values are passed as metadata. ``fit``
also accepts a plain function, because older releases are supported.
"""

from __future__ import annotations

from typing import Any

from isthmus.numerics.progress import Callback, Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replacement for releases of scikit-learn without callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


__all__ = ["CallbackSupportMixin", "end_callbacks", "join_callbacks", "with_callbacks"]


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
