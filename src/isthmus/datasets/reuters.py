"""Loaders for Reuters-21578: its orgs / people / places transfer tasks, and all stories."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from isthmus.datasets.corpus_files import (
    CORPUS_FILES,
    read_columns,
    read_json_lines,
    read_text,
    stack_rows,
    verified_path,
)

__all__ = [
    "REUTERS_FILES",
    "REUTERS_TASKS",
    "CrossDomain",
    "ReutersStories",
    "load_reuters_categories",
    "load_reuters_cross_domain",
    "load_reuters_stories",
]

REUTERS_FILES = {
    "orgs_people": CORPUS_FILES["reuters21578/cross-domain/orgs_people.jsonl.gz"],
    "orgs_places": CORPUS_FILES["reuters21578/cross-domain/orgs_places.jsonl.gz"],
    "people_places": CORPUS_FILES["reuters21578/cross-domain/people_places.jsonl.gz"],
}
_STORIES_FILE = CORPUS_FILES["reuters21578/reuters21578.jsonl.gz"]
_CATEGORIES_FILE = CORPUS_FILES["reuters21578/categories.json"]
REUTERS_TASKS = tuple(REUTERS_FILES)
"""Names of the Reuters transfer tasks."""
_CATEGORIES = ("topics", "orgs", "people", "places", "exchanges")


@dataclass(frozen=True)
class CrossDomain:
    """A transfer task; see :func:`isthmus.datasets.load_reuters_cross_domain`.

    Attributes
    ----------
    source, target : scipy.sparse.csr_matrix
        Documents by terms, with one vocabulary.
    source_labels, target_labels : ndarray of str
        The class name of each document.
    """

    source: sparse.csr_matrix
    source_labels: np.ndarray
    target: sparse.csr_matrix
    target_labels: np.ndarray


def load_reuters_cross_domain(
    task: str, data_home: str | os.PathLike[str] | None = None
) -> CrossDomain:
    """Load one of the three Reuters transfer tasks.

    The values are the published weights, (1 + ln(N / df)) times a factor of the document for every
    term that occurs. Term counts cannot be recovered; ``source > 0`` tells whether a term occurs.

    Parameters
    ----------
    task : {"orgs_people", "orgs_places", "people_places"}
        The task.
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.

    Returns
    -------
    CrossDomain
        Source and target documents with class names.

    References
    ----------
    Dai, Xue, Yang, Yu: Co-clustering based classification for out-of-domain documents.
    KDD 2007.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_reuters_cross_domain
    >>> task = load_reuters_cross_domain("orgs_people")  # doctest: +SKIP
    >>> task.source.shape, task.target.shape  # doctest: +SKIP
    ((1237, 4771), (1208, 4771))
    """
    if task not in REUTERS_FILES:
        raise ValueError(f"Unknown Reuters task {task!r}: use one of {', '.join(REUTERS_TASKS)}.")
    records = list(read_json_lines(verified_path(REUTERS_FILES[task], data_home)))
    n_terms = max((record["idx"][-1] + 1 for record in records if record["idx"]), default=0)
    parts: list[Any] = []
    for domain in ("source", "target"):
        chosen = [record for record in records if record["domain"] == domain]
        rows = [
            (np.asarray(record["idx"], np.int32), np.asarray(record["val"], np.float64))
            for record in chosen
        ]
        parts += stack_rows(rows, n_terms), np.array([record["class"] for record in chosen])
    return CrossDomain(*parts)


@dataclass(frozen=True)
class ReutersStories:
    """All stories, by number; see :func:`isthmus.datasets.load_reuters_stories`.

    Attributes
    ----------
    ids : list of int
        The publisher's numbers (NEWID), 1 to 21578.
    titles, bodies : list of str
        Either may be empty, see ``text_types``; the closing line "Reuter" is kept.
    topics, orgs, people, places, exchanges : list of tuple of str
        The categories of each story in the order of the source; a few are repeated.
    lewis_splits : list of str
        ``TRAIN``, ``TEST`` or ``NOT-USED``.
    cgi_splits : list of str
        ``TRAINING-SET`` or ``PUBLISHED-TESTSET``.
    topics_attributes : list of str
        ``YES``, ``NO`` or ``BYPASS``: whether the story was indexed with topics.
    text_types : list of str
        ``NORM``, ``BRIEF`` (a title without a body) or ``UNPROC`` (all text in the body).
    dates, datelines : list of str
        As printed.
    """

    ids: list[int]
    titles: list[str]
    bodies: list[str]
    topics: list[tuple[str, ...]]
    orgs: list[tuple[str, ...]]
    people: list[tuple[str, ...]]
    places: list[tuple[str, ...]]
    exchanges: list[tuple[str, ...]]
    lewis_splits: list[str]
    cgi_splits: list[str]
    topics_attributes: list[str]
    text_types: list[str]
    dates: list[str]
    datelines: list[str]

    @property
    def texts(self) -> list[str]:
        """The title, a line break, and the body of each story."""
        return [f"{title}\n{body}" for title, body in zip(self.titles, self.bodies, strict=True)]


def load_reuters_stories(data_home: str | os.PathLike[str] | None = None) -> ReutersStories:
    """Load the 21,578 stories.

    The ModApte split has ``YES`` in ``topics_attributes`` and ``TRAIN`` or ``TEST`` in
    ``lewis_splits``. The texts are free for research only; published results should cite
    "Reuters-21578, Distribution 1.0".

    Parameters
    ----------
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.

    Returns
    -------
    ReutersStories
        Texts, categories, splits and dates.

    References
    ----------
    Lewis: Reuters-21578 text categorization test collection, Distribution 1.0. 1997.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_reuters_stories
    >>> len(load_reuters_stories().texts)  # doctest: +SKIP
    21578
    """
    fields = {
        **{name: name for name in _CATEGORIES},
        "ids": "id",
        "titles": "title",
        "bodies": "body",
        "lewis_splits": "lewissplit",
        "cgi_splits": "cgisplit",
        "topics_attributes": "topics_attr",
        "text_types": "text_type",
        "dates": "date",
        "datelines": "dateline",
    }
    columns = read_columns(_STORIES_FILE, data_home, fields)
    for name in _CATEGORIES:
        columns[name] = list(map(tuple, columns[name]))
    return ReutersStories(**columns)


def load_reuters_categories(
    data_home: str | os.PathLike[str] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Load the publisher's list of categories.

    Parameters
    ----------
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.

    Returns
    -------
    dict of str to tuple of str
        The names of "topics", "orgs", "people", "places" and "exchanges"; some categories have
        no story.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_reuters_categories
    >>> {kind: len(names) for kind, names in load_reuters_categories().items()}  # doctest: +SKIP
    {'topics': 135, 'orgs': 56, 'people': 267, 'places': 175, 'exchanges': 39}
    """
    categories = json.loads(read_text(verified_path(_CATEGORIES_FILE, data_home)))
    return {kind: tuple(names) for kind, names in categories.items()}
