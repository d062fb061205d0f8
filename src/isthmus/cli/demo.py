"""``isthmus demo``: what transfer does, on a corpus made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.demo_corpora import (
    DemoCorpus,
    across_domains,
    across_languages,
    write_corpus,
    write_table,
)
from isthmus.cli.errors import command
from isthmus.cli.options import STANDARD_STREAM, JsonOutput, Quiet

if TYPE_CHECKING:
    from isthmus.cli.talk import Talk
    from isthmus.transfer.model import Transfer

__all__ = ["demo"]

WORDS_SHOWN = 7


@command
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="File for the predictions.")
    ] = Path("predictions.csv"),
    corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder to write the corpus to, as books.csv, kitchen.csv and "
            "kitchen-truth.csv, to try 'isthmus classify' on; with --languages as english.csv, "
            "german.csv, german-truth.csv and the dictionary en_de.tsv.",
        ),
    ] = None,
    languages: Annotated[
        bool,
        typer.Option(
            "--languages",
            metavar="",
            help="Learn topics from English reviews and label German ones, with DKT and a small "
            "dictionary.",
        ),
    ] = False,
    gap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Share of opinion words that only one of the domains uses; 0.8 by default. Not "
            "with --languages.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="NUMBER", help="Seed of the corpus and of the method.")
    ] = 0,
    quiet: Quiet = False,
    as_json: JsonOutput = False,
) -> None:
    """Learn from book reviews, label reviews of kitchen appliances.

    Makes a small corpus, trains a logistic regression on the books alone, then carries the
    labels over with MTrick, and shows how well both do and which words built the bridge. With
    --languages it does the same from English to German, with DKT.

    Example: isthmus demo --gap 0.7 --output predictions.csv

    Example: isthmus demo --languages --corpus reviews
    """
    from isthmus.cli.talk import Talk
    from isthmus.files import check_table_path

    if languages and gap is not None:
        raise ValueError(
            "--gap is for the demo across domains, and --languages is the one across languages: "
            "leave one of them out."
        )
    check_table_path(output)
    talk = Talk(quiet, as_json, answer_on_error_stream=str(output) == STANDARD_STREAM)
    showcase = across_languages(seed) if languages else across_domains(gap, seed)
    if corpus is not None:
        write_corpus(corpus, showcase)
    _introduce(showcase, talk)
    model = _fit(showcase, seed, talk)
    _write(output, showcase, model)
    _report(showcase, model, output, corpus, talk)


def _introduce(showcase: DemoCorpus, talk: Talk) -> None:
    made = showcase.corpus
    talk.say(
        f"Source: {len(made.source_texts)} labelled {showcase.titles[0]}. "
        f"Target: {len(made.target_texts)} {showcase.titles[1]}, labels hidden."
    )
    talk.say(f"  {showcase.captions[0]}'{made.source_texts[0]}'")
    talk.say(f"  {showcase.captions[1]}'{made.target_texts[0]}'")


def _fit(showcase: DemoCorpus, seed: int, talk: Talk) -> Transfer:
    from isthmus.transfer.model import Transfer

    corpus, name = showcase.corpus, showcase.method
    model = Transfer(name.lower(), vectorizer=showcase.vectorizer, random_state=seed)
    with talk.notes(), talk.working("Counting words") as update:
        model.fit(
            {showcase.source: (corpus.source_texts, corpus.source_labels)},
            target_texts={showcase.target: corpus.target_texts},
            callback=talk.follow(name, update),
            announce=update,
        )
    return model


def _report(
    showcase: DemoCorpus, model: Transfer, output: Path, folder: Path | None, talk: Talk
) -> None:
    from rich.table import Table

    from isthmus.cli.explain import word_table

    accuracy = {
        "source only (logistic regression)": _share_right(model.source_only_labels_, showcase),
        f"transferred ({showcase.method})": _share_right(model.labels_, showcase),
    }
    talk.say(f"{showcase.method}: {model.estimator_.n_iter_} iterations.")
    table = Table("method", "accuracy on the target")
    for title, share in accuracy.items():
        table.add_row(title, f"{100 * share:.1f} %")
    talk.show(table)
    talk.show(word_table("The bridge", "speaks for", model.top_words(WORDS_SHOWN)))
    answer: dict[str, Any] = {"accuracy": accuracy, "output": str(output)}
    if showcase.dictionary is not None:
        answer["bridge"] = _report_dictionary(model, talk)
    talk.say(showcase.moral)
    talk.say(f"Predictions are in {output}.")
    if folder is not None:
        talk.say(f"The corpus is in {folder}.")
        if showcase.dictionary is not None:
            talk.say(f"Try: {showcase.classify_command(folder)}")
    talk.answer(answer)


def _report_dictionary(model: Transfer, talk: Talk) -> dict[str, Any]:
    """Say how far the dictionary reaches; returns the same as plain data."""
    from isthmus.cli.accounts import bridge_record

    coverage = model.vectorizer_.coverage_
    talk.say(f"Words of the target, by what the dictionary makes of them: {coverage}.")
    return bridge_record(coverage)


def _share_right(labels: dict[str, Any], showcase: DemoCorpus) -> float:
    truth = showcase.corpus.target_labels
    return float((labels[showcase.target].astype(str) == truth).mean())


def _write(output: Path, showcase: DemoCorpus, model: Transfer) -> None:
    columns = {
        "text": showcase.corpus.target_texts,
        "label": showcase.corpus.target_labels,
        "source_only": model.source_only_labels_[showcase.target].tolist(),
        "predicted": model.labels_[showcase.target].tolist(),
    }
    write_table(output, columns)
