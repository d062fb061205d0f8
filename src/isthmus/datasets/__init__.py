"""Loaders for public corpora and generators of two synthetic ones."""

from isthmus.datasets.amazon import (
    AMAZON_DOMAINS,
    AmazonCounts,
    AmazonReviews,
    load_amazon,
    load_amazon_counts,
)
from isthmus.datasets.corpus_files import ChecksumError, DataNotFoundError
from isthmus.datasets.everyday import (
    EVERYDAY_DOMAINS,
    EVERYDAY_SCENARIOS,
    EverydayTexts,
    load_everyday,
)
from isthmus.datasets.newsgroups import NEWSGROUPS, Newsgroups, load_newsgroups
from isthmus.datasets.reuters import (
    REUTERS_TASKS,
    CrossDomain,
    ReutersStories,
    load_reuters_categories,
    load_reuters_cross_domain,
    load_reuters_stories,
)
from isthmus.datasets.synthetic import SyntheticCorpus, make_corpus
from isthmus.datasets.synthetic_bilingual import BilingualCorpus, make_bilingual_corpus
from isthmus.datasets.webis import (
    WEBIS_CATEGORIES,
    WEBIS_DICTIONARIES,
    WEBIS_LANGUAGES,
    WebisReviews,
    load_webis,
    load_webis_dictionary,
)
from isthmus.datasets.webkb import (
    WEBKB_CLASSES,
    WEBKB_UNIVERSITIES,
    WEBKB_USUAL_CLASSES,
    WebKB,
    load_webkb,
)

__all__ = [
    "AMAZON_DOMAINS",
    "EVERYDAY_DOMAINS",
    "EVERYDAY_SCENARIOS",
    "NEWSGROUPS",
    "REUTERS_TASKS",
    "WEBIS_CATEGORIES",
    "WEBIS_DICTIONARIES",
    "WEBIS_LANGUAGES",
    "WEBKB_CLASSES",
    "WEBKB_UNIVERSITIES",
    "WEBKB_USUAL_CLASSES",
    "AmazonCounts",
    "AmazonReviews",
    "BilingualCorpus",
    "ChecksumError",
    "CrossDomain",
    "DataNotFoundError",
    "EverydayTexts",
    "Newsgroups",
    "ReutersStories",
    "SyntheticCorpus",
    "WebKB",
    "WebisReviews",
    "load_amazon",
    "load_amazon_counts",
    "load_everyday",
    "load_newsgroups",
    "load_reuters_categories",
    "load_reuters_cross_domain",
    "load_reuters_stories",
    "load_webis",
    "load_webis_dictionary",
    "load_webkb",
    "make_bilingual_corpus",
    "make_corpus",
]
