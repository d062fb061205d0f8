"""The code around the kernels of the GPU, with a stand-in for CuPy (``stand_in/cupy``)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# Small matrices: the stand-in is slow.
CHOSEN = (
    "gram or test_rows or word_step or column or panels or sums or refused or upload"
    " or (shape2 and not float64)"
    " or (test_fits and (mtrick or dkt or cocc or plsa or lssttc))"
)


def test_the_gpu_engine_with_a_stand_in_for_cupy():
    paths = [HERE / "stand_in", HERE.parent, os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-x", "--noconftest", "-c", os.devnull,
            "-p", "no:cacheprovider", "-k", CHOSEN, str(HERE / "test_gpu.py"),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(path) for path in paths if path)},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
