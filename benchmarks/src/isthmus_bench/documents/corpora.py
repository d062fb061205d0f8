"""The corpora of the package, read as documents in named groups."""

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
from isthmus.datasets.everyday import EVERYDAY_FILES, load_everyday
from isthmus.datasets.newsgroups import NEWSGROUPS_FILE, load_newsgroups
from isthmus.datasets.reuters import REUTERS_FILES, load_reuters_cross_domain
from isthmus.datasets.synthetic import make_corpus
from isthmus.datasets.webis import (
    WEBIS_DICTIONARIES,
    WEBIS_FILES,
    load_webis,
    load_webis_dictionary,
)
from isthmus.datasets.webkb import WEBKB_CLASSES, WEBKB_FILE, load_webkb
from isthmus.text.dictionaries import BilingualDictionary

__all__ = ["CORPORA", "Corpus", "CorpusDocuments", "Languages", "find_corpus", "register_corpus"]

DataHome = str | os.PathLike[str] | None


@dataclass(frozen=True)
class CorpusDocuments:
    """Documents with one group each, as texts or as a matrix of counts.

    A group is whatever the corpus distinguishes: a newsgroup, a university and a page type, a
    language and a category. Suites combine groups to domains and classes. ``terms`` names the
    columns of ``counts``; a corpus that is cached has them.
    """

    groups: list[str]
    texts: list[str] | None = None
    counts: sparse.csr_matrix | None = None
    terms: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Languages:
    """The languages of a corpus.

    ``of_group`` returns the two-letter code of a group, ``dictionary`` the dictionary of two
    languages, and ``has_dictionary`` whether there is one.
    """

    of_group: Callable[[str], str]
    dictionary: Callable[[DataHome, str, str], BilingualDictionary]
    has_dictionary: Callable[[str, str], bool] = lambda source, target: True


@dataclass(frozen=True)
class Corpus:
    """A corpus: how to read some of its groups, and what identifies its content.

    ``fingerprint`` is None where counting is faster than reading cached counts, ``languages``
    where all texts are in one language. Rows of a pool have counts of only the first
    ``pool_terms`` terms, or of all if it is None. ``has_texts`` is False where only counts were
    published.
    """

    read: Callable[[DataHome, tuple[str, ...]], CorpusDocuments]
    fingerprint: str | None = None
    languages: Languages | None = None
    pool_terms: int | None = None
    has_texts: bool = True


def find_corpus(name: str) -> Corpus:
    """Return a corpus of the package or of a user's suite by its name."""
    if name in _user_corpora:
        return _user_corpora[name]
    if name not in CORPORA:
        raise ValueError(f"There is no corpus '{name}': choose among {', '.join(CORPORA)}.")
    return CORPORA[name]


def register_corpus(name: str, corpus: Corpus) -> None:
    """Let the problems of this process use a corpus of a user."""
    _user_corpora[name] = corpus


