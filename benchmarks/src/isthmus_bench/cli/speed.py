"""``isthmus-bench speed``: compare speed and memory with other implementations."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus_bench.cli.gpu_speed import (
    REPORT,
    GpuOptions,
    check_unused,
    gpu_choice,
    measure_gpu_speed,
)
from isthmus_bench.cli.parsing import comma_separated, command, folder_option

if TYPE_CHECKING:
    from isthmus_bench.speed.report import Sizes

__all__ = ["speed"]


@command
def speed(
    gpu: GpuOptions,
    only: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Parts to measure, separated by commas: 'iteration', 'plsa', 'topics', 'memory', "
            "'text', 'command' by default; also 'methods', 'disk', 'cluster'. With --engine gpu: "
            "'passes', 'fits', 'crossover', 'profile', 'report'.",
        ),
    ] = "",
    documents: Annotated[
        int,
        typer.Option(
            min=1_000,
            metavar="NUMBER",
            help="Documents of the comparisons, half of them source.",
        ),
    ] = 40_000,
    terms: Annotated[
        int, typer.Option(min=100, metavar="NUMBER", help="Size of the vocabulary.")
    ] = 50_000,
    clusters: Annotated[
        int,
        typer.Option(min=2, metavar="NUMBER", help="Number of word clusters, topics and ranks."),
    ] = 50,
    largest: Annotated[
        int, typer.Option(min=1_000, metavar="NUMBER", help="Documents of the largest fit.")
    ] = 1_000_000,
    rounds: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Rounds of measurements.")
    ] = 5,
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Methods of the parts 'methods' and 'fits', separated by commas. Default: all.",
        ),
    ] = "",
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.1, metavar="SECONDS", help="Longest fit of the parts 'methods' and 'fits'."
        ),
    ] = 120.0,
    again: Annotated[
        bool, typer.Option("--again", metavar="", help="Repeat what has a stored result.")
    ] = False,
    results: Annotated[
        str,
        typer.Option(
            metavar="FOLDER",
            help="Folder for results: method_cost.jsonl of methods, gpu.jsonl of the GPU.",
        ),
    ] = "benchmarks/results",
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A Markdown file to write the tables to."),
    ] = None,
) -> None:
    """Compare speed and memory with other implementations in the same run.

    An MTrick iteration is compared with the paper's formulas in NumPy and SciPy and with
    scikit-learn's NMF, a PLSA step with its Kullback-Leibler NMF, a PJNMF iteration with its NMF.
    The part 'memory' measures whole fits of MTrick, CDSC and LSSTTC. The part 'text' compares the
    counting of words with scikit-learn's CountVectorizer, the part 'command' the whole of 'isthmus
    classify' with its TfidfVectorizer. With a million documents all parts need 4 GB of memory and
    about twenty minutes.

    The part 'methods' fits every classifier to 1,000 to 1,000,000 documents (--largest), each in a
    new process. It is measured only if it is named. More documents are tried only if the fit is
    expected to stay within --time-limit. Every result is stored at once: stop with Ctrl-C and
    continue with the same command. 'isthmus-bench report' draws the results.

    The part 'disk' measures 'isthmus classify' on --largest documents whose counts are kept on the
    disk: seconds per stage, and the memory of all processes. It writes gigabytes of texts to the
    folder for temporary files. The part 'cluster' measures fits on a Dask cluster of this machine:
    its overhead, the gain by a second worker, the bytes that are moved, and what a killed worker
    costs (extra "dask").

    With --engine gpu, the parts are others: single passes over the documents ('passes'), fits of
    every method on the GPU and on the CPU ('fits'), fits to more and more documents ('crossover'),
    and the stages of a fit ('profile').
    Results are stored at once in gpu.jsonl in the folder --results. The part 'report' writes a page
    of them, benchmarks/speed/gpu.md or --output, and needs no GPU.

    Example: isthmus-bench speed --only iteration,plsa --rounds 3
    """
    if gpu.engine not in ("cpu", "gpu"):
        raise ValueError(f"--engine {gpu.engine!r} is unknown: use cpu or gpu.")
    parts = comma_separated(only)
    stores = parts != (REPORT,) if gpu.engine == "gpu" else "methods" in parts
    stored = folder_option(results, "--results", written=stores)
    if gpu.engine == "gpu":
        choice = gpu_choice(gpu, methods, terms, rounds, time_limit, again)
        measure_gpu_speed(gpu, parts, choice, stored, output)
        return
    check_unused(gpu)
    from rich.console import Console
    from rich.table import Table

    from isthmus.files import check_writable, whole_file
    from isthmus_bench.speed.methods import MethodFits
    from isthmus_bench.speed.report import (
        DEFAULT_PARTS,
        PARTS,
        Sizes,
        machine,
        measure,
        to_markdown,
    )

    parts = parts or DEFAULT_PARTS
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"--only {part!r} is not a part: choose among {', '.join(PARTS)}.")
    if "cluster" in parts and find_spec("distributed") is None:
        raise ImportError(
            "The part 'cluster' needs dask and distributed: install them with "
            'pip install "isthmus[dask]", or leave out this part.'
        )
    if clusters > terms:
        raise ValueError(f"--clusters {clusters} is more than --terms {terms}.")
    if output is not None:
        check_writable(output)
    sizes = Sizes(
        documents=documents,
        terms=terms,
        clusters=clusters,
        largest=largest,
        memory=min(Sizes.memory, largest),
        rounds=rounds,
        method_fits=MethodFits(comma_separated(methods), time_limit, stored, again),
    )
    console, error = Console(), Console(stderr=True)
    # Before a cluster is started, which limits the threads of this process.
    on_machine = machine()
    print(f"Machine: {on_machine}", flush=True)
    tables = []
    with error.status("measuring") as status:
        # Without a terminal there is one line per step.
        on_progress = status.update if error.is_terminal else error.print
        for result in measure(sizes, parts, on_progress):
            tables.append(result)
            shown = Table(title=result.title, title_justify="left")
            for column in result.columns:
                shown.add_column(column, overflow="fold")
            for row in result.rows:
                shown.add_row(*row)
            console.print(shown)
            print(result.note, flush=True)
    if output is not None:
        page = to_markdown(tables, _speed_command(only, sizes), on_machine)
        with whole_file(output) as stream:
            stream.write(page)
        print(f"Wrote {output}.")


def _speed_command(only: str, sizes: Sizes) -> str:
    """The command that repeats a measurement."""
    parts = ["isthmus-bench speed"]
    parts += [f"--only {only}"] if only else []
    for name in ("documents", "terms", "clusters", "largest", "rounds"):
        value = getattr(sizes, name)
        parts += [f"--{name} {value}"] if value != getattr(type(sizes), name) else []
    fits = sizes.method_fits
    parts += [f"--methods {','.join(fits.methods)}"] if fits.methods else []
    parts += (
        [f"--time-limit {fits.time_limit:g}"] if fits.time_limit != type(fits).time_limit else []
    )
    return " ".join(parts)
