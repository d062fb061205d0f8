"""The result of estimating a class prior."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

__all__ = ["PriorEstimate"]


@dataclass(frozen=True)
class PriorEstimate:
    """The result of `estimate_class_prior`; proportions are in the order of the classes."""

    classes: tuple[Any, ...]
    prior: tuple[float, ...]
    """Estimated proportion of every class."""
    low: tuple[float, ...]
    """Lower end of the interval of every class."""
    high: tuple[float, ...]
    """Upper end of the interval of every class."""
    confidence_level: float
    n_documents: int
    """Number of unlabelled target documents, which the prior describes."""
    n_labelled: int
    """Number of labelled target documents."""
    method: str
    target: int
    """Domain number of the target."""
    source_prior: tuple[float, ...]
    mismatch: float | None
    """Distance of the target scores from all mixtures of source classes, from 0 to 1.

    None if there was nothing to compare; then ``prior`` is the source prior.
    """
    by_method: dict[str, tuple[float, ...]]
    """The prior by every method, before labelled target documents are included."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as dicts, lists, numbers and text, ready for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        rows = zip(self.classes, self.prior, self.low, self.high, strict=True)
        lines = [
            f"{label}: {100 * proportion:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
            for label, proportion, low, high in rows
        ]
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
