"""Members of the automatic method: which ones, and fitting them within a time limit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from isthmus.estimators.base.classifier import TransferClassifier
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.registry import METHODS, find_classifier
from isthmus.matrices.engines import EngineError, is_out_of_memory
from isthmus.numerics.progress import Callback, Progress

#: Name of the source-only classifier among the fits.
SOURCE_ONLY = "source-only"
#: Members by effort, the most valuable first: a time limit leaves out the last ones.
_MEMBERS = {
    "fast": ("cocc", "self-training", "sfa", "mtrick0"),
    "normal": ("cocc", "self-training", "sfa", "mtrick0", "lssttc"),
    "thorough": ("cocc", "self-training", "sfa", "mtrick0", "lssttc", "mct"),
}
EFFORTS = tuple(_MEMBERS)
#: Members that also read a second matrix without negative values, beside the first one. The
#: others gained nothing by it on development problems, or took too long.
READS_BOTH = ("cocc", "mtrick0")
#: The same if the documents are short: for long ones it takes long and gains nothing.
READS_BOTH_IF_SHORT = ("lssttc",)


@dataclass(frozen=True)
class Member:
    """One fit of the automatic method and its result; see ``Auto.members_``.

    Attributes
    ----------
    name : str
        Name of the method, with the role if it was fitted again; every member has another one.
    memberships : array of shape (n_rows, n_classes) or None
        Class memberships of all rows, in the caller's order; None if it was left out.
    seconds : float
        Time of the fit.
    note : str
        Why it was left out, or its warnings.

    Examples
    --------
    >>> from isthmus import Auto, TextVectorizer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> X = TextVectorizer().fit_transform(corpus.source_texts + corpus.target_texts)
    >>> model = Auto(effort="fast").fit(X, corpus.source_labels + [None] * 100)
    >>> [member.name for member in model.members_]
    ['source-only', 'cocc', 'self-training', 'sfa', 'mtrick0']
    """

    name: str
    memberships: Any = field(repr=False)
    seconds: float = field(compare=False)
    note: str = ""

    @property
    def left_out(self) -> bool:
        """Whether the member failed or exceeded the time limit."""
        return self.memberships is None


def default_members(effort: str) -> tuple[str, ...]:
    """Names of the members of an effort."""
    return _MEMBERS[effort]


def make_member(member: Any) -> TransferClassifier:
    """An unfitted copy of a member: the name of a method or an estimator."""
    if isinstance(member, str):
        estimator: TransferClassifier = find_classifier(member).build()
        # Results repeat without a parameter for it.
        if "random_state" in estimator.get_params(deep=False):
            estimator.set_params(random_state=0)
    elif isinstance(member, TransferClassifier):
        estimator = clone(member)
    else:
        raise ValueError(
            f"The member {member!r} must be the name of a method (see isthmus methods) or a "
            "classifier of isthmus."
        )
    return estimator


def name_of(member: Any) -> str:
    """Name of the method of a member."""
    if isinstance(member, str):
        return member
    path = f"{type(member).__module__}:{type(member).__name__}"
    names = [method.name for method in METHODS.values() if method.estimator == path]
    return names[0] if names else type(member).__name__


class MemberFitter:
    """Fits members one after the other, and leaves out those that fail or take too long.

    The time limit applies as soon as one member has a result.
    """

    def __init__(self, time_limit: float | None, callback: Callback | None) -> None:
        self._started = time.perf_counter()
        self._limit = np.inf if time_limit is None else float(time_limit)
        self._callback = callback
        self._stopped = False
        self.members: list[Member] = []
        """The members in the order of their fits, including those that were left out."""

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
        elif self._is_late():
            note = self._late_note()
        else:
            memberships, note = self._try(estimator, data, prior_is_given)
        seconds = time.perf_counter() - started
        member = Member(self._unused(name), memberships, seconds, note)
        self.members.append(member)
        if self._callback is not None and not self._stopped:
            progress = Progress(len(self.members), float("nan"), float("nan"))
            self._stopped = bool(self._callback(progress))
        return member

    def _try(
        self, estimator: TransferClassifier, data: TrainingData, prior_is_given: bool
    ) -> tuple[NDArray[Any] | None, str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                with estimator._supported_engine(data) as data:
                    # Each step starts again if a worker of a cluster is lost.
                    run = data.engine.run
                    if not prior_is_given:
                        data = run(partial(estimator._with_class_prior, data))
                    fit = run(partial(estimator._fit, data, self._stop_when_late))
                    if not all(np.isfinite(part).all() for part in fit.memberships):
                        return None, "left out, because its class memberships are not finite"
                    run(partial(estimator._set_fit, data, fit, check_result=False))
            # A classifier of the caller may raise anything. The other members remain, unless the
            # device cannot go on.
            except Exception as error:
                if isinstance(error, EngineError) or is_out_of_memory(error):
                    raise
                return None, f"left out, because it failed: {_message(error)}"
        if self._is_late():
            return None, self._late_note()
        return estimator.label_distributions_, "; ".join(_first_sentences(caught))

    def _is_late(self) -> bool:
        """Whether the time limit was reached and there is a result to go on with."""
        has_result = any(not member.left_out for member in self.members)
        return has_result and time.perf_counter() - self._started > self._limit

    def _stop_when_late(self, progress: Progress) -> bool:
        return self._is_late()

    def _late_note(self) -> str:
        return f"left out, because the time limit of {self._limit:g} s was reached"

    def _unused(self, name: str) -> str:
        """The name, with a number if an earlier member has it."""
        used = {member.name for member in self.members}
        names = [name, *(f"{name} ({number})" for number in range(2, len(used) + 2))]
        return next(candidate for candidate in names if candidate not in used)


def _message(error: Exception) -> str:
    """The message of an error in one line, or else its type."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _first_sentences(caught: Sequence[Any]) -> Iterator[str]:
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        yield text.partition(": ")[0]
