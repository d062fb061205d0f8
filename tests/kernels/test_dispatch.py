"""Selection of the plain or the compiled version of a loop."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from isthmus.kernels import dispatch, loops, plain_loops
from isthmus.kernels.conventions import word_sum_size
from isthmus.kernels.dispatch import read_only
from isthmus.matrices.engines import fit_engine
from isthmus.matrices.host import HostEngine

WIDTH = 23
PLAIN = plain_loops.cluster_products


def choose(kernel, work, real=np.float32, repeated=True):
    return kernel.choose(WIDTH, work, real, repeated=repeated)


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """A loop that is not compiled, neither in memory nor on disk."""
    monkeypatch.setenv("ISTHMUS_COMPILE", "auto")
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(dispatch, "_state", dispatch._ProcessState())
    return dispatch.Kernel(PLAIN, loops._WORDS, word_sum_size)


def test_small_operations_are_plain_until_their_time_adds_up(kernel):
    work = int(dispatch._COMPILE_SECONDS / dispatch._PLAIN_SECONDS / 100)
    is_plain = [choose(kernel, work) is PLAIN for _ in range(90)]
    assert is_plain[0]
    assert not is_plain[-1]
    assert is_plain == sorted(is_plain, reverse=True)
    assert 70 < sum(is_plain) < 85


def test_a_large_repeated_operation_is_compiled_at_once(kernel):
    work = int(dispatch._COMPILE_SECONDS / dispatch._PLAIN_SECONDS / 3)
    assert choose(kernel, work, repeated=False) is PLAIN
    assert choose(kernel, work, repeated=True) is not PLAIN


def test_products_of_scipy_may_do_more_before_they_are_compiled(kernel):
    work = int(1.5 * dispatch._COMPILE_SECONDS / dispatch._PLAIN_SECONDS)
    product = dispatch.Kernel(PLAIN, loops._WORDS, word_sum_size, dispatch.PRODUCT_SECONDS)
    assert choose(product, work, repeated=False) is PLAIN
    assert choose(kernel, work, repeated=False) is not PLAIN


def test_the_setting_is_read_once_per_fit(monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    with fit_engine(HostEngine()):
        monkeypatch.setenv("ISTHMUS_COMPILE", "always")
        assert dispatch.compile_setting() == "never"
    assert dispatch.compile_setting() == "always"


def test_machine_code_on_disk_is_used_at_once(kernel):
    choose(kernel, 10**9)
    another = dispatch.Kernel(PLAIN, loops._WORDS, word_sum_size)
    assert choose(another, 1) is not PLAIN
    assert choose(another, 1, np.float64) is PLAIN


def test_widths_share_machine_code(kernel):
    compiled = choose(kernel, 10**9)
    assert kernel.choose(WIDTH + 1, 1, np.float32, repeated=True) is compiled
    assert kernel.choose(50, 1, np.float32, repeated=True) is not compiled


def test_environment_variable(kernel, monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    assert choose(kernel, 10**12) is PLAIN
    monkeypatch.setenv("ISTHMUS_COMPILE", "Always")
    assert choose(kernel, 1) is not PLAIN
    monkeypatch.setenv("ISTHMUS_COMPILE", "maybe")
    with pytest.raises(ValueError, match="auto, always, never"):
        choose(kernel, 1)


def test_numba_disable_jit(kernel, monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert choose(kernel, 10**12) is PLAIN


def test_a_damaged_file_on_disk_is_ignored(kernel, tmp_path):
    choose(kernel, 10**9)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:20])
    another = dispatch.Kernel(PLAIN, loops._WORDS, word_sum_size)
    assert choose(another, 1) is PLAIN
    loop = choose(another, 10**9)
    use = np.zeros((2, WIDTH), np.float32)
    ones = read_only(np.ones((3, WIDTH), np.float32))
    loop(ones, read_only(np.ones((3, 2), np.float32)), use, 0, 3)
    np.testing.assert_array_equal(use, 3)


def test_a_full_disk_does_not_prevent_compiling(kernel, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert choose(kernel, 10**9) is not PLAIN


def test_a_failing_compiler_warns_once(kernel, monkeypatch):
    def fail(self):
        raise ImportError("numba needs another NumPy")

    monkeypatch.setattr("isthmus.kernels.compiled.jit_loop.MachineCode.compile", fail)
    with pytest.warns(UserWarning, match="numba needs another NumPy"):
        assert choose(kernel, 10**9) is PLAIN
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choose(kernel, 10**9) is PLAIN
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    with pytest.raises(ImportError):
        choose(kernel, 1)


FIT = (
    "import os, sys; os.environ['ISTHMUS_COMPILE'] = '{}';"
    "import numpy as np; from isthmus import MTrick;"
    "X = np.eye(4) + 0.1; MTrick().fit(X, ['a', 'b', None, None]);"
    "print('numba' in sys.modules)"
)


@pytest.mark.parametrize(
    ("setting", "imported"), [("never", "False"), ("auto", "False"), ("always", "True")]
)
def test_a_small_problem_does_not_import_numba(setting, imported):
    done = subprocess.run(
        [sys.executable, "-c", FIT.format(setting)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == imported
