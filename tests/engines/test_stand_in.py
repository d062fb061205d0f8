"""The code around the kernels of the GPU, with a stand-in for CuPy (``stand_in/cupy``)."""

from __future__ import annotations

import pytest

from engines.gpu_tests import check_gpu_tests

pytestmark = pytest.mark.slow

# Small matrices: the stand-in is slow.
CHOSEN = (
    "gram or test_rows or word_step or column or panels or sums or segments or chunks or refused"
    " or upload or (shape2 and not float64)"
    " or (test_fits and (mtrick or dkt or cocc or plsa or lssttc))"
)


def test_the_gpu_engine_with_a_stand_in_for_cupy():
    check_gpu_tests(CHOSEN)