def _newsgroups(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
    data = load_newsgroups(data_home, groups)
    return CorpusDocuments(data.groups, texts=data.texts)


def _synthetic(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
    made = make_corpus()
    names = [f"books.{label}" for label in made.source_labels]
    names += [f"kitchen.{label}" for label in made.target_labels]
    return CorpusDocuments(names, texts=made.source_texts + made.target_texts)


def _reuters(task: str) -> Callable[[DataHome, tuple[str, ...]], CorpusDocuments]:
    def read(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
        data = load_reuters_cross_domain(task, data_home)
        names = [f"source.{label}" for label in data.source_labels]
        names += [f"target.{label}" for label in data.target_labels]
        # Only the presence of a term can be recovered from the published weights.
        presence = sparse.csr_matrix(sparse.vstack([data.source, data.target]) > 0)
        return CorpusDocuments(names, counts=presence.astype(np.float32))

    return read


def _amazon(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
    data = load_amazon(data_home, _first_parts(groups))
    names = [f"{domain}.{y}" for domain, y in zip(data.domains, data.labels, strict=True)]
    return CorpusDocuments(names, texts=data.texts)


def _amazon_counts(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
    """All terms of the labeled reviews, and the frequent terms of the pool."""
    domains = _first_parts(groups)
    labeled = load_amazon_counts("labeled", data_home, domains, vocabulary="all")
    pool = load_amazon_counts("unlabeled", data_home, domains)
    column = {term: number for number, term in enumerate(labeled.terms)}
    frequent = [column[term] for term in pool.terms]
    order = np.array(frequent + sorted(set(column.values()).difference(frequent)))
    stacked = sparse.csr_matrix(labeled.counts[:, order])
    pooled = sparse.csr_matrix(
        (pool.counts.data, pool.counts.indices, pool.counts.indptr),
        shape=(len(pool.ids), len(order)),
    )
    names = [f"{domain}.{y}" for domain, y in zip(labeled.domains, labeled.labels, strict=True)]
    # The pool has labels too; the benchmark does not read them.
    names += [f"{domain}.pool" for domain in pool.domains]
    counts = sparse.csr_matrix(sparse.vstack([stacked, pooled]))
    counts.sort_indices()
    return CorpusDocuments(names, counts=counts, terms=tuple(labeled.terms[i] for i in order))


def _webkb(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
    data = load_webkb(data_home, WEBKB_CLASSES, _first_parts(groups))
    names = [f"{place}.{y}" for place, y in zip(data.universities, data.labels, strict=True)]
    return CorpusDocuments(names, texts=data.texts)


def _webis(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
    names: list[str] = []
    texts: list[str] = []
    for language in _first_parts(groups):
        data = load_webis(language, data_home)
        pairs = zip(data.categories, data.labels, strict=True)
        names += [f"{language}.{category}.{y}" for category, y in pairs]
        texts += data.texts
    return CorpusDocuments(names, texts=texts)


# The corpus uses the country code for Japanese.
_WEBIS_CODES = {"jp": "ja"}
_WEBIS_NAMES = {code: name for name, code in _WEBIS_CODES.items()}


def _webis_language(group: str) -> str:
    first = group.split(".")[0]
    return _WEBIS_CODES.get(first, first)


def _webis_dictionary(data_home: DataHome, source: str, target: str) -> BilingualDictionary:
    """The translations of English words."""
    if "en" not in (source, target):
        raise ValueError(
            f"The corpus 'webis' has no dictionary of '{source}' and '{target}': one of "
            'the languages must be English, or use vocabulary = "identical".'
        )
    other = target if source == "en" else source
    words = load_webis_dictionary("en", _WEBIS_NAMES.get(other, other), data_home)
    return BilingualDictionary.from_mapping(words, ("en", other), f"en to {other} of 'webis'")


def _everyday(scenario: str) -> Callable[[DataHome, tuple[str, ...]], CorpusDocuments]:
    def read(data_home: DataHome, groups: tuple[str, ...]) -> CorpusDocuments:
        data = load_everyday(scenario, data_home, _first_parts(groups))
        names = [f"{domain}.{y}" for domain, y in zip(data.domains, data.labels, strict=True)]
        return CorpusDocuments(names, texts=data.texts)

    return read


_LANGUAGE_CODES = {"english": "en", "french": "fr", "german": "de", "spanish": "es"}


def _everyday_language(group: str) -> str:
    """The language of a domain such as ``bbc_en`` or ``german``."""
    last = group.split(".")[0].rpartition("_")[2]
    return _LANGUAGE_CODES.get(last, last)


def _has_webis_dictionary(source: str, target: str) -> bool:
    names = [_WEBIS_NAMES.get(code, code) for code in (source, target)]
    return "en" in names and any(set(names) == set(pair) for pair in WEBIS_DICTIONARIES)


# The dictionaries come with Webis-CLS-10, whatever the texts.
_EVERYDAY_LANGUAGES = Languages(_everyday_language, _webis_dictionary, _has_webis_dictionary)
_EVERYDAY_BILINGUAL = ("news_languages", "tweet_languages")


def _first_parts(groups: tuple[str, ...]) -> list[str]:
    """The domains, universities or languages: the first part of the groups' names."""
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
        Languages(_webis_language, _webis_dictionary, _has_webis_dictionary),
    ),
    **{
        f"everyday/{scenario}": Corpus(
            _everyday(scenario),
            f"everyday/{scenario}" + "".join(file.sha256 for file in files.values()),
            _EVERYDAY_LANGUAGES if scenario in _EVERYDAY_BILINGUAL else None,
        )
        for scenario, files in EVERYDAY_FILES.items()
    },
    "synthetic": Corpus(_synthetic),
}

_user_corpora: dict[str, Corpus] = {}
