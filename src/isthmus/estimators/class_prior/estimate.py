"""What an estimate of class shares says."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

__all__ = ["PriorEstimate"]


@dataclass(frozen=True)
class PriorEstimate:
    """What `estimate_class_prior` found; shares are in the order of the classes."""

    classes: tuple[Any, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    confidence_level: float
    n_documents: int
    """Documents of the target without a label, whose shares these are."""
    n_labelled: int
    """Documents of the target with one."""
    method: str
    target: int
    """The number of the target."""
    source_shares: tuple[float, ...]
    mismatch: float | None
    """How far the target's scores are from every mixture of the source's classes, from 0 to 1.

    None if there was nothing to compare: then the shares are the source's.
    """
    by_method: dict[str, tuple[float, ...]]
    """The shares by every method, before labelled documents of the target are counted in."""

    def to_dict(self) -> dict[str, Any]:
        """All of it as dicts, lists, numbers and text, ready for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        ends = zip(self.classes, self.shares, self.low, self.high, strict=True)
        lines = [
            f"{label}: {100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
            for label, share, low, high in ends
        ]
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value
