"""Scores of candidate pivots, computed from document frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frequencies:
    """Document frequencies of all terms in groups of documents."""

    counts: NDArray[np.float64]
    """One row per group, one column per term."""
    sizes: NDArray[np.float64]
    """Number of documents of every group."""


def term_mutual_information(frequencies: Frequencies) -> NDArray[np.float64]:
    """Mutual information of a term's presence and a document's group, in nats."""
    total = max(float(frequencies.sizes.sum()), 1.0)
    present = frequencies.counts / total
    groups = frequencies.sizes[:, None] / total
    absent = groups - present
    return _information(present, groups) + _information(absent, groups)


def _information(joint: NDArray[np.float64], groups: NDArray[np.float64]) -> NDArray[np.float64]:
    """``sum_g p log(p / (p(g) p(presence)))``, with ``0 log 0 = 0``."""
    independent = groups * joint.sum(axis=0)
    ratio = np.divide(joint, independent, out=np.ones_like(joint), where=joint > 0)
    return np.asarray((joint * np.log(ratio)).sum(axis=0))


def lowest_frequency(frequencies: Frequencies) -> NDArray[np.float64]:
    """Lowest relative document frequency of every term over the groups."""
    return np.asarray(_proportions(frequencies).min(axis=0))


def evenness(frequencies: Frequencies) -> NDArray[np.float64]:
    """Ratio of the lowest to the highest relative document frequency over the groups."""
    proportions = _proportions(frequencies)
    highest = proportions.max(axis=0)
    return np.asarray(proportions.min(axis=0) / np.where(highest > 0, highest, 1.0))


def largest(
    scores: NDArray[np.float64], allowed: NDArray[np.bool_], number: int
) -> NDArray[np.intp]:
    """The allowed terms with the largest scores, largest first; ties keep the column order."""
    candidates = np.flatnonzero(allowed)
    # Equal scores may differ by rounding, which depends on the order of the documents.
    rounded = np.round(scores[candidates], 12)
    return candidates[np.argsort(-rounded, kind="stable")[:number]]


def most_frequent_groups(frequencies: Frequencies) -> NDArray[np.intp]:
    """The group with the highest relative document frequency of every term."""
    return np.asarray(_proportions(frequencies).argmax(axis=0), np.intp)


def _proportions(frequencies: Frequencies) -> NDArray[np.float64]:
    """Proportion of the documents of each group that contain every term."""
    return np.asarray(frequencies.counts / np.maximum(frequencies.sizes, 1)[:, None])
