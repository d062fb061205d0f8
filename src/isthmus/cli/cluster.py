"""``isthmus cluster``: group the documents of several files without labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

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
    from isthmus.inspection.clusters import ClusterFacts, DomainClusters

__all__ = ["cluster"]


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
    *,
    input: list[Path] = option(
        "FILE",
        "Documents: CSV, TSV, JSON Lines (also .gz), Parquet, a folder or a quoted pattern "
        "('data/*.csv') of such files. Repeat it for several bodies of text.",
        *("--input", "-i"),
        default=...,
    ),
    text_col: TextColumn = None,
    encoding: EncodingOptions,
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
    from isthmus.cli.input_checks import describe_texts
    from isthmus.cli.input_file import InputFile
    from isthmus.files import whole_file
    from isthmus.report.clusters import render_clusters
    from isthmus.transfer.clustering import cluster_texts
    from isthmus.transfer.fitting import make_vectorizer

    with memory.apply(), record_stages("other") as times, ExitStack() as stack:
        output.check()
        report = [] if output.report is None else [output.report]
        check_different({"input": input, "output": [output.output], "report": report})
        confirm_overwrite(output.files(), output.force)
        console = console_options.open(output.output)
        with stage("loading libraries and options"):
            estimator = method.make_estimator()
            weighting = chosen_weighting(texts, method.method, method.preset, console)
            vectorizer = make_vectorizer(texts.make_vectorizer(), weighting)
            vectorizer.check()
        files = {}
        for name, path in zip(domain_names(input), input, strict=True):
            opened = encoding.open(path, text_col=text_col, with_labels=False)
            files[name] = InputFile(stack.enter_context(opened), output.requested_columns)
        added = [DOMAIN, CLUSTER] if len(files) > 1 else [CLUSTER]
        _columns((file for file in files.values() if file.columns_are_final), added, output)
        with console.show_warnings(), console.progress("Counting words") as progress:
            for file in files.values():
                show = progress.counter(f"Counting words of {file.path}: document")
                file.observe(show, lambda read: describe_texts(read, texts.html, console))
            facts = cluster_texts(
                *(estimator, vectorizer, files),
                callback=progress.show_iterations(estimator.max_iterations),
                announce=progress.begin,
            )
        raise_if_interrupted()
        with console.progress("Writing the clusters"), stage("writing the clusters"):
            _write(files, added, facts, output)
        if output.report is not None:
            with stage("writing the report"), whole_file(output.report) as stream:
                page = render_clusters(replace(facts, command=command_line()), output.max_texts)
                stream.write(page)
    _print(facts, output, console)
    console.print_timings(times.seconds, "cpu")
    parts = ("name", "sizes", "words", "n_without_words")
    console.print_json(
        {
            "domains": [{part: getattr(d, part) for part in parts} for d in facts.domains],
            "method": facts.method,
            "weighting": vectorizer.weighting,
            "same_clusters_in_all_files": facts.is_shared,
            "output": str(output.output),
            "report": None if output.report is None else str(output.report),
            "timings": rounded(times.seconds),
        }
    )


def _columns(files: Iterable[InputFile], added: Sequence[str], output: ClusterOutput) -> list[str]:
    """Return the columns of the output; raise ValueError if an input has one that is added."""
    from isthmus.cli.predictions import check_new

    copied: dict[str, None] = {}
    for file in files:
        columns = output.copied_columns(file.columns, file.path)
        check_new(added, columns, file.path)
        copied.update(dict.fromkeys(columns))
    return [*copied, *added]


def _write(
    files: Mapping[str, InputFile],
    added: Sequence[str],
    facts: ClusterFacts,
    output: ClusterOutput,
) -> None:
    columns = _columns(files.values(), added, output)
    with output.open_writer(columns) as writer:
        for domain, file in zip(facts.domains, files.values(), strict=True):
            for record, number in zip(file.records(), domain.labels.tolist(), strict=True):
                new = {DOMAIN: domain.name, CLUSTER: number}
                row = record | {name: new[name] for name in added}
                writer.write({column: row.get(column) for column in columns})


def _print(facts: ClusterFacts, output: ClusterOutput, console: Console) -> None:
    """Print the sizes and the words of all clusters, and where the files are."""

    def print_cluster(domain: DomainClusters, number: int, name: str) -> None:
        words = ", ".join(domain.words[number]) or "no words"
        n_documents = count(domain.sizes[number], "document")
        console.print(f"{name}, {n_documents}: {words}", indent="    ")

    if facts.is_shared:
        for number in range(facts.n_clusters):
            console.print(f"Cluster {number}")
            for domain in facts.domains:
                print_cluster(domain, number, domain.name)
    else:
        for domain in facts.domains:
            console.print(domain.name)
            for number in range(facts.n_clusters):
                print_cluster(domain, number, f"cluster {number}")
    n_without_words = sum(domain.n_without_words for domain in facts.domains)
    if n_without_words:
        console.warn(
            f"{count(n_without_words, 'document has', 'documents have')} no word that is counted: "
            "the cluster of such a document is meaningless."
        )
    whole = [d.name for d in facts.domains if max(d.sizes) == sum(d.sizes) > 1]
    if facts.is_shared and len(facts.domains) > 1 and whole:
        console.warn(
            f"All documents of {', '.join(whole)} are in one cluster: the clusters may be the "
            "files themselves. Try another method, or --scope domain."
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
