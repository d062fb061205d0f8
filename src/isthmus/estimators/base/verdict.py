"""The verdict on the labels of a target: how accurate they probably are, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["CHECK_FIRST", "DO_NOT_USE", "USE", "Decision", "Interval", "Verdict"]

Decision = Literal["use", "check first", "do not use"]
USE: Decision = "use"
CHECK_FIRST: Decision = "check first"
DO_NOT_USE: Decision = "do not use"


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 80 % interval, from 0 to 1."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.0f} % ({100 * self.low:.0f} to {100 * self.high:.0f} %)"

    def to_dict(self) -> dict[str, float]:
        """The three numbers, ready for JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Verdict:
    """Whether the labels of a target can be used.

    All estimates are made without target labels, so they can be wrong themselves: label a few
    documents by hand before anything depends on them.
    """

    decision: Decision
    accuracy: Interval
    """Estimated accuracy of the labels."""
    source_only_accuracy: Interval
    """Estimated accuracy of the source-only classifier."""
    class_prior: Mapping[Any, Interval]
    """Estimated proportion of every class in the target, by label."""
    source_prior: Mapping[Any, float]
    """Proportion of every class in the sources, by label."""
    reasons: tuple[str, ...]
    """Why the decision was made, in full sentences, the strongest reason first."""

    def __str__(self) -> str:
        lines = [
            f"Verdict: {self.decision}.",
            f"Estimated accuracy: {self.accuracy}; source-only classifier: "
            f"{self.source_only_accuracy}.",
        ]
        return "\n".join([*lines, *(f"- {reason}" for reason in self.reasons)])

    def to_dict(self) -> dict[str, Any]:
        """All fields as dicts, lists, numbers and text, ready for JSON."""
        return {
            "decision": self.decision,
            "accuracy": self.accuracy.to_dict(),
            "source_only_accuracy": self.source_only_accuracy.to_dict(),
            "class_prior": {str(label): part.to_dict() for label, part in self.class_prior.items()},
            "source_prior": {str(label): value for label, value in self.source_prior.items()},
            "reasons": list(self.reasons),
        }
