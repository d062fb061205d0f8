"""The command line, whose other processes take a minute for every shard."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from forced_processes import force_processes
from isthmus.cli import main
from isthmus.transfer.shards import FileShard


def read(shard: Any) -> Any:
    """Tell that a process is at work, and wait."""
    if os.environ["MAIN_PROCESS"] != str(os.getpid()):
        Path(f"{os.getpid()}.worker").touch()
        time.sleep(60)
    return FileShard.read(shard)


class SlowShard(FileShard):
    """A shard that other processes read slowly; they import this module."""

    def read(self) -> Any:
        return read(self)


def run() -> None:
    """Run the command."""
    os.environ["MAIN_PROCESS"] = str(os.getpid())
    patch = pytest.MonkeyPatch()
    force_processes(patch)
    patch.setattr("isthmus.transfer.shards.FileShard", SlowShard)
    main()
