"""Words of two domains: those in common, and the class that every word speaks for in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = [
    "KINDS",
    "ClassWords",
    "LabeledDocuments",
    "VocabularyOverlap",
    "WordKind",
    "WordPoint",
    "vocabulary_overlap",
    "word_sides",
]

WordKind = Literal["same", "changed", "one", "source", "target"]

#: What the kinds of words mean, in the order of the legend.
KINDS: dict[WordKind, str] = {
    "same": "same side in both domains",
    "changed": "changes sides",
    "one": "clear in one domain only",
    "source": "occurs only in the source",
    "target": "occurs only in the target",
}

# Standard errors above which a word takes a side.
_CLEAR = 2.0
# Words of fewer documents, in both domains together, say little.
_MIN_DOCUMENTS = 3
# Terms for which class counts are computed: the most frequent ones.
_MAX_TERMS = 30_000


@dataclass(frozen=True)
class WordPoint:
    """One word and one class: on which side it is in both domains.

    Weights are log odds ratios: positive if the word is more frequent in documents of the class
    than in the others. They are None in a domain that does not use the word.
    """

    word: str
    """As the source spells it, or the target if only the target has it."""
    target_word: str
    """As the target spells it; it differs for two languages."""
    column: int
    source_weight: float | None
    target_weight: float | None
    n_source: int
    """Number of sampled source documents with the word."""
    n_target: int
    kind: WordKind
    z_score: float
    """How clearly the word takes a side, in standard errors: the larger of both domains."""

    @property
    def shown(self) -> str:
        """The word, in both spellings if they differ."""
        # Vectorizers of two languages add the translation in parentheses.
        other = self.target_word.removesuffix(f" ({self.word})")
        return self.word if other in ("", self.word) else f"{self.word} / {other}"

    def mirrored(self) -> WordPoint:
        """The word for the other one of two classes."""
        source, target = (
            None if weight is None else -weight
            for weight in (self.source_weight, self.target_weight)
        )
        return replace(self, source_weight=source, target_weight=target)


@dataclass(frozen=True)
class ClassWords:
    """The words that take a side for or against one class."""

    label: Any
    points: list[WordPoint]
    """The clearest words first."""

    def mirrored(self, label: Any) -> ClassWords:
        """The words of the other one of two classes."""
        return ClassWords(label, [point.mirrored() for point in self.points])


@dataclass(frozen=True)
class LabeledDocuments:
    """Documents of one domain with their classes."""

    X: Any
    """A sparse matrix; a sample of the domain is enough."""
    codes: NDArray[np.intp]
    """Class numbers; below 0 if it is not known."""
    names: Sequence[str]
    """The terms in the spelling of the domain."""
    is_used: NDArray[np.bool_]
    """Which terms occur in the whole domain."""


def word_sides(
    source: LabeledDocuments,
    target: LabeledDocuments,
    classes: Sequence[Any],
    shown: Sequence[int],
    n_words: int,
) -> list[ClassWords]:
    """Return the words of some classes that take a side most clearly.

    Every kind of word gets a part of the places. With two classes there is one entry, for the
    second class: the other one mirrors it.

    Parameters
    ----------
    source, target : LabeledDocuments
        They have the same terms.
    classes : sequence
        Labels of the classes.
    shown : sequence of int
        Numbers of the classes to return. One without a document of the source is left out.
    n_words : int
        Number of words per class.
    """
    columns = _frequent_columns(source.X, target.X)
    codes = np.array([1] if len(classes) == 2 else shown, np.intp)
    in_source, in_target = (
        _Counts(domain, columns, codes, len(classes)) for domain in (source, target)
    )
    result = []
    for place, code in enumerate(codes):
        if in_source.sizes[code] in (0, in_source.n_documents):
            continue  # the source says nothing about this class
        sides = _Sides(in_source.side(place, code), in_target.side(place, code))
        chosen = sides.clearest(n_words)
        points = [sides.point(i, int(columns[i]), source.names, target.names) for i in chosen]
        result.append(ClassWords(classes[code], points))
    return result


class _Side(NamedTuple):
    """One class in one domain, one value per term."""

    weights: NDArray[np.float64]
    z_scores: NDArray[np.float64]
    n_documents: NDArray[np.intp]
    """Number of documents with the term."""
    is_used: NDArray[np.bool_]


class _Counts:
    """How many documents of every class have a term."""

    def __init__(
        self,
        domain: LabeledDocuments,
        columns: NDArray[np.intp],
        codes: NDArray[np.intp],
        n_classes: int,
    ) -> None:
        known = np.flatnonzero(domain.codes >= 0)
        labels = domain.codes[known]
        self.sizes = np.bincount(labels, minlength=n_classes)
        self.n_documents = len(known)
        self._is_used = domain.is_used[columns]
        used = domain.X[known][:, columns]
        used.data = np.ones_like(used.data, dtype=np.float32)
        self._total = np.asarray(used.sum(axis=0)).ravel().astype(np.float64)
        is_class = sparse.csr_matrix((codes[:, None] == labels[None, :]).astype(np.float32))
        self._inside = np.asarray((is_class @ used).todense(), np.float64)

    def side(self, place: int, code: int) -> _Side:
        """Log odds ratios of one class against all others, and their z-scores.

        One count per term is added to every row of its table, divided by the sizes of both groups,
        so that ratios stay finite and a term that is as frequent in both has the weight 0.
        """
        n_inside = int(self.sizes[code])
        n_others = self.n_documents - n_inside
        inside, n_terms = self._inside[place], len(self._total)
        if n_inside == 0 or n_others == 0:  # all documents are on one side
            weights = z_scores = np.zeros(n_terms)
        else:
            others = self._total - inside
            extra = n_inside / self.n_documents, n_others / self.n_documents
            a, b = inside + extra[0], n_inside - inside + extra[0]
            c, d = others + extra[1], n_others - others + extra[1]
            weights = np.log(a * d / (b * c))
            z_scores = weights / np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        z_scores = np.where(self._total > 0, z_scores, 0.0)
        return _Side(weights, z_scores, self._total.astype(np.intp), self._is_used)


class _Sides(NamedTuple):
    """One class in both domains."""

    source: _Side
    target: _Side

    def clearest(self, n_words: int) -> list[int]:
        """The clearest terms of every kind in turn, so that no kind crowds out the others."""
        z_scores = self._z_scores()
        # A term that the domain has but its sample lacks has no weight there.
        is_known = (self.source.n_documents > 0) | ~self.source.is_used
        is_known &= (self.target.n_documents > 0) | ~self.target.is_used
        clear = np.flatnonzero((z_scores >= _CLEAR) & is_known)
        clear = clear[np.argsort(-z_scores[clear], kind="stable")]
        queues: dict[WordKind, list[int]] = {kind: [] for kind in KINDS}
        for i in clear.tolist():
            queues[self.kind(i)].append(i)
        chosen: list[int] = []
        for place in range(n_words):
            for queue in queues.values():
                if place < len(queue) and len(chosen) < n_words:
                    chosen.append(queue[place])
        return sorted(chosen, key=lambda i: -z_scores[i])

    def kind(self, i: int) -> WordKind:
        if not self.target.is_used[i]:
            return "source"
        if not self.source.is_used[i]:
            return "target"
        first, second = self.source.z_scores[i], self.target.z_scores[i]
        if min(abs(first), abs(second)) < _CLEAR:
            return "one"
        return "same" if first * second > 0 else "changed"

    def point(
        self, i: int, column: int, source_names: Sequence[str], target_names: Sequence[str]
    ) -> WordPoint:
        n_source, n_target = int(self.source.n_documents[i]), int(self.target.n_documents[i])
        return WordPoint(
            word=str(source_names[column] if n_source else target_names[column]),
            target_word=str(target_names[column]) if n_target else "",
            column=column,
            source_weight=float(self.source.weights[i]) if n_source else None,
            target_weight=float(self.target.weights[i]) if n_target else None,
            n_source=n_source,
            n_target=n_target,
            kind=self.kind(i),
            z_score=float(self._z_scores()[i]),
        )

    def _z_scores(self) -> NDArray[np.float64]:
        return np.maximum(np.abs(self.source.z_scores), np.abs(self.target.z_scores))


def _frequent_columns(source: Any, target: Any) -> NDArray[np.intp]:
    n_documents = np.zeros(source.shape[1], np.intp)
    for X in (source, target):
        n_documents += np.bincount(X.indices, minlength=X.shape[1])
    often = np.flatnonzero(n_documents >= _MIN_DOCUMENTS)
    if len(often) > _MAX_TERMS:
        often = np.sort(often[np.argsort(-n_documents[often], kind="stable")[:_MAX_TERMS]])
    return often


@dataclass(frozen=True)
class VocabularyOverlap:
    """Numbers of different words, after rare ones were dropped."""

    n_shared: int
    n_source_only: int
    n_target_only: int
    known_part: float
    """Part of the words of a target document that also occur in the source, on average."""


def vocabulary_overlap(
    in_source: NDArray[np.bool_], in_target: NDArray[np.bool_], target: Any
) -> VocabularyOverlap:
    """Count words by the domains that use them.

    ``target`` has sampled documents of the target.
    """
    n_words = np.diff(target.indptr)
    known = np.add.reduceat(
        np.append(in_source[target.indices], False), target.indptr[:-1], dtype=float
    )
    filled = n_words > 0
    part = float((known[filled] / n_words[filled]).mean()) if filled.any() else 0.0
    return VocabularyOverlap(
        int((in_source & in_target).sum()),
        int((in_source & ~in_target).sum()),
        int((~in_source & in_target).sum()),
        part,
    )
