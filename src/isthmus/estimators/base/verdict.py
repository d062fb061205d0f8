"""The verdict on the labels of a target: how accurate they probably are, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args

Decision = Literal["use", "check first", "do not use"]
USE: Decision = "use"
CHECK_FIRST: Decision = "check first"
DO_NOT_USE: Decision = "do not use"

# Limits of what is read from a file.
_MAX_REASONS = 100
_MAX_REASON_LENGTH = 2000
# Proportions may exceed 1 by the rounding errors of their sum.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 80 % interval, from 0 to 1.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> from isthmus.estimators.base.verdict import Interval
    >>> print(Interval(0.86, 0.76, 0.96))
    86 % (76 to 96 %)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.0f} % ({100 * self.low:.0f} to {100 * self.high:.0f} %)"

    def to_dict(self) -> dict[str, float]:
        """Return the three numbers, ready for JSON.

        Returns
        -------
        dict of str to float
            The numbers by name.
        """
        return {"value": float(self.value), "low": float(self.low), "high": float(self.high)}

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """Return the interval that :meth:`to_dict` wrote.

        Parameters
        ----------
        record : dict
            The result of :meth:`to_dict`; anything else raises ValueError.

        Returns
        -------
        Interval
            The interval.
        """
        _check_fields(cls, record)
        value, low, high = (_proportion(record[name]) for name in ("value", "low", "high"))
        if low > high + _ROUNDING:
            raise ValueError(f"the interval of a verdict begins at {low} and ends at {high}")
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            raise ValueError(
                f"the estimate {value} of a verdict is outside its interval, {low} to {high}"
            )
        return cls(value, low, high)


@dataclass(frozen=True)
class Verdict:
    """Whether the labels of a target can be used.

    All estimates are made without target labels, so they can be wrong themselves: label a few
    documents by hand before anything depends on them. ``print`` shows the decision, the accuracies
    and the reasons.

    Attributes
    ----------
    decision : {"use", "check first", "do not use"}
        What to do with the labels.
    accuracy : Interval
        Estimated accuracy of the labels.
    source_only_accuracy : Interval
        Estimated accuracy of the source-only classifier.
    class_prior : dict of label to Interval
        Estimated proportion of every class in the target.
    source_prior : dict of label to float
        Proportion of every class in the sources.
    reasons : tuple of str
        Why the decision was made, in full sentences.

    Examples
    --------
    >>> from isthmus import Transfer
    >>> from isthmus.datasets import make_corpus
    >>> corpus = make_corpus(n_source=100, n_target=100)
    >>> model = Transfer(effort="fast")
    >>> model = model.fit(corpus.source_texts, corpus.source_labels, corpus.target_texts)
    >>> model.verdict_.decision
    'use'
    >>> model.verdict_.accuracy.value > model.verdict_.source_only_accuracy.value
    True
    """

    decision: Decision
    accuracy: Interval
    source_only_accuracy: Interval
    class_prior: Mapping[Any, Interval]
    source_prior: Mapping[Any, float]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"Verdict: {self.decision}.",
            f"Estimated accuracy: {self.accuracy}; source-only classifier: "
            f"{self.source_only_accuracy}.",
        ]
        return "\n".join([*lines, *(f"- {reason}" for reason in self.reasons)])

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as dicts, lists, numbers and text, ready for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return {
            "decision": self.decision,
            "accuracy": self.accuracy.to_dict(),
            "source_only_accuracy": self.source_only_accuracy.to_dict(),
            "class_prior": {str(label): part.to_dict() for label, part in self.class_prior.items()},
            "source_prior": {str(label): float(part) for label, part in self.source_prior.items()},
            "reasons": list(self.reasons),
        }

    @classmethod
    def from_dict(cls, record: Any, classes: Iterable[Any]) -> Self:
        """Return the verdict that :meth:`to_dict` wrote.

        Parameters
        ----------
        record : dict
            The result of :meth:`to_dict`; anything else raises ValueError.
        classes : iterable
            The labels of the model, because the record has them as text.

        Returns
        -------
        Verdict
            The verdict.
        """
        _check_fields(cls, record)
        decision, reasons = record["decision"], record["reasons"]
        if decision not in get_args(Decision):
            raise ValueError(f"the decision of a verdict is {str(decision)[:40]!r}")
        if (
            not isinstance(reasons, list)
            or len(reasons) > _MAX_REASONS
            or not all(isinstance(r, str) and len(r) <= _MAX_REASON_LENGTH for r in reasons)
        ):
            raise ValueError("the reasons of a verdict are not a short list of sentences")
        labels = {str(label): label for label in classes}
        class_prior = _by_label(record["class_prior"], labels)
        source_prior = _by_label(record["source_prior"], labels)
        return cls(
            decision=decision,
            accuracy=Interval.from_dict(record["accuracy"]),
            source_only_accuracy=Interval.from_dict(record["source_only_accuracy"]),
            class_prior={label: Interval.from_dict(part) for label, part in class_prior.items()},
            source_prior={label: _proportion(part) for label, part in source_prior.items()},
            reasons=tuple(reasons),
        )


def _check_fields(kind: Any, record: Any) -> None:
    """Raise ValueError if a record has other keys than the fields of a dataclass."""
    if not isinstance(record, dict) or set(record) != {field.name for field in fields(kind)}:
        raise ValueError(f"a {kind.__name__.lower()} has other fields than expected")


def _proportion(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise ValueError(f"a verdict has {str(value)[:40]!r} where a number from 0 to 1 belongs")
    return float(value)


def _by_label(parts: Any, labels: Mapping[str, Any]) -> dict[Any, Any]:
    if not isinstance(parts, dict) or set(parts) != set(labels):
        raise ValueError("the class proportions of a verdict are not those of the classes")
    return {labels[name]: part for name, part in parts.items()}
