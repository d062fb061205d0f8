"""Warn about texts in a script that the tokenizer of the language does not split into words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from isthmus._warnings import warn_user
from isthmus.text.languages import LANGUAGE_CODES, find_language
from isthmus.text.unicode_scripts import KANA, UNSPACED_SCRIPTS

__all__ = ["MAX_TEXTS_CHECKED", "check_script"]

_MIN_FRACTION = 0.2
#: Number of texts whose script is checked.
MAX_TEXTS_CHECKED = 1000
_MAX_CHARACTERS = 1000
# Japanese has much more kana than this per Chinese character, and Chinese has none.
_MIN_KANA = 0.1

# Korean has spaces between words, so that the default tokenizer is adequate.
_SCRIPTS = {"japanese": KANA, **UNSPACED_SCRIPTS}
del _SCRIPTS["korean"]
_RUNS = {name: re.compile(f"[{characters}]+") for name, characters in _SCRIPTS.items()}
_OTHER_LETTERS = re.compile(rf"[^\W\d_{''.join(_SCRIPTS.values())}]+")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_CODES = {name: code for code, name in LANGUAGE_CODES.items()}


def check_script(texts: Iterable[str], language: str | None) -> Iterator[str]:
    """Yield the texts; warn if the language does not fit the script of the first 1,000 texts."""
    remaining = iter(texts)
    n_letters: Counter[str] = Counter()
    for text in islice(remaining, MAX_TEXTS_CHECKED):
        if isinstance(text, str):  # another type raises an error later
            _count_letters(text[:_MAX_CHARACTERS], n_letters)
        yield text
    _warn_if_unsupported(n_letters, language)
    yield from remaining


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
