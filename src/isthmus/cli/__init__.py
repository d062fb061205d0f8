"""The command line."""

from __future__ import annotations

import os
import signal

__all__ = ["end_at_interrupts", "main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    end_at_interrupts()
    from isthmus.cli.app import app
    from isthmus.cli.command import launched

    with launched():
        app()


def end_at_interrupts() -> None:
    """Let Ctrl-C end the program without a traceback while libraries are imported.

    This module imports nothing large, so that it is early enough.
    """
    signal.signal(signal.SIGINT, _exit_at_once)


def _exit_at_once(*_: object) -> None:
    # Nothing is being written yet. An exception could be dropped or replaced within an import.
    os.write(2, b"Interrupted.\n")
    os._exit(_INTERRUPTED)
