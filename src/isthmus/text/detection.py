"""The language of a body of texts, found out where nobody named it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from isthmus.text.counting import check_is_list, check_is_text
from isthmus.text.languages import known_codes

__all__ = ["AUTO", "LOOKED_AT", "check_detector", "detect_language"]

#: In the place of a language: find it out.
AUTO = "auto"

#: How many texts are read to find it out; some may hold no letter.
LOOKED_AT = 1000

_CHARACTERS = 1000


def check_detector() -> None:
    """Raise ImportError if py3langid is not installed (extra "detect")."""
    _make_identifier()


def detect_language(texts: Iterable[str], sample: int = 200) -> str:
    """The name of the language that most texts are written in.

    Parameters
    ----------
    texts : iterable of str
        Read from the start until the sample is full.
    sample : int, default=200
        So many texts with a letter in them have a vote each, by their first 1,000 characters.

    Returns
    -------
    str
        One of the languages that :func:`isthmus.text.languages.find_language` knows. A text in
        another language votes for the one that is most like it.

    Raises
    ------
    ImportError
        If py3langid is not installed (extra "detect").
    ValueError
        If no text has a letter, if no language has half of the votes, or if two have as many.
    """
    check_is_list(texts)
    if sample < 1:
        raise ValueError(f"sample={sample!r} must be a whole number above 0.")
    identify = _make_identifier()
    votes = Counter(identify(text) for text in _sample(texts, sample))
    if not votes:
        raise ValueError("No text has a letter, so its language cannot be told: name the language.")
    # The name settles ties: the order of the texts must not.
    ranking = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    name, most = ranking[0]
    tied = len(ranking) > 1 and ranking[1][1] == most
    if 2 * most < votes.total() or tied:
        found = ", ".join(f"{language} {count}" for language, count in ranking[:5])
        raise ValueError(
            f"The language of the texts is not clear (votes of {votes.total()} texts: {found}): "
            "name the language."
        )
    return name


def _sample(texts: Iterable[str], size: int) -> Iterator[str]:
    taken = 0
    for row, text in enumerate(texts):
        check_is_text(text, row)
        start = text.lstrip()[:_CHARACTERS]
        if any(map(str.isalpha, start)):
            yield start
            taken += 1
            if taken == size:
                return


def _make_identifier() -> Callable[[str], str]:
    try:
        import py3langid
    except ImportError:
        raise ImportError(
            "The language of texts is found with py3langid, which is not installed: "
            "pip install 'isthmus[detect]'."
        ) from None
    known = known_codes()

    def identify(text: str) -> str:
        # The ranking holds all languages of the model; its own way to restrict them would change
        # the answers for everybody in this process.
        return next(known[code] for code, _ in py3langid.rank(text) if code in known)

    return identify
