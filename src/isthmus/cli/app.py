"""The command ``isthmus``."""

from __future__ import annotations

import io
import signal
import sys
from typing import Annotated

import typer

from isthmus._version import __version__
from isthmus.cli.bench import bench_app
from isthmus.cli.classify import classify
from isthmus.cli.demo import demo
from isthmus.cli.errors import INTERRUPTED, TERMINATED, command
from isthmus.cli.evaluate import evaluate
from isthmus.cli.explain import explain
from isthmus.cli.interrupts import remember_interrupts
from isthmus.cli.predict import predict

__all__ = ["app", "main"]

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
app.command("evaluate")(evaluate)
app.command("explain")(explain)
app.add_typer(bench_app, name="bench")


def _show_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", is_eager=True, callback=_show_version
        ),
    ] = False,
) -> None:
    """Carry labels from one body of text to another.

    Start with: isthmus demo

    Exit codes: 0 all went well, 2 something in the input is wrong, 1 another failure, 130 Ctrl-C,
    143 terminated.
    """


@app.command()
@command
def methods() -> None:
    """List the methods: name, kind, presets, what they are and where they come from.

    Example: isthmus methods
    """
    from rich.console import Console
    from rich.table import Column, Table

    from isthmus.estimators.registry import METHODS

    # What has to be typed is never cut.
    table = Table(Column("name", no_wrap=True), "kind", "presets", "what it is", "reference")
    for method in METHODS.values():
        table.add_row(
            method.name,
            method.kind,
            ", ".join(method.presets) or "-",
            method.title,
            method.reference,
        )
    Console().print(table)


@app.command()
def version() -> None:
    """Print the version.

    Example: isthmus version
    """
    print(f"isthmus {__version__}")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character must not end the work.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    remember_interrupts()
    # As Ctrl-C does, so that what was begun to be written is taken away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
