"""``isthmus evaluate``: compare predicted labels with true labels."""

from __future__ import annotations

from pathlib import Path

from isthmus.cli.command import command, option
from isthmus.cli.input_options import EncodingOptions
from isthmus.cli.output import Console, JsonOutput, count
from isthmus.evaluation.names import PREDICTED

__all__ = ["evaluate"]


@command
def evaluate(
    *,
    predictions: Path = option(
        "FILE", "Predictions, as 'isthmus classify' writes them.", default=...
    ),
    encoding: EncodingOptions,
    truth: Path | None = option(
        "FILE", "True labels, if the file of predictions has no column of them."
    ),
    label_col: str | None = option("NAME", "Column of the true labels. Default: guessed by name."),
    predicted_col: str = option("NAME", "Column of the predicted labels.", default=PREDICTED),
    id_col: str | None = option(
        "NAME",
        "Column that identifies the documents in both files. Default: 'id' if both have it, or "
        "else the only column with the same unique values in both, otherwise rows are matched by "
        "position.",
    ),
    as_json: JsonOutput = False,
) -> None:
    """Compare predicted labels with true labels.

    Prints the accuracy with its confidence interval, the gain over a classifier trained on the
    source alone, precision and recall per class, and how well the confidence is calibrated.
    Documents without a true label are left out, so a sample labeled by hand is enough. Documents
    without a predicted label (see 'isthmus classify --min-confidence') are left out too; the
    coverage is the proportion of the others. So are documents whose label was used to train.
    --encoding and --no-quotes apply to the file with the true labels.

    Example: isthmus evaluate --predictions predictions.csv --truth sample.csv --id-col id
    """
    from isthmus.evaluation.console_report import print_evaluation
    from isthmus.evaluation.label_scores import evaluate_labels
    from isthmus.evaluation.prediction_file import read_predictions

    console = Console(as_json=as_json)
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
        encoding=encoding.encoding,
        quotes=not encoding.no_quotes,
    )
    evaluation = evaluate_labels(
        judged.truth, judged.predicted, judged.source_only, judged.confidence
    )
    if truth is not None:
        console.info(f"True and predicted labels were matched {judged.matched}.")
    if judged.n_given:
        console.info(
            f"{count(judged.n_given, 'document')} left out because their label was used to train."
        )
    # One of these prints nothing, depending on --json.
    print_evaluation(evaluation, console.rich)
    console.print_json(
        {**evaluation.to_dict(), "matched": judged.matched, "n_given": judged.n_given}
    )
