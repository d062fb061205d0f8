"""The documents of a run, read once and cached between the runs of a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from scipy import sparse

from isthmus.datasets import DataNotFoundError
from isthmus_bench.documents.bilingual import cut_bilingual, find_dictionary, read_documents
from isthmus_bench.documents.characters import count_characters
from isthmus_bench.documents.corpora import find_corpus
from isthmus_bench.documents.counts import count_corpus
from isthmus_bench.documents.problems import BenchmarkProblem, cut_problem, fitted_rows
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.documents.user_corpora import register_user_corpora
from isthmus_bench.plan.entries import EMBEDDINGS
from isthmus_bench.plan.suite import TextSettings
from isthmus_bench.run.runs import Run

__all__ = ["problem_of", "read_data", "second_view_of", "vectors_of"]


def read_data(run: Run, on_progress: Callable[[str], None] = lambda text: None) -> None:
    """Read the data of a run, so that missing data is reported before the first run.

    Counts and embeddings are cached on disk for the workers; ``on_progress`` is called with every
    step.
    """
    try:
        _read_data(run, on_progress)
    except DataNotFoundError as error:
        # That of 20 Newsgroups adds advice for Python to its cause.
        reason = str(error.__cause__ or error).replace("data_home", "--data").removesuffix(".")
        raise DataNotFoundError(
            f"{reason}; docs/benchmarks/corpora.md describes the files."
        ) from error


def _read_data(run: Run, on_progress: Callable[[str], None]) -> None:
    task = run.task
    register_user_corpora(run.user_corpora)
    on_progress(f"reading {task.corpus}")
    if task.vocabulary is not None:
        read_documents(task.corpus, task.groups, run.data_home)
        find_dictionary(task, run.data_home)
        return
    text = run.text
    count_corpus(task.corpus, run.groups, text.stop_words, run.data_home, text.stemmer)
    if run.entry.weighting == EMBEDDINGS:
        from isthmus_bench.peers.embeddings import embed_groups

        for group in embed_groups(task.corpus, task.groups, run.groups, run.data_home):
            on_progress(f"embedding {group}")


def problem_of(run: Run) -> BenchmarkProblem:
    """The documents of a run."""
    return _problem(_origin(run))


def vectors_of(run: Run) -> Any:
    """A vector for every document of a run, by the weighting of its entry."""
    return _vectors(_origin(run), run.entry.weighting, run.entry.trained_on)


def second_view_of(run: Run) -> Any:
    """The second matrix of a run, None if its entry has none or the corpus has no texts."""
    if run.entry.second_view is None or not find_corpus(run.task.corpus).has_texts:
        return None
    return _characters(_origin(run), run.entry.trained_on)


@dataclass(frozen=True)
class _Origin:
    """Everything that determines the documents of a run."""

    task: BenchmarkTask
    text: TextSettings
    dtype: str
    groups: tuple[str, ...]
    data_home: str | None
    seed: int | None


def _origin(run: Run) -> _Origin:
    # Without a draw, all seeds have the same documents.
    seed = run.seed if run.task.draws_rows else None
    return _Origin(run.task, run.text, run.dtype, run.groups, run.data_home, seed)


# A worker gets the runs of one task one after the other, so that two tasks are enough.
@lru_cache(maxsize=2)
def _problem(origin: _Origin) -> BenchmarkProblem:
    task, text, seed = origin.task, origin.text, origin.seed
    if task.vocabulary is not None:
        return cut_bilingual(
            task, text.min_df, text.stop_words, origin.dtype, origin.data_home, seed
        )
    counted = count_corpus(
        task.corpus, origin.groups, text.stop_words, origin.data_home, text.stemmer
    )
    # A suite with problems in one language has min_df.
    return cut_problem(counted, task, text.min_df or 1, origin.dtype, seed, text.max_terms)


@lru_cache(maxsize=4)
def _vectors(origin: _Origin, weighting: str, trained_on: str) -> Any:
    from isthmus.text.weighting import make_weighting

    if weighting == EMBEDDINGS:
        from isthmus_bench.peers.embeddings import cut_embeddings

        return cut_embeddings(origin.task, origin.groups, origin.data_home, origin.seed)
    problem = _problem(origin)
    fitted = fitted_rows(problem, origin.task, trained_on)
    weights = make_weighting(weighting)
    if fitted.all():
        return sparse.csr_matrix(weights.fit_transform(problem.counts), dtype=origin.dtype)
    # Other documents are weighted by the statistics of these.
    weights.fit(problem.counts[fitted])
    return sparse.csr_matrix(weights.transform(problem.counts), dtype=origin.dtype)


@lru_cache(maxsize=2)
def _characters(origin: _Origin, trained_on: str) -> Any:
    problem, task = _problem(origin), origin.task
    # The rows of a problem in two languages are rows of its own groups only.
    groups = origin.groups if task.vocabulary is None else task.groups
    fitted = fitted_rows(problem, task, trained_on)
    rows = problem.rows
    if rows is None:
        raise ValueError(f"The rows of the problem '{task.name}' are not known.")
    matrix = count_characters(task.corpus, groups, rows, fitted, origin.data_home)
    return sparse.csr_matrix(matrix, dtype=origin.dtype)
