"""``isthmus demo``: a transfer on a generated corpus."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.cli.command import command, command_line, flag, option
from isthmus.cli.method_options import EngineOption
from isthmus.cli.output import Console, ConsoleOptions, Force, confirm_overwrite, rounded

if TYPE_CHECKING:
    from isthmus.datasets.synthetic import SyntheticCorpus
    from isthmus.datasets.synthetic_bilingual import BilingualCorpus
    from isthmus.transfer.fitting import Prepared
    from isthmus.transfer.model import Transfer

__all__ = ["demo"]

_WORDS_SHOWN = 7
_DEFAULT_GAP = 0.8
_DICTIONARY_FILE = "en_de.tsv"


@dataclass(frozen=True)
class _DemoCorpus:
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

    def files(self, folder: Path) -> list[Path]:
        """Return the files that :meth:`write` writes."""
        names = [f"{self.source}.csv", f"{self.target}.csv", f"{self.target}-truth.csv"]
        if self.dictionary is not None:
            names.append(_DICTIONARY_FILE)
        return [folder / name for name in names]

    def write(self, folder: Path) -> None:
        """Write the documents, the hidden labels and the dictionary for the other commands."""
        folder.mkdir(parents=True, exist_ok=True)
        corpus = self.corpus
        ids = [f"{self.target[0]}{i}" for i in range(len(corpus.target_texts))]
        source_file, target_file, truth_file, *_ = self.files(folder)
        _write_table(source_file, {"text": corpus.source_texts, "label": corpus.source_labels})
        _write_table(target_file, {"id": ids, "text": corpus.target_texts})
        _write_table(truth_file, {"id": ids, "label": corpus.target_labels})
        if self.dictionary is not None:
            pairs = [
                (word, translation)
                for word, found in self.dictionary.items()
                for translation in ([found] if isinstance(found, str) else found)
            ]
            english, german = map(list, zip(*pairs, strict=True))
            _write_table(folder / _DICTIONARY_FILE, {"en": english, "de": german})

    def classify_command(self, folder: Path) -> str:
        """Return the command that labels the files of :meth:`write`."""
        source, target, *_ = map(str, self.files(folder))
        words = ["isthmus", "classify", "--source", source, "--target", target]
        if self.dictionary is not None:
            words += ["--source-lang", "en", "--target-lang", "de"]
            words += ["--dictionary", str(folder / _DICTIONARY_FILE)]
        return shlex.join(words)


def _across_domains(gap: float | None, seed: int) -> _DemoCorpus:
    """Return opinions on books and on kitchen appliances."""
    from isthmus.datasets.synthetic import make_corpus

    return _DemoCorpus(
        make_corpus(gap=_DEFAULT_GAP if gap is None else gap, random_state=seed),
        "books",
        "kitchen",
        titles=("book reviews", "reviews of kitchen appliances"),
        captions=("book:    ", "kitchen: "),
        vectorizer=None,
        remark="(The corpus is generated. The README has results on real corpora.)",
    )


def _across_languages(seed: int) -> _DemoCorpus:
    """Return topics in English and in German."""
    from isthmus.datasets.synthetic_bilingual import make_bilingual_corpus
    from isthmus.text.bilingual_vectorizer import BilingualVectorizer

    corpus = make_bilingual_corpus(random_state=seed)
    return _DemoCorpus(
        corpus,
        "english",
        "german",
        titles=("English reviews", "German reviews"),
        captions=("English: ", "German:  "),
        vectorizer=BilingualVectorizer("en", "de", corpus.dictionary),
        remark="(The corpus is generated. The dictionary has about a third of its German nouns, "
        "verbs and adjectives.)",
    )


@command
def demo(
    console_options: ConsoleOptions,
    output: Path = option(
        "FILE", "File for the predictions.", "--output", "-o", default=Path("demo-predictions.csv")
    ),
    report: Path | None = option("FILE", "Also write the report, an HTML page, to this file."),
    force: Force = False,
    corpus: Path | None = option(
        "FOLDER",
        "Also write the corpus to this folder, to try the other commands: books.csv, kitchen.csv "
        "and kitchen-truth.csv, or with --languages english.csv, german.csv, german-truth.csv and "
        "en_de.tsv.",
    ),
    languages: bool = flag(
        "Train on English reviews and label German ones, with a small dictionary."
    ),
    gap: float | None = option(
        "FRACTION",
        "Fraction of opinion words that only one domain uses. Default: 0.8. Not with --languages.",
        min=0.0,
        max=1.0,
    ),
    seed: int = option("NUMBER", "Random seed of corpus and method.", default=0, min=0),
    engine: EngineOption = None,
) -> None:
    """Train on book reviews and label reviews of kitchen appliances.

    Generates a small corpus, labels it with the automatic method and with a classifier trained on
    the books alone, and prints the accuracy of both, the top words, and the verdict. With
    --languages: from English to German.

    Example: isthmus demo --corpus reviews
    """
    from isthmus.files import check_table_path, check_writable
    from isthmus.transfer.model import Transfer

    if languages and gap is not None:
        raise ValueError("--gap cannot be combined with --languages: leave one of them out.")
    check_table_path(output)
    if report is not None:
        from isthmus.transfer.reporting import check_report_path

        check_report_path(report)
        check_writable(report)
    demo_corpus = _across_languages(seed) if languages else _across_domains(gap, seed)
    model = Transfer(vectorizer=demo_corpus.vectorizer, random_state=seed, engine=engine)
    prepared = model.prepare()
    written = [output, *([] if report is None else [report])]
    written += [] if corpus is None else demo_corpus.files(corpus)
    confirm_overwrite(written, force)
    console = console_options.open(output)
    if corpus is not None:
        demo_corpus.write(corpus)
    _introduce(demo_corpus, console)
    _fit(model, prepared, demo_corpus, console)
    _write(output, demo_corpus, model)
    if report is not None:
        from isthmus.transfer.model import DEFAULT_MAX_TEXTS
        from isthmus.transfer.reporting import Origin, write_report

        origin = Origin(command_line())
        with console.progress("Writing the report"):
            write_report(
                model, report, demo_corpus.target, max_texts=DEFAULT_MAX_TEXTS, origin=origin
            )
    _report(demo_corpus, model, output, report, corpus, console)


def _introduce(demo_corpus: _DemoCorpus, console: Console) -> None:
    texts = demo_corpus.corpus
    console.print(
        f"Source: {len(texts.source_texts)} labeled {demo_corpus.titles[0]}. "
        f"Target: {len(texts.target_texts)} {demo_corpus.titles[1]}, labels hidden."
    )
    console.print(f"  {demo_corpus.captions[0]}'{texts.source_texts[0]}'")
    console.print(f"  {demo_corpus.captions[1]}'{texts.target_texts[0]}'")


def _fit(model: Transfer, prepared: Prepared, demo_corpus: _DemoCorpus, console: Console) -> None:
    corpus = demo_corpus.corpus
    with console.show_warnings(), console.progress("Counting words") as progress:
        model.fit(
            {demo_corpus.source: (corpus.source_texts, corpus.source_labels)},
            target_texts={demo_corpus.target: corpus.target_texts},
            callback=progress.show_iterations(prepared.estimator.max_iterations),
            announce=progress.begin,
            prepared=prepared,
        )


def _report(
    demo_corpus: _DemoCorpus,
    model: Transfer,
    output: Path,
    report: Path | None,
    folder: Path | None,
    console: Console,
) -> None:
    from rich.table import Table

    from isthmus.cli.explain import word_table
    from isthmus.cli.summary import coverage_record, print_verdict

    method = type(model.estimator_).__name__
    accuracy = {
        "source only (logistic regression)": _accuracy(model.source_only_labels_, demo_corpus),
        f"transferred ({method})": _accuracy(model.labels_, demo_corpus),
    }
    console.print(model.estimator_.decision_)
    table = Table("method", "accuracy on the target")
    for title, value in accuracy.items():
        table.add_row(title, f"{100 * value:.1f} %")
    console.print_table(table)
    console.print_table(word_table("Top words", "class", model.top_words(_WORDS_SHOWN)))
    verdict = model.verdicts_[demo_corpus.target]
    summary: dict[str, Any] = {
        "accuracy": accuracy,
        "verdict": {demo_corpus.target: verdict.to_dict()},
        "output": str(output),
        "report": None if report is None else str(report),
        "engine": model.engine_,
        "timings": rounded(model.stage_seconds_),
    }
    if demo_corpus.dictionary is not None:
        coverage = model.vectorizer_.coverage_
        console.print(f"Words of the target: {coverage}.")
        summary["coverage"] = coverage_record(coverage)
    console.print(demo_corpus.remark)
    shown = "" if report is None else f" The report is in {report}: open it in a browser."
    console.print(f"Predictions are in {output}.{shown}")
    if folder is not None:
        console.print(f"The corpus is in {folder}. To label it yourself:")
        console.print(demo_corpus.classify_command(folder))
    console.print_timings(model.stage_seconds_, model.engine_)
    print_verdict(verdict, method, console.print)
    console.print_json(summary)


def _accuracy(labels: dict[str, Any], demo_corpus: _DemoCorpus) -> float:
    truth = demo_corpus.corpus.target_labels
    return float((labels[demo_corpus.target].astype(str) == truth).mean())


def _write(output: Path, demo_corpus: _DemoCorpus, model: Transfer) -> None:
    columns = {
        "text": demo_corpus.corpus.target_texts,
        "label": demo_corpus.corpus.target_labels,
        "source_only": model.source_only_labels_[demo_corpus.target].tolist(),
        "predicted": model.labels_[demo_corpus.target].tolist(),
    }
    _write_table(output, columns)


def _write_table(path: Path, columns: Mapping[str, list[str]]) -> None:
    """Write columns of equal length under their names."""
    from isthmus.files import open_table_writer

    with open_table_writer(path, list(columns)) as writer:
        for values in zip(*columns.values(), strict=True):
            writer.write(dict(zip(columns, values, strict=True)))
