"""Loader for the orgs / people / places transfer tasks of Reuters-21578."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from isthmus.datasets.corpus_files import CorpusFile, read_json_lines, verified_path

__all__ = ["REUTERS_FILES", "REUTERS_TASKS", "CrossDomain", "load_reuters_cross_domain"]

REUTERS_FILES = {
    "orgs_people": CorpusFile(
        "reuters21578/cross-domain/orgs_people.jsonl.gz",
        "e46af58d6249f9ef09883346698490fffce7c959d1a7415c9b00078a35206fcf",
    ),
    "orgs_places": CorpusFile(
        "reuters21578/cross-domain/orgs_places.jsonl.gz",
        "e4118af360e5d80cc576743c8bc061d69086fa3de7aaa6edc2c12fff674271ad",
    ),
    "people_places": CorpusFile(
        "reuters21578/cross-domain/people_places.jsonl.gz",
        "981ee5b694b9fd93bd31362a206776d52f6631661f7b678d236bd70b3fbd947e",
    ),
}
REUTERS_TASKS = tuple(REUTERS_FILES)
"""Names of the Reuters transfer tasks."""


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
    rows: dict[str, list[tuple[list[int], list[float], str]]] = {"source": [], "target": []}
    n_terms = 0
    for record in read_json_lines(verified_path(REUTERS_FILES[task], data_home)):
        rows[record["domain"]].append((record["idx"], record["val"], record["class"]))
        n_terms = max(n_terms, record["idx"][-1] + 1 if record["idx"] else 0)
    source, source_labels = _stack(rows["source"], n_terms)
    target, target_labels = _stack(rows["target"], n_terms)
    return CrossDomain(source, source_labels, target, target_labels)


def _stack(
    rows: list[tuple[list[int], list[float], str]], n_terms: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    indptr = np.cumsum([0] + [len(idx) for idx, _, _ in rows])
    indices = np.concatenate([np.asarray(idx, dtype=np.int32) for idx, _, _ in rows])
    values = np.concatenate([np.asarray(val, dtype=np.float64) for _, val, _ in rows])
    matrix = sparse.csr_matrix((values, indices, indptr), shape=(len(rows), n_terms))
    return matrix, np.array([name for _, _, name in rows])
