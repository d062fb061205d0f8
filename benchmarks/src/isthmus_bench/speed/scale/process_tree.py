"""The memory of a command and of all processes that it starts."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CommandRun", "anonymous_bytes", "run_watched"]

_INTERVAL = 0.1


@dataclass(frozen=True)
class CommandRun:
    """A command that has ended."""

    seconds: float
    peak: int
    """Largest anonymous memory of all its processes together, in bytes; 0 except on Linux."""
    output: str


def run_watched(command: Sequence[str]) -> CommandRun:
    """Run a command and look at its memory ten times per second.

    Anonymous memory is what a process has for itself. Pages of files that are mapped to memory do
    not count: the system writes them back and uses them for something else when it needs to.
    """
    begin, peak = time.perf_counter(), 0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None:
            peak = max(peak, anonymous_bytes(process.pid))
            time.sleep(_INTERVAL)
        output, errors = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:4])} ... failed: {errors.strip()[-500:]}")
    return CommandRun(time.perf_counter() - begin, peak, output)


def anonymous_bytes(pid: int) -> int:
    """Return the anonymous memory of a process and its descendants."""
    total, remaining = 0, [pid]
    while remaining:
        folder = Path("/proc") / str(remaining.pop())
        try:
            for children in folder.glob("task/*/children"):
                remaining += map(int, children.read_text().split())
            for line in (folder / "status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    total += 1024 * int(line.split()[1])
        except OSError:  # it has ended
            continue
    return total
