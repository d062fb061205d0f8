"""Names of columns in files of predictions, and lists of names in messages."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

__all__ = ["CLUSTER", "CONFIDENCE", "DOMAIN", "GIVEN", "PREDICTED", "SOURCE_ONLY", "quote_first"]

PREDICTED, CONFIDENCE, SOURCE_ONLY = "predicted", "confidence", "source_only"
#: "yes" if the label was given and used to train; the column exists only if there are such labels.
GIVEN = "label_given"
#: The cluster number of a document, and the name of its file if there are several.
CLUSTER, DOMAIN = "isthmus_cluster", "isthmus_domain"

_MAX_QUOTED = 5


def quote_first(names: Collection[Any]) -> str:
    """Quote the first five names and give the number of the others.

    >>> quote_first(["a", "b"])
    "'a', 'b'"
    >>> quote_first(range(9))
    "'0', '1', '2', '3', '4' and 4 more"
    """
    quoted = ", ".join(f"'{name}'" for name in islice(names, _MAX_QUOTED))
    n_more = len(names) - _MAX_QUOTED
    return quoted if n_more <= 0 else f"{quoted} and {n_more} more"
