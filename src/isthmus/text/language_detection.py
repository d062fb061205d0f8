"""Detect the language of texts, and a script that the tokenizer of a language does not split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from isthmus._warnings import warn_user
from isthmus.text.languages import LANGUAGE_CODES, find_language, known_codes
from isthmus.text.text_blocks import check_is_list, check_texts
from isthmus.text.unicode_scripts import KANA, UNSPACED_SCRIPTS

__all__ = ["AUTO", "MAX_TEXTS_READ", "ScriptCheck", "check_detector", "detect_language"]

#: Value of a language parameter that asks for detection.
AUTO = "auto"

#: Number of texts that are looked at; some may contain no letter.
MAX_TEXTS_READ = 1000

_MAX_CHARACTERS = 1000

_MIN_FRACTION = 0.2
# Japanese has much more kana than this per Chinese character, and Chinese has none.
_MIN_KANA = 0.1

# Korean has spaces between words, so that the default tokenizer is adequate.
_SCRIPTS = {"japanese": KANA, **UNSPACED_SCRIPTS}
del _SCRIPTS["korean"]
_RUNS = {name: re.compile(f"[{characters}]+") for name, characters in _SCRIPTS.items()}
_OTHER_LETTERS = re.compile(rf"[^\W\d_{''.join(_SCRIPTS.values())}]+")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_CODES = {name: code for code, name in LANGUAGE_CODES.items()}


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
        check_texts([text], first=row)
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


class ScriptCheck:
    """Warns if a language does not fit the script of the first 1,000 texts.

    It observes the blocks of the texts; call :meth:`end` after the last one.
    """

    def __init__(self, language: str | None) -> None:
        self._language = language
        self._n_texts = 0
        self._n_letters: Counter[str] = Counter()

    def observe(self, texts: list[str]) -> None:
        """Look at the next texts."""
        if self._n_texts < MAX_TEXTS_READ:
            for text in texts[: MAX_TEXTS_READ - self._n_texts]:
                _count_letters(text[:_MAX_CHARACTERS], self._n_letters)
            self._n_texts += len(texts)
            if self._n_texts >= MAX_TEXTS_READ:
                _warn_if_unsupported(self._n_letters, self._language)

    def end(self) -> None:
        """Warn if there were fewer texts."""
        if self._n_texts < MAX_TEXTS_READ:
            _warn_if_unsupported(self._n_letters, self._language)


def _count_letters(text: str, n_letters: Counter[str]) -> None:
    if text.isascii():
        n_letters["other"] += len(text.encode().translate(None, _NO_LETTERS))
    else:
        n_letters["other"] += sum(map(len, _OTHER_LETTERS.findall(text)))
        for name, runs in _RUNS.items():
            n_letters[name] += sum(map(len, runs.findall(text)))


def _warn_if_unsupported(n_letters: Counter[str], language: str | None) -> None:
    total = n_letters.total()
    if n_letters["japanese"] > _MIN_KANA * n_letters["chinese"]:
        n_letters["japanese"] += n_letters.pop("chinese", 0)
    name, count = max(
        ((name, n_letters[name]) for name in _SCRIPTS), key=lambda script: (script[1], script[0])
    )
    # Both tokenizers split Chinese characters and are a choice for Japanese.
    supported = {"chinese", "japanese"} if name in ("chinese", "japanese") else {name}
    if count <= _MIN_FRACTION * total or find_language(language) in supported:
        return
    code = _CODES[name]
    extra = " and install 'isthmus[japanese]'" if name == "japanese" else ""
    warn_user(
        f"{100 * count / total:.0f} % of the letters are {name.title()}, which the tokenizer for "
        f"language={language!r} does not split into words: set the language to {code!r} "
        f"(TextVectorizer(language={code!r}), or --language {code} on the command line){extra}."
    )
