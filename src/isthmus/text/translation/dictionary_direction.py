"""Determine the direction of a dictionary: source to target or target to source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.languages import language_code
from isthmus.text.translation.language_vocabulary import LanguageVocabulary

__all__ = ["orient", "possible_directions"]

# A difference of this many matching pairs decides on the direction.
_CLEAR_LEAD = 100


def orient(
    dictionary: BilingualDictionary, source: LanguageVocabulary, target: LanguageVocabulary
) -> Iterable[tuple[str, str]]:
    """Return the pairs of the dictionary as (target word, source word).

    The languages of the dictionary and of the vocabularies decide. If they allow both directions,
    the one with more pairs whose words both occur in the texts is used.
    """
    from_target, from_source = possible_directions(dictionary, source.language, target.language)
    if from_target and from_source:
        from_target = _is_from_target(dictionary.pairs, source, target)
    if from_target:
        return dictionary.pairs
    return ((translation, word) for word, translation in dictionary.pairs)


def possible_directions(
    dictionary: BilingualDictionary, source: str | None, target: str | None
) -> tuple[bool, bool]:
    """Whether a dictionary may go from target to source language, and from source to target.

    Raises ValueError if the known languages exclude both directions.
    """
    if dictionary.languages is None:
        return True, True
    from_target = _agree(dictionary.languages, (target, source))
    from_source = _agree(dictionary.languages, (source, target))
    if not from_target and not from_source:
        raise ValueError(_mismatch(dictionary, source, target))
    return from_target, from_source


def _is_from_target(
    pairs: Sequence[tuple[str, str]], source: LanguageVocabulary, target: LanguageVocabulary
) -> bool:
    """Whether more pairs match as (target word, source word) than the other way round.

    For large dictionaries a comparison of the words as written is sufficient. If it is not clear,
    the words are tokenized like the texts, and a tie is broken by words with the same stem.
    """
    tests: tuple[tuple[Callable[[str, LanguageVocabulary], bool], int], ...] = (
        (_occurs_as_written, _CLEAR_LEAD),
        (_occurs, 1),
        (_occurs_or_is_related, 0),
    )
    lead = 0
    for occurs, required_lead in tests:
        lead = sum(
            (occurs(first, target) and occurs(second, source))
            - (occurs(second, target) and occurs(first, source))
            for first, second in pairs
        )
        if abs(lead) >= required_lead:
            break
    return lead >= 0


def _occurs_as_written(word: str, vocabulary: LanguageVocabulary) -> bool:
    return word in vocabulary or word.lower() in vocabulary


def _occurs(word: str, vocabulary: LanguageVocabulary) -> bool:
    return bool(vocabulary.exact_terms(word))


def _occurs_or_is_related(word: str, vocabulary: LanguageVocabulary) -> bool:
    return _occurs(word, vocabulary) or bool(vocabulary.related_terms(word))


def _agree(languages: Sequence[str], expected: Sequence[str | None]) -> bool:
    """Whether languages are the expected ones; None matches any language."""
    return all(
        name is None or _code(language) == _code(name)
        for language, name in zip(languages, expected, strict=True)
    )


def _mismatch(dictionary: BilingualDictionary, source: str | None, target: str | None) -> str:
    languages = " and ".join(map(_code, dictionary.languages or ()))
    source, target = ("not named" if name is None else _code(name) for name in (source, target))
    return (
        f"The languages of the dictionary {dictionary.name} are {languages}, but the source is "
        f"{source} and the target {target}: use another dictionary, or name the languages of the "
        "texts."
    )


def _code(language: str) -> str:
    try:
        return language_code(language)
    except ValueError:  # a language without support for its texts
        return language.lower()
