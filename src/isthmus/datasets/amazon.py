"""Amazon reviews of books, dvd, electronics and kitchen ware, with their sentiment."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from isthmus.datasets.choice import choose
from isthmus.datasets.files import CorpusFile, read_json_lines, read_text, verified_path

__all__ = [
    "AMAZON_COUNT_FILES",
    "AMAZON_DOMAINS",
    "AMAZON_TEXT_FILE",
    "AmazonCounts",
    "AmazonReviews",
    "load_amazon",
    "load_amazon_counts",
]

AMAZON_DOMAINS = ("books", "dvd", "electronics", "kitchen")

AMAZON_TEXT_FILE = CorpusFile(
    "amazon/labelled_text.jsonl.gz",
    "e5bd4659aba56cb333f7bee9251346162ad67f30057bc1117327f9de96101fa6",
)
_COUNT_FILES = {
    "labelled": CorpusFile(
        "amazon/labelled_bow.jsonl.gz",
        "e9bac0bd1966cad508e2dfb9279f8bc79465a186b82426d3067aad6df5052df6",
    ),
    "unlabelled": CorpusFile(
        "amazon/unlabeled_bow5000.jsonl.gz",
        "617b2f70b5e5de3478ad77d4d39d27dd01ac8c00bdde13c49c7cf62b0795b30a",
    ),
}
_FREQUENT_TERMS_FILE = CorpusFile(
    "amazon/vocab5000.txt",
    "70cbf39cdde1a791fd10e1cfdda6cf4198264fad36f0b98e3ddd90994317c533",
)
AMAZON_COUNT_FILES = (*_COUNT_FILES.values(), _FREQUENT_TERMS_FILE)


@dataclass(frozen=True)
class AmazonReviews:
    """Labelled reviews as texts.

    Attributes
    ----------
    texts : list of str
        The title, a line break, and the review. XML entities stand as published
        (``html.unescape`` resolves them).
    labels : list of str
        ``positive`` (4 or 5 stars) or ``negative`` (1 or 2).
    domains : list of str
        The domain of each review.
    ratings : list of float
        The stars; they give the label away.
    ids : list of str
        ``<domain>-<label>-<number>``; the same review has the same id among the counts.
    """

    texts: list[str]
    labels: list[str]
    domains: list[str]
    ratings: list[float]
    ids: list[str]


@dataclass(frozen=True)
class AmazonCounts:
    """Reviews as counts of words and of pairs of words.

    Attributes
    ----------
    counts : scipy.sparse.csr_matrix
        Reviews by terms, float32.
    terms : tuple of str
        The term of each column; two words in a row are joined by ``_``.
    labels : ndarray of str
        ``positive`` or ``negative``. Those of the unlabelled part are for scoring alone.
    domains : ndarray of str
        The domain of each review.
    ids : list of str
        Unique over both parts.
    """

    counts: sparse.csr_matrix
    terms: tuple[str, ...]
    labels: np.ndarray
    domains: np.ndarray
    ids: list[str]


def load_amazon(
    data_home: str | os.PathLike[str] | None = None,
    domains: str | Collection[str] | None = None,
) -> AmazonReviews:
    """Load the labelled reviews as texts, in the order of the file.

    There are 1,000 positive and 1,000 negative reviews in every domain; a few dozen of each
    domain occur twice, as published.

    Parameters
    ----------
    data_home : path, optional
        The data folder; by default what ``ISTHMUS_DATA`` names.
    domains : str or collection of str, optional
        One or more of "books", "dvd", "electronics", "kitchen"; by default all.

    Returns
    -------
    AmazonReviews
        Texts, labels, domains, ratings and ids.

    References
    ----------
    Blitzer, Dredze, Pereira: Biographies, Bollywood, Boom-boxes and Blenders: Domain
    Adaptation for Sentiment Classification. ACL 2007.
    """
    wanted = _choose_domains(domains)
    path = verified_path(AMAZON_TEXT_FILE, data_home)
    records = [record for record in read_json_lines(path) if record["domain"] in wanted]
    return AmazonReviews(
        # The published counts take in the titles, and so do the texts.
        texts=[f"{record['title']}\n{record['text']}" for record in records],
        labels=[record["label"] for record in records],
        domains=[record["domain"] for record in records],
        ratings=[record["rating"] for record in records],
        ids=[record["id"] for record in records],
    )


def load_amazon_counts(
    part: str,
    data_home: str | os.PathLike[str] | None = None,
    domains: str | Collection[str] | None = None,
    vocabulary: str = "frequent",
) -> AmazonCounts:
    """Load the counts of the labelled reviews or of the unlabelled pool, in the order of the file.

    The labels of the unlabelled pool are known and commonly serve as test labels of the target.
    A method that is to work without them must not read them: score with them and nothing else.

    Parameters
    ----------
    part : {"labelled", "unlabelled"}
        The 8,000 labelled reviews, or 19,677 others (of which three hold no frequent term).
    data_home : path, optional
        The data folder; by default what ``ISTHMUS_DATA`` names.
    domains : str or collection of str, optional
        One or more of "books", "dvd", "electronics", "kitchen"; by default all.
    vocabulary : {"frequent", "all"}
        The 5,000 frequent terms of Chen et al. in their order, or all 473,856 terms of the
        labelled reviews, sorted. The unlabelled pool has the frequent ones only. Neither
        depends on the domains chosen, so that matrices of one vocabulary can be stacked.

    Returns
    -------
    AmazonCounts
        Counts, terms, labels, domains and ids.

    References
    ----------
    Blitzer, Dredze, Pereira: Biographies, Bollywood, Boom-boxes and Blenders: Domain
    Adaptation for Sentiment Classification. ACL 2007.

    Chen, Xu, Weinberger, Sha: Marginalized Denoising Autoencoders for Domain Adaptation.
    ICML 2012.
    """
    if part not in _COUNT_FILES:
        raise ValueError(
            f"There is no part {part!r} of the Amazon reviews: "
            f"choose among {', '.join(_COUNT_FILES)}."
        )
    if vocabulary not in ("frequent", "all"):
        raise ValueError(f"vocabulary={vocabulary!r} must be 'frequent' or 'all'.")
    if (part, vocabulary) == ("unlabelled", "all"):
        raise ValueError(
            "The unlabelled Amazon reviews have counts of the frequent terms only: "
            "take vocabulary='frequent'."
        )
    wanted = _choose_domains(domains)
    path = verified_path(_COUNT_FILES[part], data_home)
    terms = _frequent_terms(data_home) if vocabulary == "frequent" else _all_terms(path)
    return _count(path, terms, wanted)


def _choose_domains(domains: str | Collection[str] | None) -> set[str]:
    return choose(domains, AMAZON_DOMAINS, "domain", "the Amazon reviews")


def _frequent_terms(data_home: str | os.PathLike[str] | None) -> tuple[str, ...]:
    return tuple(read_text(verified_path(_FREQUENT_TERMS_FILE, data_home)).split())


def _all_terms(path: Path) -> tuple[str, ...]:
    return tuple(sorted({term for record in read_json_lines(path) for term in record["features"]}))


def _count(path: Path, terms: tuple[str, ...], wanted: set[str]) -> AmazonCounts:
    column = {term: number for number, term in enumerate(terms)}
    columns: list[np.ndarray] = []
    values: list[np.ndarray] = []
    about: list[tuple[str, str, str]] = []
    for record in read_json_lines(path):
        if record["domain"] in wanted:
            counts = {column[t]: n for t, n in record["features"].items() if t in column}
            columns.append(np.fromiter(counts.keys(), np.int32, len(counts)))
            values.append(np.fromiter(counts.values(), np.float32, len(counts)))
            about.append((record["label"], record["domain"], record["id"]))
    matrix = sparse.csr_matrix(
        (
            np.concatenate(values),
            np.concatenate(columns),
            np.cumsum([0] + [len(row) for row in columns]),
        ),
        shape=(len(about), len(terms)),
    )
    matrix.sort_indices()
    labels, names, ids = zip(*about, strict=True)
    return AmazonCounts(matrix, terms, np.array(labels), np.array(names), list(ids))
