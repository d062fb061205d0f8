"""The command ``isthmus-bench``: repeat the papers' experiments and report them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus_bench.cli.parsing import (
    comma_separated,
    comma_separated_integers,
    command,
    folder_option,
)
from isthmus_bench.cli.speed import speed

if TYPE_CHECKING:
    from isthmus_bench.plan.suite import Suite
    from isthmus_bench.run.multi_suite import SuiteRuns
    from isthmus_bench.run.planning import Choice
    from isthmus_bench.run.results import Record

__all__ = ["app"]

DEFAULT_RESULTS, DEFAULT_TABLES = "benchmarks/results", "benchmarks/tables"
ALL = "all"

app = typer.Typer(
    name="isthmus-bench",
    help="Run benchmarks: the problems of the papers, and the speed of the methods.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="markdown",
)
app.command("speed")(speed)

Results = Annotated[
    str,
    typer.Option(
        "--results", metavar="FOLDER", help="Folder for results, one .jsonl file per suite."
    ),
]


@app.command("list")
@command
def list_suites(
    suite: Annotated[
        str | None,
        typer.Argument(help="A suite or .toml file to show in detail. Default: list all suites."),
    ] = None,
) -> None:
    """List the suites, or the sets and entries of one suite.

    Example: isthmus-bench list mtrick-table1
    """
    from isthmus_bench.cli.suite_tables import show_suite, show_suites
    from isthmus_bench.plan.reading import find_suite, suites

    if suite is None:
        show_suites(list(suites().values()))
    else:
        show_suite(find_suite(suite))


@app.command("run")
@command
def run(
    suite: Annotated[
        list[str], typer.Argument(help="Names of suites, paths of your own .toml files, or 'all'.")
    ],
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Entries or methods to run, separated by commas. Default: all."
        ),
    ] = "",
    seeds: Annotated[
        str,
        typer.Option(
            metavar="NUMBERS", help="Seeds, separated by commas. Default: those of the suite."
        ),
    ] = "",
    jobs: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Worker processes, one thread each.")
    ] = 1,
    split: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Which problems: 'development', 'evidence', 'named' or 'all'."
        ),
    ] = "all",
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="NUMBER", help="Largest number of problems per set. Default: no limit."
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", metavar="", help="Repeat runs that have a result, and replace it."),
    ] = False,
    results: Results = DEFAULT_RESULTS,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the corpora. Default: what the variable ISTHMUS_DATA names.",
        ),
    ] = None,
) -> None:
    """Run suites; runs that already have a result are skipped.

    Stop with Ctrl-C and continue at any time. Methods of other libraries need the extra 'peers'.
    All suites take about five hours with two jobs.

    Example: isthmus-bench run mtrick-table1 --methods lg,mtrick --limit 4 --jobs 2
    """
    from isthmus_bench.cli.progress import BenchProgress
    from isthmus_bench.run.multi_suite import plan_suites, run_suites
    from isthmus_bench.run.planning import Choice

    folder = folder_option(results, "--results")
    # Counts may come from the cache, so that a wrong folder would not be noticed.
    if data is not None and not data.is_dir():
        problem = "is a file" if data.exists() else "does not exist"
        raise ValueError(f"--data '{data}' {problem}: name the folder of the corpora.")
    choice = Choice(
        comma_separated(methods), comma_separated_integers(seeds, "--seeds"), split, limit
    )
    chosen = _suites(suite)
    planned = plan_suites(chosen, choice, folder, None if data is None else str(data), again)
    _show_nothing_chosen(chosen, planned, choice)
    _show_plan(planned, choice.seeds)
    with BenchProgress(planned) as progress:
        stopped = run_suites(
            planned, jobs, progress.show, progress.begin, on_progress=progress.prepare
        )
    if any(runs.results.path.exists() for runs in planned):
        print(f"Results are in {folder}.")
    _show_failures(len(planned), progress.failed, stopped)


@app.command("report")
@command
def report(
    suite: Annotated[
        list[str] | None,
        typer.Argument(
            help="Suites or .toml files. Default: all suites with results, and a first page."
        ),
    ] = None,
    results: Results = DEFAULT_RESULTS,
    output: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the pages; it is made if needed. Default: 'benchmarks/tables', or for "
            "named suites the current folder. Required for all suites with results in another "
            "folder.",
        ),
    ] = None,
) -> None:
    """Write results and the papers' numbers: a Markdown file and a web page with plots per suite.

    Example: isthmus-bench report mtrick-table1
    """
    from rich.console import Console

    from isthmus.files import check_writable, whole_file
    from isthmus_bench.plan.reading import suites
    from isthmus_bench.report.blocks import render_markdown
    from isthmus_bench.report.build import build_report
    from isthmus_bench.report.page import render_page
    from isthmus_bench.report.pages import pages_of_all, pages_of_named
    from isthmus_bench.run.method_costs import COST_FILE, read_costs
    from isthmus_bench.run.results import ResultFile

    chosen = _suites(suite) if suite else list(suites().values())
    stored = folder_option(results, "--results", written=False)
    if output is None:
        # A report on a few suites or other results should not replace the pages of all.
        if not suite and stored != Path(DEFAULT_RESULTS):
            raise ValueError(
                f"--output is missing: name a folder for the pages on the results in '{results}'."
            )
        output = "." if suite else DEFAULT_TABLES
    folder = folder_option(output, "--output")
    files = [(s, ResultFile(stored / f"{s.name}.jsonl")) for s in chosen]
    records = [(s, file.read()) for s, file in files if suite or file.path.exists()]
    # A report on named suites is about these only.
    costs = None if suite else read_costs(stored / COST_FILE)
    if costs is None and not any(of_suite for _, of_suite in records):
        other = "another folder with --results" if suite else "the .toml file of your own suite"
        raise ValueError(
            f"There are no results of {', '.join(s.name for s in chosen)} in '{results}': first "
            f"use 'isthmus-bench run', or name {other}."
        )
    report = build_report(records, costs)
    pages = (pages_of_named if suite else pages_of_all)(report, [s.name for s, _ in records])
    folder.mkdir(parents=True, exist_ok=True)
    renderers = {"md": render_markdown, "html": render_page}
    for name in pages:
        for ending in renderers:
            check_writable(folder / f"{name}.{ending}")
    for name, page in pages.items():
        with Console(stderr=True).status(f"drawing {name}"):
            texts = {ending: render(page) for ending, render in renderers.items()}
        for ending, text in texts.items():
            with whole_file(folder / f"{name}.{ending}") as stream:
                stream.write(text)
        print(f"Wrote {folder / name}.md and .html.")


def _suites(names: list[str]) -> list[Suite]:
    from isthmus_bench.plan.reading import find_suite, suites

    chosen: dict[str, Suite] = {}
    for name in names:
        of_name = suites() if name == ALL else {(s := find_suite(name)).name: s}
        for key, suite in of_name.items():
            if chosen.setdefault(key, suite) != suite:
                raise ValueError(
                    f"Two suites have the name '{key}', and their results would mix: rename one."
                )
    return list(chosen.values())


def _show_nothing_chosen(
    chosen: Sequence[Suite], planned: Sequence[SuiteRuns], choice: Choice
) -> None:
    """Say why nothing of a suite is run; raise ValueError if it is so for all."""
    of_suite = {runs.suite.name: runs for runs in planned}
    reasons = []
    for suite in chosen:
        runs = of_suite.get(suite.name)
        if runs is None:
            reasons.append(f"{suite.name} has no entry that --methods names")
        elif not (runs.pending or runs.done or runs.missing or runs.reason):
            what = "entry that runs on the chosen problems with the chosen seeds"
            if not any(map(choice.includes, suite.tasks)):
                what = f"problem of --split '{choice.split}'"
            reasons.append(f"{suite.name} has no {what}")
    if len(reasons) == len(chosen):
        raise ValueError(f"Nothing is chosen: {', and '.join(reasons)}.")
    for reason in reasons:
        print(f"{reason}.")


def _show_plan(planned: list[SuiteRuns], seeds: tuple[int, ...]) -> None:
    for runs in planned:
        suite, to_do = runs.suite, len(runs.pending)
        print(f"{suite.name}: {runs.done + to_do} runs, {runs.done} done before, {to_do} to do.")
        others = {*seeds}.difference(suite.seeds, *(t.seeds for t in suite.tasks))
        for seed in sorted(others & {run.seed for run in runs.pending})[:1]:
            print(f"{suite.name}: the report will not show seed {seed}: it is not in the suite.")
    missing = {entry: package for runs in planned for entry, package in runs.missing.items()}
    if missing:
        packages = ", ".join(dict.fromkeys(missing.values()))
        print(
            f"{len(missing)} entries need {packages} and are not run: "
            "pip install './benchmarks[peers]'."
        )
        if not any(runs.pending or runs.done for runs in planned):
            raise ImportError("No chosen entry can be run without these packages.")


def _show_failures(n_suites: int, failed: list[Record], stopped: dict[str, str]) -> None:
    """A failed peer and an exceeded time limit are results; other failures are errors."""
    from isthmus_bench.peers.registry import is_peer

    late = [record for record in failed if "time_limit" in record]
    others = [record for record in failed if "time_limit" not in record]
    errors = [record for record in others if not is_peer(record["setup"]["method"])]
    if late:
        print(f"{len(late)} runs exceeded their time limit or were not tried; see the report.")
    if len(others) > len(errors):
        print(f"{len(others) - len(errors)} runs of peers failed; see the report.")
    for reason in dict.fromkeys(stopped.values()):
        names = [name for name, why in stopped.items() if why == reason]
        print(f"Not run: {', '.join(names)}. {reason}")
    if errors:
        first = errors[0]
        raise RuntimeError(
            f"{len(errors)} runs failed and will be tried again next time; the first: "
            f"{first['entry']} on {first['problem']['task']}: {first['error']}"
        )
    if stopped:
        raise RuntimeError(f"{len(stopped)} of {n_suites} suites could not be run.")
