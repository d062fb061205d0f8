"""Metrics: what a report may show, and how its numbers are read and printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isthmus.bench.plan.fields import names

__all__ = ["METRICS", "Metric", "read_metrics"]


@dataclass(frozen=True)
class Metric:
    """A number of a result as papers print it: in per cent, or as a share of one.

    Attributes
    ----------
    field : str
        The field of a result that holds it, or what is missing to 1 if ``smaller_is_better``.
    share : bool
        Whether it is told as a share (.071) instead of in per cent.
    smaller_is_better : bool
        Whether it counts what went wrong.
    kind : str, optional
        The only kind of methods that has it.
    half : float, optional
        Beyond it a problem has collapsed; None where that means nothing.
    measure : str, optional
        The measure that writes it, which an entry has to ask for.
    """

    field: str
    share: bool = False
    smaller_is_better: bool = False
    kind: str | None = None
    half: float | None = 50.0
    measure: str | None = None

    def read(self, record: Mapping[str, Any]) -> float | None:
        """The number of a result; None if the result is older than the metric."""
        if self.field not in record:
            return None
        value = float(record[self.field])
        value = 1.0 - value if self.smaller_is_better else value
        return value if self.share else 100.0 * value

    def show(self, value: float | None) -> str:
        """The number as text, "-" if there is none."""
        if value is None:
            return "-"
        return f"{value:.3f}".removeprefix("0") if self.share else f"{value:.2f}"

    def margin(self, value: float, other: float) -> float:
        """By how much a number is better than another; below 0 if it is worse."""
        return other - value if self.smaller_is_better else value - other

    def collapsed(self, value: float) -> bool:
        """Whether a number is beyond one half."""
        return self.half is not None and self.margin(value, self.half) < 0

    @property
    def beyond_half(self) -> str:
        """What a collapsed problem is, in words."""
        if self.half is None:
            return "below 50 %"
        return f"above {self.show(self.half)}" if self.smaller_is_better else "below 50 %"


METRICS = {
    "accuracy": Metric("accuracy"),
    "error": Metric("accuracy", share=True, smaller_is_better=True, half=0.5),
    "macro precision": Metric("macro_precision", kind="classifier"),
    "macro F1": Metric("macro_f1", kind="classifier"),
    "NMI (geometric)": Metric("nmi_geometric", share=True, kind="clusterer", half=None),
    "NMI (arithmetic)": Metric("nmi_arithmetic", share=True, kind="clusterer", half=None),
    "r1": Metric("r1", share=True, half=None, measure="word overlap"),
    "r2": Metric("r2", share=True, half=None, measure="word overlap"),
    "proxy A-distance": Metric("a_distance", share=True, half=None, measure="proxy A-distance"),
}
"""What a suite may report, by the name that it uses."""


def read_metrics(data: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Read the list ``metrics`` of a suite or a figure; the accuracy alone if there is none."""
    found = names(data, "metrics", where) if "metrics" in data else ["accuracy"]
    unknown = [name for name in found if name not in METRICS]
    if unknown:
        raise ValueError(
            f"There is no metric '{unknown[0]}' ({where}): choose among {', '.join(METRICS)}."
        )
    return tuple(found)
