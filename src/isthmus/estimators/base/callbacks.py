"""From scikit-learn's callbacks to the solvers' own.

scikit-learn 1.9 brought callbacks (``set_callbacks``, a progress bar, a hook after every task that
may stop the fit). They fit: an iteration is a task and its figures travel as metadata. They cannot
be the only way in, since older releases are supported, so ``fit`` also takes a plain function.
"""

from __future__ import annotations

from typing import Any

from isthmus.numerics.progress import Callback, Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Leave the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "end_callbacks", "join_callbacks", "with_callbacks"]


def join_callbacks(estimator: Any, function: Callback | None) -> Callback | None:
    """One callback for the solver out of a function and of those set on the estimator."""
    if function is not None and not callable(function):
        raise ValueError(f"callback must be a function of the progress, got {function!r}.")
    if not getattr(estimator, "_skl_callbacks", None):
        return function
    context = estimator._init_callback_context(max_subtasks=estimator._max_iterations)
    context.call_on_fit_task_begin(estimator=estimator)

    def tell(progress: Progress) -> bool:
        figures = {
            "iteration": progress.iteration,
            "objective": progress.objective,
            "changed": progress.changed,
        }
        task = context.subcontext(task_name="iteration")
        task.call_on_fit_task_begin(estimator=estimator, metadata=figures)
        stop = bool(task.call_on_fit_task_end(estimator=estimator, metadata=figures))
        if function is not None:
            stop = bool(function(progress)) or stop
        return stop

    return tell


def end_callbacks(estimator: Any) -> None:
    """Tell scikit-learn's callbacks that the fit is over."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator)
