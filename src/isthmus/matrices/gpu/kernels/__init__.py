"""CUDA sources and their compilation. CuPy compiles with NVRTC and keeps the result on disk."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

import cupy
import numpy as np

_OPTIONS = ("-std=c++17",)


def real_type(dtype: Any) -> str:
    """Return the C name of a floating-point type."""
    return "double" if np.dtype(dtype) == np.float64 else "float"


def index_type(dtype: Any) -> str:
    """Return the C name of an integer type."""
    return {"uint16": "unsigned short", "int32": "int", "int64": "long long"}[np.dtype(dtype).name]


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
    """Run a kernel with at least this many threads; None is passed as a null pointer."""
    blocks = max(1, -(-threads // block))
    kernel((blocks,), (block,), _pointers(arguments))


def launch_persistent(kernel: Any, blocks: tuple[int, int], block: int, *arguments: Any) -> None:
    """Run a kernel whose blocks take more than one piece of work each.

    At most as many blocks are started, in the first direction, as the device can hold.
    """
    resident = _resident_blocks(kernel, block, cupy.cuda.Device().id)
    grid = (max(1, min(blocks[0], resident // blocks[1])), blocks[1])
    kernel(grid, (block,), _pointers(arguments))


def _pointers(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(0 if value is None else value for value in arguments)


@functools.cache
def _resident_blocks(kernel: Any, block: int, device: int) -> int:
    """Number of blocks that run at the same time on the current device."""
    occupancy = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
    per_processor = max(1, int(occupancy(kernel.kernel.ptr, block, 0)))
    return per_processor * int(cupy.cuda.Device().attributes["MultiProcessorCount"])
