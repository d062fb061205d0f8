"""From the vocabularies of two languages to one: translations, shared strings, words kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.text.coverage import KINDS, Coverage
from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.languages import find_language, language_code, make_stemmer

__all__ = ["Bridge", "Vocabulary", "build_bridge", "orient"]

_UNKNOWN_SHOWN = 100
Analyze = Callable[[str], list[str]]


class Vocabulary:
    """The terms of one language, and how a word of a dictionary finds its way to them."""

    def __init__(self, terms: Sequence[str], language: str | None, analyze: Analyze) -> None:
        self.terms = terms
        self.language = find_language(language)
        self._analyze = analyze
        self._places = {term: place for place, term in enumerate(terms)}
        self._cut: dict[str, tuple[str, ...]] = {}
        self._by_stem: dict[str, list[int]] | None = None
        self._stem = self._make_stem()

    def __contains__(self, term: object) -> bool:
        return term in self._places

    def place(self, term: str) -> int:
        """Number of a term."""
        return self._places[term]

    def spelt(self, text: str) -> tuple[int, ...]:
        """Terms that a word or phrase of a dictionary is made of; none if one is not a term."""
        words = self._words(text)
        whole = self._places.get(" ".join(words))
        if whole is not None:  # a single word, or a sequence of words that is counted
            return (whole,)
        known = [self._places[word] for word in words if word in self._places]
        return tuple(dict.fromkeys(known)) if len(known) == len(words) else ()

    def inflected(self, text: str) -> tuple[int, ...]:
        """Terms with the stem of a single word."""
        words = self._words(text)
        if self._stem is None or len(words) != 1:
            return ()
        if self._by_stem is None:
            self._by_stem = {}
            for place, term in enumerate(self.terms):
                self._by_stem.setdefault(self._stem(term), []).append(place)
        return tuple(self._by_stem.get(self._stem(words[0]), ()))

    def _words(self, text: str) -> tuple[str, ...]:
        """The words of a text, without sequences of them; the same texts come many times."""
        if text not in self._cut:
            self._cut[text] = tuple(term for term in self._analyze(text) if " " not in term)
        return self._cut[text]

    def _make_stem(self) -> Callable[[str], str] | None:
        try:
            return None if self.language is None else make_stemmer(self.language)
        except ValueError:  # a language without stems
            return None


@dataclass(frozen=True)
class Bridge:
    """One vocabulary for two languages.

    Attributes
    ----------
    terms : list of str
        The source's terms and those of the target that are features of their own, sorted.
    source : array of int
        The column of every term of the source.
    target : csr_matrix of shape (target terms, terms)
        How the counts of every term of the target are split over the columns; rows sum to 1.
    coverage : Coverage
    """

    terms: list[str]
    source: NDArray[np.intp]
    target: sparse.csr_matrix
    coverage: Coverage


def orient(
    dictionary: BilingualDictionary, source: Vocabulary, target: Vocabulary
) -> BilingualDictionary:
    """The dictionary with the target's words first.

    What the dictionary says of its languages settles it, if both are known; otherwise the
    direction in which more pairs have both words in use.
    """
    if dictionary.languages is not None and source.language and target.language:
        wanted = (_code(target.language), _code(source.language))
        found = tuple(map(_code, dictionary.languages))
        if found == wanted:
            return dictionary
        if found == wanted[::-1]:
            return dictionary.reversed()
        raise ValueError(
            f"The dictionary {dictionary.name} is of the languages {found[0]} and {found[1]}, but "
            f"the source is {wanted[1]} and the target {wanted[0]}: give another dictionary, or "
            "name the languages of the texts."
        )
    other = dictionary.reversed()
    return dictionary if _fit(dictionary, source, target) >= _fit(other, source, target) else other


def build_bridge(
    source: Vocabulary,
    target: Vocabulary,
    use: NDArray[Any],
    dictionaries: Iterable[BilingualDictionary],
) -> Bridge:
    """Bring two vocabularies together; ``use`` holds the occurrences of every target term.

    The counts of a target term are split over its translations that the source uses, those of a
    phrase over its words. A term without one is shared if the source has the same string; else,
    if another form of it (with the same stem) has a translation, it gets that; else it stays a
    feature of its own.
    """
    oriented = [orient(dictionary, source, target) for dictionary in dictionaries]
    pairs = dict.fromkeys(pair for dictionary in oriented for pair in dictionary.pairs)
    direct, by_form, in_dictionary = _translations(pairs, source, target)
    rows: list[dict[int, float]] = []
    kinds: list[str] = []
    for place, term in enumerate(target.terms):
        found = direct.get(place)
        if found is None and term not in source:
            found = by_form.get(place)
        itself = source.place(term) if term in source else None
        if found is None and itself is not None:
            found = [(itself,)]
        kinds.append(
            "unknown" if found is None else "shared" if found == [(itself,)] else "translated"
        )
        rows.append(_split(found or []))
    own = [place for place, kind in enumerate(kinds) if kind == "unknown"]
    coverage = _coverage(target.terms, kinds, use, in_dictionary, len(pairs))
    return _joined(source.terms, target.terms, rows, own, coverage)


def _translations(
    pairs: Iterable[tuple[str, str]], source: Vocabulary, target: Vocabulary
) -> tuple[dict[int, list[Any]], dict[int, list[Any]], set[int]]:
    """Translations of target terms: of the words themselves, of other forms; and which have any."""
    direct: dict[int, list[Any]] = {}
    by_form: dict[int, list[Any]] = {}
    in_dictionary: set[int] = set()
    for word, translation in pairs:
        exact = target.spelt(word)
        forms = target.inflected(word)
        # A phrase of the target's is no term, unless sequences of words are counted.
        exact = exact if len(exact) == 1 else ()
        if not exact and not forms:
            continue
        in_dictionary.update(exact)
        places = source.spelt(translation)
        meanings = [places] if places else [(place,) for place in source.inflected(translation)]
        for found, into in ((exact, direct), (forms, by_form)):
            for place in found:
                known = into.setdefault(place, [])
                known += [meaning for meaning in meanings if meaning not in known]
    return _without_empty(direct), _without_empty(by_form), in_dictionary


def _without_empty(found: dict[int, list[Any]]) -> dict[int, list[Any]]:
    return {place: meanings for place, meanings in found.items() if meanings}


def _split(meanings: Sequence[tuple[int, ...]]) -> dict[int, float]:
    """Shares of the places: every meaning has the same, and its words share it."""
    shares: dict[int, float] = {}
    for meaning in meanings:
        for place in meaning:
            share = 1 / (len(meanings) * len(meaning))
            shares[place] = shares.get(place, 0.0) + share
    return shares


def _joined(
    source_terms: Sequence[str],
    target_terms: Sequence[str],
    rows: list[dict[int, float]],
    own: list[int],
    coverage: Coverage,
) -> Bridge:
    names = [*source_terms, *(target_terms[place] for place in own)]
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    column = np.empty(len(names), np.intp)
    column[order] = np.arange(len(names))
    for number, place in enumerate(own):
        rows[place] = {len(source_terms) + number: 1.0}
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    places = np.array([place for row in rows for place in row], np.intp)
    shares = np.array([share for row in rows for share in row.values()], np.float64)
    matrix = sparse.csr_matrix(
        (shares, column[places], indptr), shape=(len(target_terms), len(names))
    )
    matrix.sort_indices()
    terms = [names[place] for place in order.tolist()]
    return Bridge(terms, column[: len(source_terms)], matrix, coverage)


def _coverage(
    terms: Sequence[str],
    kinds: Sequence[str],
    use: NDArray[Any],
    in_dictionary: set[int],
    n_pairs: int,
) -> Coverage:
    words, tokens = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for kind, count in zip(kinds, use.tolist(), strict=True):
        words[kind] += 1
        tokens[kind] += round(count)
    unknown = [place for place, kind in enumerate(kinds) if kind == "unknown"]
    frequent = sorted(unknown, key=lambda place: (-use[place], terms[place]))[:_UNKNOWN_SHOWN]
    return Coverage(
        words,
        tokens,
        len(in_dictionary.intersection(unknown)),
        tuple((terms[place], round(float(use[place]))) for place in frequent),
        n_pairs,
    )


def _fit(dictionary: BilingualDictionary, source: Vocabulary, target: Vocabulary) -> int:
    return sum(
        bool(target.spelt(word)) and bool(source.spelt(translation))
        for word, translation in dictionary.pairs
    )


def _code(language: str) -> str:
    try:
        return language_code(language)
    except ValueError:  # a language that texts are not treated specially in
        return language.lower()
