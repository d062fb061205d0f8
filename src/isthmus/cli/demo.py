"""``isthmus demo``: what transfer does, on a corpus made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isthmus.cli.errors import command
from isthmus.cli.options import STANDARD_STREAM, JsonOutput, Quiet

if TYPE_CHECKING:
    from isthmus.cli.talk import Talk
    from isthmus.datasets.synthetic import SyntheticCorpus
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
            "kitchen-truth.csv, to try 'isthmus classify' on.",
        ),
    ] = None,
    gap: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Share of opinion words that only one of the domains uses.",
        ),
    ] = 0.8,
    seed: Annotated[
        int, typer.Option(min=0, metavar="NUMBER", help="Seed of the corpus and of the method.")
    ] = 0,
    quiet: Quiet = False,
    as_json: JsonOutput = False,
) -> None:
    """Learn from book reviews, label reviews of kitchen appliances.

    Makes a small corpus, trains a logistic regression on the books alone, then carries the
    labels over with MTrick, and shows how well both do and which words built the bridge.

    Example: isthmus demo --gap 0.7 --output predictions.csv
    """
    from isthmus.cli.talk import Talk
    from isthmus.datasets.synthetic import make_corpus
    from isthmus.files import check_table_path

    check_table_path(output)
    talk = Talk(quiet, as_json, answer_on_error_stream=str(output) == STANDARD_STREAM)
    made = make_corpus(gap=gap, random_state=seed)
    if corpus is not None:
        _write_corpus(corpus, made)
    talk.say(
        f"Source: {len(made.source_texts)} labelled book reviews. "
        f"Target: {len(made.target_texts)} reviews of kitchen appliances, labels hidden."
    )
    talk.say(f"  book:    '{made.source_texts[0]}'")
    talk.say(f"  kitchen: '{made.target_texts[0]}'")
    model = _fit(made, seed, talk)
    _write(output, made, model)
    _report(made, model, output, corpus, talk)


def _fit(corpus: SyntheticCorpus, seed: int, talk: Talk) -> Transfer:
    from isthmus.transfer.model import Transfer

    model = Transfer("mtrick", random_state=seed)
    with talk.notes(), talk.working("Counting words") as update:
        model.fit(
            {"books": (corpus.source_texts, corpus.source_labels)},
            target_texts={"kitchen": corpus.target_texts},
            callback=talk.follow("MTrick", update),
            announce=update,
        )
    return model


def _report(
    corpus: SyntheticCorpus, model: Transfer, output: Path, folder: Path | None, talk: Talk
) -> None:
    from rich.table import Table

    from isthmus.cli.explain import word_table

    accuracy = {
        "source only (logistic regression)": _share_right(model.source_only_labels_, corpus),
        "transferred (MTrick)": _share_right(model.labels_, corpus),
    }
    talk.say(f"MTrick: {model.estimator_.n_iter_} iterations.")
    table = Table("method", "accuracy on the target")
    for title, share in accuracy.items():
        table.add_row(title, f"{100 * share:.1f} %")
    talk.show(table)
    talk.show(word_table("The bridge", "speaks for", model.top_words(WORDS_SHOWN)))
    talk.say(
        "(A corpus made up for the purpose. On real opinions MTrick helps little, on topics a lot: "
        "see the README.)"
    )
    talk.say(f"Predictions are in {output}.")
    if folder is not None:
        talk.say(f"The corpus is in {folder}.")
    talk.answer({"accuracy": accuracy, "output": str(output)})


def _share_right(labels: dict[str, Any], corpus: SyntheticCorpus) -> float:
    return float((labels["kitchen"].astype(str) == corpus.target_labels).mean())


def _write(output: Path, corpus: SyntheticCorpus, model: Transfer) -> None:
    columns = {
        "text": corpus.target_texts,
        "label": corpus.target_labels,
        "source_only": model.source_only_labels_["kitchen"].tolist(),
        "predicted": model.labels_["kitchen"].tolist(),
    }
    _write_table(output, columns)


def _write_corpus(folder: Path, corpus: SyntheticCorpus) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"k{i}" for i in range(len(corpus.target_texts))]
    books = {"text": corpus.source_texts, "label": corpus.source_labels}
    _write_table(folder / "books.csv", books)
    _write_table(folder / "kitchen.csv", {"id": names, "text": corpus.target_texts})
    _write_table(folder / "kitchen-truth.csv", {"id": names, "label": corpus.target_labels})


def _write_table(path: Path, columns: dict[str, list[str]]) -> None:
    from isthmus.files import open_table_writer

    with open_table_writer(path, list(columns)) as writer:
        for values in zip(*columns.values(), strict=True):
            writer.write(dict(zip(columns, values, strict=True)))
