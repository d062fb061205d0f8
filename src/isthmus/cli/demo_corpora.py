"""The corpora that ``isthmus demo`` generates, with their titles."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isthmus.datasets.synthetic import SyntheticCorpus
    from isthmus.datasets.synthetic_bilingual import BilingualCorpus

__all__ = [
    "DemoCorpus",
    "across_domains",
    "across_languages",
    "corpus_files",
    "write_corpus",
    "write_table",
]

_DEFAULT_GAP = 0.8
_DICTIONARY_FILE = "en_de.tsv"


@dataclass(frozen=True)
class DemoCorpus:
    """A corpus and what the demo prints about it.

    ``source`` and ``target`` are the names of the domains and of their files; ``captions`` are
    printed before the first document of each.
    """

    corpus: SyntheticCorpus | BilingualCorpus
    source: str
    target: str
    titles: tuple[str, str]
    captions: tuple[str, str]
    vectorizer: Any
    remark: str

    @property
    def dictionary(self) -> dict[str, str | list[str]] | None:
        """The dictionary between the domains' languages, if these differ."""
        return getattr(self.corpus, "dictionary", None)

    def classify_command(self, folder: Path) -> str:
        """Return the command that does the same with the files of :func:`write_corpus`."""
        files = {name: str(folder / f"{name}.csv") for name in (self.source, self.target)}
        words = ["isthmus", "classify"]
        words += ["--source", files[self.source], "--target", files[self.target]]
        if self.dictionary is not None:
            words += ["--source-lang", "en", "--target-lang", "de"]
            words += ["--dictionary", str(folder / _DICTIONARY_FILE)]
        return shlex.join(words)


def across_domains(gap: float | None, seed: int) -> DemoCorpus:
    """Return opinions on books and on kitchen appliances."""
    from isthmus.datasets.synthetic import make_corpus

    return DemoCorpus(
        make_corpus(gap=_DEFAULT_GAP if gap is None else gap, random_state=seed),
        "books",
        "kitchen",
        titles=("book reviews", "reviews of kitchen appliances"),
        captions=("book:    ", "kitchen: "),
        vectorizer=None,
        remark="(The corpus is generated. The README has results on real corpora.)",
    )


def across_languages(seed: int) -> DemoCorpus:
    """Return topics in English and in German."""
    from isthmus.datasets.synthetic_bilingual import make_bilingual_corpus
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer

    corpus = make_bilingual_corpus(random_state=seed)
    return DemoCorpus(
        corpus,
        "english",
        "german",
        titles=("English reviews", "German reviews"),
        captions=("English: ", "German:  "),
        vectorizer=BilingualVectorizer("en", "de", corpus.dictionary),
        remark="(The corpus is generated. The dictionary has about a third of its German nouns, "
        "verbs and adjectives.)",
    )


def corpus_files(folder: Path, demo_corpus: DemoCorpus) -> list[Path]:
    """Return the files that :func:`write_corpus` writes."""
    source, target = demo_corpus.source, demo_corpus.target
    names = [f"{source}.csv", f"{target}.csv", f"{target}-truth.csv"]
    if demo_corpus.dictionary is not None:
        names.append(_DICTIONARY_FILE)
    return [folder / name for name in names]


def write_corpus(folder: Path, demo_corpus: DemoCorpus) -> None:
    """Write the documents, the hidden labels and the dictionary for the other commands."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus, target = demo_corpus.corpus, demo_corpus.target
    ids = [f"{target[0]}{i}" for i in range(len(corpus.target_texts))]
    source_file, target_file, truth_file, *dictionary_files = corpus_files(folder, demo_corpus)
    write_table(source_file, {"text": corpus.source_texts, "label": corpus.source_labels})
    write_table(target_file, {"id": ids, "text": corpus.target_texts})
    write_table(truth_file, {"id": ids, "label": corpus.target_labels})
    for path in dictionary_files:
        assert demo_corpus.dictionary is not None
        _write_dictionary(path, demo_corpus.dictionary)


def _write_dictionary(path: Path, dictionary: dict[str, str | list[str]]) -> None:
    pairs = [
        (word, translation)
        for word, translations in dictionary.items()
        for translation in ([translations] if isinstance(translations, str) else translations)
    ]
    write_table(path, {"en": [word for word, _ in pairs], "de": [word for _, word in pairs]})


def write_table(path: Path, columns: dict[str, list[str]]) -> None:
    """Write columns of equal length under their names."""
    from isthmus.files import open_table_writer

    with open_table_writer(path, list(columns)) as writer:
        for values in zip(*columns.values(), strict=True):
            writer.write(dict(zip(columns, values, strict=True)))
