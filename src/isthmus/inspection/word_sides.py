"""Which class every word speaks for, in the source and in the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["KINDS", "ClassWords", "WordKind", "WordPoint", "word_sides"]

WordKind = Literal["same", "changed", "one", "source", "target"]

#: What the kinds of words mean, in the order of the legend.
KINDS: dict[WordKind, str] = {
    "same": "same side in both domains",
    "changed": "changes sides",
    "one": "takes a side in one domain only",
    "source": "occurs only in the source",
    "target": "occurs only in the target",
}

# Standard errors from which on a word takes a side.
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
    strength: float
    """How clearly the word takes a side, in standard errors: the larger of both domains."""

    @property
    def shown(self) -> str:
        """The word, in both spellings if they differ."""
        # Vectorizers of two languages add the translation in parentheses.
        other = self.target_word.removesuffix(f" ({self.word})")
        return self.word if other in ("", self.word) else f"{self.word} / {other}"


@dataclass(frozen=True)
class ClassWords:
    """The words that take a side for or against one class."""

    label: Any
    points: list[WordPoint]
    """The clearest words first."""


def word_sides(
    source: Any,
    source_codes: NDArray[np.intp],
    target: Any,
    target_codes: NDArray[np.intp],
    classes: Sequence[Any],
    names: tuple[Sequence[str], Sequence[str]],
    n_words: int,
) -> list[ClassWords]:
    """Return the words of every class that take a side most clearly.

    Every kind of word gets a part of the places. With two classes there is one entry, for the
    second class: the other one mirrors it.

    Parameters
    ----------
    source, target : sparse matrices
        Documents of both domains with the same columns.
    source_codes, target_codes : arrays
        Class numbers of these documents; below 0 if it is not known.
    classes : sequence
        Labels of the classes.
    names : pair of sequences of str
        The terms in the spelling of the source and of the target.
    n_words : int
        Number of words per class.
    """
    columns = _frequent_columns(source, target)
    counted = [
        _class_counts(X, codes, columns, len(classes))
        for X, codes in ((source, source_codes), (target, target_codes))
    ]
    shown = [1] if len(classes) == 2 else range(len(classes))
    result = []
    for code in shown:
        n_source = counted[0][1]
        if n_source[code] in (0, n_source.sum()):
            continue  # the source says nothing about this class
        in_source, in_target = (_Side(counts, sizes, code) for counts, sizes in counted)
        points = _points(columns, in_source, in_target, names)
        result.append(ClassWords(classes[code], _chosen(points, n_words)))
    return result


class _Side:
    """Log odds ratios and their clearness of one class in one domain."""

    def __init__(self, counts: NDArray[Any], sizes: NDArray[np.intp], code: int) -> None:
        inside, others = counts[:, code].astype(float), (counts.sum(axis=1) - counts[:, code])
        n_inside, n_others = int(sizes[code]), int(sizes.sum() - sizes[code])
        self.n_documents = counts.sum(axis=1).astype(int)
        if n_inside == 0 or n_others == 0:  # all documents have the same class
            self.weights = np.zeros(len(inside))
            self.clearness = np.zeros(len(inside))
            return
        # One half is added to every count (Haldane and Anscombe), so that ratios stay finite.
        cells = [inside, n_inside - inside, others.astype(float), n_others - others]
        a, b, c, d = (part + 0.5 for part in cells)
        self.weights = np.log(a * d / (b * c))
        self.clearness = self.weights / np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)


def _points(
    columns: NDArray[np.intp],
    source: _Side,
    target: _Side,
    names: tuple[Sequence[str], Sequence[str]],
) -> list[WordPoint]:
    clear = np.maximum(np.abs(source.clearness), np.abs(target.clearness))
    points = []
    for i in np.flatnonzero(clear >= _CLEAR)[np.argsort(-clear[clear >= _CLEAR], kind="stable")]:
        column, n_source, n_target = (
            int(value) for value in (columns[i], source.n_documents[i], target.n_documents[i])
        )
        points.append(
            WordPoint(
                word=str(names[0][column] if n_source else names[1][column]),
                target_word=str(names[1][column]) if n_target else "",
                column=column,
                source_weight=float(source.weights[i]) if n_source else None,
                target_weight=float(target.weights[i]) if n_target else None,
                n_source=n_source,
                n_target=n_target,
                kind=_kind(n_source, n_target, source.clearness[i], target.clearness[i]),
                strength=float(clear[i]),
            )
        )
    return points


def _kind(n_source: int, n_target: int, in_source: float, in_target: float) -> WordKind:
    if not n_target:
        return "source"
    if not n_source:
        return "target"
    if min(abs(in_source), abs(in_target)) < _CLEAR:
        return "one"
    return "same" if in_source * in_target > 0 else "changed"


def _chosen(points: list[WordPoint], n_words: int) -> list[WordPoint]:
    """The clearest words of every kind in turn, so that no kind crowds out the others."""
    queues = {kind: [p for p in points if p.kind == kind] for kind in KINDS}
    chosen: list[WordPoint] = []
    for place in range(n_words):
        for queue in queues.values():
            if place < len(queue) and len(chosen) < n_words:
                chosen.append(queue[place])
    return sorted(chosen, key=lambda point: -point.strength)


def _frequent_columns(source: Any, target: Any) -> NDArray[np.intp]:
    n_documents = np.zeros(source.shape[1], np.intp)
    for X in (source, target):
        n_documents += np.bincount(X.indices, minlength=X.shape[1])
    often = np.flatnonzero(n_documents >= _MIN_DOCUMENTS)
    if len(often) > _MAX_TERMS:
        often = np.sort(often[np.argsort(-n_documents[often], kind="stable")[:_MAX_TERMS]])
    return often


def _class_counts(
    X: Any, codes: NDArray[np.intp], columns: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number of documents with a term (row) and a class (column), and of all documents."""
    known = np.flatnonzero(codes >= 0)
    entries = np.ones(len(known), np.float32)
    members = sparse.csr_matrix(
        (entries, (codes[known], np.arange(len(known)))), shape=(n_classes, len(known))
    )
    used = X[known][:, columns]
    used.data = np.ones_like(used.data, dtype=np.float32)
    counts = np.asarray((members @ used).todense()).T.astype(np.intp)
    return counts, np.bincount(codes[known], minlength=n_classes)
