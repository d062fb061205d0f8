"""Collect what a notebook shows of a fitted model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isthmus.report.notebook import N_WORDS, TargetSummary
from isthmus.transfer.target_report import TargetReport

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = ["summarize_targets"]


def summarize_targets(model: Transfer) -> list[TargetSummary]:
    """Return the facts about every target; a model from a file has no label shares."""
    words = model.top_words(N_WORDS)
    has_texts = "report_sample_" in vars(model)
    return [
        TargetSummary(
            name=name,
            sources=[other for other, number in model.domains_.items() if number >= 0],
            method=type(model.estimator_).__name__,
            verdict=model.verdicts_.get(name),
            shares=TargetReport(model, name).shares() if has_texts else None,
            words=words,
        )
        for name, number in model.domains_.items()
        if number < 0
    ]
