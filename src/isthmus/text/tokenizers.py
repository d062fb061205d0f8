"""Tokenizers: split a text into words by the rules of its language."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isthmus.text.counting.character_table import CharacterTable
from isthmus.text.counting.word_rules import WordRules
from isthmus.text.languages import find_language
from isthmus.text.unicode_scripts import (
    EMOJI,
    FLAG_LETTER,
    IDEOGRAPH,
    SINGLE_EMOJI,
    UNSPACED_SCRIPTS,
    make_normalizer,
    vowel_signs,
)

__all__ = [
    "has_spaced_words",
    "make_form_tokenizer",
    "make_tokenizer",
    "make_word_rules",
    "uses_character_ngrams",
]

# As in scikit-learn, a word has two or more letters, digits or underscores. Combining marks of
# Indian scripts and Hebrew are part of a word here; scikit-learn splits words at them.
_FIRST, _INSIDE = r"\w", rf"[\w{vowel_signs()}]"
_WORD = f"{_FIRST}{_INSIDE}+"
_MIN_LENGTH = 2
_EMOJI = re.compile(f"({EMOJI})")
# Much faster than a search with the exact expression.
_MAY_HAVE_EMOJI = re.compile("[\u231a-\u2b55\U0001f004-\U0001faff]")

#: Length of the character n-grams of a language, and the minimum length of a run of characters.
#: Most words of Chinese and Korean have two characters, and a single one is often a word; in the
#: alphabets of the other languages a syllable has about three characters.
_NGRAM_LENGTHS = {
    "burmese": (3, 2),
    "chinese": (2, 1),
    "khmer": (3, 2),
    "korean": (2, 1),
    "lao": (3, 2),
    "thai": (3, 2),
}
# Characters that end a sentence, or that MeCab cannot read: its strings end at a NUL, and lone
# surrogates cannot be encoded in UTF-8.
_END = r"。!?\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_SENTENCE = re.compile(rf"[^{_END}]+[。!?]?")
# Spaces that NFKC keeps and that MeCab treats as part of a word.
_RARE_SPACE = re.compile(r"[^\S\x00-\x1f ]")
# The memory of MeCab grows with the sentence, and the length of a word in bytes must fit 16 bits.
_MAX_SENTENCE = 1000
_PART = re.compile(rf".{{1,{_MAX_SENTENCE - 1}}}[\s、,]|.{{1,{_MAX_SENTENCE}}}")
# An ideograph, or two or more characters with a letter or digit. The long vowel sign is neither.
_JAPANESE_WORD = re.compile(rf"[{IDEOGRAPH}]|(?=..).*?[^\W_ー]")


def uses_character_ngrams(language: str | None) -> bool:
    """Whether texts of a language are split into overlapping character n-grams instead of words."""
    return language in _NGRAM_LENGTHS


def has_spaced_words(language: str | None) -> bool:
    """Whether the tokenizer of a language splits texts into words that spaces separate."""
    name = find_language(language)
    return name != "japanese" and not uses_character_ngrams(name)


def make_tokenizer(language: str | None, *, lowercase: bool = False) -> Callable[[str], list[str]]:
    """Return a function that maps a text to its words, in their order.

    Parameters
    ----------
    language : str or None
        Name or code. A word is a sequence of two or more letters or digits, with exceptions:
        Japanese is split by a morphological analyzer (extra "japanese"), Chinese and Korean into
        overlapping character bigrams, Thai, Lao, Khmer and Burmese into trigrams. Every emoji is a
        word, without its skin tone; a joined sequence is split into its parts.
    lowercase : bool, default=False
        Whether words are converted to lower case.

    Raises
    ------
    ImportError
        If the language needs an extra that is not installed.

    Examples
    --------
    >>> from isthmus.text.tokenizers import make_tokenizer
    >>> make_tokenizer("de")("Öl und 12 Eier, o weh")
    ['Öl', 'und', '12', 'Eier', 'weh']
    >>> make_tokenizer("zh")("我喜欢CD")
    ['我喜', '喜欢', 'CD']
    >>> make_tokenizer("en")("so good 😀👍🏽")
    ['so', 'good', '😀', '👍']
    """
    name = find_language(language)
    return _normalized(_with_emoji(_make_splitter(name)), name, lowercase)


def make_word_rules(language: str | None, *, lowercase: bool) -> WordRules | None:
    """Return the rules of :func:`make_tokenizer` for compiled loops; None if there are none."""
    name = find_language(language)
    if not has_spaced_words(name):
        return None
    characters = CharacterTable(_FIRST, _INSIDE, SINGLE_EMOJI, FLAG_LETTER, lowercase)
    return WordRules(characters, _MIN_LENGTH, make_normalizer(name))


def make_form_tokenizer(*, lowercase: bool = False) -> Callable[[str], list[tuple[str, str]]]:
    """Return a function that maps a Japanese text to pairs (word, dictionary form)."""

    split = _with_emoji(make_japanese_form_tokenizer(), lambda emoji: (emoji, emoji))
    return _normalized(split, "japanese", lowercase)


def _normalized(
    split: Callable[[str], list[Any]], language: str | None, lowercase: bool
) -> Callable[[str], list[Any]]:
    """Return ``split`` after Unicode normalization and, if requested, lower-casing."""
    normalize = make_normalizer(language)
    if lowercase:
        return lambda text: split(normalize(text).lower())
    return lambda text: split(normalize(text))


def _with_emoji(
    split: Callable[[str], list[Any]], as_token: Callable[[str], Any] = str
) -> Callable[[str], list[Any]]:
    """Return ``split`` with every emoji as a token of its own."""

    def split_around_emoji(text: str) -> list[Any]:
        if text.isascii() or not _MAY_HAVE_EMOJI.search(text):
            return split(text)
        # Texts and emoji alternate because the expression is a group.
        parts = _EMOJI.split(text)
        tokens = split(parts[0])
        for emoji, part in zip(parts[1::2], parts[2::2], strict=True):
            tokens += [as_token(emoji), *split(part)]
        return tokens

    return split_around_emoji


def _make_splitter(language: str | None) -> Callable[[str], list[str]]:
    """Return a function that maps a normalized text to its words."""
    if language == "japanese":
        return make_japanese_tokenizer()
    if language in _NGRAM_LENGTHS:
        return _CharacterNgramSplitter(UNSPACED_SCRIPTS[language], *_NGRAM_LENGTHS[language])
    return re.compile(_WORD).findall


class _CharacterNgramSplitter:
    """Splits runs of one script into character n-grams; other letters and digits are words."""

    def __init__(self, script: str, length: int, min_length: int) -> None:
        self._findall = re.compile(rf"([{script}]+)|([^\W{script}]{{2,}})").findall
        self._length = length
        self._min_length = min_length

    def __call__(self, text: str) -> list[str]:
        words: list[str] = []
        for run, word in self._findall(text):
            if word:
                words.append(word)
            elif len(run) > self._length:
                last = len(run) - self._length
                words += [run[i : i + self._length] for i in range(last + 1)]
            elif len(run) >= self._min_length:
                words.append(run)
        return words


def make_japanese_tokenizer() -> Callable[[str], list[str]]:
    """Return a function that maps a text (NFKC) to its words."""
    tagger = _make_tagger()

    def tokenize(text: str) -> list[str]:
        words = [token.surface for part in _parts(text) for token in tagger(part)]
        return list(filter(_JAPANESE_WORD.match, words))

    return tokenize


def make_japanese_form_tokenizer() -> Callable[[str], list[tuple[str, str]]]:
    """Return a function that maps a text (NFKC) to pairs (word, dictionary form).

    The form keeps the spelling (面白かっ gives 面白い, おもしろく gives おもしろい). UniDic's lemma
    would merge spellings, but into uncommon ones (為る for する), with annotations
    (コンピューター-computer), and for names it gives the pronunciation only.
    """
    tagger = _make_tagger()

    def tokenize(text: str) -> list[tuple[str, str]]:
        tokens = (token for part in _parts(text) for token in tagger(part))
        return [(t.surface, _form(t)) for t in tokens if _JAPANESE_WORD.match(t.surface)]

    return tokenize


def _parts(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a sentence that is too long is split."""
    for sentence in _SENTENCE.findall(_RARE_SPACE.sub(" ", text)):
        if len(sentence) <= _MAX_SENTENCE:
            yield sentence
        else:
            yield from _PART.findall(sentence)


def _form(token: Any) -> str:
    form = token.feature.orthBase
    # Words that are not in the dictionary have no dictionary form.
    return token.surface if form in (None, "", "*") else unicodedata.normalize("NFKC", form)


def _make_tagger() -> Callable[[str], Any]:
    try:
        import fugashi
        import unidic_lite
    except ImportError:
        raise ImportError(
            "Japanese texts are tokenized with fugashi and unidic-lite, which are not "
            "installed: pip install 'isthmus[japanese]'."
        ) from None
    # An explicit path, so that another dictionary on the machine does not change the words.
    folder = Path(unidic_lite.DICDIR)
    settings = folder / "mecabrc"
    return fugashi.Tagger(f"-r {shlex.quote(str(settings))} -d {shlex.quote(str(folder))}")
