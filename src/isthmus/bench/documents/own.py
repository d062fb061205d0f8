"""Corpora of a user: files that a suite names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isthmus.bench.documents.corpora import Corpus, DataHome, Documents, adopt_corpus

__all__ = ["POOL", "OwnCorpus", "OwnFile", "as_documents", "own_corpus"]

POOL = "pool"
"""Ends the group of the documents of a domain that have no label."""
_CHUNK = 2**20


@dataclass(frozen=True)
class OwnFile:
    """The documents of a domain: a file or folder, and its columns where they were named."""

    domain: str
    path: str
    text: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class OwnCorpus:
    """Files of documents as a corpus.

    Groups are named after a domain and a label, as in ``last-year.billing``. The name of the corpus
    ends in what identifies the content of the files, so that results of files that have changed
    since are known as those of another corpus.
    """

    name: str
    files: tuple[OwnFile, ...]
    fingerprint: str

    def read(self, data_home: DataHome, groups: tuple[str, ...]) -> Documents:
        """Read all documents that have one of some groups."""
        from isthmus.files import open_documents

        wanted = set(groups)
        names: list[str] = []
        texts: list[str] = []
        every: set[str] = set()
        for file in self.files:
            opened = open_documents(file.path, text_col=file.text, label_col=file.label)
            for row in opened.rows():
                group = f"{file.domain}.{POOL if row.label is None else row.label}"
                every.add(group)
                if group in wanted:
                    names.append(group)
                    texts.append(row.text)
        missing = sorted(wanted - every)
        if missing:
            raise ValueError(
                f"The corpus '{self.name.partition('@')[0]}' has no group '{missing[0]}': it has "
                f"{', '.join(sorted(every))}."
            )
        return Documents(names, texts=texts)


def own_corpus(name: str, files: tuple[OwnFile, ...]) -> OwnCorpus:
    """The corpus of some files, known by their content and by how they are read."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(repr((file.domain, file.text, file.label)).encode())
        for part in _content(Path(file.path)):
            digest.update(part)
    fingerprint = digest.hexdigest()
    return OwnCorpus(f"{name}@{fingerprint[:12]}", files, fingerprint)


def as_documents(corpora: tuple[OwnCorpus, ...]) -> None:
    """Let problems of this process name the corpora."""
    for own in corpora:
        adopt_corpus(own.name, Corpus(own.read, own.fingerprint))


def _content(path: Path) -> Iterator[bytes]:
    if path.is_dir():
        for part in sorted(path.rglob("*")):
            if part.is_file():
                yield part.relative_to(path).as_posix().encode()
                yield from _content(part)
        return
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk
