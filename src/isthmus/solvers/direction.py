"""Whether two labellings of the same documents point the same way."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray


def least_agreement(first: NDArray[Any], second: NDArray[Any], n_classes: int) -> float:
    """How far two labellings agree on the pair of classes on which they agree least.

    Of the documents that both labellings give to one of two classes, the share that gets the same
    class from both. Near 1 the labellings point the same way; below 1/2 they call the two classes
    by each other's name. 1 if no pair has a document.
    """
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (first, second), 1)
    least = 1.0
    for a, b in combinations(range(n_classes), 2):
        same = counts[a, a] + counts[b, b]
        swapped = counts[a, b] + counts[b, a]
        if same + swapped > 0:
            least = min(least, float(same / (same + swapped)))
    return least
