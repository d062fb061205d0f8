"""A loop is plain until compiling pays, and compiled from then on."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from isthmus.kernels import choice, loops
from isthmus.kernels.plain import words
from isthmus.matrices.arrays import read_only

WIDTH = 23  # no other test asks for it
PLAIN = words.word_use


def choose(kernel, work, real=np.float32, repeated=True):
    return kernel.choose(WIDTH, work, real, repeated=repeated)


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """A loop that nobody has compiled, in memory or on disk."""
    monkeypatch.setenv("ISTHMUS_COMPILE", "auto")
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(choice, "_account", choice._Account())
    return choice.Kernel(PLAIN, loops._WORDS)


def test_small_work_is_plain_until_it_adds_up(kernel):
    work = int(choice._PATIENCE / choice._PLAIN_SECONDS / 100)
    forms = [choose(kernel, work) is PLAIN for _ in range(90)]
    assert forms[0]
    assert not forms[-1]
    assert forms == sorted(forms, reverse=True)  # no way back
    assert 70 < sum(forms) < 85


def test_large_work_is_compiled_at_once_if_it_will_come_again(kernel):
    work = int(choice._PATIENCE / choice._PLAIN_SECONDS / 3)
    assert choose(kernel, work, repeated=False) is PLAIN
    assert choose(kernel, work, repeated=True) is not PLAIN


def test_what_is_on_disk_is_used_at_once(kernel):
    choose(kernel, 10**9)
    another = choice.Kernel(PLAIN, loops._WORDS)
    assert choose(another, 1) is not PLAIN
    assert choose(another, 1, np.float64) is PLAIN


def test_the_users_word_counts(kernel, monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    assert choose(kernel, 10**12) is PLAIN
    monkeypatch.setenv("ISTHMUS_COMPILE", "Always")
    assert choose(kernel, 1) is not PLAIN
    monkeypatch.setenv("ISTHMUS_COMPILE", "maybe")
    with pytest.raises(ValueError, match="must be one of auto, always, never"):
        choose(kernel, 1)


def test_numbas_own_word_counts(kernel, monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "always")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert choose(kernel, 10**12) is PLAIN


def test_a_damaged_file_on_disk_is_passed_over(kernel, tmp_path):
    choose(kernel, 10**9)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:20])
    another = choice.Kernel(PLAIN, loops._WORDS)
    assert choose(another, 1) is PLAIN
    loop = choose(another, 10**9)
    use = np.zeros((2, WIDTH), np.float32)
    ones = read_only(np.ones((3, WIDTH), np.float32))
    loop(ones, read_only(np.ones((3, 2), np.float32)), use, 0, 3)
    np.testing.assert_array_equal(use, 3)


def test_a_full_disk_is_no_reason_to_go_without(kernel, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert choose(kernel, 10**9) is not PLAIN


def test_a_compiler_that_fails_is_told_once_and_done_without(kernel, monkeypatch):
    def fail(self):
        raise ImportError("numba needs another NumPy")

    monkeypatch.setattr("isthmus.kernels.compiled.machine.MachineCode.compile", fail)
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
def test_a_tiny_problem_does_not_wait_for_numba(setting, imported):
    done = subprocess.run(
        [sys.executable, "-c", FIT.format(setting)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == imported
