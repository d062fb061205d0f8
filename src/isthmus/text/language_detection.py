"""Detect the language of a collection of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from isthmus.text.languages import known_codes
from isthmus.text.text_checks import check_is_list, check_is_text

__all__ = ["AUTO", "MAX_TEXTS_READ", "check_detector", "detect_language"]

#: Value of a language parameter that asks for detection.
AUTO = "auto"

#: Number of texts that are read at most; some may contain no letter.
MAX_TEXTS_READ = 1000

_MAX_CHARACTERS = 1000


def check_detector() -> None:
    """Raise ImportError if py3langid is not installed (extra "detect")."""
    _make_identifier()


def detect_language(texts: Iterable[str], sample: int = 200) -> str:
    """Return the name of the language that most texts are written in.

    Parameters
    ----------
    texts : iterable of str
        Read from the start until the sample is complete.
    sample : int, default=200
        Number of texts (with at least one letter) that have one vote each, by their first 1,000
        characters.

    Returns
    -------
    str
        One of the languages that :class:`isthmus.TextVectorizer` accepts. A text in another
        language votes for the most similar one.

    Raises
    ------
    ImportError
        If py3langid is not installed (extra "detect").
    ValueError
        If no text has a letter, if no language has half of the votes, or if there is a tie.

    Examples
    --------
    >>> from isthmus.text.language_detection import detect_language
    >>> detect_language(["Das Buch ist gut.", "Ich habe es gern gelesen."])
    'german'
    """
    check_is_list(texts)
    if sample < 1:
        raise ValueError(f"sample={sample!r} must be a positive integer.")
    identify = _make_identifier()
    votes = Counter(identify(text) for text in _sample(texts, sample))
    if not votes:
        raise ValueError(
            "The language cannot be detected because no text contains a letter: name the language."
        )
    # Ties are sorted by name, so that the order of the texts has no influence.
    ranking = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    name, n_votes = ranking[0]
    is_tied = len(ranking) > 1 and ranking[1][1] == n_votes
    if 2 * n_votes < votes.total() or is_tied:
        counts = ", ".join(f"{language} {count}" for language, count in ranking[:5])
        raise ValueError(
            f"The language of the texts is not clear (votes of {votes.total()} texts: {counts}): "
            "name the language."
        )
    return name


def _sample(texts: Iterable[str], size: int) -> Iterator[str]:
    n_sampled = 0
    for row, text in enumerate(texts):
        check_is_text(text, row)
        start = text.lstrip()[:_MAX_CHARACTERS]
        if any(map(str.isalpha, start)):
            yield start
            n_sampled += 1
            if n_sampled == size:
                return


def _make_identifier() -> Callable[[str], str]:
    try:
        import py3langid
    except ImportError:
        raise ImportError(
            "Language detection needs py3langid, which is not installed: "
            "pip install 'isthmus[detect]'."
        ) from None
    names = known_codes()

    def identify(text: str) -> str:
        # py3langid.set_languages would restrict the languages for the whole process.
        return next(names[code] for code, _ in py3langid.rank(text) if code in names)

    return identify
