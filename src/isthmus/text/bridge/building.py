"""From the vocabularies of two languages to one: translations, shared strings, words kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.text.bridge.coverage import KINDS, Coverage
from isthmus.text.bridge.direction import orient
from isthmus.text.bridge.model import Bridge
from isthmus.text.bridge.vocabulary import Vocabulary
from isthmus.text.dictionaries import BilingualDictionary

__all__ = ["build_bridge"]

_UNKNOWN_SHOWN = 100


def build_bridge(
    source: Vocabulary,
    target: Vocabulary,
    use: NDArray[Any],
    dictionaries: Iterable[BilingualDictionary],
) -> Bridge:
    """Bring two vocabularies together; ``use`` holds the occurrences of every target term.

    The counts of a target term are split over its translations that the source uses, those of a
    phrase over its words. A term without one is shared if the source has the same string; else,
    if another form of it (with the same stem) has a translation, or a word that it is a piece of,
    it gets that; else it stays a feature of its own.
    """
    entries: dict[str, dict[str, None]] = {}
    for dictionary in dictionaries:
        for word, translation in orient(dictionary, source, target):
            entries.setdefault(word, {})[translation] = None
    direct, by_form, in_dictionary = _translations(entries, source, target)
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
    n_pairs = sum(map(len, entries.values()))
    coverage = _coverage(target.terms, kinds, use, in_dictionary, n_pairs)
    return _joined(source.terms, target.terms, rows, own, use, coverage)


def _translations(
    entries: Mapping[str, Iterable[str]], source: Vocabulary, target: Vocabulary
) -> tuple[dict[int, list[Any]], dict[int, list[Any]], set[int]]:
    """Translations of target terms: of the words themselves, of other forms; and which have any."""
    direct: dict[int, list[Any]] = {}
    by_form: dict[int, list[Any]] = {}
    in_dictionary: set[int] = set()
    for word, translations in entries.items():
        exact = target.spelt(word)
        forms = target.related(word)
        # A phrase of the target's is no term, unless sequences of words are counted.
        exact = exact if len(exact) == 1 else ()
        if not exact and not forms:
            continue
        in_dictionary.update(exact, forms)
        meanings = [meaning for one in translations for meaning in _meanings(one, source)]
        for found, into in ((exact, direct), (forms, by_form)):
            for place in found:
                known = into.setdefault(place, [])
                known += [meaning for meaning in dict.fromkeys(meanings) if meaning not in known]
    return _without_empty(direct), _without_empty(by_form), in_dictionary


def _meanings(translation: str, source: Vocabulary) -> list[tuple[int, ...]]:
    """The source's terms that a translation is made of, or else its other forms, as one."""
    places = source.spelt(translation) or source.related(translation)
    return [places] if places else []


def _without_empty(found: dict[int, list[Any]]) -> dict[int, list[Any]]:
    return {place: meanings for place, meanings in found.items() if meanings}


def _split(meanings: Sequence[tuple[int, ...]]) -> dict[int, float]:
    """Shares of the places: every meaning has the same, and its words share it."""
    shares: dict[int, float] = {}
    # In an order of their own: that of the dictionary must not decide on the last bits.
    for meaning in sorted(meanings):
        for place in meaning:
            share = 1 / (len(meanings) * len(meaning))
            shares[place] = shares.get(place, 0.0) + share
    return shares


def _joined(
    source_terms: Sequence[str],
    target_terms: Sequence[str],
    rows: list[dict[int, float]],
    own: list[int],
    use: NDArray[Any],
    coverage: Coverage,
) -> Bridge:
    names = [*source_terms, *(target_terms[place] for place in own)]
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    column = np.empty(len(names), np.intp)
    column[order] = np.arange(len(names))
    for number, place in enumerate(own):
        rows[place] = {len(source_terms) + number: 1.0}
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.intp)])
    places = np.array([place for row in rows for place in row], np.intp)
    shares = np.array([share for row in rows for share in row.values()], np.float64)
    matrix = sparse.csr_matrix(
        (shares, column[places], indptr), shape=(len(target_terms), len(names))
    )
    matrix.sort_indices()
    terms = [names[place] for place in order.tolist()]
    return Bridge(terms, column[: len(source_terms)], matrix, use, coverage)


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
    missing = [place for place in unknown if place not in in_dictionary]
    frequent = sorted(missing, key=lambda place: (-use[place], terms[place]))[:_UNKNOWN_SHOWN]
    return Coverage(
        words,
        tokens,
        len(in_dictionary.intersection(unknown)),
        tuple((terms[place], round(float(use[place]))) for place in frequent),
        n_pairs,
    )
