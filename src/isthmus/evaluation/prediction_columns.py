"""Names of the columns that a prediction file adds to those of the documents."""

from __future__ import annotations

__all__ = ["CONFIDENCE", "GIVEN", "PREDICTED", "SOURCE_ONLY"]

PREDICTED, CONFIDENCE, SOURCE_ONLY = "predicted", "confidence", "source_only"
#: "yes" if the label was given and used for training; the column exists only if there are such.
GIVEN = "label_given"
