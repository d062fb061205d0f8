"""Collect what a report shows from a fitted model, and write it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus._version import __version__
from isthmus.estimators.ensemble._combination import make_source_only
from isthmus.files import check_writable, whole_file
from isthmus.inspection.confidence import calibration_on_source
from isthmus.inspection.facts import ReportFacts
from isthmus.report import page
from isthmus.transfer.report_documents import collect_documents
from isthmus.transfer.target_report import TargetReport

if TYPE_CHECKING:
    from isthmus.transfer.model import Transfer

__all__ = ["Origin", "check_report_path", "collect_facts", "write_report"]

_MAX_BYTES = 2_000_000
_MAX_COMMAND = 300


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
    target: str,
    *,
    max_texts: int,
    title: str | None = None,
    origin: Origin | None = None,
) -> None:
    """Write the report of one target; see :meth:`isthmus.Transfer.report`."""
    if isinstance(max_texts, bool) or not isinstance(max_texts, int) or max_texts < 0:
        raise ValueError(f"max_texts={max_texts!r} must be 0 or a positive integer.")
    check_report_path(path)
    check_writable(path)
    facts = collect_facts(model, target, max_texts, origin or Origin(), title)
    text = page.render_report(facts)
    if len(text.encode()) > _MAX_BYTES:
        # Long words in many classes: the texts behind words take most of the page.
        text = page.render_report(facts.without_texts_behind_words())
    with whole_file(path) as stream:
        stream.write(text)


def collect_facts(
    model: Transfer, target: str, max_texts: int, origin: Origin, title: str | None
) -> ReportFacts:
    """Return everything that the report of one target shows, with this many texts at most."""
    parts = TargetReport(model, target, origin.row_numbers)
    words = parts.words()
    documents = collect_documents(parts, words, max_texts)
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
        texts=documents.texts,
        clusters=parts.clusters(),
        documents=documents.lists,
        map=documents.map,
        coverage=parts.coverage(),
        calibration=calibration_on_source(X, labels, _plain_classifier(), len(parts.classes)),
        objective=parts.objective(),
        settings=parts.settings(),
        versions=_versions(),
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


def _versions() -> list[tuple[str, str]]:
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
