"""A verdict with fixed numbers, for tests of what is done with verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from isthmus.estimators.base.verdict import DO_NOT_USE, Decision, Interval, Verdict

REASONS = (
    "The members disagree on 41 % of the documents.",
    "Classes may be swapped.",
)


def make_verdict(decision: Decision = DO_NOT_USE, classes: Any = ("negative", "positive")) -> Any:
    """A verdict on labels of these classes."""
    return Verdict(
        decision=decision,
        accuracy=Interval(0.58, 0.5, 0.66),
        source_only_accuracy=Interval(0.61, 0.53, 0.69),
        class_prior={label: Interval(1 / len(classes), 0.2, 0.8) for label in classes},
        source_prior={label: 1 / len(classes) for label in classes},
        reasons=REASONS,
    )


def set_verdicts(monkeypatch: pytest.MonkeyPatch, *decisions: Decision) -> None:
    """Give the first target of every fit the first of these decisions, and so on."""

    def judge(estimator: Any, data: Any, source_only: Any) -> dict[int, Verdict]:
        assert data.X.shape[0] == len(estimator.transduction_) == len(source_only.transduction_)
        classes = estimator.classes_.tolist()
        return {-1 - i: make_verdict(decision, classes) for i, decision in enumerate(decisions)}

    monkeypatch.setattr("isthmus.estimators.ensemble.judge.judge", judge)
