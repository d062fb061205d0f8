"""Japanese: words and their dictionary forms, by the morphological analyser MeCab."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isthmus.text.scripts import IDEOGRAPH

__all__ = ["make_form_cutter", "make_word_cutter"]

# What ends a sentence, or cannot be given to MeCab: its texts end at a NUL, and lone halves of a
# surrogate pair have no UTF-8.
_END = r"。!?\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_SENTENCE = re.compile(rf"[^{_END}]+[。!?]?")
# Spaces that NFKC leaves as they are, and MeCab takes for a part of a word.
_RARE_SPACE = re.compile(r"[^\S\x00-\x1f ]")
# MeCab takes memory by the length of a sentence, and counts the bytes of a word in 16 bits.
_LONGEST = 1000
_PART = re.compile(rf".{{1,{_LONGEST - 1}}}[\s、,]|.{{1,{_LONGEST}}}")
# A letter or digit, of which the sign of a long vowel is none by itself.
_WORD = re.compile(rf"[{IDEOGRAPH}]|(?=..).*?[^\W_ー]")


def make_word_cutter() -> Callable[[str], list[str]]:
    """A function from a text (NFKC) to its words."""
    tagger = _make_tagger()

    def cut(text: str) -> list[str]:
        words = [token.surface for part in _parts(text) for token in tagger(part)]
        return list(filter(_WORD.match, words))

    return cut


def make_form_cutter() -> Callable[[str], list[tuple[str, str]]]:
    """A function from a text (NFKC) to its words, each with its dictionary form.

    The form keeps the spelling (面白かっ gives 面白い, おもしろく gives おもしろい). UniDic's lemma
    would bring spellings together, but in ones that people do not write (為る for する), with
    remarks (コンピューター-computer), and for names with the sound alone.
    """
    tagger = _make_tagger()

    def cut(text: str) -> list[tuple[str, str]]:
        tokens = (token for part in _parts(text) for token in tagger(part))
        return [(t.surface, _form(t)) for t in tokens if _WORD.match(t.surface)]

    return cut


def _parts(text: str) -> Iterator[str]:
    """The sentences of a text; one that is too long in parts."""
    for sentence in _SENTENCE.findall(_RARE_SPACE.sub(" ", text)):
        if len(sentence) <= _LONGEST:
            yield sentence
        else:
            yield from _PART.findall(sentence)


def _form(token: Any) -> str:
    form = token.feature.orthBase
    # Words that are not in the dictionary have none.
    return token.surface if form in (None, "", "*") else unicodedata.normalize("NFKC", form)


def _make_tagger() -> Callable[[str], Any]:
    try:
        import fugashi
        import unidic_lite
    except ImportError:
        raise ImportError(
            "Japanese texts are cut into words with fugashi and unidic-lite, which are not "
            "installed: pip install 'isthmus[japanese]'."
        ) from None
    # Named, so that another dictionary on the machine does not change the words.
    folder = Path(unidic_lite.DICDIR)
    settings = folder / "mecabrc"
    return fugashi.Tagger(f"-r {shlex.quote(str(settings))} -d {shlex.quote(str(folder))}")
