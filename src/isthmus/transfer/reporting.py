"""Write the report of a fitted model: collect its facts and choose the documents to show."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from isthmus._version import __version__
from isthmus.domains.labels import plain_label
from isthmus.estimators.ensemble._combination import make_source_only
from isthmus.files import check_writable, whole_file
from isthmus.inspection.confidence import calibration_on_source
from isthmus.inspection.documents import LabeledSample, documents_to_label
from isthmus.inspection.facts import (
    DocumentLists,
    DocumentMap,
    ReportFacts,
    ShownDocument,
    ShownText,
)
from isthmus.inspection.projection import document_coordinates, map_of_documents
from isthmus.inspection.sample import random_rows
from isthmus.inspection.word_sides import ClassWords
from isthmus.report import page
from isthmus.transfer.explaining import explain_many
from isthmus.transfer.target_report import TargetReport, find_target

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = ["Origin", "check_report_path", "document_map", "versions", "write_report"]

_MAX_BYTES = 2_000_000
_MAX_COMMAND = 300
_N_LABEL, _N_LIST = 20, 10
# Texts behind words, of both domains together.
_N_WORD_TEXTS = 300
#: Documents on the map, of each side.
_N_MAP = 400
_MAP_TEXT_LENGTH = 80
_SHOWN_TEXT_LENGTH = 400


@dataclass(frozen=True)
class Origin:
    """Where the texts came from and how to repeat the fit, if a command knows it."""

    command: str = ""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Files by domain name."""
    row_numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Rows of the documents in their files, counted from 1, by domain name."""
    note: str = ""
    """What the output of the command lacks, in one sentence."""


def check_report_path(path: str | os.PathLike[str]) -> None:
    """Raise ValueError if a report would not be opened as a web page."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"The report '{path}' is a web page: name a file that ends with .html.")


def write_report(
    model: Transfer,
    path: str | os.PathLike[str],
    domain: str | None,
    *,
    max_texts: int,
    title: str | None = None,
    origin: Origin | None = None,
) -> None:
    """Write the report of one target; see :meth:`isthmus.Transfer.report`."""
    target = find_target(model, domain, "report()")
    if isinstance(max_texts, bool) or not isinstance(max_texts, int) or max_texts < 0:
        raise ValueError(f"max_texts={max_texts!r} must be 0 or a positive integer.")
    check_report_path(path)
    check_writable(path)
    facts = _collect_facts(model, target, max_texts, origin or Origin(), title)
    text = page.render_report(facts)
    if len(text.encode()) > _MAX_BYTES:
        # Long words in many classes: the texts behind words take most of the page.
        text = page.render_report(facts.without_texts_behind_words())
    with whole_file(path) as stream:
        stream.write(text)


def _collect_facts(
    model: Transfer, target: str, max_texts: int, origin: Origin, title: str | None
) -> ReportFacts:
    """Return everything that the report of one target shows, with this many texts at most."""
    parts = TargetReport(model, target, origin.row_numbers)
    words = parts.words()
    lists, n_explained = _lists(parts, max_texts)
    texts = _texts_behind_words(parts, words, min(_N_WORD_TEXTS, max_texts - n_explained))
    X, labels = parts.source_rows
    translated = getattr(model.vectorizer_, "coverage_", None)
    return ReportFacts(
        title=title or f"Labels for {target}, learned from {parts.source_name}",
        source_name=parts.source_name,
        target_name=target,
        classes=parts.classes,
        verdict=parts.verdict,
        language=parts.language(),
        domains=parts.domains(origin.paths),
        overlap=parts.overlap(),
        dictionary="" if translated is None else str(translated),
        method=parts.method(),
        members=parts.members(),
        shares=parts.shares(),
        agreement=parts.agreement(),
        words=words,
        n_word_documents=parts.n_word_documents(),
        texts=texts,
        clusters=parts.clusters(),
        documents=lists,
        map=document_map(parts, max_texts - n_explained - len(texts)),
        coverage=parts.coverage(),
        calibration=calibration_on_source(X, labels, _plain_classifier(), len(parts.classes)),
        objective=parts.objective(),
        settings=parts.settings(),
        versions=versions(),
        command=origin.command or _python_command(model),
        numbering=parts.numbering(),
        note=origin.note,
    )


def _plain_classifier() -> Any:
    """The source-only classifier as one of scikit-learn."""
    from sklearn.linear_model import LogisticRegression

    parameters = make_source_only().get_params()
    return LogisticRegression(
        C=parameters["C"], class_weight=parameters["class_weight"], max_iter=300
    )


def versions() -> list[tuple[str, str]]:
    """Return the versions of the packages that a result may depend on."""
    found = [("isthmus", __version__), ("Python", platform.python_version())]
    for name in ("numpy", "scipy", "scikit-learn", "numba"):
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:  # pragma: no cover - it is installed in another way
            continue
    return found


def _python_command(model: Transfer) -> str:
    text = " ".join(repr(model).split())
    if len(text) > _MAX_COMMAND or "..." in text:  # the parameters are in the table
        text = "Transfer(...)"
    return f"{text}.fit(source_texts, source_labels, target_texts)"


