"""Sentence embeddings of the documents of a corpus or a task, kept on disk group by group."""

from __future__ import annotations

import contextlib
import hashlib
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isthmus.bench.documents.corpora import Documents, find_corpus
from isthmus.bench.documents.counts import cache_folder, check_groups
from isthmus.bench.documents.rows import choose_rows
from isthmus.bench.documents.tasks import Task
from isthmus.bench.peers.sentence_model import load_encoder, model_version
from isthmus.files import whole_file

__all__ = ["cut_embeddings", "embed_corpus", "embed_groups"]

_FORMAT = 1


def embed_corpus(
    name: str, groups: tuple[str, ...], data_home: str | None
) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
    """Return a vector for every document of some groups of a corpus.

    Parameters
    ----------
    name : str
        A name in :data:`isthmus.bench.documents.corpora.CORPORA`.
    groups : tuple of str
        The groups wanted, sorted.
    data_home : str, optional
        The data folder.

    Returns
    -------
    vectors : ndarray of float32
        Of length 1. The rows are those of :func:`isthmus.bench.documents.counts.count_corpus`.
    groups : ndarray of str
        The group of every row.

    Raises
    ------
    ValueError
        If the corpus has counts and no texts, or lacks a group.
    ImportError
        If a package of the extra ``peers`` is missing.
    """
    of_row = _group_of_rows(name, groups, data_home)
    return _vectors_of(np.arange(len(of_row)), name, groups, data_home), of_row


def cut_embeddings(
    task: Task, groups: tuple[str, ...], data_home: str | None, seed: int | None
) -> NDArray[np.float32]:
    """Return the vectors of a task, whose rows are those of its counts.

    Parameters
    ----------
    task : Task
    groups : tuple of str
        The groups to read, sorted: those of the task and of others after it. Only documents of
        the task's are embedded.
    data_home : str, optional
        The data folder.
    seed : int, optional
        For a task that draws its rows.

    Raises
    ------
    ValueError
        If the task has two languages or pools, or its corpus no texts.
    """
    if task.vocabulary is not None:
        raise ValueError(
            f"The task '{task.name}' has two languages, and sentence embeddings know English only: "
            "take a weighting of counts."
        )
    if task.pools:
        # Which of them repeat a scored document is told by the counts.
        raise ValueError(
            f"The task '{task.name}' has pools, for which there are no sentence embeddings: take a "
            "weighting of counts."
        )
    of_row = _group_of_rows(task.corpus, groups, data_home)
    rows = choose_rows(of_row, task, seed).rows
    return _vectors_of(rows, task.corpus, groups, data_home)


def embed_groups(
    name: str, wanted: tuple[str, ...], groups: tuple[str, ...], data_home: str | None
) -> Iterator[str]:
    """Embed groups one after the other, into the cache; each is told before its work begins."""
    for group in wanted:
        yield group
        _embed_group(group, name, groups, data_home)


@lru_cache(maxsize=4)
def _read(name: str, groups: tuple[str, ...], data_home: str | None) -> Documents:
    documents = find_corpus(name).read(data_home, groups)
    if documents.texts is None:
        raise ValueError(
            f"The corpus '{name}' comes as counts, without the texts that sentence embeddings are "
            "made of: take a weighting of counts."
        )
    check_groups(name, groups, documents.groups)
    return documents


def _group_of_rows(name: str, groups: tuple[str, ...], data_home: str | None) -> NDArray[np.str_]:
    return np.array(_read(name, groups, data_home).groups)


def _vectors_of(
    rows: NDArray[np.intp], name: str, groups: tuple[str, ...], data_home: str | None
) -> NDArray[np.float32]:
    """The vectors of some rows of a corpus; groups that none of them is of are not embedded."""
    of_row = _group_of_rows(name, groups, data_home)
    parts = {g: _embed_group(g, name, groups, data_home) for g in np.unique(of_row[rows]).tolist()}
    width = max((part.shape[1] for part in parts.values()), default=0)
    vectors = np.empty((len(rows), width), np.float32)
    for group, part in parts.items():
        here = of_row[rows] == group
        vectors[here] = part[np.searchsorted(np.flatnonzero(of_row == group), rows[here])]
    return vectors


# The groups of two tasks of 20 Newsgroups are eight, of a megabyte and a half each.
@lru_cache(maxsize=32)
def _embed_group(
    group: str, name: str, groups: tuple[str, ...], data_home: str | None
) -> NDArray[np.float32]:
    """The vectors of a group. Each has a file of its own, so that suites share them."""
    documents = _read(name, groups, data_home)
    pairs = zip(documents.groups, documents.texts or [], strict=True)
    return _embed([text for of_text, text in pairs if of_text == group])


def _embed(texts: list[str]) -> NDArray[np.float32]:
    """The vectors of texts, from the cache if these were embedded before."""
    path = cache_folder() / f"{_key(texts)}.npz"
    if (kept := _load(path, len(texts))) is not None:
        return kept
    vectors = load_encoder()(texts)
    # A cache that cannot be written costs time, not the result.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, binary=True) as stream:
            np.savez(stream, vectors=vectors)
    return vectors


def _key(texts: list[str]) -> str:
    """A name for the vectors of these texts, in this order, by this model."""
    digest = hashlib.sha256(f"{_FORMAT} {model_version()}".encode())
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(f"\n{len(content)}\n".encode() + content)
    return f"embeddings-{digest.hexdigest()[:24]}"


def _load(path: Path, n_rows: int) -> NDArray[np.float32] | None:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            vectors = arrays["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        # Absent or damaged: the vectors are made anew.
        return None
    whole = vectors.ndim == 2 and len(vectors) == n_rows and vectors.dtype == np.float32
    return vectors if whole else None
