"""Print an evaluation on the console."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from isthmus.evaluation.accuracy import Accuracy, Comparison
from isthmus.evaluation.label_scores import ConfidenceBin, Evaluation
from isthmus.evaluation.names import quote_first
from isthmus.files.printable import escape_control_characters

__all__ = ["print_evaluation"]

SIGNIFICANCE_LEVEL = 0.05
OVERCONFIDENCE = 0.05
MAX_ERRORS_SHOWN = 10
# Leaves space for about nine columns of counts in a window of 80 characters.
MAX_NAME_WIDTH = 30
_UNLIMITED_WIDTH = 100_000


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """Print the accuracy, the comparison with the source-only classifier, and tables.

    Parameters
    ----------
    evaluation : Evaluation
        Result of `evaluate_labels`.
    console : Console
        The console; its width determines how the confusion matrix is shown.
    """
    accuracy = evaluation.accuracy
    _print_text(
        console,
        f"Accuracy {_percent(accuracy.value)} (95 % interval {_interval(accuracy)}): "
        f"{accuracy.n_correct} of {_documents(accuracy.n_documents)} correct.",
        style="bold",
    )
    if evaluation.n_abstained:
        _print_text(
            console,
            f"Coverage {_percent(evaluation.coverage)}: {_documents(evaluation.n_abstained)} "
            "without a predicted label excluded.",
        )
    if evaluation.n_without_truth:
        _print_text(
            console, f"{_documents(evaluation.n_without_truth)} without a true label excluded."
        )
    if evaluation.comparison is not None:
        _print_comparison(evaluation.comparison, console)
    _print_classes(evaluation, console)
    _print_confusion(evaluation, console)
    if evaluation.confidence_bins is not None:
        _print_bins(evaluation.confidence_bins, console)


def _print_comparison(comparison: Comparison, console: Console) -> None:
    source_only, points = comparison.source_only, 100 * comparison.difference
    change = f"{'gains' if points > 0 else 'loses'} {abs(points):.1f} points"
    _print_text(
        console,
        f"Source-only accuracy {_percent(source_only.value)} (95 % interval "
        f"{_interval(source_only)}): the transfer {change if points else 'makes no difference'}.",
    )
    if comparison.n_corrected + comparison.n_broken == 0:
        _print_text(console, "Both are correct on the same documents.")
        return
    p = "p < 0.001" if comparison.p_value < 0.001 else f"p = {comparison.p_value:.3f}"
    verdict = f"significant, so the transfer {'helps' if points > 0 else 'harms'} here"
    _print_text(
        console,
        f"The transfer corrects {_documents(comparison.n_corrected)} and breaks "
        f"{comparison.n_broken} (exact McNemar test, {p}): "
        f"{verdict if comparison.p_value < SIGNIFICANCE_LEVEL else 'not significant'}.",
    )


def _print_classes(evaluation: Evaluation, console: Console) -> None:
    _print_heading(console, "Classes: numbers of documents and scores")
    table = _table("class", "true", "predicted", "precision", "recall", "F1")
    for scores in evaluation.per_class:
        table.add_row(
            _label(scores.label),
            str(scores.support),
            str(scores.n_predicted),
            *map(_percent, (scores.precision, scores.recall, scores.f1)),
        )
    macro = evaluation.macro
    table.add_section()
    table.add_row(
        "macro average", "", "", *map(_percent, (macro.precision, macro.recall, macro.f1))
    )
    console.print(table)
    never_predicted = [scores.label for scores in evaluation.per_class if not scores.n_predicted]
    never_true = [scores.label for scores in evaluation.per_class if not scores.support]
    if never_predicted:
        _print_text(
            console,
            f"Never predicted: {quote_first(never_predicted)}. The precision is undefined, and so "
            "is its average.",
        )
    if never_true:
        _print_text(
            console,
            f"Predicted but never true: {quote_first(never_true)}. The recall is undefined, and "
            "the averages exclude the class.",
        )
    if never_predicted and never_true:
        _print_text(console, "If these are the same classes in two spellings, unify the spelling.")


def _print_confusion(evaluation: Evaluation, console: Console) -> None:
    """Print the matrix if it fits, with numbered columns if needed, else its largest errors."""
    names = [str(label) for label in evaluation.classes]
    numbers = [str(k) for k in range(1, len(names) + 1)]
    numbered = [f"{number} {name}" for number, name in zip(numbers, names, strict=True)]
    wide = console.options.update_width(_UNLIMITED_WIDTH)
    for rows, columns in ((names, names), (numbered, numbers)):
        table = _confusion_table(rows, columns, evaluation.confusion)
        if Measurement.get(console, wide, table).maximum <= console.width:
            _print_heading(
                console, "Confusion matrix: rows are true classes, columns predicted classes"
            )
            console.print(table)
            return
    _print_largest_errors(evaluation, console)


def _confusion_table(
    rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]]
) -> Table:
    table = Table()
    table.add_column("true class", overflow="fold", max_width=MAX_NAME_WIDTH)
    for column in columns:
        table.add_column(_label(column), justify="right", no_wrap=True)
    for k, (row, line) in enumerate(zip(rows, counts, strict=True)):
        cells = [Text(str(count), style="bold" if k == m else "") for m, count in enumerate(line)]
        table.add_row(_label(row), *cells)
    return table


def _print_largest_errors(evaluation: Evaluation, console: Console) -> None:
    errors = [
        (count, true, predicted)
        for true, line in zip(evaluation.classes, evaluation.confusion, strict=True)
        for predicted, count in zip(evaluation.classes, line, strict=True)
        if count and true != predicted
    ]
    if errors:
        errors.sort(key=lambda error: -error[0])
        _print_heading(console, "The most frequent errors")
        table = Table()
        table.add_column("true class", overflow="fold")
        table.add_column("predicted class", overflow="fold")
        table.add_column("documents", justify="right", no_wrap=True)
        for count, true, predicted in errors[:MAX_ERRORS_SHOWN]:
            table.add_row(_label(true), _label(predicted), str(count))
        console.print(table)
    _print_text(
        console,
        f"The confusion matrix of {len(evaluation.classes)} classes is too wide for this window: "
        "use --json to get it.",
    )


def _print_bins(bins: Sequence[ConfidenceBin], console: Console) -> None:
    _print_heading(console, "Accuracy by confidence, in quarters of the documents")
    table = _table("confidence", "documents", "mean confidence", "accuracy", "95 % interval")
    for part in bins:
        table.add_row(
            f"{100 * part.lowest:.1f} to {_percent(part.highest)}",
            str(part.accuracy.n_documents),
            _percent(part.mean_confidence),
            _percent(part.accuracy.value),
            _interval(part.accuracy),
        )
    console.print(table)
    n_documents = sum(part.accuracy.n_documents for part in bins)
    mean_confidence = (
        sum(part.mean_confidence * part.accuracy.n_documents for part in bins) / n_documents
    )
    accuracy = sum(part.accuracy.n_correct for part in bins) / n_documents
    if mean_confidence - accuracy > OVERCONFIDENCE:
        _print_text(
            console,
            f"The confidence is too high: its mean is {_percent(mean_confidence)}, but the "
            f"accuracy is {_percent(accuracy)}.",
        )


def _table(first: str, *others: str) -> Table:
    table = Table()
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _print_heading(console: Console, title: str) -> None:
    # Above the table, because rich wraps a table title to the width of the table.
    _print_text(console, f"\n{title}", style="italic")


def _print_text(console: Console, sentence: str, style: str = "") -> None:
    # As Text, because brackets in a label would be read as markup.
    console.print(Text(escape_control_characters(sentence, keep="\n"), style=style))


def _label(label: Any) -> Text:
    return Text(escape_control_characters(label, keep="\n"))


def _documents(n: int) -> str:
    return f"{n} document{'' if n == 1 else 's'}"


def _interval(accuracy: Accuracy) -> str:
    return f"{100 * accuracy.low:.1f} to {_percent(accuracy.high)}"


def _percent(fraction: float | None) -> str:
    return "-" if fraction is None else f"{100 * fraction:.1f} %"
