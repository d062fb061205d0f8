"""Descriptions of the stages of a fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isthmus.numerics.progress import Callback, Progress

__all__ = ["announce_fits"]


def announce_fits(
    estimator: Any, callback: Callback | None, announce: Callable[[str], None]
) -> Callback | None:
    """Announce the fit of an estimator; return the callback for it.

    An estimator with members calls it after every member, and the next one is announced.
    """
    method = type(estimator).__name__
    names = getattr(estimator, "member_names", None)
    if names is None:
        announce(f"Fitting {method}")
        return callback
    n_steps = max(estimator.max_iterations, len(names))

    def begin(step: int) -> None:
        if step >= n_steps:
            announce(f"Combining the members of {method}")
            return
        name = names[step] if step < len(names) else "refining the labels"
        announce(f"Fitting {method}, step {step + 1} of {n_steps}: {name}")

    def after_member(progress: Progress) -> bool:
        stop = callback is not None and bool(callback(progress))
        begin(n_steps if stop else progress.iteration)
        return stop

    begin(0)
    return after_member
