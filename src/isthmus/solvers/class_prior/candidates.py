"""Class shares of a target by several methods, and which of them to believe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.matrices.protocols import Documents
from isthmus.solvers.class_prior.cluster_shares import Clusters, choose_clusters, skewed_starts
from isthmus.solvers.class_prior.quantifiers import (
    black_box_shares,
    calibrate,
    class_means,
    maximum_likelihood_shares,
    score_mismatch,
)

__all__ = ["Candidates", "drawn_in", "find_candidates"]

# Up to the first mismatch of the scores the likeliest shares are taken, from the second on the
# clusters; between them both in proportion. Measured on development problems: at most 0.06 between
# shops' reviews, whose classes look alike in both domains, and at least 0.18 between newsgroups,
# whose classes do not.
_TRUSTED, _UNTRUSTED = 0.1, 0.16
# Clusters say nothing if documents part less than this (0.7 and more were measured), or if one has
# less than this part of its class's share in the source.
_PARTED, _DEAD = 0.5, 0.05
# The standard error of the likeliest shares that comes from the domains' differences, on reviews.
_ERROR = 0.05


@dataclass(frozen=True)
class Candidates:
    """Shares by method, and what they rest on."""

    shares: dict[str, NDArray[np.float64]]
    mismatch: float
    """How far the target's scores are from every mixture of the source's: `score_mismatch`."""
    trust: float
    """How much of "auto" comes from the cautious shares; the rest comes from the clusters."""
    cautious: NDArray[np.float64]
    """The likeliest shares, drawn in towards the source's."""
    clusters: Clusters
    """Clusters of the target's documents by their words."""


def find_candidates(
    known: NDArray[Any],
    labels: NDArray[np.intp],
    unknown: NDArray[Any],
    documents: Documents | None,
    *,
    thorough: bool = True,
) -> Candidates:
    """Estimate the shares by every method.

    Parameters
    ----------
    known : array of shape (n_known, n_classes)
        Log probabilities of labelled documents by a classifier that has not seen them.
    labels : array of int of shape (n_known,)
    unknown : array of shape (n_unknown, n_classes)
        Log probabilities of the documents in question.
    documents : Documents or None
        The documents in question, nothing in them below 0. None if they are not to be clustered:
        then the likeliest memberships stand for the clusters.
    thorough : bool, default=True
        Whether to look for clusters also where "auto" takes nothing from them.
    """
    calibration = calibrate(known, labels)
    taught, asked = calibration(known), calibration(unknown)
    prior = taught.mean(axis=0)
    likeliest = maximum_likelihood_shares(asked, prior)
    shifted = asked * (likeliest / prior)
    shifted /= shifted.sum(axis=1, keepdims=True)
    mismatch = score_mismatch(known, labels, unknown)
    trust = float(np.clip((_UNTRUSTED - mismatch) / (_UNTRUSTED - _TRUSTED), 0.0, 1.0))
    if documents is None or (trust == 1 and not thorough):
        found = Clusters(shifted, likeliest[None], 0.0)
    else:
        starts = [asked, shifted, *skewed_starts(asked, prior)]
        found = choose_clusters(documents, starts, unknown)
    clusters = found.memberships.mean(axis=0)
    if found.parting < _PARTED or (clusters < _DEAD * prior).any():
        trust = 1.0
    means = class_means(taught, labels, known.shape[1])
    shares = {
        "likelihood": likeliest,
        "black_box": black_box_shares(means, asked.mean(axis=0), len(asked), prior),
        "clusters": clusters,
    }
    chance = (1 / len(known) + 1 / len(unknown)) / 4
    cautious = drawn_in(likeliest, prior, np.sqrt(_ERROR**2 + chance))
    shares["auto"] = trust * cautious + (1 - trust) * clusters
    return Candidates(shares, mismatch, trust, cautious, found)


def drawn_in(shares: NDArray[Any], prior: NDArray[Any], error: float) -> NDArray[np.float64]:
    """Shares moved towards a prior by as much as their error explains of the way between them.

    The way, of length d, is shortened by the factor ``max(0, 1 - error^2 / d^2)``, as James and
    Stein do it: shares within an error of the prior are no evidence against it, and shares far away
    stay where they are. With two classes d is the difference of the shares.
    """
    way = shares - prior
    length = float(way @ way) / 2
    return np.asarray(prior + max(0.0, 1 - error**2 / max(length, 1e-300)) * way)
