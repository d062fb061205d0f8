"""Start a command line: streams, interrupts and exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys

import typer

from isthmus.cli.errors import INTERRUPTED, TERMINATED
from isthmus.cli.interrupts import remember_interrupts

__all__ = ["launch"]


def launch(app: typer.Typer) -> None:
    """Run a command line; no interrupt leaves a traceback or an unfinished file."""
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
