"""Which terms can stand for a class in every domain: scores from tables of document frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frequencies:
    """In how many documents of each group every term stands."""

    counts: NDArray[np.float64]
    """A row a group, a column a term."""
    sizes: NDArray[np.float64]
    """Documents of every group."""


def mutual_information(frequencies: Frequencies) -> NDArray[np.float64]:
    """Mutual information, in nats, of a term's presence and a document's group."""
    total = max(float(frequencies.sizes.sum()), 1.0)
    present = frequencies.counts / total
    groups = frequencies.sizes[:, None] / total
    absent = groups - present
    return _information(present, groups) + _information(absent, groups)


def _information(joint: NDArray[np.float64], groups: NDArray[np.float64]) -> NDArray[np.float64]:
    """``sum_g p log(p / (p(g) p(presence)))``; what never happens adds nothing."""
    independent = groups * joint.sum(axis=0)
    ratio = np.divide(joint, independent, out=np.ones_like(joint), where=joint > 0)
    return np.asarray((joint * np.log(ratio)).sum(axis=0))


def least_frequency(frequencies: Frequencies) -> NDArray[np.float64]:
    """The share of documents that hold a term, in the group that uses it least."""
    shares = frequencies.counts / np.maximum(frequencies.sizes, 1)[:, None]
    return np.asarray(shares.min(axis=0))


def evenness(frequencies: Frequencies) -> NDArray[np.float64]:
    """How common a term is in the group where it is rarest, over where it is commonest."""
    shares = frequencies.counts / np.maximum(frequencies.sizes, 1)[:, None]
    most = shares.max(axis=0)
    return np.asarray(shares.min(axis=0) / np.where(most > 0, most, 1.0))


def largest(
    scores: NDArray[np.float64], allowed: NDArray[np.bool_], number: int
) -> NDArray[np.intp]:
    """The allowed terms with the largest scores, the first of equals first."""
    candidates = np.flatnonzero(allowed)
    # Scores of terms alike differ by rounding only, which depends on the order of the documents.
    rounded = np.round(scores[candidates], 12)
    return candidates[np.argsort(-rounded, kind="stable")[:number]]


def favourite_groups(frequencies: Frequencies) -> NDArray[np.intp]:
    """The group in which every term is most common, by share of its documents."""
    shares = frequencies.counts / np.maximum(frequencies.sizes, 1)[:, None]
    return np.asarray(shares.argmax(axis=0), np.intp)
