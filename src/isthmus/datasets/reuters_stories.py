"""Loader for all stories of Reuters-21578 as texts, with their five kinds of categories."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from isthmus.datasets.corpus_files import CorpusFile, read_json_lines, read_text, verified_path

__all__ = [
    "ReutersStories",
    "load_reuters_categories",
    "load_reuters_stories",
]

_STORIES_FILE = CorpusFile(
    "reuters21578/reuters21578.jsonl.gz",
    "b3a8a757e8473d126ad5c3d88e4790cceb0dd4aac5cd16faa4bf676bfcd4bc6a",
)
_CATEGORIES_FILE = CorpusFile(
    "reuters21578/categories.json",
    "e6e346f65e729ec8dcb0bef6001c2edb77a7225cc411494a17f3c26e92b5f39a",
)


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
    records = list(read_json_lines(verified_path(_STORIES_FILE, data_home)))
    return ReutersStories(
        ids=[record["id"] for record in records],
        titles=[record["title"] for record in records],
        bodies=[record["body"] for record in records],
        topics=[tuple(record["topics"]) for record in records],
        orgs=[tuple(record["orgs"]) for record in records],
        people=[tuple(record["people"]) for record in records],
        places=[tuple(record["places"]) for record in records],
        exchanges=[tuple(record["exchanges"]) for record in records],
        lewis_splits=[record["lewissplit"] for record in records],
        cgi_splits=[record["cgisplit"] for record in records],
        topics_attributes=[record["topics_attr"] for record in records],
        text_types=[record["text_type"] for record in records],
        dates=[record["date"] for record in records],
        datelines=[record["dateline"] for record in records],
    )


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
