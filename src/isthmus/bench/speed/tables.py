"""What is measured on, and a part of the report."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Sizes", "Table"]


@dataclass(frozen=True)
class Sizes:
    """What is measured on."""

    documents: int = 40_000
    """Documents of the comparisons, half of them source."""
    terms: int = 50_000
    words: int = 100
    """Words of a document; repeated ones are one entry."""
    clusters: int = 50
    largest: int = 1_000_000
    """Documents of the largest problem of the growth."""
    memory: int = 200_000
    """Documents of the fit whose memory is watched."""
    rounds: int = 5


@dataclass
class Table:
    """Rows of one part of the report."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
