"""Ctrl-C while several processes work for a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import isthmus
from process_tasks import wait_for_end

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc"),
]


def descendants(pid: int) -> set[int]:
    """All processes that a process has started."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def test_an_interrupt_while_words_are_counted(call: Any, corpus: Any, tmp_path: Path) -> None:
    Path("scratch").mkdir()
    arguments = (
        *("classify", "--source", "books.csv", "--target", "kitchen.csv", "--method", "mtrick"),
        *("--scratch-folder", "scratch", "--parts", "-o", "labels"),
    )
    folders = [str(Path(isthmus.__file__).parents[1]), str(Path(__file__).parents[1])]
    command = subprocess.Popen(
        [sys.executable, "-c", "from cli.slow_command import run; run()", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "ISTHMUS_COMPILE": "never"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not list(tmp_path.glob("*.worker")) and time.monotonic() < end:
        assert command.poll() is None, command.communicate()
        time.sleep(0.05)
    started = descendants(command.pid)
    assert {int(path.stem) for path in tmp_path.glob("*.worker")} <= started
    assert len(list(Path("scratch").iterdir())) == 1
    os.killpg(command.pid, signal.SIGINT)
    _, errors = command.communicate(timeout=30)
    assert command.returncode == 130
    assert errors.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in errors
    assert wait_for_end(started) == set()
    assert list(Path("scratch").iterdir()) == []
    left = {path.name for path in tmp_path.iterdir() if path.suffix != ".worker"}
    assert left == {"books.csv", "kitchen.csv", "scratch"}
