"""``isthmus bench``: run the papers' tables and write them down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.cli.bench_speed import speed
from isthmus.cli.errors import command
from isthmus.cli.parsing import comma_separated, comma_separated_integers

if TYPE_CHECKING:
    from isthmus.bench.plan.suite import Suite
    from isthmus.bench.run.campaign import Stage
    from isthmus.bench.run.results import Record

__all__ = ["bench_app"]

DEFAULT_RESULTS = Path("benchmarks/results")
ALL = "all"

bench_app = typer.Typer(
    help="Run the problems of the papers and compare with their numbers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
bench_app.command("speed")(speed)

Results = Annotated[
    Path, typer.Option("--results", help="Folder for results, one .jsonl file a suite.")
]


@bench_app.command("list")
@command
def list_suites(
    suite: Annotated[
        str | None, typer.Argument(help="A suite or .toml file to show in detail.")
    ] = None,
) -> None:
    """List the suites, or what one of them runs.

    Example: isthmus bench list mtrick-table1
    """
    from isthmus.bench.plan.reading import find_suite, suites
    from isthmus.cli.bench_list import show_suite, show_suites

    if suite is None:
        show_suites(list(suites().values()))
    else:
        show_suite(find_suite(suite))


@bench_app.command("run")
@command
def run(
    suite: Annotated[
        list[str],
        typer.Argument(help="Names of suites, paths of your own .toml files, or 'all'."),
    ],
    methods: Annotated[
        str, typer.Option(help="Entries or methods to run, separated by commas; all by default.")
    ] = "",
    seeds: Annotated[
        str, typer.Option(help="Seeds, separated by commas; the suite's by default.")
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes, one thread each.")] = 1,
    split: Annotated[
        str, typer.Option(help="Which problems: development, evidence, named or all.")
    ] = "all",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many problems of every set.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Run also what has a result; the new one replaces it.")
    ] = False,
    results: Results = DEFAULT_RESULTS,
    data: Annotated[
        Path | None, typer.Option(help="Data folder; by default what ISTHMUS_DATA names.")
    ] = None,
) -> None:
    """Run suites; runs that have a result already are passed over.

    Stop it with Ctrl-C and start it again at any time. Methods of other libraries are run where
    the extra 'peers' is installed. All suites take about three hours with two jobs.

    Example: isthmus bench run mtrick-table1 --methods lg,mtrick --limit 4 --jobs 2
    """
    from isthmus.bench.run.campaign import plan_stages, run_stages
    from isthmus.bench.run.planning import Choice
    from isthmus.cli.bench_progress import BenchProgress
    from isthmus.datasets.corpus_files import data_folder

    if data is not None:
        # Counts may come from the cache: a wrong folder would go unnoticed.
        data_folder(data)
    stages = plan_stages(
        _suites(suite),
        Choice(comma_separated(methods), comma_separated_integers(seeds, "--seeds"), split, limit),
        results,
        None if data is None else str(data),
        again,
    )
    _tell_plan(stages, comma_separated_integers(seeds, "--seeds"))
    with BenchProgress(stages) as progress:
        stopped = run_stages(stages, jobs, progress.show, progress.begin, tell=progress.prepare)
    if any(stage.results.path.exists() for stage in stages):
        print(f"Results are in {results}.")
    _tell_failures(stages, progress.failed, stopped)


@bench_app.command("report")
@command
def report(
    suite: Annotated[
        list[str] | None,
        typer.Argument(help="Suites or .toml files; by default all suites with results."),
    ] = None,
    results: Results = DEFAULT_RESULTS,
    output: Annotated[
        Path | None,
        typer.Option(
            help="The Markdown file; by default BENCHMARKS.md, or for named suites NAME.md."
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(help="The web page to write; by default beside the Markdown file, as .html."),
    ] = None,
) -> None:
    """Write the results beside the papers' numbers, as Markdown and as one web page with plots.

    The page needs the extra 'report'; without it there is the Markdown alone.

    Example: isthmus bench report --output BENCHMARKS.md
    """
    from rich.console import Console

    from isthmus.bench.plan.reading import suites
    from isthmus.bench.report.build import build_report
    from isthmus.bench.report.markdown import render_markdown
    from isthmus.bench.report.page import missing_extra, render_page
    from isthmus.bench.run.results import ResultFile
    from isthmus.files import check_writable, whole_file

    chosen = _suites(suite) if suite else list(suites().values())
    if output is None:
        # A report on a few suites should not take the place of that on all.
        output = Path(f"{'-'.join(s.name for s in chosen)}.md" if suite else "BENCHMARKS.md")
    lacking = missing_extra()
    if page is not None and lacking is not None:
        raise ImportError(lacking)
    html = page or output.with_suffix(".html")
    if html == output:
        raise ValueError(f"--output '{output}' and the page are one file: name them differently.")
    for file in (output, *([] if lacking else [html])):
        check_writable(file)
    files = [(s, ResultFile(results / f"{s.name}.jsonl")) for s in chosen]
    found = [(s, file.read()) for s, file in files if suite or file.path.exists()]
    if not any(records for _, records in found):
        raise ValueError(
            f"There are no results of {', '.join(s.name for s in chosen)} in '{results}': first "
            "use 'isthmus bench run', or name the .toml file of your own suite."
        )
    built = build_report(found)
    written = {output: render_markdown(built)}
    if lacking is None:
        with Console(stderr=True).status("drawing the page"):
            written[html] = render_page(built)
    for file, text in written.items():
        with whole_file(file) as stream:
            stream.write(text)
        print(f"Wrote {file}.")
    if lacking is not None:
        print(lacking)


def _suites(named: list[str]) -> list[Suite]:
    from isthmus.bench.plan.reading import find_suite, suites

    found: dict[str, Suite] = {}
    for name in named:
        of_name = suites() if name == ALL else {(s := find_suite(name)).name: s}
        for key, suite in of_name.items():
            if found.setdefault(key, suite) != suite:
                raise ValueError(
                    f"Two suites are called '{key}', and their results would mix: give one of them "
                    "another name."
                )
    return list(found.values())


def _tell_plan(stages: list[Stage], seeds: tuple[int, ...]) -> None:
    for stage in stages:
        total, to_do = stage.done + len(stage.pending), len(stage.pending)
        print(f"{stage.suite.name}: {total} runs, {stage.done} done before, {to_do} to do.")
        strange = sorted(set(seeds).difference(*_seeds_of(stage.suite)))
        if strange:
            print(
                f"{stage.suite.name}: the report will not show seed {strange[0]}, which the suite "
                "does not have."
            )
    missing = {entry: package for stage in stages for entry, package in stage.missing.items()}
    if missing:
        packages = ", ".join(dict.fromkeys(missing.values()))
        print(
            f"{len(missing)} entries are not run for lack of {packages}: "
            "pip install 'isthmus[peers]'."
        )
        if not any(stage.pending or stage.done for stage in stages):
            raise ImportError("Nothing of what was asked for can be run without these packages.")


def _seeds_of(suite: Suite) -> list[tuple[int, ...]]:
    return [suite.seeds, *(task.seeds for task in suite.tasks)]


def _tell_failures(stages: list[Stage], failed: list[Record], stopped: dict[str, str]) -> None:
    """What exceeds its time and a peer that fails are results; a method of ours that fails is not.

    A suite that could not be run is told with its reason, and suites with the same reason together.
    """
    peers = {(s.suite.name, e.id) for s in stages for e in s.suite.entries if e.is_peer}
    late = [record for record in failed if "time_limit" in record]
    early = [record for record in failed if "time_limit" not in record]
    of_peers = [record for record in early if (record["suite"], record["entry"]) in peers]
    ours = [record for record in early if (record["suite"], record["entry"]) not in peers]
    if late:
        print(f"{len(late)} runs exceeded their time or were not tried: the report says so.")
    if of_peers:
        print(f"{len(of_peers)} runs of peers failed: the report says so.")
    for reason in dict.fromkeys(stopped.values()):
        names = [name for name, why in stopped.items() if why == reason]
        print(f"Could not be run: {', '.join(names)}. {reason}")
    if ours:
        raise RuntimeError(
            f"{len(ours)} runs failed and will be tried again next time; the first: "
            f"{ours[0]['entry']} on {ours[0]['task']}: {ours[0]['error']}"
        )
    if stopped:
        raise RuntimeError(f"{len(stopped)} of {len(stages)} suites could not be run.")
