"""Runs ``test_gpu.py`` without a GPU, in a process of its own with a stand-in for CuPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def check_gpu_tests(chosen, **environment):
    """Fail unless some tests pass, chosen as with ``pytest -k``."""
    paths = [HERE / "stand_in", HERE.parent, os.environ.get("PYTHONPATH", "")]
    paths = os.pathsep.join(str(path) for path in paths if path)
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-x", "--noconftest", "-c", os.devnull,
            "-p", "no:cacheprovider", "-k", chosen, str(HERE / "test_gpu.py"),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
