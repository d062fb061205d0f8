"""CUDA sources and their compilation. CuPy compiles with NVRTC and keeps the result on disk."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

import cupy
import numpy as np

__all__ = ["get_kernel", "launch", "real_type"]

_OPTIONS = ("-std=c++17",)


def real_type(dtype: Any) -> str:
    """Return the C name of a floating-point type."""
    return "double" if np.dtype(dtype) == np.float64 else "float"


@functools.cache
def _module(name: str, definitions: tuple[tuple[str, Any], ...]) -> Any:
    source = files(__package__)
    header = "".join(f"#define {key} {value}\n" for key, value in definitions)
    code = header + (source / "common.cuh").read_text() + (source / f"{name}.cu").read_text()
    return cupy.RawModule(code=code, options=_OPTIONS)


@functools.cache
def _function(name: str, function: str, definitions: tuple[tuple[str, Any], ...]) -> Any:
    return _module(name, definitions).get_function(function)


def get_kernel(name: str, function: str, **definitions: Any) -> Any:
    """Return a compiled function of a source file; definitions become macros."""
    return _function(name, function, tuple(sorted(definitions.items())))


def launch(kernel: Any, threads: int, block: int, *arguments: Any) -> None:
    """Run a kernel with at least so many threads; None is passed as a null pointer."""
    blocks = max(1, -(-threads // block))
    kernel((blocks,), (block,), tuple(0 if value is None else value for value in arguments))
