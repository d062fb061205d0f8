"""``isthmus classify``: label the documents of a file with a model trained on another."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING

from isthmus._stages import record_stages, stage
from isthmus.cli.command import command, raise_if_interrupted, sentence, was_interrupted
from isthmus.cli.input_options import FileOptions, TextOptions, check_different
from isthmus.cli.method_options import (
    ClusterOptions,
    MemoryOptions,
    MethodOptions,
    chosen_weighting,
)
from isthmus.cli.output import ClassifyOutput, ConsoleOptions, confirm_overwrite

if TYPE_CHECKING:
    from isthmus.cli.input_checks import InputChecks
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output import Console
    from isthmus.transfer.fitting import Prepared
    from isthmus.transfer.model import Transfer

__all__ = ["classify"]


@command
def classify(
    files: FileOptions,
    output: ClassifyOutput,
    console_options: ConsoleOptions,
    method: MethodOptions,
    texts: TextOptions,
    memory: MemoryOptions,
    cluster: ClusterOptions,
) -> None:
    """Train on the labeled documents of one file and label those of another.

    The default method, auto, fits several methods and combines them. The output has the columns of
    the target and, for every document: the label ("predicted"), a confidence from 0 to 1
    ("confidence"; only that of auto is calibrated), the label of a classifier trained on the
    source alone ("source_only"), and with --target-label-col whether the label was given
    ("label_given"). --report writes a web page that shows how good the labels probably are and why.

    The last lines printed are the verdict: "use", "check first" or "do not use", with the
    estimated accuracy and the reasons. It is an estimate without labels of the target.

    Example: isthmus classify --source books.csv --target kitchen.csv --output predictions.csv

    Two languages: isthmus classify --source english.csv --target german.csv
    --target-lang de --dictionary en_de.tsv
    """
    from isthmus.cli.input_checks import InputChecks
    from isthmus.cli.predictions import write_predictions
    from isthmus.cli.summary import check_verdict, report_predictions

    with memory.apply(), record_stages("other") as times:
        _check_options(files, texts, method, output)
        console = console_options.open(output.output)
        with ExitStack() as stack:
            with stage("loading libraries and options"):
                with _progress(console, "Reading the dictionary", if_=bool(texts.dictionary)):
                    vectorizer = texts.make_vectorizer()
                with _progress(console, "Connecting to Dask", if_=method.engine == "dask"):
                    engine = stack.enter_context(cluster.open(method.engine))
                weighting = chosen_weighting(texts, method.method, method.preset, console)
                model = method.make_model(vectorizer, weighting, engine)
                prepared = model.prepare()
            sources, (target_name, target) = stack.enter_context(
                files.open(output.requested_columns)
            )
            checks = InputChecks(
                *(list(sources.values()), target, files.uses_target_labels, texts.html),
                *(output, console, method.engine == "dask"),
            )
            _fit(model, prepared, sources, target_name, target, checks, console)
            if output.strict:
                check_verdict(model, console)
            with (
                console.progress("Writing the predictions") as progress,
                stage("writing the predictions"),
            ):
                write_predictions(model, target, checks, output, progress)
        _write_model(model, output, console)
        _write_report(model, sources, target_name, target, output, console)
    try:
        report_predictions(model, list(sources.values()), target, output, console, times.seconds)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise RuntimeError(
            f"The summary cannot be printed ({error.strerror}), but the predictions are in "
            f"{output.output}."
        ) from error


def _progress(console: Console, text: str, *, if_: bool) -> AbstractContextManager[object]:
    return console.progress(text) if if_ else nullcontext()


def _check_options(
    files: FileOptions, texts: TextOptions, method: MethodOptions, output: ClassifyOutput
) -> None:
    """Raise ValueError if options contradict each other or a file cannot be written."""
    files.check()
    output.check()
    if output.strict and not method.verdict:
        raise ValueError("--strict needs the verdict: leave out --no-verdict.")
    check_different(
        {
            "source": files.source,
            "target": files.target or [],
            "dictionary": texts.dictionary or [],
            "output": [output.output],
            "model file": [] if output.save_model is None else [output.save_model],
            "report": [] if output.report is None else [output.report],
        }
    )
    if files.target_path is None and texts.two_languages:
        raise ValueError("Two languages need two files: name the file to label with --target.")
    confirm_overwrite(output.files(), output.force)


def _fit(
    model: Transfer,
    prepared: Prepared,
    sources: Mapping[str, InputFile],
    target_name: str,
    target: InputFile,
    checks: InputChecks,
    console: Console,
) -> None:
    """Fit the model while the files are parsed; each is described and checked when it is read."""
    with console.show_warnings(), console.progress("Counting words") as progress:
        for file in (*sources.values(), target):
            title = f"Counting words of {file.path}: document"
            file.observe(progress.counter(title), checks.after_reading)
        # The lists of labels are complete when the texts have been read.
        target_labels = target.labels if checks.uses_target_labels else None
        model.fit(
            {name: (file, file.labels) for name, file in sources.items()},
            target_texts={target_name: (target, target_labels)},
            callback=progress.show_iterations(prepared.estimator.max_iterations),
            announce=progress.begin,
            prepared=prepared,
        )
    raise_if_interrupted()


def _write_model(model: Transfer, output: ClassifyOutput, console: Console) -> None:
    if output.save_model is not None:
        with (
            _after_predictions("The model was not saved", output, console),
            stage("saving the model"),
        ):
            model.save(output.save_model)


def _write_report(
    model: Transfer,
    sources: Mapping[str, InputFile],
    target_name: str,
    target: InputFile,
    output: ClassifyOutput,
    console: Console,
) -> None:
    from isthmus.cli.command import command_line
    from isthmus.transfer.reporting import Origin, write_report

    if output.report is None:
        return
    files = {**sources, target_name: target}
    origin = Origin(
        command_line(),
        paths={name: str(file.path) for name, file in files.items()},
        row_numbers={name: file.row_numbers for name, file in files.items()},
        note=_abstention_note(model, output),
    )
    with (
        _after_predictions("The report was not written", output, console),
        console.progress("Writing the report"),
        stage("writing the report"),
    ):
        write_report(model, output.report, target_name, max_texts=output.max_texts, origin=origin)


def _abstention_note(model: Transfer, output: ClassifyOutput) -> str:
    (prediction,) = model.targets_.values()
    n_left_out = sum(label is None for label in prediction.labels_at(output.min_confidence))
    if not n_left_out:
        return ""
    return (
        f"--min-confidence {output.min_confidence:g} left {n_left_out:,} documents without a label "
        "in the file of predictions. This page is about all labels."
    )


@contextmanager
def _after_predictions(failure: str, output: ClassifyOutput, console: Console) -> Iterator[None]:
    """Say that the predictions exist if something fails after they were written."""
    try:
        yield
    except KeyboardInterrupt:
        console.warn(f"Predictions are in {output.output}. {failure}.")
        raise
    except Exception as error:
        if was_interrupted():  # some libraries turn an interrupt into an error of their own
            console.warn(f"Predictions are in {output.output}. {failure}.")
            raise KeyboardInterrupt from None
        raise RuntimeError(
            f"Predictions are in {output.output}, but {failure[0].lower()}{failure[1:]}: "
            f"{sentence(error)}"
        ) from error
