"""Options of the texts, and the vectorizer that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

if TYPE_CHECKING:
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer
    from isthmus.text.vectorizer import TextVectorizer

__all__ = ["TextOptions"]

_LANGUAGES = "Two languages"
_AUTO = "auto"
_DEFAULT_LANGUAGE = "english"


@dataclass(frozen=True)
class TextOptions:
    """The languages of the texts and how their words are counted."""

    PANEL: ClassVar[str] = "Texts"

    language: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Language of all texts: a name, a code such as 'de', 'auto' to detect it, or "
            "'none'. Default: English.",
        ),
    ] = None
    stop_words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Words to ignore, one per line. Default: a list for English, none for other "
            "languages or for two languages.",
        ),
    ] = None
    stem: Annotated[
        bool, typer.Option("--stem", metavar="", help="Reduce words to their stems.")
    ] = False
    ngrams: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Longest sequence of words that is counted: 2 adds pairs of words.",
        ),
    ] = 1
    min_df: Annotated[
        str,
        typer.Option(
            metavar="NUMBER",
            help="Ignore words in fewer documents, over all files of a language: a number, a "
            "fraction such as 0.01, or 'auto' (2; 1 for fewer than 20 documents).",
        ),
    ] = _AUTO
    max_df: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Ignore words in more documents: a number, a fraction, or 'auto' (half of them). "
            "Default: 1.0, or auto for two languages.",
        ),
    ] = None
    html: Annotated[
        bool, typer.Option("--html", metavar="", help="Texts are HTML pages: strip the markup.")
    ] = False
    source_lang: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Language of the source, if the target's differs. Default: English.",
            rich_help_panel=_LANGUAGES,
        ),
    ] = None
    target_lang: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Language of the target, if it differs from the source's.",
            rich_help_panel=_LANGUAGES,
        ),
    ] = None
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Dictionary between the languages, in either direction: TSV, CSV, JSON Lines, "
            "dictd (.index) or StarDict (.ifo). Can be repeated. Without one, only words that both "
            "languages spell alike are shared.",
            rich_help_panel=_LANGUAGES,
        ),
    ] = None

    @property
    def two_languages(self) -> bool:
        """Whether source and target are in different languages, according to the options."""
        from isthmus.text.languages import find_language

        if self.target_lang is None and self.source_lang is None and not self.dictionary:
            return False
        if self.target_lang is None:
            raise ValueError(
                f"{'--dictionary' if self.dictionary else '--source-lang'} is for two languages: "
                "name the target's with --target-lang, or the one of all texts with --language."
            )
        if self.language is not None:
            raise ValueError(
                "--language names one language for all texts, so it excludes --target-lang: name "
                "the source's with --source-lang."
            )
        names = [
            _language(name) for name in (self.source_lang or _DEFAULT_LANGUAGE, self.target_lang)
        ]
        if _AUTO in names or self.dictionary:
            return True
        return find_language(names[0]) != find_language(names[1])

    def make_vectorizer(self) -> TextVectorizer | BilingualVectorizer:
        """Return a vectorizer with these options; dictionaries are read here, before the texts."""
        from isthmus.text.bilingual_vectorizer import BilingualVectorizer
        from isthmus.text.vectorizer import TextVectorizer

        if self.two_languages:
            assert self.target_lang is not None
            return BilingualVectorizer(
                _language(self.source_lang or _DEFAULT_LANGUAGE),
                _language(self.target_lang),
                self._dictionaries(),
                stop_words=None if self.stop_words is None else read_words(self.stop_words),
                **self._common("auto"),
            )
        return TextVectorizer(
            language=_language(self.language or self.target_lang or _DEFAULT_LANGUAGE),
            stop_words="auto" if self.stop_words is None else read_words(self.stop_words),
            **self._common("1.0"),
        )

    def _common(self, max_df: str) -> dict[str, Any]:
        return {
            "stem": self.stem,
            "ngram_range": (1, self.ngrams),
            "min_df": _parse_limit("--min-df", self.min_df),
            "max_df": _parse_limit("--max-df", self.max_df or max_df),
            "html": self.html,
        }

    def _dictionaries(self) -> Any:
        from isthmus.text.dictionaries import read_dictionary

        return [read_dictionary(path) for path in self.dictionary] if self.dictionary else None


def _language(name: str) -> str | None:
    return None if name.lower() == "none" else name


def _parse_limit(option: str, text: str) -> int | float | str:
    """Return a limit on the document frequency: a number, a fraction, or "auto"."""
    if text == _AUTO:
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise ValueError(
            f"{option} {text!r} must be a number of documents, as in 5, or a fraction, as in 0.01."
        ) from None


def read_words(path: Path) -> list[str]:
    """Return the words of a file with one word per line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"The stop words in '{path}' are not UTF-8: save the file as UTF-8."
        ) from None
    return [line.strip() for line in lines if line.strip()]
