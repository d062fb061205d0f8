"""A loop is plain until compiling pays, and compiled from then on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from isthmus.kernels import choice, loops
from isthmus.kernels.plain import words

WIDTH = 23  # no other test asks for it


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """A loop that nobody has compiled, in memory or on disk."""
    monkeypatch.setenv("ISTHMUS_COMPILE", "auto")
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    return choice.Kernel(words.word_use, loops._WORDS)


def test_small_work_is_plain_until_it_adds_up(kernel):
    work = int(choice._PATIENCE / choice._PLAIN_SECONDS / 100)
    forms = [kernel.choose(WIDTH, work, np.float32) is words.word_use for _ in range(90)]
    assert forms[0]
    assert not forms[-1]
    assert forms == sorted(forms, reverse=True)  # no way back
    assert 70 < sum(forms) < 85


def test_large_work_is_compiled_at_once(kernel):
    assert kernel.choose(WIDTH, 10**9, np.float32) is not words.word_use


def test_what_is_on_disk_is_used_at_once(kernel):
    kernel.choose(WIDTH, 10**9, np.float32)
    another = choice.Kernel(words.word_use, loops._WORDS)
    assert another.choose(WIDTH, 1, np.float32) is not words.word_use
    assert another.choose(WIDTH, 1, np.float64) is words.word_use


def test_the_users_word_counts(kernel, monkeypatch):
    monkeypatch.setenv("ISTHMUS_COMPILE", "never")
    assert kernel.choose(WIDTH, 10**12, np.float32) is words.word_use
    monkeypatch.setenv("ISTHMUS_COMPILE", "Always")
    assert kernel.choose(WIDTH, 1, np.float32) is not words.word_use
    monkeypatch.setenv("ISTHMUS_COMPILE", "maybe")
    with pytest.raises(ValueError, match="must be one of auto, always, never"):
        kernel.choose(WIDTH, 1, np.float32)


def test_never_does_without_numba():
    code = (
        "import os, sys; os.environ['ISTHMUS_COMPILE'] = 'never';"
        "import numpy as np; from isthmus import MTrick;"
        "X = np.eye(4) + 0.1; MTrick().fit(X, ['a', 'b', None, None]);"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
