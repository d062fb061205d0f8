"""``isthmus classify``: labels for a file, learnt from another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.errors import command
from isthmus.cli.options import (
    STANDARD_STREAM,
    Columns,
    Encoding,
    JsonOutput,
    NoQuotes,
    Probabilities,
    Quiet,
    TextColumn,
    copied_columns,
    read_class_prior,
    with_parameters,
)
from isthmus.cli.text_options import (
    Dictionary,
    Html,
    Language,
    MaxDf,
    MinDf,
    Ngrams,
    SourceLanguage,
    Stem,
    StopWords,
    TargetLanguage,
    TextOptions,
)

if TYPE_CHECKING:
    from isthmus.cli.inputs import FileOptions
    from isthmus.cli.opened import OpenedFile
    from isthmus.cli.talk import Talk
    from isthmus.transfer.model import Transfer

__all__ = ["classify"]


@command
def classify(
    source: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE",
            help="Labelled documents: CSV, TSV, JSON Lines, Parquet, or a folder with a sub-folder "
            "for every label; also .gz. Repeat it for several sources.",
        ),
    ],
    target: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Documents to label, one file in any of these formats. Without it, the rows of "
            "the one source that have no label.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where the labels go, as .csv, .tsv, .jsonl or .parquet; '-' is standard output.",
        ),
    ] = Path("predictions.csv"),
    save_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a model for 'isthmus predict' and 'isthmus explain'. It holds the "
            "words of your documents.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="See: isthmus methods. By default mtrick, and dkt between two languages.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Preset of the method's parameters, such as 'paper'."),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the method, as in beta=2, max_iter=1000 or unit_rows=false. It "
            "may be repeated.",
        ),
    ] = None,
    class_prior: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARES",
            help="Class shares of the target, if you know or suppose something about them: "
            "'source' for those of the source, 'estimate' to estimate them without labels, 'none' "
            "for labels as they come, or your own, as in --class-prior positive=0.8 --class-prior "
            "negative=0.2. By default none, and source for self-training, mct, coda and tsvm.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, metavar="NUMBER", help="For methods with chance: another start with each."
        ),
    ] = 0,
    columns: Columns = None,
    probabilities: Probabilities = False,
    quiet: Quiet = False,
    as_json: JsonOutput = False,
    text_col: TextColumn = None,
    label_col: Annotated[
        str | None,
        typer.Option(
            "--label-col", metavar="NAME", help="Column with the source's labels; guessed likewise."
        ),
    ] = None,
    target_text_col: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column with the target's text, if named otherwise."),
    ] = None,
    target_label_col: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column with the labels of target rows that have one, to learn."
        ),
    ] = None,
    encoding: Encoding = None,
    target_encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Encoding of the target, if it is another."),
    ] = None,
    no_quotes: NoQuotes = False,
    language: Language = None,
    source_lang: SourceLanguage = None,
    target_lang: TargetLanguage = None,
    dictionary: Dictionary = None,
    stop_words: StopWords = None,
    stem: Stem = False,
    ngrams: Ngrams = 1,
    min_df: MinDf = "auto",
    max_df: MaxDf = None,
    html: Html = False,
) -> None:
    """Label the documents of one file with what another teaches.

    The output holds the columns of the target's file and for every document the label
    ("predicted"), how sure the method is ("confidence", from 0 to 1) and what a classifier
    trained on the source alone would say ("source_only"); with --target-label-col also whether
    the label was given ("label_given").

    Example: isthmus classify --source books.csv --target kitchen.csv --output predictions.csv

    Between languages: isthmus classify --source english.csv --target german.csv
    --source-lang en --target-lang de --dictionary en_de.tsv
    """
    from isthmus.cli.accounts import describe_inputs, report_labels, warn_of_inputs
    from isthmus.cli.inputs import FileOptions, check_different
    from isthmus.cli.interrupts import raise_if_interrupted
    from isthmus.cli.predictions import added_columns
    from isthmus.cli.talk import Talk
    from isthmus.files import check_table_path, check_writable
    from isthmus.transfer.model import Transfer

    target_path = _only_target(target)
    check_table_path(output)
    models = [] if save_model is None else [save_model]
    for path in models:
        check_writable(path)
    check_different(
        {
            "source": source,
            "target": target or [],
            "dictionary": dictionary or [],
            "output": [output],
            "model file": models,
        }
    )
    texts = TextOptions(
        language,
        source_lang,
        target_lang,
        dictionary,
        stop_words,
        stem,
        ngrams,
        min_df,
        max_df,
        html,
    )
    if target_path is None and texts.two_languages:
        raise ValueError("Two languages need two files: name the one to be labelled with --target.")
    talk = Talk(quiet, as_json, answer_on_error_stream=str(output) == STANDARD_STREAM)
    with talk.working("Reading the dictionary") if dictionary else nullcontext():
        vectorizer = texts.vectorizer()
    own_seed = any(p.partition("=")[0].strip() == "random_state" for p in parameters or ())
    chance = None if own_seed else seed
    model = Transfer(
        method,
        preset=preset,
        vectorizer=vectorizer,
        class_prior=read_class_prior(class_prior),
        random_state=chance,
    ).check()
    if parameters:
        model.set_params(
            method=with_parameters(model.make_estimator(), parameters), preset=None
        ).check()
    wishes = FileOptions(
        text_col,
        label_col,
        target_text_col,
        target_label_col,
        encoding,
        target_encoding,
        not no_quotes,
    )
    sources, opened = _open(wishes, source, target_path, talk)
    learn = target_label_col is not None
    copied = copied_columns(columns, opened.columns, opened.file.path)
    classes = sorted({name for file in [*sources, opened] for name in file.classes})
    added = added_columns(
        classes, copied, opened.file.path, probabilities=probabilities, given=learn
    )
    describe_inputs(sources, opened, learn, talk)
    warn_of_inputs(sources, opened, learn, html, talk)
    _fit(model, sources, opened, learn, talk)
    raise_if_interrupted()
    _write(model, opened, copied, added, output)
    if save_model is not None:
        model.save(save_model)
    report_labels(model, sources, opened, output, save_model, talk)


def _only_target(target: list[Path] | None) -> Path | None:
    if target and len(target) > 1:
        raise ValueError(
            f"--target was given {len(target)} times: one file is labelled at a time, run the "
            "command once for each."
        )
    return target[0] if target else None


def _open(
    wishes: FileOptions, source: list[Path], target: Path | None, talk: Talk
) -> tuple[list[OpenedFile], OpenedFile]:
    """Sources and target, each read once; without a target, one file in two parts."""
    from isthmus.cli.opened import part_by_labels, read_labels

    if target is None:
        wishes.check_without_target()
    files = [wishes.open_source(path) for path in source]
    target_file = None if target is None else wishes.open_target(target, files[0])
    with talk.working("Reading") as update:
        sources = [read_labels(file, talk, update) for file in files]
        if target_file is not None:
            return sources, read_labels(target_file, talk, update)
    if len(sources) > 1:
        raise ValueError(
            "With several sources, name the file to be labelled with --target: only one file can "
            "be parted into rows with and without a label."
        )
    labelled, others = part_by_labels(sources[0])
    return [labelled], others


def _fit(
    model: Transfer, sources: list[OpenedFile], target: OpenedFile, learn: bool, talk: Talk
) -> None:
    from isthmus.cli.inputs import domain_names

    name = type(model.make_estimator()).__name__
    *names, target_name = domain_names([s.file.path for s in [*sources, target]])
    if target.labelled is False:
        names, target_name = ["labelled"], "unlabelled"
    with talk.notes(), talk.working("Counting words") as update:

        def texts(opened: OpenedFile) -> Iterator[str]:
            return talk.counted(
                opened.texts(), f"Counting words of {opened.file.path}: document", update
            )

        model.fit(
            {n: (texts(s), s.labels) for n, s in zip(names, sources, strict=True)},
            target_texts={target_name: (texts(target), target.labels if learn else None)},
            callback=talk.follow(name, update),
            announce=update,
        )


def _write(
    model: Transfer,
    target: OpenedFile,
    copied: list[str],
    added: list[str],
    output: Path,
) -> None:
    from isthmus.cli.predictions import prediction_rows
    from isthmus.files import open_table_writer

    (answer,) = model.targets_.values()
    records = prediction_rows(target.rows(), copied, added, answer, model.classes_.tolist())
    with open_table_writer(output, [*copied, *added]) as writer:
        for record in records:
            writer.write(record)
