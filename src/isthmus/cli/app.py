"""The command ``isthmus``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from isthmus._version import __version__
from isthmus.cli.classify import classify
from isthmus.cli.cluster import cluster
from isthmus.cli.command import WRONG_INPUT, command
from isthmus.cli.demo import demo
from isthmus.cli.evaluate import evaluate
from isthmus.cli.explain import explain
from isthmus.cli.output import Console, JsonOutput
from isthmus.cli.predict import predict

__all__ = ["app"]

app = typer.Typer(
    name="isthmus",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="markdown",  # joins the lines of a paragraph
)
app.command("demo")(demo)
app.command("classify")(classify)
app.command("predict")(predict)
app.command("cluster")(cluster)
app.command("evaluate")(evaluate)
app.command("explain")(explain)


@app.command()
@command
def methods(as_json: JsonOutput = False) -> None:
    """List the methods: name, kind, presets, title, reference and engines.

    Example: isthmus methods
    """
    from isthmus.estimators.registry import METHODS

    console = Console(as_json=as_json)
    for method in METHODS.values():
        weightings = method.preset_weightings
        names = [f"{p} (on {weightings[p]})" if p in weightings else p for p in method.presets]
        presets = f", presets: {', '.join(names)}" if names else ""
        console.print(f"{method.name} ({method.kind}{presets})")
        for line in (method.title, method.reference, f"Engines: {', '.join(method.engines)}"):
            console.print(line, indent="    ")
    fields = ("name", "kind", "presets", "preset_weightings", "title", "reference", "engines")
    console.print_json(
        [{name: getattr(method, name) for name in fields} for method in METHODS.values()]
    )


def _show_version(is_set: bool) -> None:
    if is_set:
        version()
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            help="Print the version and exit.",
            is_eager=True,
            callback=_show_version,
        ),
    ] = False,
) -> None:
    """Label the texts of one domain with the labels of another, or group texts without labels.

    Example: isthmus demo

    Exit codes: 0 success, 2 wrong input, 1 other failure, 130 Ctrl-C, 143 terminated.
    """


@app.command()
def version() -> None:
    """Print the version.

    Example: isthmus version
    """
    print(f"isthmus {__version__}")


@app.command(
    hidden=True,
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def bench() -> None:
    """Say where the benchmarks are."""
    print(
        "Error: The benchmarks are a package of their own, isthmus-bench: run 'pip install . "
        "./benchmarks' in a clone of the repository, then 'isthmus-bench --help'.",
        file=sys.stderr,
    )
    raise typer.Exit(WRONG_INPUT)
