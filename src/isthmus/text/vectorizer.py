"""Texts of all domains to one weighted matrix."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus.text.analysis import Analyzer
from isthmus.text.counting import Limits, check_is_list, count_all_terms, count_known_terms
from isthmus.text.detection import AUTO, LOOKED_AT, check_detector, detect_language
from isthmus.text.weighting import (
    fitted_weights,
    make_weighting,
    weigh_in_place,
    with_weights,
)

__all__ = ["TextVectorizer"]

_LONGEST_NGRAM = 20


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Counts and weighs the terms of texts; fit it on the texts of all domains together.

    Texts may come from any iterable, also from a generator: they are read once, one by one, and
    not held.

    Parameters
    ----------
    language : str or None, default="english"
        Name or code (two or three letters) of the language, which decides how words are cut, for
        stemmer and stop words; None for the usual words and neither. Japanese needs the extra
        "japanese".
    stop_words : "auto", "english", list of str or None, default="auto"
        Words to leave out. "auto" is scikit-learn's list for English and none for other languages.
        In Japanese a word is left out by its dictionary form, too, if ``stem`` is set.
    stem : bool, default=False
        Whether words are cut to their stem (Snowball). It helps classifiers on the source alone a
        little and, measured on development problems, the transfer methods here not.
    lowercase : bool, default=True
    ngram_range : tuple of two int, default=(1, 1)
        Shortest and longest sequence of words that makes a term; (1, 2) adds pairs.
    min_df : int, float or "auto", default="auto"
        A term must stand in so many documents (int) or in this share of them (float), counted over
        all domains. "auto" is 1 below 20 documents and 2 above.
    max_df : int, float or "auto", default=1.0
        A term may stand in at most so many documents. "auto" is half of them, for languages
        without a list of stop words; all of them below 20 documents.
    max_terms : int or None, default=None
        Keep only the most frequent terms.
    html : bool, default=False
        Whether texts are HTML pages, to be stripped of tags, comments and scripts (extra "html").
    weighting : str, default="log-tfidf"
        See :func:`isthmus.make_weighting`.
    dtype : {"float32", "float64"}, default="float32"

    Attributes
    ----------
    terms_ : list of str
        The terms of the columns, sorted.
    spellings_ : list of str
        The same for people: the most frequent word behind every stem.
    vocabulary_ : dict of term to column
    language_ : str or None
        The language, found out if it was "auto".

    Examples
    --------
    >>> from isthmus import TextVectorizer
    >>> vectorizer = TextVectorizer(stem=True).fit(["The kettles boil.", "Kettles and a kettle!"])
    >>> vectorizer.terms_, vectorizer.spellings_
    (['boil', 'kettl'], ['boil', 'kettles'])
    """

    def __init__(
        self,
        *,
        language: str | None = "english",
        stop_words: str | Iterable[str] | None = "auto",
        stem: bool = False,
        lowercase: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float | str = "auto",
        max_df: int | float | str = 1.0,
        max_terms: int | None = None,
        html: bool = False,
        weighting: str = "log-tfidf",
        dtype: str = "float32",
    ) -> None:
        self.language = language
        self.stop_words = stop_words
        self.stem = stem
        self.lowercase = lowercase
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms
        self.html = html
        self.weighting = weighting
        self.dtype = dtype

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Learn terms and weights from the texts of all domains."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None) -> Any:
        """``fit``, and the weighted rows of the same texts, which are read once."""
        self.check()
        limits = Limits(self.min_df, self.max_df, self.max_terms)
        weighting = make_weighting(self.weighting)
        language, texts = self._find_language(texts)
        analyzer = self._make_analyzer(language)
        analyzer.note_words()
        counts, terms = count_all_terms(texts, analyzer)
        if counts.shape[0] == 0:
            raise ValueError("No document was given: at least one is needed.")
        counts, terms = limits.keep(counts, terms, self.dtype)
        weighting.fit(counts)
        # Only now, so that an error leaves an earlier fit as it was.
        self.language_, self.terms_ = language, terms
        self.spellings_ = analyzer.spellings(terms)
        self._weighting = weighting
        self._number_terms()
        return weigh_in_place(weighting, counts)

    def transform(self, texts: Iterable[str]) -> Any:
        """Weighted rows of new texts; words that were not fitted are passed over."""
        check_is_fitted(self, "vocabulary_")
        counts = count_known_terms(texts, self.make_analyzer(), self.vocabulary_)
        if counts.shape[0] == 0:
            raise ValueError("No document was given: at least one is needed.")
        counts.sort_indices()
        return weigh_in_place(self._weighting, counts.astype(self.dtype))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The terms of the columns."""
        check_is_fitted(self, "vocabulary_")
        return np.array(self.terms_, dtype=object)

    @property
    def weights_(self) -> NDArray[Any] | None:
        """What the weighting learnt of every term; None if it learns nothing."""
        check_is_fitted(self, "vocabulary_")
        return fitted_weights(self._weighting)

    def make_analyzer(self) -> Analyzer:
        """A function from a text to its terms, as the fit had it."""
        check_is_fitted(self, "vocabulary_")
        return self._make_analyzer(self.language_)

    def make_word_analyzer(self) -> Analyzer:
        """The same for single words, such as those of a dictionary: no markup, no sequences."""
        check_is_fitted(self, "vocabulary_")
        return Analyzer(
            self.language_, self.stop_words, bool(self.stem), bool(self.lowercase), (1, 1), False
        )

    def restore(self, terms: list[str], spellings: list[str], weights: NDArray[Any] | None) -> Self:
        """Fit from what an earlier fit had learnt (``terms_``, ``spellings_``, ``weights_``)."""
        self.check()
        if self.language == AUTO:
            raise ValueError("A fitted vectorizer knows its language: name it.")
        self.language_ = self.language
        self.terms_, self.spellings_ = terms, spellings
        self._weighting = with_weights(self.weighting, weights)
        self._number_terms()
        return self

    def _number_terms(self) -> None:
        self.vocabulary_ = {term: column for column, term in enumerate(self.terms_)}

    def check(self) -> None:
        """Raise ValueError if a parameter makes no sense, before any text is read."""
        Limits(self.min_df, self.max_df, self.max_terms)
        make_weighting(self.weighting)
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype={self.dtype!r} must be 'float32' or 'float64'.")
        for name in ("stem", "lowercase", "html"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False.")
        if self.stem and self.language is None:
            raise ValueError("stem=True needs a language: name it, or leave the stems out.")
        if self.language == AUTO:
            check_detector()
        self._make_analyzer(None if self.language == AUTO else self.language)

    def _find_language(self, texts: Iterable[str]) -> tuple[str | None, Iterable[str]]:
        """The language, and the texts again, some of which were read if it had to be found."""
        if self.language != AUTO:
            return self.language, texts
        check_is_list(texts)
        texts = iter(texts)
        head = list(islice(texts, LOOKED_AT))
        # Of no text at all, counting says what is wrong.
        return detect_language(head) if head else None, chain(head, texts)

    def _make_analyzer(self, language: str | None) -> Analyzer:
        return Analyzer(
            language,
            self.stop_words,
            bool(self.stem),
            bool(self.lowercase),
            _read_ngram_range(self.ngram_range),
            bool(self.html),
        )


def _read_ngram_range(ngram_range: Any) -> tuple[int, int]:
    pair = tuple(ngram_range) if isinstance(ngram_range, tuple | list) else ()
    if len(pair) != 2 or not all(isinstance(n, Integral) for n in pair):
        raise ValueError(f"ngram_range={ngram_range!r} must be two whole numbers, as in (1, 2).")
    shortest, longest = int(pair[0]), int(pair[1])
    if not 1 <= shortest <= longest <= _LONGEST_NGRAM:
        raise ValueError(
            f"ngram_range={ngram_range!r} must go from 1 or more up to the same or more, at most "
            f"{_LONGEST_NGRAM}."
        )
    return shortest, longest
