"""Options that say how texts are read, and the vectorizer that they make."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from isthmus.text.bilingual import BilingualVectorizer
    from isthmus.text.vectorizer import TextVectorizer

__all__ = [
    "Dictionary",
    "Html",
    "Language",
    "MaxDf",
    "MinDf",
    "Ngrams",
    "SourceLanguage",
    "Stem",
    "StopWords",
    "TargetLanguage",
    "TextOptions",
]

_TEXT = "How texts are read"
_LANGUAGES = "Two languages"
_AUTO = "auto"

Language = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Language of all texts: a name, a code such as 'de', 'auto' to find it out, or "
        "'none'; English by default.",
        rich_help_panel=_TEXT,
    ),
]
SourceLanguage = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Language of the source, if the target's is another; English by default.",
        rich_help_panel=_LANGUAGES,
    ),
]
TargetLanguage = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Language of the target, if it is another than the source's.",
        rich_help_panel=_LANGUAGES,
    ),
]
Dictionary = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Dictionary between both languages, in either direction: TSV, CSV, JSON Lines, dictd "
        "(.index) or StarDict (.ifo). May be repeated. Without it, words that both languages write "
        "alike are shared.",
        rich_help_panel=_LANGUAGES,
    ),
]
StopWords = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Words to leave out, one a line; by default a list for English, none for others and "
        "none with two languages.",
        rich_help_panel=_TEXT,
    ),
]
Stem = Annotated[
    bool,
    typer.Option("--stem", metavar="", help="Cut words to their stems.", rich_help_panel=_TEXT),
]
Ngrams = Annotated[
    int,
    typer.Option(
        min=1, metavar="NUMBER", help="Longest sequence of words counted.", rich_help_panel=_TEXT
    ),
]
MinDf = Annotated[
    str,
    typer.Option(
        metavar="NUMBER",
        help="Documents a word must stand in, over all files of a language: a number, a share as "
        "in 0.01, or 'auto', which is 2, and 1 below 20 documents.",
        rich_help_panel=_TEXT,
    ),
]
MaxDf = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Documents a word may stand in: a number, a share, or 'auto' (half of them); 1.0 by "
        "default, and 'auto' with two languages.",
        rich_help_panel=_TEXT,
    ),
]
Html = Annotated[
    bool,
    typer.Option(
        "--html", metavar="", help="Texts are HTML pages: strip the markup.", rich_help_panel=_TEXT
    ),
]


@dataclass(frozen=True)
class TextOptions:
    """What the user said of the texts."""

    language: str | None
    source_lang: str | None
    target_lang: str | None
    dictionary: list[Path] | None
    stop_words: Path | None
    stem: bool
    ngrams: int
    min_df: str
    max_df: str | None
    html: bool

    @property
    def two_languages(self) -> bool:
        """Whether source and target are in different languages, as far as the user said so."""
        from isthmus.text.languages import find_language

        if self.target_lang is None and self.source_lang is None and not self.dictionary:
            return False
        if self.target_lang is None:
            raise ValueError(
                f"{'--dictionary' if self.dictionary else '--source-lang'} is for two languages: "
                "name the target's with --target-lang, or name the one of all texts with "
                "--language."
            )
        if self.language is not None:
            raise ValueError(
                "--language names one language for all texts: leave it out beside --target-lang, "
                "and name the source's with --source-lang."
            )
        both = [_language(name) for name in (self.source_lang or "english", self.target_lang)]
        if _AUTO in both or self.dictionary:
            return True
        return find_language(both[0]) != find_language(both[1])

    def vectorizer(self) -> TextVectorizer | BilingualVectorizer:
        """What counts such texts."""
        from isthmus.text.bilingual import BilingualVectorizer
        from isthmus.text.vectorizer import TextVectorizer

        if self.two_languages:
            assert self.target_lang is not None
            return BilingualVectorizer(
                _language(self.source_lang or "english"),
                _language(self.target_lang),
                self._dictionaries(),
                stop_words=None if self.stop_words is None else read_words(self.stop_words),
                **self._common("auto"),
            )
        return TextVectorizer(
            language=_language(self.language or self.target_lang or "english"),
            stop_words="auto" if self.stop_words is None else read_words(self.stop_words),
            **self._common("1.0"),
        )

    def _common(self, max_df: str) -> dict[str, Any]:
        return {
            "stem": self.stem,
            "ngram_range": (1, self.ngrams),
            "min_df": _limit("--min-df", self.min_df),
            "max_df": _limit("--max-df", self.max_df or max_df),
            "html": self.html,
        }

    def _dictionaries(self) -> Any:
        """Read now: a dictionary that cannot be read should not be found after the texts."""
        from isthmus.text.dictionaries import read_dictionary

        return [read_dictionary(path) for path in self.dictionary] if self.dictionary else None


def _language(name: str) -> str | None:
    return None if name.lower() == "none" else name


def _limit(name: str, text: str) -> int | float | str:
    """A document-frequency limit: a number of documents, a share of them, or "auto"."""
    if text == _AUTO:
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise ValueError(
            f"{name} {text!r} must be a number of documents, as in 5, or a share, as in 0.01."
        ) from None


def read_words(path: Path) -> list[str]:
    """The words of a file, one a line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"The stop words in '{path}' are not UTF-8: save them so.") from None
    return [line.strip() for line in lines if line.strip()]
