"""The corpora that ``isthmus demo`` makes, and what it says of them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isthmus.datasets.bilingual import BilingualCorpus
    from isthmus.datasets.synthetic import SyntheticCorpus

__all__ = ["DemoCorpus", "across_domains", "across_languages", "write_corpus", "write_table"]

USUAL_GAP = 0.8
DICTIONARY_FILE = "en_de.tsv"


@dataclass(frozen=True)
class DemoCorpus:
    """A corpus with the method for it and the words for both.

    ``source`` and ``target`` name the domains, and with a suffix the files of the corpus;
    ``captions`` stand before the first document of each.
    """

    corpus: SyntheticCorpus | BilingualCorpus
    source: str
    target: str
    titles: tuple[str, str]
    captions: tuple[str, str]
    method: str
    vectorizer: Any
    moral: str

    @property
    def dictionary(self) -> dict[str, str | list[str]] | None:
        """The dictionary between the domains' languages, if these differ."""
        return getattr(self.corpus, "dictionary", None)

    def classify_command(self, folder: Path) -> str:
        """The command that does the same with the files of :func:`write_corpus`."""
        files = {name: str(folder / f"{name}.csv") for name in (self.source, self.target)}
        words = ["isthmus", "classify"]
        words += ["--source", files[self.source], "--target", files[self.target]]
        if self.dictionary is not None:
            words += ["--source-lang", "en", "--target-lang", "de"]
            words += ["--dictionary", str(folder / DICTIONARY_FILE)]
        return shlex.join(words)


def across_domains(gap: float | None, seed: int) -> DemoCorpus:
    """Opinions: from books to kitchen appliances."""
    from isthmus.datasets.synthetic import make_corpus

    return DemoCorpus(
        make_corpus(gap=USUAL_GAP if gap is None else gap, random_state=seed),
        "books",
        "kitchen",
        titles=("book reviews", "reviews of kitchen appliances"),
        captions=("book:    ", "kitchen: "),
        method="MTrick",
        vectorizer=None,
        moral="(A corpus made up for the purpose. On real opinions MTrick helps little, on topics "
        "a lot: see the README.)",
    )


def across_languages(seed: int) -> DemoCorpus:
    """Topics: from English to German."""
    from isthmus.datasets.bilingual import make_bilingual_corpus
    from isthmus.text.bilingual import BilingualVectorizer

    corpus = make_bilingual_corpus(random_state=seed)
    return DemoCorpus(
        corpus,
        "english",
        "german",
        titles=("English reviews", "German reviews"),
        captions=("English: ", "German:  "),
        method="DKT",
        vectorizer=BilingualVectorizer("en", "de", corpus.dictionary),
        moral="(A corpus made up for the purpose. The dictionary has about a third of its German "
        "nouns, verbs and adjectives.)",
    )


def write_corpus(folder: Path, showcase: DemoCorpus) -> None:
    """Write the documents, the hidden labels and the dictionary for the other commands."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus, target = showcase.corpus, showcase.target
    names = [f"{target[0]}{i}" for i in range(len(corpus.target_texts))]
    labelled = {"text": corpus.source_texts, "label": corpus.source_labels}
    write_table(folder / f"{showcase.source}.csv", labelled)
    write_table(folder / f"{target}.csv", {"id": names, "text": corpus.target_texts})
    write_table(folder / f"{target}-truth.csv", {"id": names, "label": corpus.target_labels})
    if showcase.dictionary is not None:
        _write_dictionary(folder / DICTIONARY_FILE, showcase.dictionary)


def _write_dictionary(path: Path, dictionary: dict[str, str | list[str]]) -> None:
    pairs = [
        (word, translation)
        for word, found in dictionary.items()
        for translation in ([found] if isinstance(found, str) else found)
    ]
    write_table(path, {"en": [word for word, _ in pairs], "de": [word for _, word in pairs]})


def write_table(path: Path, columns: dict[str, list[str]]) -> None:
    """Write columns of equal length under their names."""
    from isthmus.files import open_table_writer

    with open_table_writer(path, list(columns)) as writer:
        for values in zip(*columns.values(), strict=True):
            writer.write(dict(zip(columns, values, strict=True)))
