"""Which way a dictionary leads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from isthmus.text.bridge.vocabulary import Vocabulary
from isthmus.text.dictionaries import BilingualDictionary
from isthmus.text.languages import language_code

__all__ = ["orient", "possible_directions"]

# So many more pairs in one direction than in the other are no accident.
_CLEAR_LEAD = 100


def orient(
    dictionary: BilingualDictionary, source: Vocabulary, target: Vocabulary
) -> Iterable[tuple[str, str]]:
    """The pairs of the dictionary with the target's words first.

    What the dictionary and the vocabularies say of their languages settles it; where that leaves
    both directions open, the one in which more pairs have both words in use.
    """
    forwards, backwards = possible_directions(dictionary, source.language, target.language)
    if forwards and backwards:
        forwards = _leads_to_source(dictionary.pairs, source, target)
    if forwards:
        return dictionary.pairs
    return ((translation, word) for word, translation in dictionary.pairs)


def possible_directions(
    dictionary: BilingualDictionary, source: str | None, target: str | None
) -> tuple[bool, bool]:
    """Whether a dictionary may lead from the target's language to the source's, and back.

    Raises ValueError if what is known of the languages leaves neither.
    """
    if dictionary.languages is None:
        return True, True
    wanted = (target, source)
    forwards = _agree(dictionary.languages, wanted)
    backwards = _agree(dictionary.languages[::-1], wanted)
    if not forwards and not backwards:
        raise ValueError(_mismatch(dictionary, wanted))
    return forwards, backwards


def _leads_to_source(
    pairs: Sequence[tuple[str, str]], source: Vocabulary, target: Vocabulary
) -> bool:
    """Whether more pairs lead from the target to the source than back.

    Large dictionaries need no more than a look at their words as they are written; where that is
    not clear, they are cut as the texts are, and other forms break a tie.
    """
    tests: tuple[tuple[Callable[[str, Vocabulary], bool], int], ...] = (
        (_is_written, _CLEAR_LEAD),
        (_is_spelt, 1),
        (_is_used, 0),
    )
    lead = 0
    for used, enough in tests:
        lead = sum(
            (used(one, target) and used(other, source))
            - (used(other, target) and used(one, source))
            for one, other in pairs
        )
        if abs(lead) >= enough:
            break
    return lead >= 0


def _is_written(word: str, vocabulary: Vocabulary) -> bool:
    return word in vocabulary or word.lower() in vocabulary


def _is_spelt(word: str, vocabulary: Vocabulary) -> bool:
    return bool(vocabulary.spelt(word))


def _is_used(word: str, vocabulary: Vocabulary) -> bool:
    return _is_spelt(word, vocabulary) or bool(vocabulary.related(word))


def _agree(languages: Sequence[str], wanted: Sequence[str | None]) -> bool:
    """Whether languages are those wanted, as far as these are known."""
    return all(
        name is None or _code(language) == _code(name)
        for language, name in zip(languages, wanted, strict=True)
    )


def _mismatch(dictionary: BilingualDictionary, wanted: tuple[str | None, str | None]) -> str:
    found = list(map(_code, dictionary.languages or ()))
    target, source = ("not named" if name is None else _code(name) for name in wanted)
    return (
        f"The dictionary {dictionary.name} is of the languages {found[0]} and {found[1]}, but "
        f"the source is {source} and the target {target}: give another dictionary, or name the "
        "languages of the texts."
    )


def _code(language: str) -> str:
    try:
        return language_code(language)
    except ValueError:  # a language that texts are not treated specially in
        return language.lower()
