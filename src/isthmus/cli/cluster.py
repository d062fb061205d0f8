"""``isthmus cluster``: group the documents of several files without labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from isthmus._stages import record_stages, stage
from isthmus.cli.command import command, command_line, option, raise_if_interrupted
from isthmus.cli.input_options import (
    EncodingOptions,
    TextColumn,
    WordOptions,
    check_different,
    domain_names,
)
from isthmus.cli.method_options import ClusteringOptions, MemoryOptions, chosen_weighting
from isthmus.cli.output import (
    ConsoleOptions,
    ReportOptions,
    confirm_overwrite,
    count,
    is_standard_stream,
    rounded,
)
from isthmus.evaluation.names import CLUSTER, DOMAIN

if TYPE_CHECKING:
    from isthmus.cli.input_file import InputFile
    from isthmus.cli.output import Console
    from isthmus.inspection.clusters import ClusterFacts

__all__ = ["cluster"]


@dataclass(frozen=True)
class ClusterInput:
    """The files and their columns."""

    PANEL: ClassVar[str] = "Input"

    input: list[Path] = option(
        "FILE",
        "Documents: CSV, TSV, JSON Lines (also .gz), Parquet, a folder or a quoted pattern "
        "('data/*.csv') of such files. Repeat it for several bodies of text.",
        *("--input", "-i"),
        default=...,
    )
    encoding: EncodingOptions
    text_col: TextColumn = None


@dataclass(frozen=True)
class ClusterOutput(ReportOptions):
    """The output of ``isthmus cluster``."""

    output: Path = option(
        "FILE",
        "File for the documents and their clusters: .csv, .tsv, .jsonl or .parquet; '-' is "
        "standard output.",
        *("--output", "-o"),
        default=Path("clusters.csv"),
    )
    report: Path | None = option(
        "FILE",
        "Also write a report: one HTML page with the sizes, the words and some documents of every "
        "cluster.",
    )


@command
def cluster(
    files: ClusterInput,
    method: ClusteringOptions,
    output: ClusterOutput,
    console_options: ConsoleOptions,
    texts: WordOptions,
    memory: MemoryOptions,
) -> None:
    """Group the documents of one or several files without labels.

    The default method, lssmtc, gives all files the same clusters: number 0 means the same in each.
    The output has the rows of all files with the number of the cluster ("isthmus_cluster"), and
    with several files the name of the file ("isthmus_domain"). The words of a cluster say what it
    is about; --report writes a web page with words and documents.

    Example: isthmus cluster --input books.csv --input kitchen.csv --clusters 2
    """
    from isthmus.cli.input_file import InputFile
    from isthmus.files import whole_file
    from isthmus.report.clusters import render_clusters
    from isthmus.transfer.clustering import check_clustering, cluster_texts

    with memory.apply(), record_stages("other") as times, ExitStack() as stack:
        output.check()
        report = [] if output.report is None else [output.report]
        check_different({"input": files.input, "output": [output.output], "report": report})
        confirm_overwrite(output.files(), output.force)
        console = console_options.open(output.output)
        with stage("loading libraries and options"):
            estimator, vectorizer = method.make_estimator(), texts.make_vectorizer()
            weighting = chosen_weighting(texts, method.method, method.preset, console)
            if weighting is not None:
                vectorizer.set_params(weighting=weighting)
            check_clustering(estimator, vectorizer, method.engine)
        inputs = {}
        for name, path in zip(domain_names(files.input), files.input, strict=True):
            file = files.encoding.open(path, text_col=files.text_col, with_labels=False)
            inputs[name] = InputFile(stack.enter_context(file), output.requested_columns)
        _columns((file for file in inputs.values() if file.columns_are_final), output)
        with console.show_warnings(), console.progress("Counting words") as progress:
            opened = list(inputs.values())
            for read in opened:
                show = progress.counter(f"Counting words of {read.path}: document")
                read.observe(show, lambda file: _check(file, opened, estimator, texts, console))
            facts = cluster_texts(
                *(estimator, vectorizer, inputs),
                engine=method.engine,
                callback=progress.show_iterations(estimator.max_iterations),
                announce=progress.begin,
            )
        raise_if_interrupted()
        with console.progress("Writing the clusters"), stage("writing the clusters"):
            _write(inputs, facts, output)
        if output.report is not None:
            with stage("writing the report"), whole_file(output.report) as stream:
                page = render_clusters(replace(facts, command=command_line()), output.max_texts)
                stream.write(page)
    _print(facts, output, console)
    console.print_timings(times.seconds, facts.engine)
    console.print_json(
        {
            "inputs": [
                {
                    "domain": domain.name,
                    "path": str(file.path),
                    "documents": len(domain.labels),
                    "text_col": file.file.text_col,
                    "without_known_words": domain.n_without_words,
                    "sizes": domain.sizes,
                    "words": domain.words,
                }
                for domain, file in zip(facts.domains, inputs.values(), strict=True)
            ],
            "method": facts.method,
            "iterations": getattr(estimator, "n_iter_", None),
            "same_clusters_in_all_files": facts.is_shared,
            "terms": facts.n_terms,
            "weighting": vectorizer.weighting,
            "output": str(output.output),
            "report": None if output.report is None else str(output.report),
            "engine": facts.engine,
            "timings": rounded(times.seconds),
        }
    )


def _check(
    file: InputFile,
    files: Sequence[InputFile],
    estimator: Any,
    texts: WordOptions,
    console: Console,
) -> None:
    """Describe a file that has been read; raise ValueError if there are too few documents."""
    from isthmus.cli.input_checks import described_texts, warn_of_html

    console.info(f"Input {described_texts(file)}.")
    warn_of_html(file, texts.html, console)
    n_documents, where = file.n_documents, f"'{file.path}'"
    if getattr(estimator, "scope", "domain") == "all":
        if file is not files[-1]:
            return
        n_documents, where = sum(other.n_documents for other in files), "all files"
    if estimator.n_clusters > n_documents:
        raise ValueError(
            f"--clusters {estimator.n_clusters} is more than the number of documents in {where} "
            f"({n_documents:,}): use fewer clusters."
        )


def _columns(files: Iterable[InputFile], output: ClusterOutput) -> list[str]:
    """Return the columns to copy; raise ValueError if one of them is added by the output."""
    from isthmus.cli.predictions import check_new

    copied: dict[str, None] = {}
    for file in files:
        columns = output.copied_columns(file.columns, file.path)
        check_new([DOMAIN, CLUSTER], columns, file.path)
        copied.update(dict.fromkeys(columns))
    return list(copied)


def _write(files: Mapping[str, InputFile], facts: ClusterFacts, output: ClusterOutput) -> None:
    added = [DOMAIN, CLUSTER] if len(files) > 1 else [CLUSTER]
    columns = [*_columns(files.values(), output), *added]
    with output.open_writer(columns) as writer:
        for domain, file in zip(facts.domains, files.values(), strict=True):
            for record, number in zip(file.records(), domain.labels.tolist(), strict=True):
                row = {**record, DOMAIN: domain.name, CLUSTER: number}
                writer.write({column: row.get(column) for column in columns})


def _print(facts: ClusterFacts, output: ClusterOutput, console: Console) -> None:
    """Print the sizes and the words of all clusters, and where the files are."""
    for number in range(facts.n_clusters):
        console.print(f"Cluster {number}")
        for domain in facts.domains:
            words = ", ".join(domain.words[number]) or "no words"
            n_documents = count(domain.sizes[number], "document")
            console.print(f"{domain.name}, {n_documents}: {words}", indent="    ")
    n_without_words = sum(domain.n_without_words for domain in facts.domains)
    if n_without_words:
        console.warn(
            f"{count(n_without_words, 'document has', 'documents have')} no word that is counted: "
            "such clusters are meaningless."
        )
    if not facts.is_shared:
        console.warn(
            "The cluster numbers of different files are unrelated: --scope all or --method lssmtc "
            "gives all files the same clusters."
        )
    if not is_standard_stream(output.output):
        console.print(f"Clusters are in {output.output} (column '{CLUSTER}').")
    if output.report is not None:
        console.print(f"The report is in {output.report}.")
