"""The corpora that tasks may name, read as documents in named groups."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from isthmus.datasets.amazon import (
    AMAZON_COUNT_FILES,
    AMAZON_TEXT_FILE,
    load_amazon,
    load_amazon_counts,
)
from isthmus.datasets.newsgroups import NEWSGROUPS_FILE, load_newsgroups
from isthmus.datasets.reuters import REUTERS_FILES, load_reuters_cross_domain
from isthmus.datasets.synthetic import make_corpus
from isthmus.datasets.webis import WEBIS_FILES, load_webis, load_webis_dictionary
from isthmus.datasets.webkb import WEBKB_CLASSES, WEBKB_FILE, load_webkb
from isthmus.text.dictionaries import BilingualDictionary

__all__ = ["CORPORA", "Corpus", "Documents", "Languages", "adopt_corpus", "find_corpus"]

DataHome = str | os.PathLike[str] | None


@dataclass(frozen=True)
class Documents:
    """Documents with their groups: texts still to be counted, or a matrix of counts.

    ``groups`` holds one name a document, whatever the corpus can tell apart: a newsgroup, a
    university and a page type, a language and a category. Suites put groups together to domains
    and classes. ``terms`` are those of the columns of ``counts``; a corpus that is cached has them.
    """

    groups: list[str]
    texts: list[str] | None = None
    counts: sparse.csr_matrix | None = None
    terms: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Languages:
    """The languages of a corpus in several: that of a group, and the dictionary of two of them.

    Languages are two-letter codes. ``dictionary`` takes the data folder and the two languages.
    """

    of_group: Callable[[str], str]
    dictionary: Callable[[DataHome, str, str], BilingualDictionary]


@dataclass(frozen=True)
class Corpus:
    """A corpus: how to read some of its groups, and what identifies its content.

    ``fingerprint`` is None where counting takes less time than keeping the counts on disk,
    ``languages`` where all texts are of one language. Rows of a pool have counts of the first
    ``pool_terms`` terms alone; None where they have all like the others. ``has_texts`` is False
    where only counts were published.
    """

    read: Callable[[DataHome, tuple[str, ...]], Documents]
    fingerprint: str | None = None
    languages: Languages | None = None
    pool_terms: int | None = None
    has_texts: bool = True


def find_corpus(name: str) -> Corpus:
    """Return a corpus of the package, or one that a suite has brought along, by name."""
    if name in _adopted:
        return _adopted[name]
    if name not in CORPORA:
        raise ValueError(f"There is no corpus '{name}': choose among {', '.join(CORPORA)}.")
    return CORPORA[name]


def adopt_corpus(name: str, corpus: Corpus) -> None:
    """Let problems of this process name a corpus of a user."""
    _adopted[name] = corpus


def _newsgroups(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
    found = load_newsgroups(data_home, groups)
    return Documents(found.groups, texts=found.texts)


def _synthetic(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
    made = make_corpus()
    names = [f"books.{label}" for label in made.source_labels]
    names += [f"kitchen.{label}" for label in made.target_labels]
    return Documents(names, texts=made.source_texts + made.target_texts)


def _reuters(task: str) -> Callable[[DataHome, tuple[str, ...]], Documents]:
    def read(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
        found = load_reuters_cross_domain(task, data_home)
        names = [f"source.{label}" for label in found.source_labels]
        names += [f"target.{label}" for label in found.target_labels]
        # Only the presence of a term can be recovered from the published weights.
        presence = sparse.csr_matrix(sparse.vstack([found.source, found.target]) > 0)
        return Documents(names, counts=presence.astype(np.float32))

    return read


def _amazon(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
    found = load_amazon(data_home, _first_parts(groups))
    names = [f"{domain}.{y}" for domain, y in zip(found.domains, found.labels, strict=True)]
    return Documents(names, texts=found.texts)


def _amazon_counts(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
    """The published counts: all terms of the labelled reviews, the frequent ones of the pool."""
    domains = _first_parts(groups)
    labelled = load_amazon_counts("labelled", data_home, domains, vocabulary="all")
    pool = load_amazon_counts("unlabelled", data_home, domains)
    column = {term: number for number, term in enumerate(labelled.terms)}
    frequent = [column[term] for term in pool.terms]
    order = np.array(frequent + sorted(set(column.values()).difference(frequent)))
    stacked = sparse.csr_matrix(labelled.counts[:, order])
    pooled = sparse.csr_matrix(
        (pool.counts.data, pool.counts.indices, pool.counts.indptr),
        shape=(len(pool.ids), len(order)),
    )
    names = [f"{domain}.{y}" for domain, y in zip(labelled.domains, labelled.labels, strict=True)]
    # The pool has labels too, which are for other uses: here nothing reads them.
    names += [f"{domain}.pool" for domain in pool.domains]
    counts = sparse.csr_matrix(sparse.vstack([stacked, pooled]))
    counts.sort_indices()
    return Documents(names, counts=counts, terms=tuple(labelled.terms[i] for i in order))


def _webkb(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
    found = load_webkb(data_home, WEBKB_CLASSES, _first_parts(groups))
    names = [f"{place}.{y}" for place, y in zip(found.universities, found.labels, strict=True)]
    return Documents(names, texts=found.texts)


def _webis(data_home: DataHome, groups: tuple[str, ...]) -> Documents:
    names: list[str] = []
    texts: list[str] = []
    for language in _first_parts(groups):
        found = load_webis(language, data_home)
        pairs = zip(found.categories, found.labels, strict=True)
        names += [f"{language}.{category}.{y}" for category, y in pairs]
        texts += found.texts
    return Documents(names, texts=texts)


# The corpus names Japanese after the country.
_WEBIS_CODES = {"jp": "ja"}
_WEBIS_NAMES = {code: name for name, code in _WEBIS_CODES.items()}


def _webis_language(group: str) -> str:
    first = group.split(".")[0]
    return _WEBIS_CODES.get(first, first)


def _webis_dictionary(data_home: DataHome, source: str, target: str) -> BilingualDictionary:
    """The translations of English words, which there are for every other language."""
    if "en" not in (source, target):
        raise ValueError(
            f"The corpus 'webis' has no dictionary of '{source}' and '{target}': one side must be "
            'English, or vocabulary = "identical".'
        )
    other = target if source == "en" else source
    words = load_webis_dictionary("en", _WEBIS_NAMES.get(other, other), data_home)
    return BilingualDictionary.from_mapping(words, ("en", other), f"en to {other} of 'webis'")


def _first_parts(groups: tuple[str, ...]) -> list[str]:
    """Return the domains, universities or languages with which the groups' names begin."""
    return sorted({group.split(".")[0] for group in groups})


CORPORA: dict[str, Corpus] = {
    "20newsgroups": Corpus(_newsgroups, NEWSGROUPS_FILE.sha256),
    **{f"reuters/{task}": Corpus(_reuters(task), has_texts=False) for task in REUTERS_FILES},
    "amazon": Corpus(_amazon, AMAZON_TEXT_FILE.sha256),
    "amazon-counts": Corpus(
        _amazon_counts,
        "".join(file.sha256 for file in AMAZON_COUNT_FILES),
        pool_terms=5000,
        has_texts=False,
    ),
    "webkb": Corpus(_webkb, WEBKB_FILE.sha256),
    "webis": Corpus(
        _webis,
        "".join(file.sha256 for file in WEBIS_FILES.values()),
        Languages(_webis_language, _webis_dictionary),
    ),
    "synthetic": Corpus(_synthetic),
}

_adopted: dict[str, Corpus] = {}
