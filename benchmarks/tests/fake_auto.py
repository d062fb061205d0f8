"""A classifier with a second matrix and verdicts, as a stand-in for methods of the package."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from isthmus.estimators.base.verdict import Decision, Interval, Verdict
from isthmus.estimators.registry import Method

FAKE = Method("fake-auto", "fake auto: two matrices", "-", "fake_auto:FakeAuto")


class FakeAuto(ClassifierMixin, BaseEstimator):
    """Labels all unlabeled rows with the first class and keeps what it was given."""

    is_random: ClassVar[bool] = False
    uses_characters: ClassVar[bool] = True
    _presets: ClassVar[dict[str, dict[str, Any]]] = {}
    fits: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, decision: Decision = "use", confidence: float = 0.75) -> None:
        self.decision = decision
        self.confidence = confidence

    def fit(self, X: Any, y: Any, sample_domain: Any, second_view: Any = None) -> Self:
        self.fits.append({"X": X, "sample_domain": sample_domain, "second_view": second_view})
        known = np.array([label is not None for label in y])
        self.classes_ = np.unique([label for label in y if label is not None])
        n_classes = len(self.classes_)
        rest = (1 - self.confidence) / (n_classes - 1)
        self.label_distributions_ = np.full((len(y), n_classes), rest)
        self.label_distributions_[:, 0] = self.confidence
        self.transduction_ = np.where(known, y, self.classes_[0])
        interval = Interval(0.7, 0.45, 0.9)
        shares = dict.fromkeys(self.classes_.tolist(), 1 / n_classes)
        self.verdicts_ = {
            -1: Verdict(
                decision=self.decision,
                accuracy=interval,
                source_only_accuracy=Interval(0.6, 0.5, 0.7),
                class_prior={label: Interval(p, 0.0, 1.0) for label, p in shares.items()},
                source_prior={**dict.fromkeys(shares, 0.0), 0: 1.0},
                reasons=(),
            )
        }
        return self

    def predict(self, X: Any, sample_domain: Any = None, second_view: Any = None) -> Any:
        self.fits.append({"predicted": X, "second_view": second_view})
        return np.full(X.shape[0], self.classes_[0])

    def predict_proba(self, X: Any, sample_domain: Any = None, second_view: Any = None) -> Any:
        return np.tile(self.label_distributions_[0], (X.shape[0], 1))
