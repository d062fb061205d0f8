"""Japanese words and their dictionary forms, by the morphological analyzer MeCab."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isthmus.text.unicode_scripts import IDEOGRAPH

__all__ = ["make_japanese_form_tokenizer", "make_japanese_tokenizer"]

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
_WORD = re.compile(rf"[{IDEOGRAPH}]|(?=..).*?[^\W_ー]")


def make_japanese_tokenizer() -> Callable[[str], list[str]]:
    """Return a function that maps a text (NFKC) to its words."""
    tagger = _make_tagger()

    def tokenize(text: str) -> list[str]:
        words = [token.surface for part in _parts(text) for token in tagger(part)]
        return list(filter(_WORD.match, words))

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
        return [(t.surface, _form(t)) for t in tokens if _WORD.match(t.surface)]

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
