"""The CUDA sources of the kernels, compiled for the CPU (``emulator/cuda_on_cpu.h``).

This finds wrong sums, wrong indices and vectors that are not aligned. Threads run in one order
only, so a missing barrier may stay unnoticed.
"""

from __future__ import annotations

import shutil

import pytest

from engines.gpu_tests import check_gpu_tests

pytestmark = pytest.mark.slow


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs the compiler g++")
@pytest.mark.parametrize(
    "chosen",
    [
        "(test_products and shape2 and float32) or segments or gram",
        "(membership_step and shape0 and float32) or (topic_step and 2-shape0) or refused"
        " or (test_rows and float64) or (word_step and True-8-4)",
    ],
    ids=["products", "steps"],
)
def test_kernels(chosen):
    check_gpu_tests(chosen, ISTHMUS_EMULATE_KERNELS="1")
