"""TextVectorizer: texts of all domains to one matrix of weighted term counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from isthmus._stages import stage
from isthmus.text.analyzer import Analyzer
from isthmus.text.base_vectorizer import BaseVectorizer
from isthmus.text.language_detection import (
    AUTO,
    MAX_TEXTS_READ,
    ScriptCheck,
    check_detector,
    detect_language,
)
from isthmus.text.parts.counting import (
    ProcessCounting,
    ShardCounting,
    TextShard,
    count_stream,
)
from isthmus.text.parts.spilled_counts import SpilledCounts
from isthmus.text.term_counts import KnownTermCounter, TermCounts
from isthmus.text.term_filter import TermFilter
from isthmus.text.text_blocks import TextBlocks
from isthmus.text.weighting import (
    fit_weighting,
    make_weighting,
    weigh_in_place,
    with_weights,
)

__all__ = ["TextVectorizer"]

_MAX_NGRAM = 20
_NO_DOCUMENTS = "No documents were given: at least one is needed."


class TextVectorizer(BaseVectorizer):
    """Convert texts to weighted term counts; fit it on the texts of all domains together.

    Texts may come from any iterable, including a generator: they are read once, one by one, and not
    stored.

    Parameters
    ----------
    language : str or None, default="english"
        Name or code (two or three letters) of the language. It determines the tokenizer, the
        stemmer and the stop words. None uses the default tokenizer without stemmer and stop words.
        "auto" detects the language (extra "detect"). Japanese needs the extra "japanese". If the
        texts are in a script that the tokenizer does not split, a warning names the language.
    stop_words : "auto", "english", list of str or None, default="auto"
        Words to exclude. "auto" is a list of function words for English and no stop words for other
        languages. The list keeps words that carry negation, contrast, degree, modality or a
        question, such as not, but, very, should and why. "english" is scikit-learn's list, which
        excludes them. None excludes nothing. With ``stem=True``, Japanese words are also excluded
        by their dictionary form.
    stem : bool, default=False
        Whether words are replaced by their Snowball stem. On the development problems this improved
        source-only classifiers slightly and the transfer methods not at all.
    lowercase : bool, default=True
        Whether letters are changed to lower case.
    ngram_range : tuple of two int, default=(1, 1)
        Minimum and maximum number of words in a term; (1, 2) adds pairs of words.
    min_df : int, float or "auto", default="auto"
        Minimum document frequency of a term over all domains, as a number of documents (int) or a
        fraction of them (float). "auto" is 1 below 20 documents and 2 otherwise.
    max_df : int, float or "auto", default=1.0
        Maximum document frequency of a term. "auto" is half of the documents (all of them below 20
        documents), which suits languages without a list of stop words.
    max_terms : int or None, default=None
        Keep only the most frequent terms.
    html : bool, default=False
        Whether texts are HTML pages; tags, comments and scripts are removed (extra "html").
    weighting : str, default="log-tfidf"
        See :func:`isthmus.make_weighting`.
    dtype : {"float32", "float64"}, default="float32"
        Type of the numbers in the matrix.

    Attributes
    ----------
    terms_ : list of str
        The terms of the columns, sorted.
    spellings_ : list of str
        The most frequent spelling of every term. It differs from ``terms_`` if ``stem=True``.
    vocabulary_ : dict of str to int
        Column of every term.
    weights_ : array of shape (n_terms,) or None
        Fitted weight of every term, such as its idf; None if the weighting has none.
    language_ : str or None
        The language; the detected one if ``language="auto"``.

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

    _vocabulary: dict[str, int] | None
    _counter: KnownTermCounter | None

    def fit_transform(self, texts: Iterable[str] | TextBlocks, y: Any = None) -> Any:
        """Fit, and return the weighted rows of the same texts, which are read once."""
        self.check()
        blocks = TextBlocks.of(texts)
        language = self._find_language(lambda: blocks.first(MAX_TEXTS_READ))
        script = ScriptCheck(language)
        analyzer = self._make_analyzer(language)
        analyzer.start_counting_words()
        with stage("counting words"):
            counts = count_stream(blocks.observed_by(script.observe), analyzer)
        script.end()
        return self._fit_counts(counts, analyzer, language)

    def fit_transform_shards(
        self,
        shards: Iterable[TextShard],
        counting: ShardCounting | None = None,
        on_shard: Callable[[Any], None] = lambda facts: None,
    ) -> Any:
        """Fit to texts that other processes read and count; return their weighted rows.

        The rows are those of :meth:`fit_transform`.

        :meta private:

        Parameters
        ----------
        shards : iterable of TextShard
        counting : ShardCounting, default=None
            Who counts them; None means several processes of this machine.
        on_shard : function
            Gets the facts of every shard, in the order of the shards.
        """
        self.check()
        counting = counting or ProcessCounting()
        remaining = iter(shards)
        opened: list[TextShard] = []

        def first_blocks() -> Iterator[list[str]]:
            # A shard may have few texts or none.
            for shard in remaining:
                opened.append(shard)
                yield from counting.head(shard)

        head = TextBlocks(first_blocks()).first(MAX_TEXTS_READ)
        language = self._find_language(lambda: head)
        script = ScriptCheck(language)
        script.observe(head)
        script.end()
        if not opened:
            raise ValueError(_NO_DOCUMENTS)
        analyzer = self._make_analyzer(language)
        analyzer.start_counting_words()

        def record(facts: Any, word_counts: Mapping[Any, int]) -> None:
            analyzer.add_word_counts(word_counts)
            on_shard(facts)

        with stage("counting words"):
            make_analyzer = partial(self._make_analyzer, language)
            counts = counting.count(chain(opened, remaining), make_analyzer, record)
        return self._fit_counts(counts, analyzer, language)

    def _fit_counts(self, counts: TermCounts, analyzer: Analyzer, language: str | None) -> Any:
        """Select terms, fit the weights and return the weighted rows; the counts are used up."""
        try:
            if counts.n_documents == 0:
                raise ValueError(_NO_DOCUMENTS)
            term_filter = TermFilter(self.min_df, self.max_df, self.max_terms)
            with stage("selecting terms"):
                selected, terms, frequencies = term_filter.apply(counts, self.dtype)
        except BaseException:
            if isinstance(counts, SpilledCounts):
                counts.close()
            raise
        del counts
        with stage("weighting"):
            weighting = fit_weighting(self.weighting, selected, frequencies)
        # Assigned last, so that an error leaves an earlier fit unchanged.
        self.language_, self.terms_ = language, terms
        self.spellings_ = analyzer.spellings(terms)
        self._weighting, self._vocabulary, self._counter = weighting, None, None
        with stage("weighting"):
            return weigh_in_place(weighting, selected)

    def transform(self, texts: Iterable[str] | TextBlocks) -> Any:
        """Return the weighted rows of new texts; terms that are not in ``terms_`` are ignored."""
        check_is_fitted(self, "terms_")
        if self._counter is None:
            self._counter = KnownTermCounter(self.make_analyzer(), self.vocabulary_, self.dtype)
        counts = self._counter.count(texts)
        if counts.shape[0] == 0:
            raise ValueError(_NO_DOCUMENTS)
        return weigh_in_place(self._weighting, counts)

    def __getstate__(self) -> Any:
        # The counter is made again when it is needed.
        return {**super().__getstate__(), "_counter": None}

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Column of every term. It is made when it is needed: millions of n-grams take seconds."""
        check_is_fitted(self, "terms_")
        if self._vocabulary is None:
            self._vocabulary = {term: column for column, term in enumerate(self.terms_)}
        return self._vocabulary

    @property
    def n_lengths(self) -> int:
        """Number of different lengths of terms in words.

        :meta private:
        """
        shortest, longest = _read_ngram_range(self.ngram_range)
        return longest - shortest + 1

    def make_analyzer(self) -> Analyzer:
        """Return the fitted analyzer.

        Returns
        -------
        function
            Maps a text to the list of its terms.
        """
        check_is_fitted(self, "terms_")
        return self._make_analyzer(self.language_)

    def make_word_analyzer(self) -> Analyzer:
        """Return an analyzer for dictionary entries: without HTML and n-grams.

        :meta private:
        """
        check_is_fitted(self, "terms_")
        return Analyzer(
            self.language_, self.stop_words, bool(self.stem), bool(self.lowercase), (1, 1), False
        )

    def restore(self, terms: list[str], spellings: list[str], weights: NDArray[Any] | None) -> Self:
        """Restore an earlier fit from its ``terms_``, ``spellings_`` and ``weights_``.

        :meta private:
        """
        self.check()
        if self.language == AUTO:
            raise ValueError(
                "A restored vectorizer needs a language: pass its name instead of 'auto'."
            )
        self.language_ = self.language
        self.terms_, self.spellings_ = terms, spellings
        self._weighting = with_weights(self.weighting, weights)
        self._vocabulary, self._counter = None, None
        return self

    def check(self) -> None:
        """Raise ValueError if a parameter is invalid, before any text is read."""
        TermFilter(self.min_df, self.max_df, self.max_terms)
        make_weighting(self.weighting)
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype={self.dtype!r} must be 'float32' or 'float64'.")
        for name in ("stem", "lowercase", "html"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False.")
        if self.stem and self.language is None:
            raise ValueError("stem=True needs a language: name it, or use stem=False.")
        if self.language == AUTO:
            check_detector()
        self._make_analyzer(None if self.language == AUTO else self.language)

    def _find_language(self, head: Callable[[], list[str]]) -> str | None:
        """Return the language; detect it by the first texts if that is asked for."""
        if self.language != AUTO:
            return self.language
        # Without any text, fit_transform raises the error.
        texts = head()
        return detect_language(texts) if texts else None

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
        raise ValueError(f"ngram_range={ngram_range!r} must be two integers, as in (1, 2).")
    shortest, longest = int(pair[0]), int(pair[1])
    if not 1 <= shortest <= longest <= _MAX_NGRAM:
        raise ValueError(
            f"ngram_range={ngram_range!r} must be (shortest, longest) with 1 <= shortest <= "
            f"longest <= {_MAX_NGRAM}."
        )
    return shortest, longest
