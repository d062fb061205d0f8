"""``isthmus demo``: a transfer on a generated corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.demo_corpora import (
    DemoCorpus,
    across_domains,
    across_languages,
    corpus_files,
    write_corpus,
    write_table,
)
from isthmus.cli.errors import command
from isthmus.cli.method_options import EngineOption
from isthmus.cli.output_options import (
    ConsoleOptions,
    Force,
    confirm_overwrite,
)

if TYPE_CHECKING:
    from isthmus.cli.output import Console
    from isthmus.transfer.model import Transfer
    from isthmus.transfer.preparation import Prepared

__all__ = ["demo"]

_WORDS_SHOWN = 7


@command
def demo(
    console_options: ConsoleOptions,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File for the predictions.")
    ] = Path("demo-predictions.csv"),
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the report, an HTML page, to this file."),
    ] = None,
    force: Force = False,
    corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Also write the corpus to this folder, to try the other commands: books.csv, "
            "kitchen.csv and kitchen-truth.csv, or with --languages english.csv, german.csv, "
            "german-truth.csv and en_de.tsv.",
        ),
    ] = None,
    languages: Annotated[
        bool,
        typer.Option(
            "--languages",
            metavar="",
            help="Train on English reviews and label German ones, with a small dictionary.",
        ),
    ] = False,
    gap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="FRACTION",
            help="Fraction of opinion words that only one domain uses. Default: 0.8. Not with "
            "--languages.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="NUMBER", help="Random seed of corpus and method.")
    ] = 0,
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
    demo_corpus = across_languages(seed) if languages else across_domains(gap, seed)
    model = Transfer(vectorizer=demo_corpus.vectorizer, random_state=seed, engine=engine)
    prepared = model.prepare()
    written = [output, *([] if report is None else [report])]
    written += [] if corpus is None else corpus_files(corpus, demo_corpus)
    confirm_overwrite(written, force)
    console = console_options.open(output)
    if corpus is not None:
        write_corpus(corpus, demo_corpus)
    _introduce(demo_corpus, console)
    _fit(model, prepared, demo_corpus, console)
    _write(output, demo_corpus, model)
    if report is not None:
        from isthmus.cli.parsing import command_line
        from isthmus.transfer.model import DEFAULT_MAX_TEXTS
        from isthmus.transfer.reporting import Origin, write_report

        origin = Origin(command_line())
        with console.progress("Writing the report"):
            write_report(
                model, report, demo_corpus.target, max_texts=DEFAULT_MAX_TEXTS, origin=origin
            )
    _report(demo_corpus, model, output, report, corpus, console)


def _introduce(demo_corpus: DemoCorpus, console: Console) -> None:
    texts = demo_corpus.corpus
    console.print(
        f"Source: {len(texts.source_texts)} labeled {demo_corpus.titles[0]}. "
        f"Target: {len(texts.target_texts)} {demo_corpus.titles[1]}, labels hidden."
    )
    console.print(f"  {demo_corpus.captions[0]}'{texts.source_texts[0]}'")
    console.print(f"  {demo_corpus.captions[1]}'{texts.target_texts[0]}'")


def _fit(model: Transfer, prepared: Prepared, demo_corpus: DemoCorpus, console: Console) -> None:
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
    demo_corpus: DemoCorpus,
    model: Transfer,
    output: Path,
    report: Path | None,
    folder: Path | None,
    console: Console,
) -> None:
    from rich.table import Table

    from isthmus.cli.explain import word_table
    from isthmus.cli.output import rounded
    from isthmus.cli.verdict_report import print_verdict

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
        summary["coverage"] = _report_coverage(model, console)
    console.print(demo_corpus.remark)
    shown = "" if report is None else f" The report is in {report}: open it in a browser."
    console.print(f"Predictions are in {output}.{shown}")
    if folder is not None:
        console.print(f"The corpus is in {folder}. To label it yourself:")
        console.print(demo_corpus.classify_command(folder))
    console.print_timings(model.stage_seconds_, model.engine_)
    print_verdict(verdict, method, console.print)
    console.print_json(summary)


def _report_coverage(model: Transfer, console: Console) -> dict[str, Any]:
    """Print how many words of the target the dictionary translates; return it as data."""
    from isthmus.cli.summary import coverage_record

    coverage = model.vectorizer_.coverage_
    console.print(f"Words of the target: {coverage}.")
    return coverage_record(coverage)


def _accuracy(labels: dict[str, Any], demo_corpus: DemoCorpus) -> float:
    truth = demo_corpus.corpus.target_labels
    return float((labels[demo_corpus.target].astype(str) == truth).mean())


def _write(output: Path, demo_corpus: DemoCorpus, model: Transfer) -> None:
    columns = {
        "text": demo_corpus.corpus.target_texts,
        "label": demo_corpus.corpus.target_labels,
        "source_only": model.source_only_labels_[demo_corpus.target].tolist(),
        "predicted": model.labels_[demo_corpus.target].tolist(),
    }
    write_table(output, columns)
