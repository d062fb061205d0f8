"""20 Newsgroups, the "bydate" version."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from isthmus.datasets.files import CorpusFile, read_json_lines, verified_path

__all__ = ["NEWSGROUPS", "NEWSGROUPS_FILE", "Newsgroups", "load_newsgroups"]

NEWSGROUPS_FILE = CorpusFile(
    "20newsgroups/20newsgroups-bydate.jsonl.gz",
    "dccef088a496b19774d80781b3c507490f666fa5b3f17ac872355a427fcee748",
)

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


@dataclass(frozen=True)
class Newsgroups:
    """Articles of 20 Newsgroups.

    Attributes
    ----------
    texts : list of str
        The articles, remaining headers included.
    groups : list of str
        The newsgroup of each article.
    ids : list of str
        ``<split>/<group>/<number>`` of each article.
    """

    texts: list[str]
    groups: list[str]
    ids: list[str]


def load_newsgroups(
    data_home: str | os.PathLike[str] | None = None, groups: Collection[str] | None = None
) -> Newsgroups:
    """Load the articles of some or all newsgroups, in the order of the file.

    Parameters
    ----------
    data_home : path, optional
        The data folder; by default what ``ISTHMUS_DATA`` names.
    groups : collection of str, optional
        The newsgroups wanted; by default all 20.

    Returns
    -------
    Newsgroups
        Texts, groups and ids.

    References
    ----------
    Lang: NewsWeeder: Learning to filter netnews. ICML 1995.
    """
    wanted = set(NEWSGROUPS if groups is None else groups)
    unknown = sorted(wanted.difference(NEWSGROUPS))
    if unknown:
        raise ValueError(
            f"There is no newsgroup {', '.join(map(repr, unknown))} in 20 Newsgroups: "
            f"choose among {', '.join(NEWSGROUPS)}."
        )
    texts: list[str] = []
    names: list[str] = []
    ids: list[str] = []
    for record in read_json_lines(verified_path(NEWSGROUPS_FILE, data_home)):
        if record["group"] in wanted:
            texts.append(record["text"])
            names.append(record["group"])
            ids.append(record["id"])
    return Newsgroups(texts, names, ids)
