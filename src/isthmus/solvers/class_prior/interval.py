"""How sure one may be of estimated class shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.solvers.class_prior.candidates import Candidates
from isthmus.solvers.class_prior.quantifiers import (
    black_box_shares,
    calibrate,
    class_means,
    maximum_likelihood_shares,
)

__all__ = ["prior_interval", "resampled_means", "resampled_shares"]

Interval = tuple[NDArray[np.float64], NDArray[np.float64]]

# What the domains' differences add to either side, found on development problems. Shares by scores:
# so much, and the mismatch of the scores. Shares by clusters: so much, and half of the distance
# between the clusters that different starts lead to.
_BESIDE_SCORES, _BESIDE_CLUSTERS = 0.05, 0.03


def prior_interval(
    found: Candidates,
    method: str,
    known: NDArray[Any],
    labels: NDArray[np.intp],
    unknown: NDArray[Any],
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> Interval:
    """The least and the largest share of every class that have to be reckoned with.

    ``known``, ``labels`` and ``unknown`` are what ``found`` was found from.
    """
    means = resampled_means(found.clusters.memberships, n_resamples, generator)
    by_clusters = _around_clusters(found, means, level)
    if method == "clusters" or (method == "auto" and found.trust == 0):
        return by_clusters
    likeliest, black_box = resampled_shares(known, labels, unknown, n_resamples, generator)
    drawn = black_box if method == "black_box" else likeliest
    centre = found.cautious if method == "auto" else found.shares[method]
    low, high = _widened(centre, drawn, level, _BESIDE_SCORES + found.mismatch)
    if method != "auto":
        return low, high
    return (
        found.trust * low + (1 - found.trust) * by_clusters[0],
        found.trust * high + (1 - found.trust) * by_clusters[1],
    )


def resampled_shares(
    known: NDArray[Any],
    labels: NDArray[np.intp],
    unknown: NDArray[Any],
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Likeliest and black-box shares of documents drawn again with replacement, a row a draw.

    Both sides are drawn anew, and the calibration is found anew each time.
    """
    n_classes = known.shape[1]
    first = calibrate(known, labels)
    start = maximum_likelihood_shares(first(unknown), first(known).mean(axis=0))
    likeliest, black_box = [], []
    for _ in range(n_resamples):
        inner, outer = _drawn(len(known), generator), _drawn(len(unknown), generator)
        calibration = calibrate(known, labels, weights=inner, start=first)
        taught, asked = calibration(known), calibration(unknown)
        prior = inner @ taught / inner.sum()
        likeliest.append(
            maximum_likelihood_shares(asked, prior, weights=outer, start=start, tol=1e-5)
        )
        means = class_means(taught, labels, n_classes, inner)
        black_box.append(black_box_shares(means, outer @ asked / outer.sum(), len(asked), prior))
    return np.array(likeliest), np.array(black_box)


def resampled_means(
    memberships: NDArray[Any], n_resamples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Mean memberships of documents drawn again with replacement, a row a draw."""
    n_rows = len(memberships)
    return np.array([_drawn(n_rows, generator) @ memberships / n_rows for _ in range(n_resamples)])


def _around_clusters(found: Candidates, drawn: NDArray[Any], level: float) -> Interval:
    low, high = _widened(found.shares["clusters"], drawn, level, _BESIDE_CLUSTERS)
    least, most = found.clusters.possible.min(axis=0), found.clusters.possible.max(axis=0)
    half = (most - least) / 2
    low = np.minimum(low, least - _BESIDE_CLUSTERS) - half
    high = np.maximum(high, most + _BESIDE_CLUSTERS) + half
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _widened(shares: NDArray[Any], drawn: NDArray[Any], level: float, allowance: float) -> Interval:
    """The interval of resampled shares, with an allowance on either side."""
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    low = np.clip(np.minimum(low, shares) - allowance, 0.0, 1.0)
    high = np.clip(np.maximum(high, shares) + allowance, 0.0, 1.0)
    return low, high


def _drawn(n_rows: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """How often every document is drawn."""
    return np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows).astype(float)
