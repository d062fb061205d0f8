"""Ctrl-C before the libraries of the command line are imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import isthmus


def test_nothing_large_is_imported_before_the_handler_is_set() -> None:
    source = str(Path(isthmus.__file__).parents[1])
    code = (
        f"import os, signal, sys; sys.path.insert(0, {source!r}); before = set(sys.modules)\n"
        "import isthmus.cli; print(*sorted(set(sys.modules) - before))"
    )
    # Without -S, the modules of an editable installation may be imported before.
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "isthmus", "isthmus._version", "isthmus.cli"]


@pytest.mark.parametrize("package", ["isthmus", "isthmus_bench"])
def test_an_interrupt_while_libraries_are_imported(package: str) -> None:
    pytest.importorskip(package, reason="the laboratory is not installed")
    code = (
        "import os, signal, sys\n"
        f"from {package}.cli import main\n"
        "class Finder:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == '{package}.cli.app': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "Interrupted.\n"
