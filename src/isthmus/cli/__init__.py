"""The command line."""

from __future__ import annotations

import os
import signal

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line.

    This module imports nothing large, so that Ctrl-C ends the program without a traceback also
    while the libraries of the command line are imported.
    """
    signal.signal(signal.SIGINT, _exit_at_once)
    from isthmus.cli.app import app
    from isthmus.cli.launch import launch

    launch(app)


def _exit_at_once(*_: object) -> None:
    # Nothing is being written yet. An exception could be dropped or replaced within an import.
    os.write(2, b"Interrupted.\n")
    os._exit(_INTERRUPTED)
