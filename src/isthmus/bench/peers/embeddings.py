"""Sentence embeddings of a corpus, kept on disk group by group, and those of one task."""

from __future__ import annotations

import contextlib
import hashlib
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isthmus.bench.corpora import find_corpus
from isthmus.bench.counts import cache_folder, check_groups
from isthmus.bench.peers.sentence_model import load_encoder, model_version
from isthmus.bench.rows import choose_rows
from isthmus.bench.tasks import Task
from isthmus.files import whole_file

__all__ = ["cut_embeddings", "embed_corpus"]

_FORMAT = 1


@lru_cache(maxsize=4)
def embed_corpus(
    name: str, groups: tuple[str, ...], data_home: str | None
) -> tuple[NDArray[np.float32], NDArray[np.str_]]:
    """Return a vector for every document of some groups of a corpus.

    Parameters
    ----------
    name : str
        A name in :data:`isthmus.bench.corpora.CORPORA`.
    groups : tuple of str
        The groups wanted, sorted.
    data_home : str, optional
        The data folder.

    Returns
    -------
    vectors : ndarray of float32
        Of length 1. The rows are those of :func:`isthmus.bench.counts.count_corpus`.
    groups : ndarray of str
        The group of every row.

    Raises
    ------
    ValueError
        If the corpus has counts and no texts, or lacks a group.
    ImportError
        If a package of the extra ``peers`` is missing.
    """
    documents = find_corpus(name).read(data_home, groups)
    if documents.texts is None:
        raise ValueError(
            f"The corpus '{name}' comes as counts, without the texts that sentence embeddings are "
            "made of: take a weighting of counts."
        )
    check_groups(name, groups, documents.groups)
    of_row = np.array(documents.groups)
    vectors: NDArray[np.float32] | None = None
    # A file for every group: suites that share a group share its vectors.
    for group in dict.fromkeys(documents.groups):
        rows = np.flatnonzero(of_row == group)
        found = _embed([documents.texts[row] for row in rows])
        if vectors is None:
            vectors = np.empty((len(of_row), found.shape[1]), np.float32)
        vectors[rows] = found
    assert vectors is not None, "groups were checked"
    return vectors, of_row


def cut_embeddings(
    task: Task, groups: tuple[str, ...], data_home: str | None, seed: int | None
) -> NDArray[np.float32]:
    """Return the vectors of a task, whose rows are those of its counts.

    Parameters
    ----------
    task : Task
    groups : tuple of str
        The groups to read, sorted: those of the task, and others for which to read them once.
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
    vectors, of_row = embed_corpus(task.corpus, groups, data_home)
    return np.asarray(vectors[choose_rows(of_row, task, seed).rows])


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
