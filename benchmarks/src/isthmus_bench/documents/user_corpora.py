"""Corpora of a user: files that a suite names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isthmus.files.columns import option_name
from isthmus.files.errors import NAME_ENCODING, DocumentFileError
from isthmus_bench.documents.corpora import (
    CORPORA,
    Corpus,
    CorpusDocuments,
    DataHome,
    register_corpus,
)
from isthmus_bench.fields import Fields

__all__ = ["UserCorpus", "UserCorpusFile", "read_user_corpora", "register_user_corpora"]

_POOL = "pool"
"""Last part of the group of the documents of a domain that have no label."""
_CHUNK = 2**20
# Parts of messages of isthmus.files that a suite cannot follow, and replacements.
_REPLACEMENTS = (
    (f"{NAME_ENCODING}, often latin-1 or cp1252", "save it as UTF-8"),
    (NAME_ENCODING, "save it as UTF-8"),
    (option_name("text_col"), "the field 'text'"),
    (option_name("label_col"), "the field 'label'"),
    ("; if quotes mean nothing in this file, use quotes=False (--no-quotes)", ""),
)


class UserCorpusFile(Fields):
    """The documents of a domain: a file or folder, and its columns if they are named."""

    file: str
    text: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class UserCorpus:
    """Files of documents as a corpus.

    A group is a domain and a label, as in ``last-year.billing``. The name ends in a hash of the
    content, so that results of files that have changed since belong to another corpus.
    """

    name: str
    files: tuple[tuple[str, UserCorpusFile], ...]
    fingerprint: str

    def read(self, data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
        """Read all documents of some groups."""
        from isthmus.files import open_documents

        names: list[str] = []
        texts: list[str] = []
        known: set[str] = set()
        for domain, file in self.files:
            try:
                opened = open_documents(file.file, text_col=file.text, label_col=file.label)
                for row in opened.rows():
                    group = f"{domain}.{_POOL if row.label is None else row.label}"
                    known.add(group)
                    if group in groups:
                        names.append(group)
                        texts.append(row.text)
            except DocumentFileError as error:
                corpus = self.name.partition("@")[0]
                raise ValueError(f"corpora, {corpus}, {domain}: {_for_suites(error)}") from error
        for group in sorted({*groups} - known):
            raise ValueError(
                f"The corpus '{self.name.partition('@')[0]}' has no group '{group}': it has "
                f"{', '.join(sorted(known))}."
            )
        return CorpusDocuments(names, texts=texts)


def read_user_corpora(
    corpora: dict[str, dict[str, UserCorpusFile]], folder: Path, where: str
) -> dict[str, UserCorpus]:
    """The corpora of a suite by the name that problems use; paths are relative to the folder."""
    read = {}
    for name, domains in corpora.items():
        place = f"{where}, corpora, {name}"
        if name in CORPORA:
            raise ValueError(f"{place}: a corpus of the package has this name: use another one.")
        if not domains:
            raise ValueError(f"{place}: name one or more domains with their files.")
        files = []
        for domain, file in domains.items():
            path = folder / file.file
            if not path.exists():
                raise FileNotFoundError(f"{place}, {domain}: there is no '{path}': check the path.")
            files.append((domain, file.model_copy(update={"file": str(path.resolve())})))
        digest = hashlib.sha256()
        for domain, file in files:
            digest.update(repr((domain, file.text, file.label)).encode())
            for part in _content(Path(file.file)):
                digest.update(part)
        fingerprint = digest.hexdigest()
        read[name] = UserCorpus(f"{name}@{fingerprint[:12]}", tuple(files), fingerprint)
    return read


def register_user_corpora(corpora: tuple[UserCorpus, ...]) -> None:
    """Let the problems of this process use the corpora."""
    for corpus in corpora:
        register_corpus(corpus.name, Corpus(corpus.read, corpus.fingerprint))


def _for_suites(error: DocumentFileError) -> str:
    text = str(error)
    for part, replacement in _REPLACEMENTS:
        text = text.replace(part, replacement)
    return text


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
