"""An evaluation on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from isthmus.evaluation.naming import first_few
from isthmus.evaluation.proportions import Accuracy, Comparison
from isthmus.evaluation.report import ConfidenceBin, Evaluation
from isthmus.evaluation.visible import visible

__all__ = ["print_evaluation"]

SIGNIFICANT = 0.05
TOO_SURE = 0.05
MISTAKES_SHOWN = 10
# Leaves room for nine or so narrow columns of counts in a window of 80.
WIDEST_NAME = 30
_WIDER_THAN_ANY_WINDOW = 100_000


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """Print the accuracy, what the transfer changed, and a table each for the details.

    Parameters
    ----------
    evaluation : Evaluation
        What `evaluate_labels` found.
    console : Console
        Where to print; its width decides how the confusion is shown.
    """
    accuracy = evaluation.accuracy
    _say(
        console,
        f"Accuracy {_percent(accuracy.value)} (95 % interval {_interval(accuracy)}): "
        f"{accuracy.right} of {_documents(accuracy.n_documents)} right.",
        style="bold",
    )
    if evaluation.n_without_truth:
        _say(console, f"{_documents(evaluation.n_without_truth)} without a true label left out.")
    if evaluation.comparison is not None:
        _print_comparison(evaluation.comparison, console)
    _print_classes(evaluation, console)
    _print_confusion(evaluation, console)
    if evaluation.confidence_bins is not None:
        _print_bins(evaluation.confidence_bins, console)


def _print_comparison(comparison: Comparison, console: Console) -> None:
    before, points = comparison.source_only, 100 * comparison.difference
    change = f"{'gains' if points > 0 else 'loses'} {abs(points):.1f} points"
    _say(
        console,
        f"The source alone reaches {_percent(before.value)} (95 % interval {_interval(before)}): "
        f"the transfer {change if points else 'comes out even'}.",
    )
    if comparison.put_right + comparison.broken == 0:
        _say(console, "Both are right on the very same documents.")
        return
    p = "p < 0.001" if comparison.p_value < 0.001 else f"p = {comparison.p_value:.3f}"
    verdict = f"hardly chance, so the transfer {'helps' if points > 0 else 'does harm'} here"
    _say(
        console,
        f"It put {_documents(comparison.put_right)} right and broke {comparison.broken} "
        f"(exact McNemar test, {p}): "
        f"{verdict if comparison.p_value < SIGNIFICANT else 'that may well be chance'}.",
    )


def _print_classes(evaluation: Evaluation, console: Console) -> None:
    _head(console, "Classes: how many documents, and how well each class was found")
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
        _say(
            console,
            f"Never predicted: {first_few(never_predicted)}. The precision has no value there, "
            "nor has its average.",
        )
    if never_true:
        _say(
            console,
            f"Predicted but never true: {first_few(never_true)}. The recall has no value there, "
            "and the averages leave it out.",
        )
    if never_predicted and never_true:
        _say(console, "If these are the same classes written in two ways, write them alike.")


def _print_confusion(evaluation: Evaluation, console: Console) -> None:
    """Show the whole table if it fits, if need be with numbers for names, else its worst."""
    names = [str(label) for label in evaluation.classes]
    numbers = [str(k) for k in range(1, len(names) + 1)]
    numbered = [f"{number} {name}" for number, name in zip(numbers, names, strict=True)]
    wide = console.options.update_width(_WIDER_THAN_ANY_WINDOW)
    for rows, columns in ((names, names), (numbered, numbers)):
        table = _confusion_table(rows, columns, evaluation.confusion)
        if Measurement.get(console, wide, table).maximum <= console.width:
            _head(console, "Confusion: a row is the true class, a column the predicted one")
            console.print(table)
            return
    _print_mistakes(evaluation, console)


def _confusion_table(
    rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]]
) -> Table:
    table = Table()
    table.add_column("true class", overflow="fold", max_width=WIDEST_NAME)
    for column in columns:
        table.add_column(_label(column), justify="right", no_wrap=True)
    for k, (row, line) in enumerate(zip(rows, counts, strict=True)):
        cells = [Text(str(count), style="bold" if k == m else "") for m, count in enumerate(line)]
        table.add_row(_label(row), *cells)
    return table


def _print_mistakes(evaluation: Evaluation, console: Console) -> None:
    mistakes = [
        (count, true, predicted)
        for true, line in zip(evaluation.classes, evaluation.confusion, strict=True)
        for predicted, count in zip(evaluation.classes, line, strict=True)
        if count and true != predicted
    ]
    if mistakes:
        mistakes.sort(key=lambda mistake: -mistake[0])
        _head(console, "The most frequent mistakes")
        table = Table()
        table.add_column("true class", overflow="fold")
        table.add_column("predicted class", overflow="fold")
        table.add_column("documents", justify="right", no_wrap=True)
        for count, true, predicted in mistakes[:MISTAKES_SHOWN]:
            table.add_row(_label(true), _label(predicted), str(count))
        console.print(table)
    _say(
        console,
        f"The confusion of all {len(evaluation.classes)} classes is too wide for this window; "
        "--json gives it whole.",
    )


def _print_bins(bins: Sequence[ConfidenceBin], console: Console) -> None:
    _head(console, "How far the confidence can be trusted: quarters of the documents by it")
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
    said = sum(part.mean_confidence * part.accuracy.n_documents for part in bins) / n_documents
    right = sum(part.accuracy.right for part in bins) / n_documents
    if said - right > TOO_SURE:
        _say(
            console,
            f"The confidence is too high here: on average it says {_percent(said)}, and "
            f"{_percent(right)} are right.",
        )


def _table(first: str, *others: str) -> Table:
    table = Table()
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _head(console: Console, title: str) -> None:
    # Above the table, for a title within it is broken to the table's width.
    _say(console, f"\n{title}", style="italic")


def _say(console: Console, sentence: str, style: str = "") -> None:
    # Text, so that a bracket in a label is not read as markup.
    console.print(Text(visible(sentence), style=style))


def _label(label: Any) -> Text:
    return Text(visible(label))


def _documents(n: int) -> str:
    return f"{n} document{'' if n == 1 else 's'}"


def _interval(accuracy: Accuracy) -> str:
    return f"{100 * accuracy.low:.1f} to {_percent(accuracy.high)}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
