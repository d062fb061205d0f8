"""One vocabulary for two languages: translations, shared strings and untranslated terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.translation.coverage import KINDS, Coverage
from isthmus.text.translation.dictionary_direction import orient
from isthmus.text.translation.language_vocabulary import LanguageVocabulary

__all__ = ["JointVocabulary", "build_joint_vocabulary"]

_UNKNOWN_SHOWN = 100

# A meaning of a target term: the source terms of one translation, several for a phrase.
Meaning = tuple[int, ...]


@dataclass(frozen=True)
class JointVocabulary:
    """One vocabulary for two languages.

    Attributes
    ----------
    terms : list of str
        The terms of the source and the untranslated terms of the target, sorted.
    source : array of int
        The column of every source term.
    target : csr_matrix of shape (target terms, terms)
        How the count of every target term is split over the columns; rows sum to 1.
    use : array of float
        Total count of every target term.
    coverage : Coverage
    """

    terms: list[str]
    source: NDArray[np.intp]
    target: sparse.csr_matrix
    use: NDArray[np.float64]
    coverage: Coverage

    def map_source(self, counts: Any) -> Any:
        """Return counts of source terms in the columns of the joint vocabulary."""
        columns = self.source.astype(counts.indices.dtype)[counts.indices]
        shape = (counts.shape[0], len(self.terms))
        mapped = sparse.csr_matrix((counts.data, columns, counts.indptr), shape=shape, copy=False)
        mapped.sort_indices()
        return mapped

    def map_target(self, counts: Any) -> Any:
        """Return counts of target terms, split over the columns of the joint vocabulary."""
        mapped = sparse.csr_matrix(counts @ self.target.astype(counts.dtype))
        mapped.sort_indices()
        return mapped

    def spellings(
        self, source: Sequence[str], target: Sequence[str], *, of_target: bool
    ) -> list[str]:
        """Return the spelling of every term, given the spellings of both vocabularies.

        For the target, these are its own words with the source term in parentheses: "Buch (book)".
        """
        names = dict(zip(self.source.tolist(), source, strict=True))
        by_column = self.target.tocsc()
        for column in range(len(self.terms)):
            rows = slice(by_column.indptr[column], by_column.indptr[column + 1])
            if rows.start == rows.stop or (column in names and not of_target):
                continue
            heaviest = np.argmax(by_column.data[rows] * self.use[by_column.indices[rows]])
            target_word = target[by_column.indices[rows][heaviest]]
            source_word = names.get(column, target_word)  # equal for an untranslated term
            names[column] = (
                target_word if target_word == source_word else f"{target_word} ({source_word})"
            )
        return [names[column] for column in range(len(self.terms))]


def build_joint_vocabulary(
    source: LanguageVocabulary,
    target: LanguageVocabulary,
    use: NDArray[Any],
    dictionaries: Iterable[BilingualDictionary],
) -> JointVocabulary:
    """Map the terms of the target to those of the source.

    ``use`` is the total count of every target term. The count of a target term is split over its
    translations that occur in the source, that of a phrase over its words. A term without such a
    translation is mapped to the identical string in the source; else to the translations of another
    word with the same stem, or of a word that it is a character n-gram of; else it remains a term
    of its own.
    """
    entries: dict[str, dict[str, None]] = {}
    for dictionary in dictionaries:
        for word, translation in orient(dictionary, source, target):
            entries.setdefault(word, {})[translation] = None
    exact, related, in_dictionary = _translate(entries, source, target)
    rows: list[dict[int, float]] = []
    kinds: list[str] = []
    for number, term in enumerate(target.terms):
        meanings = exact.get(number)
        if meanings is None and term not in source:
            meanings = related.get(number)
        identical: list[Meaning] | None = [(source.index(term),)] if term in source else None
        if meanings is None:
            meanings = identical
        if meanings is None:
            kinds.append("unknown")
        else:
            kinds.append("shared" if meanings == identical else "translated")
        rows.append(_split(meanings or []))
    n_pairs = sum(map(len, entries.values()))
    coverage = _make_coverage(target.terms, kinds, use, in_dictionary, n_pairs)
    untranslated = [number for number, kind in enumerate(kinds) if kind == "unknown"]
    return _assemble(source.terms, target.terms, rows, untranslated, use, coverage)


def _translate(
    entries: Mapping[str, Iterable[str]], source: LanguageVocabulary, target: LanguageVocabulary
) -> tuple[dict[int, list[Meaning]], dict[int, list[Meaning]], set[int]]:
    """Return meanings of target terms by exact match and by related words, and terms with entries.

    A term that the dictionary has may lack a meaning, if its translations do not occur in the
    source.
    """
    exact: dict[int, list[Meaning]] = {}
    related: dict[int, list[Meaning]] = {}
    in_dictionary: set[int] = set()
    for word, translations in entries.items():
        exact_terms = target.exact_terms(word)
        related_terms = target.related_terms(word)
        # A phrase of several terms is not a term.
        exact_terms = exact_terms if len(exact_terms) == 1 else ()
        if not exact_terms and not related_terms:
            continue
        in_dictionary.update(exact_terms, related_terms)
        meanings = [
            meaning for translation in translations for meaning in _meanings(translation, source)
        ]
        for terms, by_term in ((exact_terms, exact), (related_terms, related)):
            for term in terms:
                known = by_term.setdefault(term, [])
                known += [meaning for meaning in dict.fromkeys(meanings) if meaning not in known]
    return _without_empty(exact), _without_empty(related), in_dictionary


def _meanings(translation: str, source: LanguageVocabulary) -> list[Meaning]:
    """Return the source terms of a translation, or else the related ones, as one meaning."""
    terms = source.exact_terms(translation) or source.related_terms(translation)
    return [terms] if terms else []


def _without_empty(by_term: dict[int, list[Meaning]]) -> dict[int, list[Meaning]]:
    return {term: meanings for term, meanings in by_term.items() if meanings}


def _split(meanings: Sequence[Meaning]) -> dict[int, float]:
    """Return the weight of every source term: equal per meaning, and equal within a meaning."""
    weights: dict[int, float] = {}
    # Sorted, so that rounding does not depend on the order of the dictionary.
    for meaning in sorted(meanings):
        for term in meaning:
            weight = 1 / (len(meanings) * len(meaning))
            weights[term] = weights.get(term, 0.0) + weight
    return weights


def _assemble(
    source_terms: Sequence[str],
    target_terms: Sequence[str],
    rows: list[dict[int, float]],
    untranslated: list[int],
    use: NDArray[Any],
    coverage: Coverage,
) -> JointVocabulary:
    names = [*source_terms, *(target_terms[number] for number in untranslated)]
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    column = np.empty(len(names), np.intp)
    column[order] = np.arange(len(names))
    for position, number in enumerate(untranslated):
        rows[number] = {len(source_terms) + position: 1.0}
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.intp)])
    term_numbers = np.array([term for row in rows for term in row], np.intp)
    weights = np.array([weight for row in rows for weight in row.values()], np.float64)
    matrix = sparse.csr_matrix(
        (weights, column[term_numbers], indptr), shape=(len(target_terms), len(names))
    )
    matrix.sort_indices()
    terms = [names[number] for number in order.tolist()]
    return JointVocabulary(terms, column[: len(source_terms)], matrix, use, coverage)


def _make_coverage(
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
    unknown = [number for number, kind in enumerate(kinds) if kind == "unknown"]
    missing = [number for number in unknown if number not in in_dictionary]
    frequent = sorted(missing, key=lambda number: (-use[number], terms[number]))[:_UNKNOWN_SHOWN]
    return Coverage(
        words,
        tokens,
        len(in_dictionary.intersection(unknown)),
        tuple((terms[number], round(float(use[number]))) for number in frequent),
        n_pairs,
    )
