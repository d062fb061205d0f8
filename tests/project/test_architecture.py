"""Imports point one way, and importing the package is light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_import_contracts_are_kept():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, isthmus; "
        "print([m for m in ('numpy', 'sklearn', 'numba', 'rich') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_is_there():
    import isthmus

    for name in isthmus.__all__:
        assert getattr(isthmus, name) is not None
    assert set(isthmus._HOMES) <= set(isthmus.__all__)
    assert set(isthmus.__all__) <= set(dir(isthmus))
