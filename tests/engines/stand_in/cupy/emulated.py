"""The CUDA sources of this package, compiled for the CPU (``tests/engines/emulator``)."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HEADER = Path(__file__).parents[2] / "emulator" / "cuda_on_cpu.h"
_KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(')
# A vector that is not aligned ends the process, as on a device. Libraries that differ in their
# macros must not share the variables of their functions.
_OPTIONS = ("-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-fno-gnu-unique", "-fvisibility=hidden",
            "-fsanitize=alignment", "-fsanitize-undefined-trap-on-error")  # fmt: skip


@functools.cache
def _folder() -> Any:
    return tempfile.TemporaryDirectory()


@functools.cache
def _library(code: str) -> ctypes.CDLL:
    names = _KERNEL.findall(code)
    code = code.replace(
        "extern __shared__ __align__(16) unsigned char memory[];",
        "unsigned char* memory = emulator::shared_memory;",
    )
    runs = "".join(
        f"EXPORTED void run_{name}(unsigned x, unsigned y, unsigned threads, size_t shared, "
        f"void** arguments) {{ emulator::run({name}, x, y, threads, shared, arguments); }}\n"
        for name in names
    )
    path = Path(_folder().name) / hashlib.sha256(code.encode()).hexdigest()[:16]
    source = path.with_suffix(".cpp")
    source.write_text(f'#include "{HEADER}"\n{code}\n{runs}')
    done = subprocess.run(
        ["g++", *_OPTIONS, "-o", str(path), str(source)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[:2000]
    return ctypes.CDLL(str(path))


class EmulatedFunction:
    """A kernel that is called as one of CuPy."""

    def __init__(self, code: str, name: str) -> None:
        self._run = getattr(_library(code), f"run_{name}")

    def __call__(self, grid: Any, block: Any, arguments: Any, shared_mem: int) -> None:
        values = [_stored(value) for value in arguments]
        places = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        height = grid[1] if len(grid) > 1 else 1
        sizes = (ctypes.c_uint(grid[0]), ctypes.c_uint(height), ctypes.c_uint(block[0]))
        self._run(*sizes, ctypes.c_size_t(shared_mem), places)


def _stored(value: Any) -> Any:
    """An argument as the kernel reads it: a number, or the address of an array."""
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, np.generic):
        return ctypes.create_string_buffer(value.tobytes(), value.nbytes)
    return ctypes.c_void_p(None)
