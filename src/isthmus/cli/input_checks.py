"""Describe the input files when they have been read, and check them before the method is fitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isthmus.cli.output import count
from isthmus.cli.predictions import added_columns

if TYPE_CHECKING:
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output import Console, OutputOptions

__all__ = ["InputChecks", "describe_texts", "shown_counts"]

_CLASSES_SHOWN = 10
_MANY_CLASSES = 20
_FEW_FOR_CLUSTER = 200_000


class InputChecks:
    """Checks of sources and target that need no text to be read again.

    What is known when the files are opened is checked at once, the rest in :meth:`after_reading`.
    """

    def __init__(
        self,
        sources: Sequence[InputFile],
        target: InputFile,
        uses_target_labels: bool,
        strips_html: bool,
        output: OutputOptions,
        console: Console,
        on_cluster: bool = False,
    ) -> None:
        self.uses_target_labels = uses_target_labels
        self._sources = sources
        self._target = target
        self._strips_html = strips_html
        self._output = output
        self._console = console
        self._on_cluster = on_cluster
        if target.columns_are_final:
            copied = output.copied_columns(target.columns, target.path)
            added_columns(copied, target.path, given=uses_target_labels)

    def after_reading(self, file: InputFile) -> None:
        """Describe a file whose documents have been read; raise ValueError if it is unusable."""
        if file is self._target:
            self._describe_target()
            self._check_size_for_cluster()
            if self.uses_target_labels:
                self._check_unlabeled_target()
                self._check_classes()
            self.output_columns()
        else:
            self._describe_source(file)
            _check_guessed_labels(file)
            if file is self._sources[-1] and not self.uses_target_labels:
                self._check_classes()
            _warn_of_html(file, self._strips_html, self._console)

    def output_columns(self) -> tuple[list[str], list[str]]:
        """Return the columns that the output copies and those that it adds."""
        copied = self._output.copied_columns(self._target.columns, self._target.path)
        labels = {label for file in (*self._sources, self._target) for label in file.class_counts}
        added = added_columns(
            copied,
            self._target.path,
            probabilities_of=sorted(labels) if self._output.probabilities else (),
            given=self.uses_target_labels,
        )
        return copied, added

    def _describe_source(self, source: InputFile) -> None:
        classes = source.class_counts
        described = "no label"
        if classes:
            described = f"{count(len(classes), 'class', 'classes')}: {shown_counts(classes)}"
        self._console.info(
            f"Source {source.path}: {count(source.n_documents, 'document')}, "
            f"{_described_columns(source)}; {described}."
        )
        n_unlabeled = source.n_documents - source.n_labeled
        if n_unlabeled:
            self._console.warn(
                f"{n_unlabeled:,} of the {source.n_documents:,} rows of '{source.path}' have no "
                "label: they are used as unlabeled documents."
            )

    def _describe_target(self) -> None:
        target = self._target
        known = ""
        if self.uses_target_labels:
            known = f"; {target.n_labeled:,} of them with a label used to train"
        describe_texts(target, self._strips_html, self._console, "Target", known)

    def _check_size_for_cluster(self) -> None:
        n_documents = sum(file.n_documents for file in (*self._sources, self._target))
        if self._on_cluster and n_documents < _FEW_FOR_CLUSTER:
            self._console.warn(
                f"{n_documents:,} documents are few for a cluster, whose messages take longer than "
                "the computation: --engine cpu is probably faster, and much faster for "
                "self-training and auto."
            )

    def _check_unlabeled_target(self) -> None:
        target = self._target
        if target.n_documents and target.n_labeled == target.n_documents:
            raise ValueError(
                f"Every row of '{target.path}' has a label in column '{target.file.label_col}', so "
                "there is nothing to predict: name another column with --target-label-col, or "
                "leave the option out to predict all rows."
            )

    def _check_classes(self) -> None:
        source_counts: Counter[str] = Counter()
        for source in self._sources:
            source_counts.update(source.class_counts)
        target_counts = self._target.class_counts if self.uses_target_labels else {}
        if len({*source_counts, *target_counts}) < 2:
            names = ", ".join(map(repr, source_counts)) or "none"
            raise ValueError(
                f"The source has only one class ({names}): at least two are needed. If this is the "
                "wrong column, name another with --label-col."
            )
        n_labeled = sum(source_counts.values())
        if len(source_counts) > max(_MANY_CLASSES, n_labeled / 3):
            self._console.warn(
                f"There are {len(source_counts):,} classes for "
                f"{count(n_labeled, 'labeled document')}: is "
                f"'{self._sources[0].file.label_col}' the column of the labels?"
            )
        new = {name: size for name, size in target_counts.items() if name not in source_counts}
        if new:
            self._console.warn(
                f"The labels of the target add {count(len(new), 'class', 'classes')} that no "
                f"source has: {shown_counts(new)}."
            )


def describe_texts(
    file: InputFile, strips_html: bool, console: Console, role: str = "Input", known: str = ""
) -> None:
    """Print what was read of a file of texts, and warn if they look like HTML pages."""
    guessed = " (guessed)" if file.file.text_guessed else ""
    n_documents = count(file.n_documents, "document")
    console.info(
        f"{role} {file.path}: {n_documents}, text in '{file.file.text_col}'{guessed}{known}."
    )
    _warn_of_html(file, strips_html, console)


def _warn_of_html(file: InputFile, strips_html: bool, console: Console) -> None:
    if file.looks_like_html and not strips_html:
        console.warn(f"The texts of '{file.path}' look like HTML pages: --html strips the markup.")


def shown_counts(counts: Mapping[Any, int]) -> str:
    """Return the largest classes with their sizes, as text."""
    largest = sorted(counts.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name}: {size:,}" for name, size in largest[:_CLASSES_SHOWN])
    n_hidden = len(counts) - _CLASSES_SHOWN
    return f"{shown} and {n_hidden} more" if n_hidden > 0 else shown


def _check_guessed_labels(source: InputFile) -> None:
    """Raise ValueError if most values of a guessed column of labels occur once."""
    file = source.file
    n_classes = len(source.class_counts)
    if (
        file.format != "folder"
        and file.label_guessed
        and n_classes > max(_MANY_CLASSES, source.n_labeled / 2)
    ):
        raise ValueError(
            f"Column '{file.label_col}' of '{source.path}' was guessed to contain the labels, but "
            f"it has {n_classes:,} different values in {source.n_labeled:,} rows: name the column "
            "of the labels with --label-col."
        )


def _described_columns(source: InputFile) -> str:
    file = source.file
    if file.format == "folder":
        return "labels from the sub-folders"
    text, label = (
        " (guessed)" if is_guessed else "" for is_guessed in (file.text_guessed, file.label_guessed)
    )
    return f"text in '{file.text_col}'{text}, labels in '{file.label_col}'{label}"
