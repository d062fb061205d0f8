"""Loaders for the corpora and a generator of a small one."""

from isthmus.datasets.files import ChecksumError, DataNotFoundError
from isthmus.datasets.newsgroups import NEWSGROUPS, Newsgroups, load_newsgroups
from isthmus.datasets.reuters import REUTERS_TASKS, CrossDomain, load_reuters_cross_domain
from isthmus.datasets.synthetic import SyntheticCorpus, make_corpus

__all__ = [
    "NEWSGROUPS",
    "REUTERS_TASKS",
    "ChecksumError",
    "CrossDomain",
    "DataNotFoundError",
    "Newsgroups",
    "SyntheticCorpus",
    "load_newsgroups",
    "load_reuters_cross_domain",
    "make_corpus",
]
