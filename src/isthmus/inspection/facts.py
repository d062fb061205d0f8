"""All facts that a report of a fitted model shows, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus.estimators.base.verdict import Interval, Verdict
from isthmus.inspection.confidence import Calibration, Coverage
from isthmus.inspection.explanation import Explanation
from isthmus.inspection.word_sides import ClassWords, VocabularyOverlap

__all__ = [
    "ClassShare",
    "DocumentLists",
    "DocumentMap",
    "DomainFacts",
    "MemberFacts",
    "MethodFacts",
    "ReportFacts",
    "ShownDocument",
    "ShownText",
    "WordCluster",
]


@dataclass(frozen=True)
class DomainFacts:
    """What was read of one domain."""

    name: str
    is_target: bool
    n_documents: int
    n_labeled: int
    n_without_words: int | None = None
    """Number of documents without a known word; only of the target."""
    path: str | None = None
    """The file, if the texts came from one."""


@dataclass(frozen=True)
class MethodFacts:
    """Which method was used, and why."""

    name: str
    summary: str
    is_automatic: bool
    decision: str
    """How the labels came about, in one or two sentences."""


@dataclass(frozen=True)
class MemberFacts:
    """One fit of the automatic method."""

    name: str
    seconds: float
    agreement: float | None
    """Part of the documents of the target that have the same label; None if it was left out."""
    summary: str
    """What the method does."""
    note: str
    """Why it was left out; empty otherwise."""


@dataclass(frozen=True)
class ClassShare:
    """How many documents a class has; parts are of all documents of that kind."""

    label: Any
    n_source: int
    source: float
    n_found: int
    found: float
    n_source_only: int
    source_only: float
    """Documents of the target that the source-only classifier gives this class."""
    estimate: Interval | None
    """Estimated part of the class in the target; None without a verdict."""


@dataclass(frozen=True)
class WordCluster:
    """A group of words that the method found, by domain name."""

    number: int
    label: Any
    """The class with which it is associated most."""
    association: float
    words: Mapping[str, list[str]]


@dataclass(frozen=True)
class ShownDocument:
    """A document of the target that is shown in a list."""

    name: str
    """How the caller calls it, such as its row."""
    label: Any
    confidence: float
    source_only: Any
    votes: tuple[tuple[Any, int], ...]
    """Labels by the members of the automatic method and the source-only classifier, with the number
    of votes, most votes first; empty for other methods."""
    explanation: Explanation | None
    """Text and words that decided; None if texts are left out."""
    is_cut: bool = False
    """Whether only the beginning of the text was explained."""


@dataclass(frozen=True)
class DocumentLists:
    """Documents of the target that deserve a look."""

    to_label: list[ShownDocument]
    disputed: list[ShownDocument]
    doubtful: list[ShownDocument]
    certain: list[ShownDocument]
    n_disputed: int
    """Number of all documents on which a member or the source-only classifier disagrees."""
    n_open: int
    """Number of documents that were labeled and have words."""
    n_voters: int
    n_sampled: int
    """Number of documents from which the lists were chosen."""
    is_complete: bool
    """Whether these were all documents."""


@dataclass(frozen=True)
class ShownText:
    """A text behind words, from either domain."""

    is_target: bool
    name: str
    label: Any
    text: str
    columns: frozenset[int]
    """Terms of the text."""


@dataclass(frozen=True)
class DocumentMap:
    """Places of documents of both domains in a square from 0 to 1."""

    places: NDArray[np.float64]
    codes: NDArray[np.intp]
    """Class numbers: given in the source, predicted in the target."""
    is_target: NDArray[np.bool_]
    names: list[str]
    texts: list[str]
    """The beginning of every text; empty strings if texts are left out."""


@dataclass(frozen=True)
class ReportFacts:
    """Everything that a report shows."""

    title: str
    source_name: str
    target_name: str
    classes: Sequence[Any]
    verdict: Verdict | None
    language: str
    domains: list[DomainFacts]
    overlap: VocabularyOverlap
    dictionary: str
    """How words of the target were translated; empty for one language."""
    method: MethodFacts
    members: list[MemberFacts]
    shares: list[ClassShare]
    agreement: float
    """Part of the labels that are those of the source-only classifier."""
    words: list[ClassWords]
    n_word_documents: tuple[int, int] | None
    """Numbers of sampled documents in which words were counted; None if these were all."""
    texts: list[ShownText]
    clusters: list[WordCluster]
    documents: DocumentLists
    map: DocumentMap | None
    coverage: Coverage | None
    calibration: Calibration | None
    objective: NDArray[np.float64] | None
    """Objective after every iteration; None for methods without one."""
    settings: list[tuple[str, str]]
    versions: list[tuple[str, str]]
    command: str
    numbering: str
    """How documents are named, in one sentence."""
    note: str = ""
    """What the output of the command lacks, in one sentence."""

    @property
    def target(self) -> DomainFacts:
        """What was read of the target."""
        return next(domain for domain in self.domains if domain.is_target)

    def without_texts_behind_words(self) -> ReportFacts:
        """The same facts without the texts behind words and on the map, for a smaller page."""
        points = self.map
        if points is not None:
            points = replace(points, texts=[""] * len(points.texts))
        return replace(self, texts=[], map=points)
