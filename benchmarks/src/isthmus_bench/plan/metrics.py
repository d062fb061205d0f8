"""Metrics: how predictions are scored, and how scores are read and printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator

from isthmus.evaluation.clustering import clustering_accuracy, clustering_nmi
from isthmus_bench.fields import Mean, Names, require

__all__ = [
    "METRICS", "SCORERS", "Metric", "MetricNames", "Scorer", "score_classifier", "score_clusterer",
]  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """A number of a result, in percent or as a fraction.

    Attributes
    ----------
    field : str
        The field of a result that holds it, or 1 minus it if ``smaller_is_better``.
    share : bool
        Whether it is printed as a fraction (.071) instead of in percent.
    smaller_is_better : bool
        Whether it measures errors.
    kind : str, optional
        The only kind of methods that has it.
    half : float, optional
        A problem on the wrong side of it has collapsed; None where that has no meaning.
    measure : str, optional
        The measure that an entry must have for it.
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
        """The number as text, with its standard deviation if it has one; "-" for none."""
        if value is None:
            return "-"
        if isinstance(value, Mean):
            return f"{self.show(float(value))} ± {self.show(value.deviation)}"
        return f"{value:.3f}".removeprefix("0") if self.share else f"{value:.2f}"

    def margin(self, value: float, other: float) -> float:
        """By how much a number is better than another; below 0 if it is worse."""
        return other - value if self.smaller_is_better else value - other

    def best(self, values: list[float]) -> float:
        """The best of some numbers."""
        return min(values) if self.smaller_is_better else max(values)

    def worst(self, values: list[float]) -> float | None:
        """The worst of some numbers; None if there is none."""
        return (max if self.smaller_is_better else min)(values, default=None)

    def collapsed(self, value: float) -> bool:
        """Whether a number is on the wrong side of one half."""
        return self.half is not None and self.margin(value, self.half) < 0

    @property
    def beyond_half(self) -> str:
        """What a collapsed problem is called in tables."""
        return f"above {self.show(self.half)}" if self.smaller_is_better else "below 50 %"


METRICS = {
    "accuracy": Metric("accuracy"),
    "error": Metric("accuracy", share=True, smaller_is_better=True, half=0.5),
    "macro precision": Metric("macro_precision", kind="classifier"),
    "macro recall": Metric("macro_recall", kind="classifier"),
    "macro F1": Metric("macro_f1", kind="classifier"),
    "F1 of macro averages": Metric("f1_of_macro_averages", kind="classifier"),
    "NMI (geometric)": Metric("nmi_geometric", share=True, kind="clusterer", half=None),
    "NMI (arithmetic)": Metric("nmi_arithmetic", share=True, kind="clusterer", half=None),
    "r1": Metric("r1", share=True, half=None, measure="word overlap"),
    "r2": Metric("r2", share=True, half=None, measure="word overlap"),
    "proxy A-distance": Metric("a_distance", share=True, half=None, measure="proxy A-distance"),
}
"""What a suite may report, by name."""


def _known(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        require(name in METRICS, f"there is no metric '{name}': choose from {', '.join(METRICS)}")
    return names


MetricNames = Annotated[Names, AfterValidator(_known)]


@dataclass(frozen=True)
class Scorer:
    """How a kind of methods is scored.

    ``attribute`` names the labels of a fitted estimator. ``score`` takes the predictions, the true
    labels, the domains and the rows to score, and returns fields of a result. ``has_classes`` says
    whether single predictions are right or wrong; clusters have no names.
    """

    attribute: str
    score: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], dict[str, float]]
    has_classes: bool


def score_classifier(
    predicted: np.ndarray, labels: np.ndarray, sample_domain: np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """Accuracy, and macro averages over all classes; an unpredicted class has precision 0.

    The macro F1 is the mean of the classes' F1. The F1 of macro averages is the harmonic mean of
    macro precision and macro recall (DKT, equation 35); it is not less than the macro F1.
    """
    from sklearn.metrics import precision_recall_fscore_support

    scored = predicted[rows].astype(labels.dtype)
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels[rows],
        scored,
        labels=np.unique(labels[labels >= 0]),
        average="macro",
        zero_division=0,
    )
    total = precision + recall
    return {
        "accuracy": float(np.mean(scored == labels[rows])),
        "macro_precision": float(precision),
        "macro_recall": float(recall),
        "macro_f1": float(f1),
        "f1_of_macro_averages": float(2 * precision * recall / total) if total else 0.0,
    }


def score_clusterer(
    predicted: np.ndarray, labels: np.ndarray, sample_domain: np.ndarray, rows: np.ndarray
) -> dict[str, float]:
    """Clustering accuracy and NMI of every domain, averaged over the documents of all."""
    numbers, sizes = np.unique(sample_domain[rows], return_counts=True)
    parts = [rows & (sample_domain == number) for number in numbers]
    scores = {
        "accuracy": [clustering_accuracy(labels[part], predicted[part]) for part in parts],
        **{
            f"nmi_{average}": [
                clustering_nmi(labels[part], predicted[part], average=average) for part in parts
            ]
            for average in ("geometric", "arithmetic")
        },
    }
    return {name: float(np.average(values, weights=sizes)) for name, values in scores.items()}


SCORERS: dict[str, Scorer] = {
    "classifier": Scorer("transduction_", score_classifier, has_classes=True),
    "clusterer": Scorer("labels_", score_clusterer, has_classes=False),
}
"""By kind of method; a transformer has no labels to score."""
