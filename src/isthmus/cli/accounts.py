"""What ``isthmus classify`` tells of its files and of the labels it found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isthmus.cli.inputs import OpenedFile
    from isthmus.cli.talk import Talk
    from isthmus.transfer.model import Transfer

__all__ = ["describe_inputs", "report_labels"]

# Below this the first classifier has said next to nothing about some pair of classes.
_UNCERTAIN_DIRECTION = 0.55


def describe_inputs(
    sources: list[OpenedFile], target: OpenedFile, labels_wanted: bool, talk: Talk
) -> None:
    for source in sources:
        file = source.file
        talk.say_aside(
            f"Source {file.path}: {len(source.labels):,} documents, {_columns_of(source)}; "
            f"{_classes(source.classes)}."
        )
        missing = len(source.labels) - source.n_labelled
        if missing:
            talk.note(
                f"{missing:,} of the {len(source.labels):,} rows of '{file.path}' have no label; "
                "they take part unlabelled."
            )
    note = ""
    if labels_wanted:
        note = f"; {target.n_labelled:,} of them with a label to learn from"
    talk.say_aside(
        f"Target {target.file.path}: {len(target.labels):,} documents, text in "
        f"'{target.file.text_col}'{note}."
    )


def _columns_of(source: OpenedFile) -> str:
    file = source.file
    if file.format == "folder":
        return "labels from the sub-folders"
    guess = " (guessed)" if file.text_guessed or file.label_guessed else ""
    return f"text in '{file.text_col}', labels in '{file.label_col}'{guess}"


def _classes(classes: dict[str, int]) -> str:
    shown = ", ".join(f"{name} {count:,}" for name, count in list(classes.items())[:10])
    return f"{len(classes)} classes: {shown}" + (", ..." if len(classes) > 10 else "")


def report_labels(
    model: Transfer,
    sources: list[OpenedFile],
    target: OpenedFile,
    output: Path,
    save_model: Path | None,
    talk: Talk,
) -> None:
    (answer,) = model.targets_.values()
    found = Counter(answer.labels.tolist())
    without_words = int(answer.without_words.sum())
    shares = ", ".join(f"{name} {found[name]:,}" for name in model.classes_.tolist())
    talk.say(f"Labels found: {shares}.")
    talk.say(
        f"{100 * model.agreement_:.1f} % of them agree with a classifier trained on the source "
        "alone (column 'source_only')."
    )
    if without_words:
        talk.note(
            f"{without_words:,} documents of the target hold no word that was counted, so their "
            "labels mean nothing."
        )
    first = getattr(model.estimator_, "first_agreement_", 1.0)
    if first < _UNCERTAIN_DIRECTION:
        talk.note(
            f"For some pair of classes the result and the first guess from the source agree on "
            f"{100 * first:.0f} % only. A wide gap looks like this, and so do classes that came "
            "out swapped: look at a few labels."
        )
    talk.say(
        f"Predictions are in {output}." + (f" The model is {save_model}." if save_model else "")
    )
    talk.answer(
        {
            "sources": [
                {
                    "path": str(source.file.path),
                    "documents": len(source.labels),
                    "unlabelled": len(source.labels) - source.n_labelled,
                    "text_col": source.file.text_col,
                    "label_col": source.file.label_col,
                    "classes": source.classes,
                }
                for source in sources
            ],
            "target": {
                "path": str(target.file.path),
                "documents": len(target.labels),
                "text_col": target.file.text_col,
                "labels": {str(name): found[name] for name in model.classes_.tolist()},
                "without_known_words": without_words,
            },
            "method": type(model.estimator_).__name__,
            "iterations": getattr(model.estimator_, "n_iter_", None),
            "terms": len(model.vectorizer_.terms_),
            "agreement_with_source_only": round(model.agreement_, 4),
            "output": str(output),
            "model": None if save_model is None else str(save_model),
        }
    )
