"""The facts about one target of a fitted model, for reports, figures, notebooks and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.estimators.ensemble.judge import gives_verdicts
from isthmus.estimators.registry import METHODS
from isthmus.inspection.confidence import Coverage, coverage
from isthmus.inspection.documents import LabeledSample
from isthmus.inspection.facts import (
    ClassShare,
    DomainFacts,
    MemberFacts,
    MethodFacts,
    WordCluster,
)
from isthmus.inspection.sample import DomainSample
from isthmus.inspection.word_sides import (
    ClassWords,
    LabeledDocuments,
    VocabularyOverlap,
    vocabulary_overlap,
    word_sides,
)
from isthmus.report.notebook import N_WORDS, TargetSummary, render_summary
from isthmus.transfer.words import joins_languages, spellings

if TYPE_CHECKING:
    from isthmus.estimators.base.verdict import Verdict
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.prediction import Prediction

__all__ = ["TargetReport", "find_target", "summary_html", "target_frame"]

# Classes whose words are shown, words of all of them together, and words of one class.
_MAX_CLASSES, _MAX_WORDS, _MAX_CLASS_WORDS = 50, 1_600, 160
# Longer texts are cut.
_MAX_TEXT_LENGTH = 2_000
_CLUSTER_WORDS = 8
_MAX_SETTING_LENGTH = 200


class TargetReport:
    """The facts about one target of a fitted model; each part is computed when it is asked for."""

    def __init__(
        self, model: Transfer, target: str, row_numbers: Mapping[str, Sequence[int]] | None = None
    ) -> None:
        self.model = model
        self._row_numbers = row_numbers or {}
        self.target: DomainSample = model.report_sample_[target]
        self.sources = [part for part in model.report_sample_.values() if not part.is_target]
        self.prediction: Prediction = model.targets_[target]
        self.verdict: Verdict | None = model.verdicts_.get(target)
        self.classes: list[Any] = model.classes_.tolist()
        self._codes = {label: code for code, label in enumerate(self.classes)}

    @property
    def source_name(self) -> str:
        """The name of the source, or of all of them."""
        return " + ".join(part.name for part in self.sources)

    def samples(self, n: int) -> list[tuple[DomainSample, NDArray[np.intp], int]]:
        """Every domain with the class numbers of its sampled documents, and its part of a number.

        The sources together have ``n``, and so has the target, whose labels are those found.
        """
        target = (self.target, self.found_codes[self.target.rows], n)
        return [*((part, part.labels, n // len(self.sources)) for part in self.sources), target]

    @property
    def source_rows(self) -> tuple[Any, NDArray[np.intp]]:
        """Sampled documents of all sources and their class numbers."""
        labels = np.concatenate([part.labels for part in self.sources])
        return sparse.vstack([part.X for part in self.sources], format="csr"), labels

    def codes(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Class numbers of labels; -1 for a label that is not a class of the model."""
        return np.array([self._codes.get(label, -1) for label in labels.tolist()], np.intp)

    @cached_property
    def found_codes(self) -> NDArray[np.intp]:
        """Class numbers of the labels of all documents of the target."""
        return self.codes(self.prediction.labels)

    @cached_property
    def source_only_codes(self) -> NDArray[np.intp]:
        """The same by the source-only classifier."""
        return self.codes(self.prediction.source_only)

    @property
    def _all_rows(self) -> slice:
        """The documents of the target among those of all domains."""
        return slice(self.target.start, self.target.start + self.target.n_documents)

    def labeled_sample(self) -> LabeledSample:
        """The sampled documents of the target with labels and votes."""
        rows, prediction = self.target.rows, self.prediction
        return LabeledSample(
            sample=self.target,
            codes=self.found_codes[rows],
            confidence=prediction.confidence[rows].astype(np.float64),
            source_only=self.source_only_codes[rows],
            votes=[
                member.memberships[self.target.start + rows].argmax(axis=1)
                for member in self.voting_members()
            ],
            is_open=(self.target.labels < 0) & ~prediction.without_words[rows],
        )

    @property
    def is_automatic(self) -> bool:
        """Whether the automatic method was used."""
        return gives_verdicts(self.model.estimator_)

    def voting_members(self) -> list[Any]:
        """The members of the automatic method whose labels count as votes.

        These are not the source-only classifier, which comes first, and not the members that were
        fitted again at the end: they would vote twice.
        """
        if not self.is_automatic:
            return []
        estimator = self.model.estimator_
        members = estimator.members_[1 : 1 + len(estimator.member_names)]
        return [member for member in members if not member.left_out]

    def is_disputed(self) -> NDArray[np.bool_]:
        """Which labels differ from that of a member or of the source-only classifier."""
        disputed = np.asarray(self.prediction.labels != self.prediction.source_only, np.bool_)
        for member in self.voting_members():
            disputed |= member.memberships[self._all_rows].argmax(axis=1) != self.found_codes
        return disputed

    def members(self) -> list[MemberFacts]:
        """Every fit of the automatic method; empty for other methods."""
        if not self.is_automatic:
            return []
        is_open = self.is_unlabeled
        facts: list[MemberFacts] = []
        for member in self.model.estimator_.members_:
            agreement = None
            if not member.left_out:
                agrees = member.memberships[self._all_rows].argmax(axis=1) == self.found_codes
                agreement = float(agrees[is_open].mean()) if is_open.any() else None
            summary = METHODS[member.name].summary if member.name in METHODS else ""
            if not facts:  # the first one is the source-only classifier
                summary = "logistic regression on the labeled documents"
            note = member.note if member.left_out else ""
            facts.append(MemberFacts(member.name, member.seconds, agreement, summary, note))
        if self.target.is_labeled.any():  # it learned from labels of the target too
            facts[0] = replace(facts[0], name="logistic regression on all given labels")
        return facts

    @property
    def is_unlabeled(self) -> NDArray[np.bool_]:
        """Which of all documents of the target have no given label."""
        return ~self.target.is_labeled

    def agreement(self) -> float:
        """Part of the labels found that are those of the source-only classifier."""
        agrees = self.prediction.labels == self.prediction.source_only
        return float(agrees[self.is_unlabeled].mean()) if self.is_unlabeled.any() else 1.0

    def coverage(self) -> Coverage | None:
        """Confidence of the labels found; None if there are none."""
        counted = self.is_unlabeled & ~self.prediction.without_words
        return coverage(self.prediction.confidence[counted])

    def document_name(self, sample: DomainSample, row: int) -> str:
        """How the caller calls a document: its row in the file, its index or its position."""
        if sample.name in self._row_numbers:
            return f"row {self._row_numbers[sample.name][row]}"
        return f"document {sample.name_of(row)}"

    def numbering(self) -> str:
        """How documents are named, in one sentence."""
        if self._row_numbers:
            return "Rows of a file are counted from 1, without the header."
        if self.target.index is None:
            return "Documents are named by their position, counted from 0."
        return "Documents are named by their index."

    def text(self, sample: DomainSample, place: int) -> str:
        """A kept text as people read it: without markup if the texts are web pages, and cut."""
        return self._readable(sample.texts[place])[:_MAX_TEXT_LENGTH]

    def is_cut(self, sample: DomainSample, place: int) -> bool:
        """Whether :meth:`text` lacks the end of the text."""
        return len(self._readable(sample.texts[place])) > _MAX_TEXT_LENGTH

    def _readable(self, text: str) -> str:
        return text if self._strip_html is None else self._strip_html(text)

    @cached_property
    def _strip_html(self) -> Callable[[str], str] | None:
        vectorizer: Any = self.model.vectorizer_
        part = vectorizer.target_ if joins_languages(vectorizer) else vectorizer
        if not getattr(part, "html", False):
            return None
        from isthmus.text.strip_html import make_html_stripper

        return make_html_stripper()

    def method(self) -> MethodFacts:
        """Which method was used, and why."""
        estimator = self.model.estimator_
        path = f"{type(estimator).__module__}:{type(estimator).__name__}"
        known = [method for method in METHODS.values() if method.estimator == path]
        summary = known[0].summary if known else ""
        decision = estimator.decision_ if self.is_automatic else "It was chosen by the user."
        return MethodFacts(type(estimator).__name__, summary, self.is_automatic, decision)

    def shares(self) -> list[ClassShare]:
        """Labels found per class, beside those of the source and of the source-only classifier."""
        n_classes = len(self.classes)
        source = np.sum([part.class_counts for part in self.sources], axis=0)
        found, source_only = (
            np.bincount(codes[codes >= 0], minlength=n_classes)
            for codes in (self.found_codes, self.source_only_codes)
        )
        parts = [counts / max(1, counts.sum()) for counts in (source, found, source_only)]
        estimates = {} if self.verdict is None else self.verdict.class_prior
        return [
            ClassShare(
                label,
                int(source[code]),
                float(parts[0][code]),
                int(found[code]),
                float(parts[1][code]),
                int(source_only[code]),
                float(parts[2][code]),
                estimates.get(label),
            )
            for code, label in enumerate(self.classes)
        ]

    def domains(self, paths: Mapping[str, str]) -> list[DomainFacts]:
        """What was read."""
        n_without_words = int(self.prediction.without_words.sum())
        return [
            DomainFacts(
                name=part.name,
                is_target=part.is_target,
                n_documents=part.n_documents,
                n_labeled=int(part.class_counts.sum()),
                n_without_words=n_without_words if part.is_target else None,
                path=paths.get(part.name),
            )
            for part in (*self.sources, self.target)
        ]

    def _used_terms(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which terms occur in the sources and in the target, of all their documents."""
        totals = self.model.estimator_.term_totals_
        in_source = np.any([totals[part.number] > 0 for part in self.sources], axis=0)
        return in_source, np.asarray(totals[self.target.number] > 0)

    def overlap(self) -> VocabularyOverlap:
        """Words that the target has in common with the sources."""
        return vocabulary_overlap(*self._used_terms(), self.target.X)

    def n_word_documents(self) -> tuple[int, int] | None:
        """Numbers of documents in which words were counted; None if these were all."""
        if all(part.is_complete for part in (*self.sources, self.target)):
            return None
        return sum(len(part.rows) for part in self.sources), len(self.target.rows)

    def words(self) -> list[ClassWords]:
        """Words that take a side in the source or in the target, of the largest classes."""
        X, labels = self.source_rows
        rows = self.target.rows
        predicted = self.found_codes[rows]  # a copy
        predicted[self.prediction.without_words[rows]] = -1
        names = [
            spellings(self.model.vectorizer_, number)
            for number in (self.sources[0].number, self.target.number)
        ]
        if names[0] is None or names[1] is None:  # the vectorizer has no names, as with hashing
            return []
        in_source, in_target = self._used_terms()
        sizes = [(-share.n_found - share.n_source, i) for i, share in enumerate(self.shares())]
        shown = sorted(i for _, i in sorted(sizes)[:_MAX_CLASSES])
        return word_sides(
            LabeledDocuments(X, labels, names[0], in_source),
            LabeledDocuments(self.target.X, predicted, names[1], in_target),
            self.classes,
            shown,
            min(_MAX_CLASS_WORDS, _MAX_WORDS // len(shown)),
        )

    def clusters(self) -> list[WordCluster]:
        """Word clusters with the class that each is associated with most; empty without any."""
        if not self.model.has_word_clusters:
            return []
        associations = self.model.cluster_associations()
        return [
            WordCluster(
                number,
                self.classes[int(associations[number].argmax())],
                float(associations[number].max()),
                words,
            )
            for number, words in self.model.top_cluster_words(_CLUSTER_WORDS).items()
        ]

    def settings(self) -> list[tuple[str, str]]:
        """Parameters of the model and of the method that have another value than None."""
        model = self.model
        rows = settings_of(model.estimator_)
        if hasattr(model.vectorizer_, "get_params"):
            rows += settings_of(model.vectorizer_)
        kind = f"{type(model).__name__} "
        return [(name.removeprefix(kind), value) for name, value in settings_of(model)] + rows

    def objective(self) -> NDArray[np.float64] | None:
        """The objective after every iteration; None for methods without one."""
        values = getattr(self.model.estimator_, "objective_", None)
        if values is None or np.ndim(values) != 1 or len(values) < 2:
            return None
        return np.asarray(values, np.float64)

    def language(self) -> str:
        """The language of the texts, or both of them."""
        from isthmus.text.languages import find_language

        vectorizer: Any = self.model.vectorizer_
        if joins_languages(vectorizer):
            source, target = (
                find_language(part.language_) or "no named language"
                for part in (vectorizer.source_, vectorizer.target_)
            )
            return f"from {source} to {target}"
        if not hasattr(vectorizer, "language_"):
            return "unknown, because a vectorizer of your own was used"
        return find_language(vectorizer.language_) or "no named language"


def settings_of(estimator: Any) -> list[tuple[str, str]]:
    """Parameters of an estimator that have another value than None."""
    kind, parameters = type(estimator).__name__, estimator.get_params(deep=False).items()
    return [(f"{kind} {name}", _shown_value(v)) for name, v in parameters if v is not None]


def _shown_value(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _MAX_SETTING_LENGTH else f"{text[:_MAX_SETTING_LENGTH]} ..."


def find_target(model: Transfer, domain: str | None, purpose: str) -> str:
    """The name of the target to show; ValueError if it is not known or was not fitted here."""
    number = model._domain_number(domain)
    (name,) = (name for name, other in model.domains_.items() if other == number)
    if number >= 0:
        raise ValueError(f"{name!r} is a source: {purpose} is about a target.")
    if "report_sample_" not in vars(model):
        raise ValueError(
            f"{purpose} is about the fitted texts, which a model file does not hold: call it "
            "before the model is saved, or fit again."
        )
    return str(name)


def target_frame(model: Transfer, domain: str | None) -> Any:
    """Return one row per text of the target; see :meth:`isthmus.Transfer.to_frame`."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "to_frame() needs pandas, which is not installed: pip install pandas."
        ) from None
    parts = TargetReport(model, find_target(model, domain, "to_frame()"))
    prediction, index = parts.prediction, parts.target.index

    def labels(values: NDArray[Any]) -> Any:
        # The type of strings of pandas 3 does not take all of them, as halves of surrogate pairs.
        return pd.Series(values, index, object if values.dtype.kind in "OU" else None)

    return pd.DataFrame(
        {
            "label": labels(prediction.labels),
            "confidence": prediction.confidence,
            "source_only": labels(prediction.source_only),
            "agrees": np.asarray(prediction.labels == prediction.source_only, np.bool_),
            "disputed": parts.is_disputed(),
            "given": parts.target.is_labeled,
            "without_words": prediction.without_words,
        },
        index=index,
    )


def summary_html(model: Transfer) -> str:
    """What a notebook shows of a model; one from a file has no label shares."""
    words = model.top_words(N_WORDS)
    has_texts = "report_sample_" in vars(model)
    summaries = [
        TargetSummary(
            name=name,
            sources=[other for other, number in model.domains_.items() if number >= 0],
            method=type(model.estimator_).__name__,
            verdict=model.verdicts_.get(name),
            shares=TargetReport(model, name).shares() if has_texts else None,
            words=words,
        )
        for name, number in model.domains_.items()
        if number < 0
    ]
    return render_summary(summaries)
