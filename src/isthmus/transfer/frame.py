"""The labels of a target as a pandas data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.target_report import TargetReport

__all__ = ["target_frame"]


def target_frame(model: Transfer, target: str) -> Any:
    """Return one row per text of the target; see :meth:`isthmus.Transfer.to_frame`."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "to_frame() needs pandas, which is not installed: pip install pandas."
        ) from None
    from isthmus.transfer.target_report import TargetReport

    parts = TargetReport(model, target)
    prediction, index = parts.prediction, parts.target.index

    def labels(values: NDArray[Any]) -> Any:
        # The type of strings of pandas 3 does not take all of them, as halves of surrogate pairs.
        return pd.Series(values, index, object if values.dtype.kind in "OU" else None)

    return pd.DataFrame(
        {
            "label": labels(prediction.labels),
            "confidence": prediction.confidence,
            "source_only": labels(prediction.source_only),
            "agrees": np.asarray(prediction.labels == prediction.source_only, np.bool_),
            "disputed": _is_disputed(parts),
            "given": parts.target.is_labeled,
            "without_words": prediction.without_words,
        },
        index=index,
    )


def _is_disputed(parts: TargetReport) -> NDArray[np.bool_]:
    """Which labels differ from that of a member or of the source-only classifier."""
    prediction = parts.prediction
    disputed = np.asarray(prediction.labels != prediction.source_only, np.bool_)
    rows = slice(parts.target.start, parts.target.start + parts.target.n_documents)
    for member in parts.voting_members():
        disputed |= member.memberships[rows].argmax(axis=1) != parts.found_codes
    return disputed
