"""Imports follow the layers, and every public name exists."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import isthmus

ROOT = Path(__file__).parents[2]


def test_import_contracts_are_kept():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_public_name_exists():
    for name in isthmus.__all__:
        assert getattr(isthmus, name) is not None
    assert set(isthmus.__all__) <= set(dir(isthmus))
