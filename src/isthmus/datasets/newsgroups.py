"""Loader for 20 Newsgroups, the "bydate" version."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from isthmus.datasets.corpus_files import (
    CORPUS_FILES,
    DataNotFoundError,
    read_json_lines,
    select_names,
    verified_path,
)

__all__ = ["NEWSGROUPS", "NEWSGROUPS_FILE", "Newsgroups", "load_newsgroups"]

NEWSGROUPS_FILE = CORPUS_FILES["20newsgroups/20newsgroups-bydate.jsonl.gz"]

NEWSGROUPS = (
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
)
"""Names of the 20 newsgroups."""


@dataclass(frozen=True)
class Newsgroups:
    """Articles of 20 Newsgroups; see :func:`isthmus.datasets.load_newsgroups`.

    Attributes
    ----------
    texts : list of str
        The articles, including the remaining headers.
    groups : list of str
        The newsgroup of each article.
    ids : list of str
        ``<split>/<group>/<number>`` of each article.
    """

    texts: list[str]
    groups: list[str]
    ids: list[str]


def load_newsgroups(
    data_home: str | os.PathLike[str] | None = None,
    groups: str | Collection[str] | None = None,
    *,
    fetch: bool = False,
) -> Newsgroups:
    """Load the articles of some or all newsgroups.

    Training articles come before test articles, within a split they are sorted by group and
    number.

    Parameters
    ----------
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``. With ``fetch``, the folder of
        scikit-learn's data sets; by default scikit-learn's own choice.
    groups : str or collection of str, default=None
        The newsgroups; by default all 20.
    fetch : bool, default=False
        Whether to get the articles from :func:`sklearn.datasets.fetch_20newsgroups`, which
        downloads them once (14 MB), instead of the data folder. It is the same version; a few
        articles may differ in their line ends from the file that the benchmark uses.

    Returns
    -------
    Newsgroups
        Texts, groups and ids.

    Raises
    ------
    DataNotFoundError
        If the file does not exist or cannot be downloaded.
    ChecksumError
        If the file has other content.

    References
    ----------
    Lang: NewsWeeder: Learning to filter netnews. ICML 1995.

    Examples
    --------
    Without files of your own, scikit-learn downloads them:

    >>> from isthmus.datasets import load_newsgroups
    >>> articles = load_newsgroups(groups="rec.autos", fetch=True)  # doctest: +SKIP
    >>> len(articles.texts)  # doctest: +SKIP
    990
    """
    selected = select_names(groups, NEWSGROUPS, "newsgroup", "20 Newsgroups")
    articles = _fetch(data_home) if fetch else _read(data_home)
    chosen = [article for article in articles if article[1] in selected]
    return Newsgroups(
        texts=[text for _, _, text in chosen],
        groups=[group for _, group, _ in chosen],
        ids=[name for name, _, _ in chosen],
    )


def _read(data_home: str | os.PathLike[str] | None) -> Iterator[tuple[str, str, str]]:
    """Yield id, group and text of every article in the data folder."""
    try:
        path = verified_path(NEWSGROUPS_FILE, data_home)
    except DataNotFoundError as error:
        raise DataNotFoundError(
            f"{str(error).removesuffix('.')}, or download the articles with "
            "load_newsgroups(fetch=True)."
        ) from error
    for record in read_json_lines(path):
        yield record["id"], record["group"], record["text"]


def _fetch(data_home: str | os.PathLike[str] | None) -> Iterator[tuple[str, str, str]]:
    """Yield id, group and text of every article, downloaded by scikit-learn."""
    # Imported here, so that loading a corpus file does not import scikit-learn.
    from sklearn.datasets import fetch_20newsgroups

    for split in ("train", "test"):
        try:
            bunch = fetch_20newsgroups(data_home=data_home, subset=split, shuffle=False)
        except OSError as error:
            raise DataNotFoundError(
                f"scikit-learn could not fetch 20 Newsgroups ({error}): connect to the internet, "
                "or copy its file '20news-bydate_py3.pkz' into data_home."
            ) from error
        articles = [
            (*Path(name).parts[-2:], text)
            for name, text in zip(bunch.filenames, bunch.data, strict=True)
        ]
        for group, number, text in sorted(articles, key=lambda a: (a[0], int(a[1]))):
            yield f"{split}/{group}/{number}", group, text
