"""Members of the automatic method: which ones, and fitting them within a time limit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.registry import METHODS, find_classifier
from isthmus.numerics.progress import Callback, Progress

__all__ = ["Member", "MemberFitter", "default_members", "make_member", "name_of"]

#: Members by effort, the most valuable first: a time limit leaves out the last ones.
_MEMBERS = {
    "fast": ("cocc", "self-training", "sfa", "mtrick0"),
    "normal": ("cocc", "self-training", "sfa", "mtrick0", "lssttc"),
    "thorough": ("cocc", "self-training", "sfa", "mtrick0", "lssttc", "mct"),
}
#: Members that also read a second matrix without negative values, beside the first one. The
#: others gained nothing by it on development problems, or took too long.
READS_BOTH = ("cocc", "mtrick0")


@dataclass(frozen=True)
class Member:
    """One fit of the automatic method and what it said."""

    name: str
    """Name of the method, with the role if it was fitted again."""
    memberships: Any = field(repr=False)
    """Class memberships of all rows, in the caller's order; None if it was left out."""
    seconds: float
    """Time of the fit."""
    note: str = ""
    """Why it was left out, or what it warned about."""

    @property
    def left_out(self) -> bool:
        """Whether the member failed or exceeded the time limit."""
        return self.memberships is None


def default_members(effort: str) -> tuple[str, ...]:
    """Names of the members of an effort."""
    return _MEMBERS[effort]


def make_member(member: Any, random_state: Any) -> TransferClassifier:
    """An unfitted copy of a member: the name of a method or an estimator."""
    if isinstance(member, str):
        estimator: TransferClassifier = find_classifier(member).build()
    elif isinstance(member, TransferClassifier):
        estimator = clone(member)
    else:
        raise ValueError(
            f"The member {member!r} must be the name of a method (see isthmus methods) or a "
            "classifier of isthmus."
        )
    if random_state is not None and "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=random_state)
    return estimator


def name_of(member: Any) -> str:
    """Name of the method of a member."""
    if isinstance(member, str):
        return member
    path = f"{type(member).__module__}:{type(member).__name__}"
    names = [method.name for method in METHODS.values() if method.estimator == path]
    return names[0] if names else type(member).__name__


class MemberFitter:
    """Fits members one after the other, and leaves out those that fail or take too long."""

    def __init__(self, time_limit: float | None, callback: Callback | None) -> None:
        self._started = time.perf_counter()
        self._limit = np.inf if time_limit is None else float(time_limit)
        self._callback = callback
        self._stopped = False
        self.members: list[Member] = []

    def fit(
        self,
        name: str,
        estimator: TransferClassifier,
        data: TrainingData,
        *,
        prior_is_given: bool = False,
    ) -> Member:
        """Fit one member; the result is also added to ``members``.

        ``prior_is_given`` means that the data has the class prior, in place of the estimator.
        """
        started = time.perf_counter()
        memberships, note = None, ""
        if self._stopped:
            note = "left out, because the callback stopped the fit"
        elif started - self._started > self._limit:
            note = f"left out, because the time limit of {self._limit:g} s was reached"
        else:
            if not prior_is_given:
                data = estimator._with_class_prior(data)
            memberships, note = self._try(estimator, data)
        member = Member(name, memberships, time.perf_counter() - started, note)
        self.members.append(member)
        if self._callback is not None and not self._stopped:
            progress = Progress(len(self.members), float("nan"), float("nan"))
            self._stopped = bool(self._callback(progress))
        return member

    def _try(
        self, estimator: TransferClassifier, data: TrainingData
    ) -> tuple[NDArray[Any] | None, str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                fit = estimator._fit(data, self._stop_when_late)
                estimator._set_fit(data, fit, check_result=False)
            except (ValueError, FloatingPointError, np.linalg.LinAlgError, MemoryError) as error:
                return None, f"left out, because it failed: {error}"
        if time.perf_counter() - self._started > self._limit:
            return None, f"left out, because the time limit of {self._limit:g} s was reached"
        return estimator.label_distributions_, "; ".join(_first_sentences(caught))

    def _stop_when_late(self, progress: Progress) -> bool:
        return time.perf_counter() - self._started > self._limit


def _first_sentences(caught: Sequence[Any]) -> Iterator[str]:
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        yield text.partition(": ")[0]
