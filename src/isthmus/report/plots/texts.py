"""Texts of users in plots: no mathematics, one line, and only characters that a font has."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

from isthmus.pages import clean_text
from isthmus.report.formatting import cut

__all__ = ["printable", "text_style"]

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Fonts for scripts that matplotlib's own font lacks, if they are installed. Those with colors,
# as of emoji, cannot be drawn by matplotlib.
_FALLBACK_FONTS = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR"),
    *("Noto Sans JP", "Noto Sans SC", "Noto Sans KR"),
    *("Hiragino Sans", "Yu Gothic", "IPAexGothic", "Arial Unicode MS"),
    *("Microsoft YaHei", "WenQuanYi Zen Hei", "Malgun Gothic", "Apple SD Gothic Neo"),
    *("Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil", "Nirmala UI"),
    *("Noto Sans Thai", "Noto Sans Lao", "Noto Sans Khmer", "Noto Sans Myanmar", "Leelawadee UI"),
    *("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Ethiopic", "Noto Sans Georgian"),
    *("Noto Sans Symbols", "Noto Sans Symbols 2", "Segoe UI Symbol", "Unifont"),
)


def printable(text: object, length: int) -> str:
    """The text on one line, with at most this many characters.

    A character that no font has becomes U+FFFD, because matplotlib would warn about it and draw an
    empty box.
    """
    line = cut(" ".join(clean_text(str(text)).split()), length)
    fonts = (*_used_fonts(), *(path for _, path in _fallbacks(line)))
    return "".join(_drawn(character, fonts) for character in line)


def text_style(*texts: str) -> dict[str, Any]:
    """Properties with which matplotlib draws these texts as they are."""
    style: dict[str, Any] = {"parse_math": False}
    names = [name for name, _ in _fallbacks("".join(texts))]
    if names:
        style["fontfamily"] = [*_families(), *names]
    return style


def _drawn(character: str, fonts: tuple[str, ...]) -> str:
    if any(_has_glyph(path, character) for path in fonts):
        return character
    if unicodedata.category(character) in ("Cf", "Mn"):  # joiners, and signs on another letter
        return ""
    return _REPLACEMENT if any(_has_glyph(path, _REPLACEMENT) for path in fonts) else "?"


def _fallbacks(text: str) -> list[tuple[str, str]]:
    """Names and files of the fonts that are needed besides the usual ones."""
    used = _used_fonts()
    missing = {c for c in text if not any(_has_glyph(path, c) for path in used)}
    chosen = []
    for name, path in _installed_fallbacks() if missing else ():
        found = {character for character in missing if _has_glyph(path, character)}
        if found:
            chosen.append((name, path))
            missing -= found
    return chosen


def _families() -> list[str]:
    from matplotlib import rcParams

    return list(rcParams["font.family"])


def _used_fonts() -> tuple[str, ...]:
    """Files of the fonts that matplotlib uses for every text."""
    from matplotlib.font_manager import FontProperties, findfont

    return tuple(str(findfont(FontProperties(family=[name]))) for name in _families())


@lru_cache(maxsize=1)
def _installed_fallbacks() -> tuple[tuple[str, str], ...]:
    from matplotlib.font_manager import fontManager

    files = {font.name: font.fname for font in reversed(fontManager.ttflist)}
    return tuple((name, str(files[name])) for name in _FALLBACK_FONTS if name in files)


@lru_cache(maxsize=10_000)
def _has_glyph(path: str, character: str) -> bool:
    from matplotlib.font_manager import get_font

    return get_font(path).get_char_index(ord(character)) != 0
