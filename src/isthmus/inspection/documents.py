"""Documents of a target that deserve a look: certain, doubtful, disputed, and to label first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isthmus.inspection.projection import document_coordinates
from isthmus.inspection.sample import DomainSample
from isthmus.matrices.rows import duplicate_groups
from isthmus.matrices.threads import one_thread

__all__ = ["LabeledSample", "documents_to_label"]

# Documents to label are chosen among the most doubtful ones: this many per place in the list, and
# at most this part of all documents, so that certain ones do not take part.
_CANDIDATES_PER_PLACE, _DOUBTFUL_PART = 5, 1 / 3


@dataclass(frozen=True)
class LabeledSample:
    """The sampled documents of a target with their predicted labels."""

    sample: DomainSample
    codes: NDArray[np.intp]
    """Predicted classes."""
    confidence: NDArray[np.float64]
    source_only: NDArray[np.intp]
    """Classes by the source-only classifier; -1 if it has another class."""
    votes: Sequence[NDArray[np.intp]]
    """Classes by the members of the automatic method; empty for other methods."""
    is_open: NDArray[np.bool_]
    """Documents without a given label that have a known word."""

    @cached_property
    def n_against(self) -> NDArray[np.intp]:
        """Number of voters, members and the source-only classifier, with another label."""
        against = (self.source_only != self.codes).astype(np.intp)
        for codes in self.votes:
            against += codes != self.codes
        return against

    @property
    def n_voters(self) -> int:
        """Number of voters: the members and the source-only classifier."""
        return len(self.votes) + 1

    @cached_property
    def doubt(self) -> NDArray[np.float64]:
        """From 0 to 2: the part of the voters against the label, plus one minus confidence."""
        return np.asarray(self.n_against / self.n_voters + 1 - self.confidence, np.float64)

    def certain(self, n: int) -> NDArray[np.intp]:
        """The most certain documents of every class in turn."""
        order = np.lexsort([-self.confidence, self.n_against])
        order = order[self.is_open[order]]
        queues = [order[(self.codes == code)[order]] for code in np.unique(self.codes)]
        places = max((len(queue) for queue in queues), default=0)
        in_turn = [queue[i] for i in range(places) for queue in queues if i < len(queue)]
        return self._first(in_turn, n)

    def doubtful(self, n: int) -> NDArray[np.intp]:
        """The documents with the lowest confidence."""
        return self._first(np.argsort(self.confidence, kind="stable"), n)

    def disputed(self, n: int) -> NDArray[np.intp]:
        """Documents with most votes against their label; among equals the most certain first."""
        order = np.lexsort([-self.confidence, -self.n_against])
        return self._first(order[self.n_against[order] > 0], n)

    @cached_property
    def _copy_of(self) -> NDArray[np.intp]:
        """A number for every document, the same for copies."""
        return duplicate_groups(self.sample.X)

    def without_copies(self, rows: Iterable[int]) -> list[int]:
        """The open documents among these, each copy once, in the given order."""
        seen: set[int] = set()
        kept = []
        for row in rows:
            group = int(self._copy_of[row])
            if self.is_open[row] and group not in seen:
                seen.add(group)
                kept.append(int(row))
        return kept

    def _first(self, rows: Iterable[int], n: int) -> NDArray[np.intp]:
        return np.array(self.without_copies(rows)[:n], np.intp)


def documents_to_label(labeled: LabeledSample, n: int) -> NDArray[np.intp]:
    """The documents that a person should label first.

    The rule: take the most doubtful documents, without copies, five per place in the list and at
    most a third of all; group them by their words with K-means, one group per place, in which
    doubtful documents weigh more; take the document that is nearest to the center of its group.
    The most doubtful one comes first. So the documents are disputed, represent others, and differ
    from each other. (Weighted K-means after a filter by doubt: Zhdanov, Diverse mini-batch Active
    Learning, 2019.)
    """
    order = np.argsort(-labeled.doubt, kind="stable")
    candidates = np.array(labeled.without_copies(order), np.intp)
    part = max(n, int(np.ceil(_DOUBTFUL_PART * len(candidates))))
    candidates = candidates[: min(_CANDIDATES_PER_PLACE * n, part)]
    if len(candidates) <= n or n == 0:
        return candidates[:n]
    from sklearn.cluster import KMeans

    coordinates = document_coordinates(labeled.sample.X[candidates])
    if coordinates.shape[1] == 0:
        return candidates[:n]
    with one_thread():
        doubt = labeled.doubt[candidates] + 1e-3  # K-means needs positive weights
        clusters = KMeans(n, n_init=3, random_state=0).fit(coordinates, sample_weight=doubt)
    distances = np.linalg.norm(coordinates - clusters.cluster_centers_[clusters.labels_], axis=1)
    chosen = []
    for cluster in np.unique(clusters.labels_):
        members = np.flatnonzero(clusters.labels_ == cluster)
        chosen.append(candidates[members[np.argmin(distances[members])]])
    return np.array(sorted(chosen, key=lambda row: -labeled.doubt[row]), np.intp)
