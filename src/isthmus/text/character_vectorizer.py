"""CharacterVectorizer: texts of all domains to one matrix of weighted character n-grams."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from isthmus.text.base_vectorizer import BaseVectorizer
from isthmus.text.character_ngrams import (
    NgramSpellings,
    WordCounts,
    all_ngrams,
    has_plain_characters,
    known_ngrams,
)
from isthmus.text.text_blocks import TextBlocks
from isthmus.text.weighting import weigh_in_place, with_weights

__all__ = ["CharacterVectorizer"]

_WEIGHTING = "log-tfidf"
_MAX_NGRAM = 10
_MIN_DF = 5
#: With ``min_df="auto"``, the minimum document frequency is at most one document in this many.
_DOCUMENTS_PER_DF = 20
#: With ``max_df="auto"``, the largest document frequency as a fraction, and the number of documents
#: from which it applies.
_MAX_DF, _MANY_DOCUMENTS = 0.05, 400

#: Limits of :meth:`CharacterVectorizer.observe`, which bound its memory to about 1 GiB.
MAX_DOCUMENTS = 60_000
MAX_STORED_WORDS = 20_000_000
MAX_WORD_CHARACTERS = 10_000_000
MAX_STORED_NGRAMS = 60_000_000


class CharacterVectorizer(BaseVectorizer):
    """Convert texts to weighted counts of character n-grams inside words.

    Words are separated by white space, and a space is added at both ends of a word. The n-grams
    are the same as those of scikit-learn's ``TfidfVectorizer(analyzer="char_wb")``, which takes
    more than ten times as long; accents are composed first (NFC). Endings, compounds, misspellings
    and emoticons of two domains have n-grams in common even if their words differ. Values are
    ``(1 + log tf) * idf`` in float32, and rows have unit norm.

    Texts may come from any iterable, including a generator: they are read once, one by one, and not
    stored.

    Parameters
    ----------
    ngram_range : tuple of two int, default=(3, 5)
        Minimum and maximum number of characters.
    min_df : int or "auto", default="auto"
        Minimum number of documents that contain an n-gram. "auto" is 5, and less below 100
        documents: one in 20 documents, at least 1.
    max_df : float or "auto", default="auto"
        Largest fraction of the documents that may contain an n-gram. "auto" is 0.05 from 400
        documents on and 1.0 below: frequent n-grams say little and make up most of the matrix. On
        development problems CoCC labeled as well without them, and LSSTTC better.
    max_terms : int or None, default=40_000
        Keep only the n-grams that occur most often. Ties are broken by the characters.
    lowercase : bool, default=True
        Whether letters are changed to lower case.
    html : bool, default=False
        Whether texts are HTML pages; tags, comments and scripts are removed (extra "html").

    Attributes
    ----------
    terms_ : list of str
        The n-grams of the columns, sorted. N-grams with control characters are left out.
    weights_ : array of shape (n_terms,)
        Inverse document frequency of every n-gram.

    Examples
    --------
    >>> from isthmus import CharacterVectorizer
    >>> vectorizer = CharacterVectorizer(ngram_range=(3, 3)).fit(["no no", "not"])
    >>> vectorizer.terms_
    [' no', 'no ', 'not', 'ot ']
    """

    def __init__(
        self,
        *,
        ngram_range: tuple[int, int] = (3, 5),
        min_df: int | str = "auto",
        max_df: float | str = "auto",
        max_terms: int | None = 40_000,
        lowercase: bool = True,
        html: bool = False,
    ) -> None:
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms
        self.lowercase = lowercase
        self.html = html

    def __getstate__(self) -> Any:
        # Texts that are being observed belong to this process.
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_observed"}

    def fit_transform(self, texts: Iterable[str], y: Any = None) -> Any:
        """Fit, and return the weighted rows of the same texts, which are read once."""
        self.check()
        self.__dict__.pop("_observed", None)
        words = self._count_words(texts)
        rows = self._fit_counts(words, max_stored=None)
        if rows is None:
            raise ValueError(
                f"No character n-gram occurs in {self._min_documents(words.n_texts)} of the "
                f"{words.n_texts} documents: lower min_df, or check that the documents have text."
            )
        return rows

    def transform(self, texts: Iterable[str] | TextBlocks) -> Any:
        """Return the weighted rows of new texts; n-grams that are not in ``terms_`` are ignored."""
        check_is_fitted(self, "terms_")
        words = self._count_words(texts)
        counts = known_ngrams(words, self.terms_, self._read_ngram_range())
        return weigh_in_place(self._weighting, counts.matrix())

    def observe(self, texts: list[str]) -> None:
        """Count the words of more texts, so that texts that are read for others are read once.

        Call it with lists of texts, and :meth:`finish` after the last one; :meth:`fit_transform`
        forgets them. Counting stops above 60,000 documents, 20 million counts of words or 10
        million characters in different words.

        Parameters
        ----------
        texts : list of str
            The next texts of all domains.
        """
        if "_observed" not in vars(self):
            self.check()
            self._observed: WordCounts | None = self._make_word_counts()
        if self._observed is not None:
            self._observed.add(texts)
            if _is_too_large(self._observed):
                self._observed = None

    def finish(self) -> Any:
        """Fit on the texts of :meth:`observe` and return their weighted rows.

        Returns
        -------
        sparse matrix of shape (n_texts, n_terms) or None
            One row per text. None, without a fit, if the limits of :meth:`observe` or 60 million
            counts of n-grams were exceeded, or if no n-gram is frequent enough.
        """
        if "_observed" not in vars(self):
            raise ValueError("There are no texts to fit on: call observe() with them first.")
        words = self._observed
        del self._observed
        if words is None:
            return None
        words.count_all()
        if _is_too_large(words):
            return None
        return self._fit_counts(words, max_stored=MAX_STORED_NGRAMS)

    def restore(self, terms: list[str], weights: NDArray[Any]) -> Self:
        """Restore an earlier fit from its ``terms_`` and ``weights_``.

        :meta private:
        """
        self.check()
        longest = self._read_ngram_range()[1]
        if not all(0 < len(term) <= longest and has_plain_characters(term) for term in terms):
            raise ValueError(f"A term is empty, longer than {longest}, or has control characters.")
        self.terms_ = terms
        self._weighting = with_weights(_WEIGHTING, weights)
        return self

    def check(self) -> None:
        """Raise ValueError if a parameter is invalid, before any text is read."""
        self._read_ngram_range()
        if self.min_df != "auto" and not _is_count(self.min_df):
            raise ValueError(f"min_df={self.min_df!r} must be a positive integer or 'auto'.")
        is_fraction = isinstance(self.max_df, float | int) and 0 < self.max_df <= 1
        if self.max_df != "auto" and (isinstance(self.max_df, bool) or not is_fraction):
            raise ValueError(
                f"max_df={self.max_df!r} must be a fraction above 0 and at most 1, or 'auto'."
            )
        if self.max_terms is not None and not _is_count(self.max_terms):
            raise ValueError(f"max_terms={self.max_terms!r} must be a positive integer or None.")
        for name in ("lowercase", "html"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False.")
        self._make_word_counts()

    def _count_words(self, texts: Iterable[str] | TextBlocks) -> WordCounts:
        words = self._make_word_counts()
        for block in TextBlocks.of(texts):
            words.add(block)
        if words.n_texts == 0:
            raise ValueError("No documents were given: at least one is needed.")
        return words

    def _fit_counts(self, words: WordCounts, max_stored: int | None) -> Any:
        """Fit and return the rows; None if no n-gram is left or there are too many counts."""
        counts, spellings = all_ngrams(words, self._read_ngram_range())
        frequencies = counts.document_frequencies(self._min_documents(words.n_texts))
        too_frequent = frequencies > self._max_documents(words.n_texts)
        numbers = np.flatnonzero((frequencies > 0) & ~too_frequent)
        numbers = numbers[spellings.are_plain(numbers)]
        numbers, terms = self._most_frequent(numbers, counts.totals()[numbers], spellings)
        n_stored = int(frequencies[numbers].sum())
        if len(numbers) == 0 or (max_stored is not None and n_stored > max_stored):
            return None
        rows = counts.take(numbers).matrix(n_stored)
        idf = np.log((1 + words.n_texts) / (1 + frequencies[numbers])) + 1
        weighting = with_weights(_WEIGHTING, idf.astype(np.float32))
        # Assigned last, so that an error leaves an earlier fit unchanged.
        self.terms_ = terms
        self._weighting = weighting
        return weigh_in_place(weighting, rows)

    def _most_frequent(
        self, numbers: NDArray[Any], totals: NDArray[Any], spellings: NgramSpellings
    ) -> tuple[NDArray[Any], list[str]]:
        """Return the numbers of the n-grams to keep and the n-grams, sorted by the latter."""
        if self.max_terms is not None and len(numbers) > self.max_terms:
            least = np.partition(totals, -self.max_terms)[-self.max_terms]
            kept, ties = numbers[totals > least], numbers[totals == least]
            by_name = np.argsort(np.array(spellings.spell(ties)))
            numbers = np.concatenate([kept, ties[by_name[: self.max_terms - len(kept)]]])
        terms = spellings.spell(numbers)
        order = sorted(range(len(terms)), key=terms.__getitem__)
        return numbers[order], [terms[i] for i in order]

    def _min_documents(self, n_documents: int) -> int:
        if self.min_df == "auto":
            return min(_MIN_DF, max(1, n_documents // _DOCUMENTS_PER_DF))
        return int(self.min_df)

    def _max_documents(self, n_documents: int) -> float:
        if self.max_df == "auto":
            return _MAX_DF * n_documents if n_documents >= _MANY_DOCUMENTS else n_documents
        return float(self.max_df) * n_documents

    def _make_word_counts(self) -> WordCounts:
        clean: Callable[[str], str] | None = None
        if self.html:
            from isthmus.text.strip_html import make_html_stripper

            clean = make_html_stripper()
        return WordCounts(lowercase=bool(self.lowercase), clean=clean)

    def _read_ngram_range(self) -> tuple[int, int]:
        value = self.ngram_range
        pair = tuple(value) if isinstance(value, tuple | list) else ()
        if len(pair) != 2 or not all(map(_is_count, pair)) or not pair[0] <= pair[1] <= _MAX_NGRAM:
            raise ValueError(
                f"ngram_range={value!r} must be (shortest, longest) with 1 <= shortest <= longest "
                f"<= {_MAX_NGRAM}, as in (3, 5)."
            )
        return int(pair[0]), int(pair[1])


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _is_too_large(words: WordCounts) -> bool:
    return (
        words.n_texts > MAX_DOCUMENTS
        or words.n_stored > MAX_STORED_WORDS
        or words.n_characters > MAX_WORD_CHARACTERS
    )
