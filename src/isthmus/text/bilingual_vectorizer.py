"""BilingualVectorizer: texts of two languages to one matrix of weighted term counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from isthmus._warnings import warn_user
from isthmus.domains.parse import read_sample_domain
from isthmus.text.base_vectorizer import BaseVectorizer
from isthmus.text.dictionaries import BilingualDictionary, are_pairs, as_dictionary
from isthmus.text.language_detection import AUTO
from isthmus.text.text_blocks import TextBlocks, text_list
from isthmus.text.translation import (
    Coverage,
    JointVocabulary,
    LanguageVocabulary,
    build_joint_vocabulary,
)
from isthmus.text.translation.dictionary_direction import possible_directions
from isthmus.text.vectorizer import TextVectorizer
from isthmus.text.weighting import make_weighting, weigh_in_place, with_weights

__all__ = ["BilingualVectorizer"]

_LANGUAGES = ("source_language", "target_language")
# A dictionary of other languages still translates a few words.
_LOW_COVERAGE = 0.05
_SHARED_PARAMETERS = (
    "stop_words", "stem", "lowercase", "ngram_range", "min_df", "max_df", "max_terms", "html",
    "dtype",
)  # fmt: skip


class BilingualVectorizer(BaseVectorizer):
    """Convert texts to weighted term counts where source and target have different languages.

    A dictionary maps the terms of the target language to those of the source language. The count of
    a target word is split over its translations that occur in the source. A word without such a
    translation is mapped to the identical string in the source; else to the translations of another
    word with the same stem; else it remains a term of its own.

    Parameters
    ----------
    source_language : str or None, default="english"
        Name or code of the language of the source, as for :class:`TextVectorizer`; "auto" detects
        it (extra "detect").
    target_language : str or None, default=None
        The same for the target.
    dictionary : mapping, list of pairs, path, BilingualDictionary or list of these, default=None
        Word to translation or translations, in either direction. The direction is taken from the
        languages that the file names, or else chosen by the texts. None maps identical strings
        only.
    stop_words : "auto", "english", list of str or None, default=None
        Words to exclude in both languages. None relies on ``max_df``, which treats both languages
        alike.
    stem : bool, default=False
        Whether words of both languages are replaced by their stem.
    lowercase : bool, default=True
        Whether letters are changed to lower case.
    ngram_range : tuple of two int, default=(1, 1)
        Minimum and maximum number of words in a term. The dictionary translates single words.
    min_df, max_df : int, float or "auto", default="auto"
        Minimum and maximum document frequency of a term, within its language. "auto" is at least 2
        documents and at most half of them; all terms if a language has fewer than 20 documents.
    max_terms : int or None, default=None
        Keep only the most frequent terms of each language.
    html : bool, default=False
        Whether texts are HTML pages; tags, comments and scripts are removed (extra "html").
    weighting : str, default="log-tfidf"
        See :func:`isthmus.make_weighting`.
    dtype : {"float32", "float64"}, default="float32"
        Type of the numbers in the matrix.

    Attributes
    ----------
    terms_ : list of str
        The terms of the columns, sorted: those of the source and the target terms that are not
        mapped to a source term.
    coverage_ : Coverage
        Proportions of the target words that are translated, shared and unknown; see
        :class:`~isthmus.text.translation.coverage.Coverage`.
    source_, target_ : TextVectorizer
        The vectorizers of the two languages; ``target_.terms_`` are the terms of the target.
    joint_vocabulary_ : JointVocabulary
        The mapping of terms to columns: ``joint_vocabulary_.target`` (target terms x terms) splits
        the counts of the target terms.
    weights_ : array of shape (n_terms,) or None
        Fitted weight of every term, such as its idf; None if the weighting has none.

    Examples
    --------
    >>> from isthmus import BilingualVectorizer
    >>> vectorizer = BilingualVectorizer("en", "de", {"Buch": "book", "gut": ["good", "fine"]})
    >>> X = vectorizer.fit_transform(
    ...     ["a good book", "a fine song", "Bücher und Opern"], sample_domain=[0, 0, -1]
    ... )
    >>> vectorizer.terms_
    ['book', 'fine', 'good', 'opern', 'song', 'und']
    >>> print(vectorizer.coverage_)
    translated 33.3 % of the tokens (33.3 % of the words), shared 0.0 % of the tokens (0.0 % of the words), unknown 66.7 % of the tokens (66.7 % of the words)
    """  # noqa: E501

    # With metadata routing, sample_domain is requested by default.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"sample_domain": True}
    __metadata_request__transform: ClassVar[dict[str, bool]] = {"sample_domain": True}

    def __init__(
        self,
        source_language: str | None = "english",
        target_language: str | None = None,
        dictionary: Any = None,
        *,
        stop_words: str | Iterable[str] | None = None,
        stem: bool = False,
        lowercase: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float | str = "auto",
        max_df: int | float | str = "auto",
        max_terms: int | None = None,
        html: bool = False,
        weighting: str = "log-tfidf",
        dtype: str = "float32",
    ) -> None:
        self.source_language = source_language
        self.target_language = target_language
        self.dictionary = dictionary
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

    def fit(self, texts: Iterable[str], y: Any = None, sample_domain: Any = None) -> Self:
        """Fit the vocabularies and weights.

        Parameters
        ----------
        texts : iterable of str
            The texts of all domains.
        sample_domain : array-like of int of shape (n_texts,)
            0 or more for texts in the source language, negative for the target language.
        """
        self.fit_transform(texts, y, sample_domain)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None, sample_domain: Any = None) -> Any:
        """Fit on the texts of all domains, and return their weighted rows."""
        texts = text_list(texts)
        if sample_domain is None:
            raise ValueError(
                "sample_domain is required because it tells the language of a text: pass one "
                "integer per text, 0 or more for the source and negative for the target."
            )
        is_target = read_sample_domain(sample_domain, len(texts)) < 0
        source_texts, target_texts = (
            [texts[row] for row in np.flatnonzero(is_target == of_target)]
            for of_target in (False, True)
        )
        X = self.fit_transform_domains(source_texts, target_texts)
        return X[_original_order(is_target)]

    def fit_transform_domains(
        self, source_texts: Iterable[str] | TextBlocks, target_texts: Iterable[str] | TextBlocks
    ) -> Any:
        """Fit on source and target texts in separate iterables, which are read once.

        Parameters
        ----------
        source_texts, target_texts : iterable of str
            The texts of each language.

        Returns
        -------
        sparse matrix of shape (n_texts, n_terms)
            The rows of the source texts, followed by those of the target texts.
        """
        self.check()
        weighting = make_weighting(self.weighting)
        dictionaries = self._read_dictionaries()
        for dictionary in dictionaries:  # before the texts are counted
            possible_directions(dictionary, *(self._known_language(name) for name in _LANGUAGES))
        source, target = self._make_vectorizers()
        source_counts = _count_domain(source.fit_transform, source_texts, "source")
        target_counts = _count_domain(target.fit_transform, target_texts, "target")
        totals = np.asarray(target_counts.sum(axis=0, dtype=np.float64)).ravel()
        vocabulary = _join(source, target, totals, dictionaries)
        counts = sparse.vstack(
            (vocabulary.map_source(source_counts), vocabulary.map_target(target_counts)),
            format="csr",
        )
        _warn_if_coverage_is_low(vocabulary.coverage, source, target)
        weighting.fit(counts)
        # Assigned last, so that an error leaves an earlier fit unchanged.
        self._set_fitted(source, target, vocabulary, weighting)
        return weigh_in_place(weighting, counts)

    def transform(self, texts: Iterable[str], sample_domain: Any = None) -> Any:
        """Return the weighted rows of new texts.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        sample_domain : array-like of int of shape (n_texts,), default=None
            0 or more for texts in the source language, negative for the target language. By
            default all texts are in the target language.
        """
        if sample_domain is None:
            return self.transform_domain(texts, target=True)
        texts = text_list(texts)
        is_target = read_sample_domain(sample_domain, len(texts)) < 0
        if is_target.all() or not is_target.any():
            return self.transform_domain(texts, target=bool(is_target.all()))
        parts = [
            self.transform_domain(
                [texts[row] for row in np.flatnonzero(is_target == of_target)], target=of_target
            )
            for of_target in (False, True)
        ]
        return sparse.csr_matrix(sparse.vstack(parts))[_original_order(is_target)]

    def transform_domain(self, texts: Iterable[str] | TextBlocks, *, target: bool) -> Any:
        """Return the weighted rows of new texts of one language, which are read once.

        Parameters
        ----------
        target : bool
            Whether they are in the target language.

        Returns
        -------
        sparse matrix of shape (n_texts, n_terms)
            One row per text.
        """
        check_is_fitted(self, "joint_vocabulary_")
        if target:
            counts = _count_domain(self.target_.transform, texts, "target")
            mapped = self.joint_vocabulary_.map_target(counts)
        else:
            counts = _count_domain(self.source_.transform, texts, "source")
            mapped = self.joint_vocabulary_.map_source(counts)
        return weigh_in_place(self._weighting, mapped)

    def spellings_of(self, *, target: bool) -> list[str]:
        """Return the most frequent spelling of every term.

        Parameters
        ----------
        target : bool
            Whether the words are those of the target, as in "Buch (book)".

        Returns
        -------
        list of str
            One spelling per column.
        """
        check_is_fitted(self, "joint_vocabulary_")
        return self.joint_vocabulary_.spellings(
            self.source_.spellings_, self.target_.spellings_, of_target=target
        )

    def check(self) -> None:
        """Raise ValueError if a parameter is invalid, before any text is read."""
        make_weighting(self.weighting)
        TextVectorizer(language="english", weighting="counts", **self._options()).check()
        # The other parameters are valid, so an error from here on is about a language.
        for vectorizer, name in zip(self._make_vectorizers(), _LANGUAGES, strict=True):
            try:
                vectorizer.check()
            except (ValueError, ImportError) as error:
                kind = ImportError if isinstance(error, ImportError) else ValueError
                raise kind(f"{name}={vectorizer.language!r}: {error}") from error

    def restore(
        self,
        source: TextVectorizer,
        target: TextVectorizer,
        vocabulary: JointVocabulary,
        weights: NDArray[Any] | None,
    ) -> Self:
        """Restore the state of an earlier fit.

        :meta private:
        """
        self._set_fitted(source, target, vocabulary, with_weights(self.weighting, weights))
        return self

    def _known_language(self, parameter: str) -> str | None:
        """Return a language parameter; None if the language will be detected."""
        language = getattr(self, parameter)
        return None if language == AUTO else language

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SHARED_PARAMETERS}

    def _make_vectorizers(self) -> tuple[TextVectorizer, TextVectorizer]:
        source, target = (
            TextVectorizer(language=getattr(self, name), weighting="counts", **self._options())
            for name in _LANGUAGES
        )
        return source, target

    def _read_dictionaries(self) -> list[BilingualDictionary]:
        if self.dictionary is None:
            return []
        is_list = isinstance(self.dictionary, list | tuple) and not are_pairs(self.dictionary)
        values: Sequence[Any] = self.dictionary if is_list else [self.dictionary]
        return [as_dictionary(value) for value in values]

    def _set_fitted(
        self,
        source: TextVectorizer,
        target: TextVectorizer,
        vocabulary: JointVocabulary,
        weighting: Any,
    ) -> None:
        self.source_, self.target_, self.joint_vocabulary_ = source, target, vocabulary
        self.terms_ = vocabulary.terms
        self.coverage_: Coverage = vocabulary.coverage
        self._weighting = weighting


def _join(
    source: TextVectorizer,
    target: TextVectorizer,
    target_totals: NDArray[Any],
    dictionaries: list[BilingualDictionary],
) -> JointVocabulary:
    source_vocabulary, target_vocabulary = (
        LanguageVocabulary(fitted.terms_, fitted.language_, fitted.make_word_analyzer())
        for fitted in (source, target)
    )
    return build_joint_vocabulary(source_vocabulary, target_vocabulary, target_totals, dictionaries)


def _warn_if_coverage_is_low(
    coverage: Coverage, source: TextVectorizer, target: TextVectorizer
) -> None:
    translated = coverage.token_share("translated")
    if coverage.n_pairs and translated < _LOW_COVERAGE:
        warn_user(
            f"The dictionary translates only {100 * translated:.1f} % of the target words: check "
            "that it pairs single words of these two languages, that the source texts are in "
            f"{source.language_ or 'one of them'} and the target texts in "
            f"{target.language_ or 'the other'}."
        )


def _original_order(is_target: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the positions of the caller's rows in source rows followed by target rows."""
    return np.argsort(np.argsort(is_target, kind="stable"), kind="stable")


def _count_domain(count: Any, texts: Iterable[str] | TextBlocks, domain: str) -> Any:
    """Count the texts of a domain; an error names the domain."""
    try:
        return count(texts)
    except (ValueError, ImportError) as error:
        kind = ImportError if isinstance(error, ImportError) else ValueError
        raise kind(f"The {domain} texts: {error}") from error
