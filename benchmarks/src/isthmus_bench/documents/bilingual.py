"""Tasks whose source and target have different languages."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import sparse

from isthmus.text.dictionaries import BilingualDictionary
from isthmus_bench.documents.corpora import CorpusDocuments, Languages, find_corpus
from isthmus_bench.documents.counts import check_groups
from isthmus_bench.documents.problems import BenchmarkProblem
from isthmus_bench.documents.rows import choose_rows
from isthmus_bench.documents.tasks import BenchmarkTask, group_uses

__all__ = ["REVISION", "cut_bilingual", "find_dictionary", "find_languages", "read_documents"]

REVISION = 3
"""Raised whenever a change of how languages are mapped may change results."""


def find_languages(task: BenchmarkTask) -> tuple[str, str]:
    """Return the languages of a task's sources and of its targets."""
    languages = _languages(task)
    pair = []
    for side, selections in (("sources", task.sources), ("targets", task.targets)):
        codes = sorted({languages.of_group(group) for group in group_uses(selections)})
        if len(codes) > 1:
            raise ValueError(
                f"The {side} of the problem '{task.name}' are in '{codes[0]}' and '{codes[1]}': "
                "with 'vocabulary' they must all be in one language."
            )
        pair.append(codes[0])
    if pair[0] == pair[1]:
        raise ValueError(
            f"The problem '{task.name}' is all in '{pair[0]}': remove the field 'vocabulary'."
        )
    return pair[0], pair[1]


# A worker keeps the texts of two tasks in memory, as it does with their counts.
@lru_cache(maxsize=2)
def read_documents(corpus: str, groups: tuple[str, ...], data_home: str | None) -> CorpusDocuments:
    """Return the texts of some groups of a corpus, among others."""
    documents = find_corpus(corpus).read(data_home, groups)
    check_groups(corpus, groups, documents.groups)
    return documents


def find_dictionary(task: BenchmarkTask, data_home: str | None) -> BilingualDictionary | None:
    """Return the dictionary of a task, None if it does not use one."""
    if task.vocabulary != "dictionary":
        return None
    return _languages(task).dictionary(data_home, *find_languages(task))


def cut_bilingual(
    task: BenchmarkTask,
    min_df: int | None,
    stop_words: str | None,
    dtype: str,
    data_home: str | None,
    seed: int | None = None,
) -> BenchmarkProblem:
    """Read and count the texts of a task in two languages.

    ``min_df=None`` leaves the least document frequency to :class:`isthmus.BilingualVectorizer`.
    """
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer

    documents = read_documents(task.corpus, task.groups, data_home)
    chosen = choose_rows(np.array(documents.groups), task, seed)
    texts = documents.texts or []
    sides = [
        [texts[row] for row in chosen.rows[(chosen.sample_domain < 0) == target].tolist()]
        for target in (False, True)
    ]
    vectorizer = BilingualVectorizer(
        *find_languages(task),
        find_dictionary(task, data_home),
        stop_words=stop_words,
        min_df="auto" if min_df is None else min_df,
        max_df="auto",
        weighting="counts",
        dtype=dtype,
    )
    return BenchmarkProblem(
        counts=sparse.csr_matrix(vectorizer.fit_transform_domains(*sides)),
        labels=chosen.labels,
        sample_domain=chosen.sample_domain,
        classes=task.classes,
        rows=chosen.rows,
    )


def _languages(task: BenchmarkTask) -> Languages:
    languages = find_corpus(task.corpus).languages
    if languages is None:
        raise ValueError(
            f"The field 'vocabulary' of the problem '{task.name}' is for texts in two languages, "
            f"but the corpus '{task.corpus}' has one: remove it."
        )
    return languages
