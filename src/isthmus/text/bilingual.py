"""Texts of two languages to one weighted matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from isthmus._warnings import warn_user
from isthmus.domains.parse import read_sample_domain
from isthmus.text.bridge import Bridge, Coverage, Vocabulary, build_bridge
from isthmus.text.bridge.direction import possible_directions
from isthmus.text.counting import check_is_list, check_is_text
from isthmus.text.detection import AUTO
from isthmus.text.dictionaries import BilingualDictionary, are_pairs, as_dictionary
from isthmus.text.vectorizer import TextVectorizer
from isthmus.text.weighting import fitted_weights, make_weighting, weigh_in_place, with_weights

__all__ = ["BilingualVectorizer"]

_LANGUAGES = ("source_language", "target_language")
# A dictionary of the wrong language, or the wrong way round, still meets a few words.
_FEW_TRANSLATED = 0.05
_PASSED_ON = (
    "stop_words", "stem", "lowercase", "ngram_range", "min_df", "max_df", "max_terms", "html",
    "dtype",
)  # fmt: skip


class BilingualVectorizer(TransformerMixin, BaseEstimator):
    """Counts and weighs the terms of texts whose sources and targets have different languages.

    A dictionary carries the target's words to the source's: the counts of a word are split over
    its translations that the source uses. A word without one is shared if the source has the same
    string; otherwise, if a form of it with the same stem has a translation, it gets that;
    otherwise it stays a term of its own.

    Parameters
    ----------
    source_language, target_language : str or None
        Names or codes of the languages, as for :class:`TextVectorizer`; "auto" finds one out from
        the texts (extra "detect").
    dictionary : mapping, list of pairs, path, BilingualDictionary, list of these or None
        Word to translation or translations, in either direction: what a file says of its
        languages settles it, or else the direction that fits the texts. None shares identical
        strings alone.
    stop_words : "auto", "english", list of str or None, default=None
        Words to leave out, of both languages. None leaves it to ``max_df``, which treats both
        languages alike.
    stem : bool, default=False
        Whether words are cut to their stem in both languages.
    lowercase : bool, default=True
    ngram_range : tuple of two int, default=(1, 1)
    min_df, max_df : int, float or "auto", default="auto"
        Documents that a term must and may stand in, counted in each language by itself. "auto" is
        2 or more and at most half of them; below 20 documents of a language, all terms.
    max_terms : int or None, default=None
        Keep only the most frequent terms of each language.
    html : bool, default=False
    weighting : str, default="log-tfidf"
    dtype : {"float32", "float64"}, default="float32"

    Attributes
    ----------
    terms_ : list of str
        The terms of the columns, sorted: those of the source and, in the target's language, those
        that nothing joins to them.
    coverage_ : Coverage
        How much of the target's words is translated, shared and unknown.
    source_, target_ : TextVectorizer
        What counts the texts of each language; ``target_.terms_`` are the words of the target.
    bridge_ : Bridge
        Where the words go: ``bridge_.target`` (target terms x terms) splits the target's counts.

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

    # With metadata routing switched on, these are asked for without another word.
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, texts: Iterable[str], y: Any = None, sample_domain: Any = None) -> Self:
        """Learn terms, bridge and weights; see :meth:`fit_transform`."""
        self.fit_transform(texts, y, sample_domain)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None, sample_domain: Any = None) -> Any:
        """Learn from the texts of all domains, and give their weighted rows.

        Parameters
        ----------
        texts : iterable of str
        y : ignored
        sample_domain : array-like of int of shape (n_texts,)
            0 and above for texts in the source's language, below 0 for the target's.
        """
        texts = _listed(texts)
        if sample_domain is None:
            raise ValueError(
                "sample_domain is required, for it says which texts are in which language: give "
                "one whole number a text, 0 or above for a source and below 0 for a target."
            )
        is_target = read_sample_domain(sample_domain, len(texts)) < 0
        sides = [[t for t, late in zip(texts, is_target, strict=True) if late == wanted]
                 for wanted in (False, True)]  # fmt: skip
        X = self.fit_transform_sides(*sides)
        return X[np.argsort(np.argsort(is_target, kind="stable"), kind="stable")]

    def fit_transform_sides(self, source_texts: Iterable[str], target_texts: Iterable[str]) -> Any:
        """The same for the texts of each language by themselves, which are read once.

        Returns the rows of the sources, then those of the targets.
        """
        self.check()
        weighting = make_weighting(self.weighting)
        dictionaries = self._read_dictionaries()
        for dictionary in dictionaries:  # before the texts are counted
            possible_directions(dictionary, *(self._named(name) for name in _LANGUAGES))
        source, target = self._make_sides()
        source_counts = _with_name(source.fit_transform, source_texts, "source")
        target_counts = _with_name(target.fit_transform, target_texts, "target")
        use = np.asarray(target_counts.sum(axis=0, dtype=np.float64)).ravel()
        bridge = _build(source, target, use, dictionaries)
        placed = (bridge.place_source(source_counts), bridge.place_target(target_counts))
        joined = sparse.vstack(placed, format="csr")
        _warn_if_useless(bridge.coverage, source, target)
        weighting.fit(joined)
        # Only now, so that an error leaves an earlier fit as it was.
        self._keep(source, target, bridge, weighting)
        return weigh_in_place(weighting, joined)

    def transform(self, texts: Iterable[str], sample_domain: Any = None) -> Any:
        """Weighted rows of new texts, of the target unless ``sample_domain`` says otherwise."""
        if sample_domain is None:
            return self.transform_side(texts, target=True)
        texts = _listed(texts)
        is_target = read_sample_domain(sample_domain, len(texts)) < 0
        if is_target.all() or not is_target.any():
            return self.transform_side(texts, target=bool(is_target.all()))
        parts = [
            self.transform_side([texts[i] for i in np.flatnonzero(is_target == wanted)],
                                target=wanted)
            for wanted in (False, True)
        ]  # fmt: skip
        order = np.argsort(np.argsort(is_target, kind="stable"), kind="stable")
        return sparse.csr_matrix(sparse.vstack(parts))[order]

    def transform_side(self, texts: Iterable[str], *, target: bool) -> Any:
        """Weighted rows of new texts of one language, which are read once."""
        check_is_fitted(self, "bridge_")
        if target:
            counts = _with_name(self.target_.transform, texts, "target")
            placed = self.bridge_.place_target(counts)
        else:
            counts = _with_name(self.source_.transform, texts, "source")
            placed = self.bridge_.place_source(counts)
        return weigh_in_place(self._weighting, placed)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The terms of the columns."""
        check_is_fitted(self, "bridge_")
        return np.array(self.terms_, dtype=object)

    def spellings_of(self, *, target: bool) -> list[str]:
        """The terms as people write them; of the target, its own words, "Buch (book)"."""
        check_is_fitted(self, "bridge_")
        both = (self.source_.spellings_, self.target_.spellings_)
        return self.bridge_.spellings(*both, of_target=target)

    @property
    def weights_(self) -> NDArray[Any] | None:
        """What the weighting learnt of every term; None if it learns nothing."""
        check_is_fitted(self, "bridge_")
        return fitted_weights(self._weighting)

    def check(self) -> None:
        """Raise ValueError if a parameter makes no sense, before any text is read."""
        make_weighting(self.weighting)
        TextVectorizer(language="english", weighting="counts", **self._options()).check()
        # What is wrong from here on, one of the languages is the reason for.
        for side, name in zip(self._make_sides(), _LANGUAGES, strict=True):
            try:
                side.check()
            except (ValueError, ImportError) as error:
                kind = ImportError if isinstance(error, ImportError) else ValueError
                raise kind(f"{name}={side.language!r}: {error}") from error

    def restore(
        self,
        source: TextVectorizer,
        target: TextVectorizer,
        bridge: Bridge,
        weights: NDArray[Any] | None,
    ) -> Self:
        """Fit from what an earlier fit had learnt."""
        self._keep(source, target, bridge, with_weights(self.weighting, weights))
        return self

    def _named(self, parameter: str) -> str | None:
        """A language, None if it is not known yet."""
        language = getattr(self, parameter)
        return None if language == AUTO else language

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PASSED_ON}

    def _make_sides(self) -> tuple[TextVectorizer, TextVectorizer]:
        source, target = (
            TextVectorizer(language=getattr(self, name), weighting="counts", **self._options())
            for name in _LANGUAGES
        )
        return source, target

    def _read_dictionaries(self) -> list[BilingualDictionary]:
        if self.dictionary is None:
            return []
        several = isinstance(self.dictionary, list | tuple) and not are_pairs(self.dictionary)
        values: Sequence[Any] = self.dictionary if several else [self.dictionary]
        return [as_dictionary(value) for value in values]

    def _keep(
        self, source: TextVectorizer, target: TextVectorizer, bridge: Bridge, weighting: Any
    ) -> None:
        self.source_, self.target_, self.bridge_ = source, target, bridge
        self.terms_ = bridge.terms
        self.coverage_: Coverage = bridge.coverage
        self._weighting = weighting


def _build(
    source: TextVectorizer,
    target: TextVectorizer,
    use: NDArray[Any],
    dictionaries: list[BilingualDictionary],
) -> Bridge:
    one, other = (
        Vocabulary(side.terms_, side.language_, side.make_word_analyzer())
        for side in (source, target)
    )
    return build_bridge(one, other, use, dictionaries)


def _warn_if_useless(coverage: Coverage, source: TextVectorizer, target: TextVectorizer) -> None:
    translated = coverage.token_share("translated")
    if coverage.n_pairs and translated < _FEW_TRANSLATED:
        warn_user(
            f"The dictionary translates {100 * translated:.1f} % of the target's words only: is it "
            "of these two languages, with single words, and are the sources in "
            f"{source.language_ or 'its one language'} and the targets in "
            f"{target.language_ or 'its other'}?"
        )


def _listed(texts: Iterable[str]) -> list[str]:
    """A list of texts; an error counts them as the caller does, before they are parted."""
    check_is_list(texts)
    listed = list(texts)
    for row, text in enumerate(listed):
        check_is_text(text, row)
    return listed


def _with_name(count: Any, texts: Iterable[str], side: str) -> Any:
    """Count the texts of a side; an error says which it is."""
    try:
        return count(texts)
    except (ValueError, ImportError) as error:
        kind = ImportError if isinstance(error, ImportError) else ValueError
        raise kind(f"The texts of the {side}: {error}") from error
