"""The verdict on the labels of a target, from the evidence."""

from __future__ import annotations

from isthmus.domains.labels import plain_label
from isthmus.estimators.base.training_data import TrainingData
from isthmus.estimators.base.verdict import USE, Interval, Verdict
from isthmus.estimators.ensemble._evidence import Evidence
from isthmus.estimators.ensemble._target import TargetLabels

__all__ = ["verdict_on"]


def verdict_on(data: TrainingData, labels: TargetLabels, evidence: Evidence) -> Verdict:
    """Whether the labels of one target can be used."""
    value = float(min(max(evidence.agreement - 0.03, 1 / evidence.n_classes), 0.99))
    accuracy = Interval(value, max(value - 0.1, 0.0), min(value + 0.1, 1.0))
    names = [plain_label(label) for label in data.problem.classes]
    p = labels.proportions
    prior = {
        name: Interval(float(p.prior[i]), float(p.low[i]), float(p.high[i]))
        for i, name in enumerate(names)
    }
    source = dict(zip(names, data.problem.class_prior().tolist(), strict=True))
    return Verdict(USE, accuracy, accuracy, prior, source, ())
