"""The command ``isthmus-bench``."""

from __future__ import annotations

import sys

__all__ = ["main"]

_WRONG_INPUT = 2


def main() -> None:
    """Run the command line."""
    try:
        from isthmus.cli import end_at_interrupts
    except ImportError:
        print(
            "Error: isthmus-bench needs the library isthmus of the same clone of the repository: "
            "run 'pip install . ./benchmarks' there.",
            file=sys.stderr,
        )
        sys.exit(_WRONG_INPUT)
    end_at_interrupts()
    from isthmus.cli.command import launched
    from isthmus_bench.cli.app import app

    with launched():
        app()
