"""``isthmus bench``: run the papers' tables and write them down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.errors import command

if TYPE_CHECKING:
    from isthmus.bench.results import Record
    from isthmus.bench.speed.tables import Sizes
    from isthmus.bench.suite import Suite

__all__ = ["bench_app"]

DEFAULT_RESULTS = Path("benchmarks/results")

bench_app = typer.Typer(
    help="Run the problems of the papers and compare with their numbers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

Results = Annotated[
    Path, typer.Option("--results", help="Folder for results, one .jsonl file a suite.")
]


@bench_app.command("list")
@command
def list_suites() -> None:
    """List the suites and what they run.

    Example: isthmus bench list
    """
    from rich.console import Console
    from rich.table import Table

    from isthmus.bench.suite import suites

    table = Table("suite", "title", "sets", "problems", "development", "entries")
    for suite in suites().values():
        tasks = suite.tasks
        table.add_row(
            suite.name,
            suite.title,
            str(len(suite.sets)),
            str(len(tasks)),
            str(sum(task.split == "development" for task in tasks)),
            ", ".join(entry.id for entry in suite.entries),
        )
    Console().print(table)


@bench_app.command("run")
@command
def run(
    suite: Annotated[str, typer.Argument(help="Name of a suite, or path of your own .toml file.")],
    methods: Annotated[
        str, typer.Option(help="Entries or methods to run, separated by commas; all by default.")
    ] = "",
    seeds: Annotated[
        str, typer.Option(help="Seeds, separated by commas; the suite's by default.")
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes, one thread each.")] = 1,
    split: Annotated[
        str, typer.Option(help="Which problems: development, evidence or all.")
    ] = "all",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many problems of every set.")
    ] = None,
    results: Results = DEFAULT_RESULTS,
    data: Annotated[
        Path | None, typer.Option(help="Data folder; by default what ISTHMUS_DATA names.")
    ] = None,
) -> None:
    """Run a suite; runs that have a result already are passed over.

    Stop it with Ctrl-C and start it again at any time.

    Example: isthmus bench run mtrick-table1 --methods lg,mtrick --limit 4 --jobs 2
    """
    from isthmus.bench.results import ResultFile
    from isthmus.bench.runner import Choice, plan_runs, run_pending, split_pending
    from isthmus.bench.suite import find_suite
    from isthmus.datasets.files import data_folder

    chosen = find_suite(suite)
    if data is not None:
        # Counts may come from the cache: a wrong folder would go unnoticed.
        data_folder(data)
    choice = Choice(_words(methods), _numbers(seeds), split, limit)
    runs = plan_runs(chosen, choice, None if data is None else str(data))
    file = ResultFile(results / f"{chosen.name}.jsonl")
    pending, done = split_pending(runs, file)
    print(f"{chosen.name}: {len(runs)} runs, {done} done before, {len(pending)} to do.")
    failed = _with_progress(
        len(runs), done, lambda show: run_pending(pending, file, jobs, on_result=show)
    )
    print(f"Results are in {file.path}.")
    if failed:
        raise RuntimeError(
            f"{len(failed)} runs failed and will be tried again next time; the first: "
            f"{failed[0]['entry']} on {failed[0]['task']}: {failed[0]['error']}"
        )


@bench_app.command("report")
@command
def report(
    suite: Annotated[
        list[str] | None,
        typer.Argument(help="Suites or .toml files; by default all suites with results."),
    ] = None,
    results: Results = DEFAULT_RESULTS,
    output: Annotated[Path, typer.Option(help="The Markdown file to write.")] = Path(
        "BENCHMARKS.md"
    ),
) -> None:
    """Write the results as tables beside the papers' numbers.

    Example: isthmus bench report --output BENCHMARKS.md
    """
    from isthmus.bench.report import render_report
    from isthmus.bench.results import ResultFile
    from isthmus.bench.suite import find_suite, suites
    from isthmus.files import check_writable, whole_file

    check_writable(output)
    chosen: list[Suite] = [find_suite(s) for s in suite] if suite else list(suites().values())
    files = [(s, ResultFile(results / f"{s.name}.jsonl")) for s in chosen]
    found = [(s, file.read()) for s, file in files if suite or file.path.exists()]
    if not any(records for _, records in found):
        raise ValueError(
            f"There are no results of {', '.join(s.name for s in chosen)} in '{results}': first "
            "use 'isthmus bench run', or name the .toml file of your own suite."
        )
    page = render_report(found)
    with whole_file(output) as stream:
        stream.write(page)
    print(f"Wrote {output}.")


@bench_app.command("speed")
@command
def speed(
    only: Annotated[
        str,
        typer.Option(
            help="Parts to measure, separated by commas: iteration, plsa, topics, growth, memory, "
            "spectra, subspace; all by default."
        ),
    ] = "",
    documents: Annotated[
        int, typer.Option(min=1_000, help="Documents of the comparisons, half of them source.")
    ] = 40_000,
    terms: Annotated[int, typer.Option(min=100, help="Size of the vocabulary.")] = 50_000,
    clusters: Annotated[int, typer.Option(min=2, help="Word clusters, topics and ranks.")] = 50,
    largest: Annotated[
        int, typer.Option(min=10_000, help="Documents of the largest problem of all.")
    ] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in which the sides take turns.")] = 5,
    output: Annotated[
        Path | None, typer.Option(help="A Markdown file to write the tables to.")
    ] = None,
) -> None:
    """Measure speed and memory against others, side by side in one run.

    An MTrick iteration against the paper's formulas in NumPy and SciPy and against scikit-learn's
    NMF; a PLSA step against its Kullback-Leibler NMF; how an iteration grows with the documents
    and how far it is from what the memory allows; what a whole fit takes; CDSC and LSSTTC on up
    to 100,000 documents, and the ways to find eigenvectors. With a million documents it needs 4 GB
    of memory and about fifteen minutes.

    Example: isthmus bench speed --only iteration,plsa --rounds 3
    """
    from rich.console import Console
    from rich.table import Table

    from isthmus.bench.speed.report import PARTS, machine, measure, to_markdown
    from isthmus.bench.speed.tables import Sizes
    from isthmus.files import check_writable, whole_file

    parts = _words(only) or PARTS
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"--only {part!r} is not a part: choose among {', '.join(PARTS)}.")
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
    )
    console, error = Console(), Console(stderr=True)
    print(f"Machine: {machine()}", flush=True)
    tables = []
    with error.status("measuring") as status:
        # A log has no spinner, so it gets lines.
        tell = status.update if error.is_terminal else error.print
        # What is measured is shown at once: somebody may have seen enough.
        for found in measure(sizes, parts, tell):
            tables.append(found)
            shown = Table(title=found.title, title_justify="left")
            for column in found.columns:
                shown.add_column(column, overflow="fold")
            for row in found.rows:
                shown.add_row(*row)
            console.print(shown)
            print("\n".join(found.notes), flush=True)
    if output is not None:
        page = to_markdown(tables, _speed_command(only, sizes))
        with whole_file(output) as stream:
            stream.write(page)
        print(f"Wrote {output}.")


def _speed_command(only: str, sizes: Sizes) -> str:
    """The command that repeats a measurement."""
    words = ["isthmus bench speed"]
    words += [f"--only {only}"] if only else []
    for name in ("documents", "terms", "clusters", "largest", "rounds"):
        value = getattr(sizes, name)
        words += [f"--{name} {value}"] if value != getattr(type(sizes), name) else []
    return " ".join(words)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(text: str) -> tuple[int, ...]:
    words = _words(text)
    if not all(word.isdecimal() for word in words):
        raise ValueError(
            f"--seeds {text!r} must be whole numbers separated by commas, as in 0,1,2."
        )
    return tuple(int(word) for word in words)


def _with_progress(
    total: int, done: int, work: Callable[[Callable[[Record], None]], None]
) -> list[Record]:
    """Show done, remaining time and the latest accuracy; return the failed records."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    failed: list[Record] = []
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("{task.fields[last]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("runs", total=total, completed=done, last="")

        def show(record: Record) -> None:
            if record["error"] is not None:
                failed.append(record)
                last = f"{record['entry']} failed"
            else:
                last = f"{record['entry']} {100 * record['accuracy']:.1f} %"
            progress.update(bar, advance=1, last=last)

        work(show)
    return failed
