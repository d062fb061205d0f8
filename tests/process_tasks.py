"""Functions that tests run in other processes, which import this module."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.text.text_blocks import TextBlocks


def square(number: int) -> int:
    """The first results come last."""
    time.sleep(0.02 * (number % 3 == 0))
    return number * number


def environment_of(_: Any) -> tuple[int, str, bool]:
    """The process, its number of threads, and whether it ignores Ctrl-C."""
    ignores = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    return os.getpid(), os.environ["OMP_NUM_THREADS"], ignores


def fail_at_three(number: int) -> int:
    """Raise ValueError for 3."""
    if number == 3:
        raise ValueError("three is wrong")
    return os.getpid()


def die_at_three(number: int) -> int:
    """End the process for 3, as the kernel does if there is no memory left."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def print_process(_: Any) -> None:
    """Tell which process this is, and wait; the parent is killed meanwhile."""
    print(os.getpid(), flush=True)
    time.sleep(60)


def is_running(pid: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_for_end(pids: set[int], seconds: float = 10) -> set[int]:
    """Wait until processes have ended; return those that have not."""
    end = time.monotonic() + seconds
    while (running := {pid for pid in pids if is_running(pid)}) and time.monotonic() < end:
        time.sleep(0.02)
    return running


@dataclass(frozen=True)
class ListOfTexts:
    """A shard; its facts are the process and the number of texts."""

    content: list[Any]

    def read(self) -> TextBlocks:
        return TextBlocks.of(self.content)

    @property
    def facts(self) -> tuple[int, int]:
        return os.getpid(), len(self.content)
