"""The command ``isthmus``."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Annotated

import typer

from isthmus._version import __version__
from isthmus.cli.bench import bench_app
from isthmus.cli.classify import classify
from isthmus.cli.demo import demo
from isthmus.cli.errors import INTERRUPTED, TERMINATED
from isthmus.cli.evaluate import evaluate
from isthmus.cli.explain import explain
from isthmus.cli.interrupts import remember_interrupts
from isthmus.cli.methods import methods
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
app.command("methods")(methods)
app.add_typer(bench_app, name="bench")


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
    """Label the texts of one domain with the labels of another.

    Example: isthmus demo

    Exit codes: 0 success, 2 wrong input, 1 other failure, 130 Ctrl-C, 143 terminated.
    """


@app.command()
def version() -> None:
    """Print the version.

    Example: isthmus version
    """
    print(f"isthmus {__version__}")


def main() -> None:
    """Run the command line."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character must not end the work.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    remember_interrupts()
    # As with Ctrl-C, unfinished files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _replace_closed_streams() -> None:
    """Send to the null device what a closed stream (``>&-``) cannot take."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
