"""Read the corpora that a suite brings along."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isthmus.bench.documents.corpora import CORPORA
from isthmus.bench.documents.own import OwnCorpus, OwnFile, own_corpus
from isthmus.bench.plan.fields import only, optional, require, table

__all__ = ["read_own_corpora"]


def read_own_corpora(data: Mapping[str, Any], folder: Path, where: str) -> dict[str, OwnCorpus]:
    """Read the table ``corpora``: for every corpus the file of each of its domains.

    Parameters
    ----------
    data : mapping
        The suite.
    folder : Path
        Where the paths of files begin that are not absolute.
    where : str
        The suite, for errors.

    Returns
    -------
    dict of str to OwnCorpus
        By the name that problems use.
    """
    found = {}
    for name in optional(data, "corpora", dict, where) or {}:
        place = f"the corpus '{name}' of {where}"
        if name in CORPORA:
            raise ValueError(f"{_capital(place)} is called like one of the package: rename it.")
        domains = table(data["corpora"], name, f"'corpora' of {where}")
        if not domains:
            raise ValueError(f"{_capital(place)} must name one or more domains with their files.")
        files = tuple(_file(domains, domain, folder, place) for domain in domains)
        found[name] = own_corpus(name, files)
    return found


def _file(domains: Mapping[str, Any], domain: str, folder: Path, where: str) -> OwnFile:
    values = table(domains, domain, where)
    place = f"domain '{domain}' of {where}"
    only(values, ("file", "text", "label"), place)
    path = folder / require(values, "file", str, place)
    if not path.exists():
        raise FileNotFoundError(f"There is no file '{path}', which {place} names: check the path.")
    return OwnFile(
        domain,
        str(path.resolve()),
        optional(values, "text", str, place),
        optional(values, "label", str, place),
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
