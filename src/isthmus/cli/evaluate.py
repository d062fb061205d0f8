"""``isthmus evaluate``: how well predicted labels agree with the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isthmus.cli.errors import command
from isthmus.cli.options import JsonOutput
from isthmus.evaluation.columns import PREDICTED

__all__ = ["evaluate"]


@command
def evaluate(
    predictions: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="File with the predictions, as 'isthmus classify' writes it."
        ),
    ],
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with the true labels; not needed if the predictions have a column of them.",
        ),
    ] = None,
    label_col: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column with the true labels; guessed from its name by default."
        ),
    ] = None,
    predicted_col: Annotated[
        str, typer.Option(metavar="NAME", help="Column with the predicted labels.")
    ] = PREDICTED,
    id_col: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column that names the document in both files; by default 'id' if both have it, "
            "else the first row belongs to the first row and so on.",
        ),
    ] = None,
    as_json: JsonOutput = False,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoding of the file with the true labels, such as latin-1; UTF-8 by default.",
        ),
    ] = None,
    no_quotes: Annotated[
        bool,
        typer.Option("--no-quotes", metavar="", help="Take quote characters in it as text."),
    ] = False,
) -> None:
    """Compare predicted labels with the true ones.

    Tells how many documents got their class and how sure that is, what the transfer put right
    and what it broke, how well every class was found, and how far the confidence can be trusted.
    Documents without a true label are left out, so a sample labelled by hand is enough.
    Left out too are those whose label 'isthmus classify' was given to learn from.

    Example: isthmus evaluate --predictions predictions.csv --truth sample.csv --id-col id
    """
    from isthmus.cli.opened import count
    from isthmus.cli.talk import Talk
    from isthmus.evaluation.predictions import read_predictions
    from isthmus.evaluation.printing import print_evaluation
    from isthmus.evaluation.report import evaluate_labels

    talk = Talk(as_json=as_json)
    if id_col is not None and truth is None:
        raise ValueError(
            f"--id-col '{id_col}' matches the rows of two files: name the second with --truth."
        )
    judged = read_predictions(
        predictions,
        truth,
        label_col=label_col,
        predicted_col=predicted_col,
        id_col=id_col,
        encoding=encoding,
        quotes=not no_quotes,
    )
    evaluation = evaluate_labels(
        judged.truth, judged.predicted, judged.source_only, judged.confidence
    )
    if truth is not None:
        talk.say_aside(f"Truth and predictions were matched {judged.matched}.")
    if judged.n_given:
        talk.say_aside(f"{count(judged.n_given, 'document')} left out: learnt from, not predicted.")
    # Of the two, only the one that was asked for prints anything.
    print_evaluation(evaluation, talk.console)
    talk.answer({**evaluation.to_dict(), "matched": judged.matched, "n_given": judged.n_given})
