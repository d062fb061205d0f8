"""Names of the columns that a file of predictions has beside those of the documents."""

from __future__ import annotations

__all__ = ["CONFIDENCE", "GIVEN", "PREDICTED", "SOURCE_ONLY"]

PREDICTED, CONFIDENCE, SOURCE_ONLY = "predicted", "confidence", "source_only"
#: "yes" where the label was given and learnt from; only there if some were.
GIVEN = "label_given"
