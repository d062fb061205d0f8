"""Options of the input: the files, and how their words are counted."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from isthmus.cli.command import flag, option
from isthmus.cli.output import is_standard_stream

if TYPE_CHECKING:
    from isthmus.cli.input_file import InputFile
    from isthmus.files import DocumentFile
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer
    from isthmus.text.vectorizer import TextVectorizer

__all__ = [
    "EncodingOptions",
    "FileOptions",
    "TextColumn",
    "TextOptions",
    "WordOptions",
    "check_different",
    "domain_names",
]

_PANEL, _LANGUAGES = "Input", "Two languages"
_AUTO, _DEFAULT_LANGUAGE = "auto", "english"
# Purposes of files that may be folders or patterns of several.
_DOCUMENTS = {"source", "target", "input"}
# The beginning of names that says nothing about the content.
_PLAIN_STEMS = {"", "part", "data", "file", "chunk", "shard"}

TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text-col",
        metavar="NAME",
        help="Column of the texts. Default: guessed by its name.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True)
class EncodingOptions:
    """How a file is decoded."""

    PANEL: ClassVar[str] = _PANEL

    encoding: str | None = option("NAME", "Encoding of the input, such as latin-1. Default: UTF-8.")
    no_quotes: bool = flag("Treat quote characters as text (some TSV files).")

    def open(self, path: Path, encoding: str | None = None, **columns: Any) -> DocumentFile:
        """Open a file of documents; another ``encoding`` may be given for it alone."""
        from isthmus.files import open_documents

        return open_documents(
            path, encoding=encoding or self.encoding, quotes=not self.no_quotes, **columns
        )


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """The sources, the target and their columns."""

    PANEL: ClassVar[str] = _PANEL

    source: list[Path] = option(
        "FILE",
        "Labeled documents: CSV, TSV, JSON Lines (also .gz), Parquet, a folder or a quoted pattern "
        "('data/*.csv') of such files, or a folder with one sub-folder per label. Repeat it for "
        "several sources.",
        default=...,
    )
    target: list[Path] | None = option(
        "FILE",
        "Documents to label, in the same formats. Default: the rows of the source without a label.",
    )
    text_col: TextColumn = None
    label_col: str | None = option(
        "NAME", "Column of the source's labels. Default: guessed by its name."
    )
    target_text_col: str | None = option("NAME", "Column of the target's texts, if it differs.")
    target_label_col: str | None = option(
        "NAME", "Column of the target's known labels, which are used to train."
    )
    encoding: EncodingOptions
    target_encoding: str | None = option("NAME", "Encoding of the target, if it differs.")

    @property
    def target_path(self) -> Path | None:
        """The file to label, if there is one."""
        return self.target[0] if self.target else None

    @property
    def uses_target_labels(self) -> bool:
        """Whether labels of the target are used to train."""
        return self.target_label_col is not None

    def check(self) -> None:
        """Raise ValueError if the options contradict each other."""
        if self.target and len(self.target) > 1:
            raise ValueError(
                f"--target was given {len(self.target)} times: run the command once per target."
            )
        if self.target is not None:
            return
        for name in ("target_text_col", "target_label_col", "target_encoding"):
            if getattr(self, name) is not None:
                raise ValueError(f"--{name.replace('_', '-')} needs a --target.")
        if len(self.source) > 1:
            raise ValueError(
                "With several sources, name the file to label with --target: only a single file "
                "can be split into rows with and without a label."
            )

    @contextmanager
    def open(
        self, copied_columns: Collection[str] | str
    ) -> Iterator[tuple[Mapping[str, InputFile], tuple[str, InputFile]]]:
        """Open the files, of which only the first rows are read, and close them at the end.

        Yields the sources by the name of their domain, and the name and file of the target.
        """
        from isthmus.cli.input_file import InputFile, LabeledRows

        with ExitStack() as stack:
            files = [
                stack.enter_context(
                    self.encoding.open(
                        path, text_col=self.text_col, label_col=self.label_col, need_label=True
                    )
                )
                for path in self.source
            ]
            if self.target_path is None:
                labeled = LabeledRows(files[0], copied_columns)
                yield {"labeled": labeled}, ("unlabeled", labeled.unlabeled)
                return
            target = self.encoding.open(
                self.target_path,
                self.target_encoding,
                text_col=self.target_text_col or self.text_col,
                label_col=self.target_label_col,
                # If two columns look like texts, the target is read like the source.
                preferred_text_col=files[0].text_col,
                with_labels=self.uses_target_labels,
                option_prefix="target_",
            )
            target_file = InputFile(stack.enter_context(target), copied_columns)
            *names, target_name = domain_names([*self.source, self.target_path])
            sources = {name: InputFile(file) for name, file in zip(names, files, strict=True)}
            yield sources, (target_name, target_file)


def check_different(files: Mapping[str, Sequence[Path]]) -> None:
    """Raise ValueError if two files, listed by their purpose, are the same file.

    A folder or pattern of documents stands for its parts. Input and output may both be ``-``: these
    are two streams.
    """
    purposes: dict[Path, str] = {}
    for purpose, paths in files.items():
        for path in paths:
            if purpose == "output" and is_standard_stream(path):
                continue
            new: dict[Path, str] = {}
            for place, file in _places(path, purpose).items():
                _check_place(purposes.get(place), purpose, file)
                if _is_regular(place) or not place.exists():  # /dev/null may be named twice
                    new[place] = purpose
            purposes |= new


def _places(path: Path, purpose: str) -> dict[Path, Path]:
    """Return the files and folders that a path stands for, by their path without links."""
    files = [path]
    if purpose in _DOCUMENTS and not is_standard_stream(path):
        from isthmus.files import files_of

        # The folder itself counts too.
        files = [*files_of(path), *([path] if path.is_dir() else [])]
    return {Path(os.path.realpath(file)): file for file in files}


def _check_place(other: str | None, purpose: str, path: Path) -> None:
    if other == purpose:
        raise ValueError(f"The {purpose} '{path}' is named twice: name it once.")
    if other is not None:
        hint = ""
        if {other, purpose} == {"source", "target"}:
            hint = " If one file has rows with and without a label, leave --target out."
        raise ValueError(
            f"The {other} and the {purpose} are the same file '{path}': name two different "
            f"files.{hint}"
        )


def domain_names(paths: Sequence[Path]) -> list[str]:
    """Return short and different names of domains, made from the names of their files."""
    names: list[str] = []
    for path in paths:
        stem = name = _stem(path)
        number = 2
        while name in names:
            name, number = f"{stem}-{number}", number + 1
        names.append(name)
    return names


def _stem(path: Path) -> str:
    from isthmus.files.parts import base_folder, is_pattern

    if is_standard_stream(path) or (path.exists() and not _is_regular(path)):
        return "input"
    name = path.resolve().name
    if is_pattern(path):
        # "books" of books-*.csv, "2024" of 2024/part-*.csv
        folder = base_folder(path)
        varying = path.relative_to(folder).parts[0]
        stem = re.split(r"[*?[]", varying, maxsplit=1)[0].strip("-_. ")
        name = folder.resolve().name if stem.lower() in _PLAIN_STEMS else stem
    elif not path.is_dir():
        name = Path(name.removesuffix(".gz")).stem
    # A name that is not valid text could not be written to a model file.
    return os.fsencode(name).decode("utf-8", "replace") or "input"


def _is_regular(path: Path) -> bool:
    return path.is_file() or path.is_dir()


@dataclass(frozen=True)
class WordOptions:
    """How the words of texts in one language are counted."""

    PANEL: ClassVar[str] = "Texts"

    language: str | None = option(
        "NAME",
        "Language of all texts: a name, a code such as 'de', 'auto' to detect it, or 'none'. "
        "Default: English.",
    )
    stop_words: Path | None = option(
        "FILE",
        "Words to ignore, one per line. Default: a list for English, none for other languages or "
        "for two languages.",
    )
    stem: bool = flag("Reduce words to their stems.")
    ngrams: int = option(
        "NUMBER",
        "Longest sequence of words that is counted: 2 adds pairs of words.",
        default=1,
        min=1,
    )
    min_df: str = option(
        "NUMBER",
        "Ignore words in fewer documents, over all files of a language: a number, a fraction such "
        "as 0.01, or 'auto' (2; 1 for fewer than 20 documents).",
        default=_AUTO,
    )
    max_df: str | None = option(
        "NUMBER",
        "Ignore words in more documents: a number, a fraction, or 'auto' (half of them). Default: "
        "1.0, or auto for two languages.",
    )
    weighting: str | None = option(
        "NAME",
        "Weighting of the words: 'log-tfidf', 'tfidf', 'counts', 'presence' or "
        "'column-normalized'. Default: that of the --preset, or else log-tfidf.",
    )
    html: bool = flag("Texts are HTML pages: strip the markup.")

    def make_vectorizer(self) -> TextVectorizer | BilingualVectorizer:
        """Return a vectorizer with these options; dictionaries are read here, before the texts."""
        return self._vectorizer_of(self.language)

    def _vectorizer_of(self, language: str | None) -> TextVectorizer:
        from isthmus.text.vectorizer import TextVectorizer

        return TextVectorizer(
            language=_language(language or _DEFAULT_LANGUAGE),
            **self._common(stop_words=_AUTO, max_df="1.0"),
        )

    def _common(self, stop_words: str | None, max_df: str) -> dict[str, Any]:
        """Return the parameters of all vectorizers, with these defaults."""
        return {
            "stop_words": stop_words if self.stop_words is None else _read_words(self.stop_words),
            "stem": self.stem,
            "ngram_range": (1, self.ngrams),
            "min_df": _parse_limit("--min-df", self.min_df),
            "max_df": _parse_limit("--max-df", self.max_df or max_df),
            "html": self.html,
        }


@dataclass(frozen=True)
class TextOptions(WordOptions):
    """The languages of the texts and how their words are counted."""

    source_lang: str | None = option(
        "NAME",
        "Language of the source, if the target's differs. Default: English.",
        panel=_LANGUAGES,
    )
    target_lang: str | None = option(
        "NAME", "Language of the target, if it differs from the source's.", panel=_LANGUAGES
    )
    dictionary: list[Path] | None = option(
        "FILE",
        "Dictionary between the languages, in either direction: TSV, CSV, JSON Lines, dictd "
        "(.index) or StarDict (.ifo). Can be repeated. Without one, only words that both languages "
        "spell alike are shared.",
        panel=_LANGUAGES,
    )

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
        from isthmus.text.bilingual_vectorizer import BilingualVectorizer
        from isthmus.text.dictionaries import read_dictionary

        if self.two_languages:
            assert self.target_lang is not None
            dictionaries = [read_dictionary(path) for path in self.dictionary or ()]
            return BilingualVectorizer(
                _language(self.source_lang or _DEFAULT_LANGUAGE),
                _language(self.target_lang),
                dictionaries or None,
                **self._common(stop_words=None, max_df=_AUTO),
            )
        return self._vectorizer_of(self.language or self.target_lang)


def _language(name: str) -> str | None:
    return None if name.lower() == "none" else name


def _parse_limit(name: str, text: str) -> int | float | str:
    """Return a limit on the document frequency: a number, a fraction, or "auto"."""
    if text == _AUTO:
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise ValueError(
            f"{name} {text!r} must be a number of documents, as in 5, or a fraction, as in 0.01."
        ) from None


def _read_words(path: Path) -> list[str]:
    """Return the words of a file with one word per line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"The stop words in '{path}' are not UTF-8: save the file as UTF-8."
        ) from None
    return [line.strip() for line in lines if line.strip()]
