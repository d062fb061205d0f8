"""Tasks whose source and target have different languages: their texts, counted as one."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import sparse

from isthmus.bench.documents.corpora import Documents, Languages, find_corpus
from isthmus.bench.documents.counts import check_groups
from isthmus.bench.documents.problems import Problem
from isthmus.bench.documents.rows import choose_rows
from isthmus.bench.documents.tasks import Selection, Task, group_uses
from isthmus.text.dictionaries import BilingualDictionary

__all__ = [
    "REVISION", "VOCABULARIES", "cut_bilingual", "find_dictionary", "find_languages",
    "read_documents",
]  # fmt: skip

VOCABULARIES = ("dictionary", "identical")
"""What joins the words of two languages: a dictionary, or nothing but identical strings."""

REVISION = 3
"""Raised whenever a change of how languages are joined may move results."""


def find_languages(task: Task, where: str) -> tuple[str, str]:
    """Return the languages of a task's sources and of its targets; ``where`` names the task."""
    languages = _languages(task, where)
    sides = {"sources": task.sources, "targets": task.targets}
    source, target = (_language(languages, side, sides[side], where) for side in sides)
    if source == target:
        raise ValueError(
            f"Sources and targets of {where} are all in '{source}': leave the field 'vocabulary' "
            "out."
        )
    return source, target


# A worker has the texts of two tasks at hand, as it has their counts.
@lru_cache(maxsize=2)
def read_documents(corpus: str, groups: tuple[str, ...], data_home: str | None) -> Documents:
    """Return the texts of some groups of a corpus, among others."""
    found = find_corpus(corpus).read(data_home, groups)
    check_groups(corpus, groups, found.groups)
    return found


def find_dictionary(task: Task, data_home: str | None) -> BilingualDictionary | None:
    """Return the dictionary that joins the words of a task, None if it goes without."""
    if task.vocabulary != "dictionary":
        return None
    where = f"task '{task.name}'"
    return _languages(task, where).dictionary(data_home, *find_languages(task, where))


def cut_bilingual(
    task: Task,
    min_df: int | None,
    stop_words: str | None,
    dtype: str,
    data_home: str | None,
    seed: int | None = None,
) -> Problem:
    """Read and count the texts of a task whose sides have two languages.

    ``min_df=None`` leaves the least document frequency to :class:`isthmus.BilingualVectorizer`;
    ``seed`` is needed only where the task draws its rows.
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
        *find_languages(task, f"task '{task.name}'"),
        find_dictionary(task, data_home),
        stop_words=stop_words,
        min_df="auto" if min_df is None else min_df,
        max_df="auto",
        weighting="counts",
        dtype=dtype,
    )
    return Problem(
        counts=sparse.csr_matrix(vectorizer.fit_transform_domains(*sides)),
        labels=chosen.labels,
        sample_domain=chosen.sample_domain,
        classes=task.classes,
    )


def _languages(task: Task, where: str) -> Languages:
    languages = find_corpus(task.corpus).languages
    if languages is None:
        raise ValueError(
            f"The field 'vocabulary' in {where} is for texts of two languages, which the corpus "
            f"'{task.corpus}' does not tell apart: leave it out."
        )
    return languages


def _language(
    languages: Languages, side: str, selections: tuple[Selection, ...], where: str
) -> str:
    found = sorted({languages.of_group(group) for group in group_uses(selections)})
    if len(found) > 1:
        raise ValueError(
            f"The {side} of {where} are in '{found[0]}' and '{found[1]}': with 'vocabulary' they "
            "must all be in one language."
        )
    return found[0]
