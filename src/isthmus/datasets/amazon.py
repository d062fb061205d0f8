"""Loader for Amazon reviews of books, dvd, electronics and kitchen ware, with sentiment labels."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from isthmus.datasets.corpus_files import (
    CORPUS_FILES,
    read_columns,
    read_json_lines,
    read_text,
    select_names,
    stack_rows,
    verified_path,
)

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
"""Domains of the Amazon reviews."""

AMAZON_TEXT_FILE = CORPUS_FILES["amazon/labelled_text.jsonl.gz"]
_COUNT_FILES = {
    "labeled": CORPUS_FILES["amazon/labelled_bow.jsonl.gz"],
    "unlabeled": CORPUS_FILES["amazon/unlabeled_bow5000.jsonl.gz"],
}
_FREQUENT_TERMS_FILE = CORPUS_FILES["amazon/vocab5000.txt"]
AMAZON_COUNT_FILES = (*_COUNT_FILES.values(), _FREQUENT_TERMS_FILE)


@dataclass(frozen=True)
class AmazonReviews:
    """Labeled reviews as texts; see :func:`isthmus.datasets.load_amazon`.

    Attributes
    ----------
    texts : list of str
        The title, a line break, and the review. XML entities are kept as published
        (``html.unescape`` resolves them).
    labels : list of str
        ``positive`` (4 or 5 stars) or ``negative`` (1 or 2).
    domains : list of str
        The domain of each review.
    ratings : list of float
        The number of stars, which determines the label.
    ids : list of str
        ``<domain>-<label>-<number>``; the same review has the same id in ``AmazonCounts``.
    """

    texts: list[str]
    labels: list[str]
    domains: list[str]
    ratings: list[float]
    ids: list[str]


@dataclass(frozen=True)
class AmazonCounts:
    """Reviews as counts of words and word pairs; see :func:`isthmus.datasets.load_amazon_counts`.

    Attributes
    ----------
    counts : scipy.sparse.csr_matrix
        Reviews by terms, float32.
    terms : tuple of str
        The term of each column; the words of a pair are joined by ``_``.
    labels : ndarray of str
        ``positive`` or ``negative``. Labels of the unlabeled part are for evaluation only.
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
    """Load the labeled reviews as texts, in the order of the file.

    Every domain has 1,000 positive and 1,000 negative reviews; a few dozen occur twice, as
    published.

    Parameters
    ----------
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.
    domains : str or collection of str, default=None
        One or more of "books", "dvd", "electronics", "kitchen"; by default all.

    Returns
    -------
    AmazonReviews
        Texts, labels, domains, ratings and ids.

    References
    ----------
    Blitzer, Dredze, Pereira: Biographies, Bollywood, Boom-boxes and Blenders: Domain
    Adaptation for Sentiment Classification. ACL 2007.

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_amazon
    >>> reviews = load_amazon(domains="books")  # doctest: +SKIP
    >>> len(reviews.texts)  # doctest: +SKIP
    2000
    """
    selected = _select_domains(domains)
    fields = {name: name for name in ("title", "text", "label", "domain", "rating", "id")}
    columns = read_columns(AMAZON_TEXT_FILE, data_home, fields, domain=selected)
    return AmazonReviews(
        # The published counts include the titles.
        texts=list(map("{}\n{}".format, columns["title"], columns["text"])),
        labels=columns["label"],
        domains=columns["domain"],
        ratings=columns["rating"],
        ids=columns["id"],
    )


def load_amazon_counts(
    part: str,
    data_home: str | os.PathLike[str] | None = None,
    domains: str | Collection[str] | None = None,
    vocabulary: str = "frequent",
) -> AmazonCounts:
    """Load the counts of the labeled reviews or of the unlabeled pool, in the order of the file.

    The labels of the unlabeled pool are known and commonly used as test labels of the target. Use
    them for evaluation only.

    Parameters
    ----------
    part : {"labeled", "unlabeled"}
        The 8,000 labeled reviews, or 19,677 others (three of which contain no frequent term).
    data_home : path, default=None
        The data folder; by default the value of ``ISTHMUS_DATA``.
    domains : str or collection of str, default=None
        One or more of "books", "dvd", "electronics", "kitchen"; by default all.
    vocabulary : {"frequent", "all"}, default="frequent"
        The 5,000 frequent terms of Chen et al. in their order, or all 473,856 terms of the
        labeled reviews, sorted. The unlabeled pool has the frequent terms only. The vocabulary
        does not depend on ``domains``, so that matrices of one vocabulary can be stacked.

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

    Examples
    --------
    The files must be in the folder that ``ISTHMUS_DATA`` names:

    >>> from isthmus.datasets import load_amazon_counts
    >>> load_amazon_counts("labeled").counts.shape  # doctest: +SKIP
    (8000, 5000)
    """
    if part not in _COUNT_FILES:
        raise ValueError(
            f"Unknown part {part!r} of the Amazon reviews: use one of {', '.join(_COUNT_FILES)}."
        )
    if vocabulary not in ("frequent", "all"):
        raise ValueError(f"vocabulary={vocabulary!r} must be 'frequent' or 'all'.")
    if (part, vocabulary) == ("unlabeled", "all"):
        raise ValueError(
            "The unlabeled Amazon reviews have counts of the frequent terms only: "
            "use vocabulary='frequent'."
        )
    selected = _select_domains(domains)
    path = verified_path(_COUNT_FILES[part], data_home)
    if vocabulary == "frequent":
        terms = tuple(read_text(verified_path(_FREQUENT_TERMS_FILE, data_home)).split())
    else:
        terms = _all_terms(path)
    return _read_counts(path, terms, selected)


def _select_domains(domains: str | Collection[str] | None) -> set[str]:
    return select_names(domains, AMAZON_DOMAINS, "domain", "the Amazon reviews")


def _all_terms(path: Path) -> tuple[str, ...]:
    return tuple(sorted({term for record in read_json_lines(path) for term in record["features"]}))


def _read_counts(path: Path, terms: tuple[str, ...], domains: set[str]) -> AmazonCounts:
    column = {term: number for number, term in enumerate(terms)}
    rows: list[tuple[np.ndarray, np.ndarray]] = []
    metadata: list[tuple[str, str, str]] = []
    for record in read_json_lines(path):
        if record["domain"] in domains:
            counts = {column[t]: n for t, n in record["features"].items() if t in column}
            rows.append((np.fromiter(counts, np.int32), np.fromiter(counts.values(), np.float32)))
            metadata.append((record["label"], record["domain"], record["id"]))
    matrix = stack_rows(rows, len(terms))
    matrix.sort_indices()
    labels, names, ids = zip(*metadata, strict=True)
    return AmazonCounts(matrix, terms, np.array(labels), np.array(names), list(ids))
