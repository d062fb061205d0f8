"""The command ``isthmus-bench``."""

from __future__ import annotations

from isthmus.cli import end_at_interrupts

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    end_at_interrupts()
    from isthmus.cli.launch import launch
    from isthmus_bench.cli.app import app

    launch(app)