def _lists(parts: TargetReport, max_texts: int) -> tuple[DocumentLists, int]:
    """The lists of documents, with this many texts at most, and how many texts they have."""
    labeled = parts.labeled_sample()
    chosen = (
        documents_to_label(labeled, _N_LABEL),
        labeled.disputed(_N_LIST),
        labeled.doubtful(_N_LIST),
        labeled.certain(_N_LIST),
    )
    # The first lists matter most if there are few texts.
    different = list(dict.fromkeys(int(row) for rows in chosen for row in rows))
    explained = _explanations(parts, labeled, different[:max_texts])
    to_label, disputed, doubtful, certain = (
        [_shown(parts, labeled, int(row), explained) for row in rows] for rows in chosen
    )
    is_open = labeled.is_open
    scale = parts.target.n_documents / max(1, len(is_open))
    lists = DocumentLists(
        to_label,
        disputed,
        doubtful,
        certain,
        n_disputed=round(scale * int((labeled.n_against[is_open] > 0).sum())),
        n_open=round(scale * int(is_open.sum())),
        n_voters=labeled.n_voters,
        n_sampled=len(is_open),
        is_complete=parts.target.is_complete,
    )
    return lists, len(explained)


def _explanations(parts: TargetReport, labeled: LabeledSample, rows: list[int]) -> dict[int, Any]:
    if not rows:
        return {}
    labels = [parts.classes[labeled.codes[row]] for row in rows]
    texts = [parts.text(labeled.sample, row) for row in rows]
    found = explain_many(parts.model, texts, parts.target.name, labels)
    return dict(zip(rows, found, strict=True))


def _shown(
    parts: TargetReport, labeled: LabeledSample, row: int, explained: dict[int, Any]
) -> ShownDocument:
    position = int(labeled.sample.rows[row])
    return ShownDocument(
        name=parts.document_name(labeled.sample, position),
        label=parts.classes[labeled.codes[row]],
        confidence=float(labeled.confidence[row]),
        source_only=plain_label(parts.prediction.source_only[position]),
        votes=_votes(parts, labeled, row),
        explanation=explained.get(row),
        is_cut=parts.is_cut(labeled.sample, row),
    )


def _votes(parts: TargetReport, labeled: LabeledSample, row: int) -> tuple[tuple[Any, int], ...]:
    if not labeled.votes:
        return ()
    codes = [part[row] for part in labeled.votes]
    if labeled.source_only[row] >= 0:
        codes.append(labeled.source_only[row])
    return tuple((parts.classes[code], n) for code, n in Counter(codes).most_common())


def _texts_behind_words(
    parts: TargetReport, words: list[ClassWords], max_texts: int
) -> list[ShownText]:
    """Texts of both domains, so that as many words as possible occur in one of each."""
    columns = np.array(sorted({point.column for part in words for point in part.points}), np.intp)
    if max_texts == 0 or len(columns) == 0:
        return []
    texts = []
    for sample, codes, n_texts in parts.samples(max_texts // 2):
        for row in _covering_rows(sample.X[:, columns], n_texts):
            texts.append(
                ShownText(
                    is_target=sample.is_target,
                    name=parts.document_name(sample, int(sample.rows[row])),
                    label=parts.classes[codes[row]] if codes[row] >= 0 else None,
                    text=parts.text(sample, row)[:_SHOWN_TEXT_LENGTH],
                    columns=frozenset(columns[sample.X[row, columns].indices].tolist()),
                )
            )
    return texts


def _covering_rows(X: Any, n_rows: int) -> list[int]:
    """Rows in which as many columns as possible occur, each of them twice; the best first."""
    X = sparse.csr_matrix(X)
    X.sort_indices()
    missing = np.full(X.shape[1], 2)
    seen: set[bytes] = set()
    chosen: list[int] = []
    gains = np.diff(X.indptr)
    for row in np.argsort(-gains, kind="stable"):
        if len(chosen) == n_rows:
            break
        used = X.indices[X.indptr[row] : X.indptr[row + 1]]
        # Copies of a document have the same words.
        if (missing[used] > 0).any() and used.tobytes() not in seen:
            seen.add(used.tobytes())
            missing[used] -= 1
            chosen.append(int(row))
    return chosen


def document_map(parts: TargetReport, max_texts: int) -> DocumentMap | None:
    """Some documents of both domains on a map; None if there are too few with words.

    At most ``max_texts`` of them have the beginning of their text.
    """
    kept = []
    for sample, codes, n_points in parts.samples(_N_MAP):
        filled = np.flatnonzero((np.diff(sample.X.indptr) > 0) & (codes >= 0))
        kept.append((sample, codes, random_rows(filled, n_points)))
    shown = [(sample, int(row)) for sample, _, rows in kept for row in rows]
    if len(shown) < 3:
        return None
    X = sparse.vstack([sample.X[rows] for sample, _, rows in kept], format="csr")
    with_text = set(random_rows(np.arange(len(shown)), max_texts).tolist())
    return DocumentMap(
        map_of_documents(document_coordinates(X)),
        np.concatenate([codes[rows] for _, codes, rows in kept]),
        np.array([sample.is_target for sample, _ in shown]),
        [parts.document_name(sample, int(sample.rows[row])) for sample, row in shown],
        [
            parts.text(sample, row)[:_MAP_TEXT_LENGTH] if place in with_text else ""
            for place, (sample, row) in enumerate(shown)
        ],
    )
