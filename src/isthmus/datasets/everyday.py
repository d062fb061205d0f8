"""Loader for the everyday scenarios: the same classes in texts from different origins."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.datasets.corpus_files import (
    CORPUS_FILES,
    CorpusFile,
    read_json_lines,
    select_names,
    verified_path,
)

__all__ = [
    "EVERYDAY_DOMAINS",
    "EVERYDAY_FILES",
    "EVERYDAY_SCENARIOS",
    "EverydayTexts",
    "load_everyday",
]

# A file has a few megabytes after decompression.
_MAX_LINE_BYTES = 4 * 1024**2
_MAX_FILE_BYTES = 64 * 1024**2


def _files_of_scenarios() -> dict[str, dict[str, CorpusFile]]:
    scenarios: dict[str, dict[str, CorpusFile]] = {}
    for path, file in CORPUS_FILES.items():
        if path.startswith("everyday/"):
            _, scenario, name = path.split("/")
            scenarios.setdefault(scenario, {})[name.removesuffix(".jsonl.gz")] = file
    return scenarios


EVERYDAY_FILES = _files_of_scenarios()
EVERYDAY_SCENARIOS = tuple(EVERYDAY_FILES)
"""Names of the everyday scenarios."""
EVERYDAY_DOMAINS = {scenario: tuple(files) for scenario, files in EVERYDAY_FILES.items()}
"""Domains of every everyday scenario."""


@dataclass(frozen=True)
class EverydayTexts:
    """Texts of a scenario with their classes; see :func:`isthmus.datasets.load_everyday`.

    Attributes
    ----------
    texts : list of str
        The texts; white space is collapsed.
    labels : list of str
        The class of each text; all domains of a scenario have the same classes.
    domains : list of str
        The domain of each text: a publisher, a channel, a project, an event or a language.
    """

    texts: list[str]
    labels: list[str]
    domains: list[str]


def load_everyday(
    scenario: str,
    data_home: str | os.PathLike[str] | None = None,
    domains: str | Collection[str] | None = None,
) -> EverydayTexts:
    """Load the texts of a scenario, domain after domain in alphabetical order.

    A domain has at most 4,000 texts. The class proportions of the domains differ.

    Parameters
    ----------
    scenario : str
        One of ``EVERYDAY_SCENARIOS``, such as "news_publishers" or "spam_channels".
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.
    domains : str or collection of str, default=None
        Some of ``EVERYDAY_DOMAINS[scenario]``; by default all.

    Returns
    -------
    EverydayTexts
        Texts, labels and domains.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_everyday
    >>> texts = load_everyday("spam_channels")  # doctest: +SKIP
    >>> sorted(set(texts.labels))  # doctest: +SKIP
    ['ham', 'spam']
    """
    if scenario not in EVERYDAY_FILES:
        raise ValueError(
            f"Unknown everyday scenario {scenario!r}: use one of {', '.join(EVERYDAY_SCENARIOS)}."
        )
    known = EVERYDAY_DOMAINS[scenario]
    selected = select_names(domains, known, "domain", f"the scenario '{scenario}'")
    texts = EverydayTexts([], [], [])
    for domain in sorted(selected):
        path = verified_path(EVERYDAY_FILES[scenario][domain], data_home)
        records = read_json_lines(
            path, max_line_bytes=_MAX_LINE_BYTES, max_total_bytes=_MAX_FILE_BYTES
        )
        for number, record in enumerate(records, start=1):
            texts.texts.append(_field(record, "text", path, number))
            texts.labels.append(_field(record, "label", path, number))
            texts.domains.append(domain)
    return texts


def _field(record: dict[str, Any], name: str, path: Path, number: int) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"Record {number} of '{path}' has no text in the field '{name}': copy the file again."
        )
    return value
