"""The command ``isthmus-bench``."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    from isthmus.cli.launch import launch
    from isthmus_bench.cli.app import app

    launch(app)
