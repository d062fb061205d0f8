"""Finds CuPy and the device, and explains in one sentence what is missing."""

from __future__ import annotations

import functools
from importlib.util import find_spec
from typing import Any

from isthmus.matrices.engines import EngineError
from isthmus.matrices.protocols import Engine

# Memory of a fit, roughly: the matrix up to three times, indices, and as much again for factors.
_BYTES_PER_ENTRY, _BYTES_PER_VALUE = 64, 24
_INSTALL = 'pip install "isthmus[gpu]"'


def gpu_engine() -> Engine:
    """Return a new engine of the GPU; raises EngineError with the reason if there is none."""
    problem = _problem()
    if problem:
        raise EngineError(problem)
    from isthmus.matrices.gpu.engine import GpuEngine

    return GpuEngine()


def gpu_is_usable() -> bool:
    """Whether there is a GPU, with a driver and CuPy that fit it."""
    return not _problem()


@functools.cache
def _problem() -> str:
    """Why the GPU cannot be used; an empty string if it can."""
    found = find_spec("cupy")
    # A folder with this name is found too, without an origin.
    if found is None or found.origin is None:
        return (
            f"engine='gpu' needs the package CuPy: install it with {_INSTALL} for CUDA 13, or with "
            "pip install cupy-cuda12x for CUDA 12, or set engine='cpu'."
        )
    try:
        import cupy
    except Exception as error:  # a broken installation may raise anything
        return (
            f"CuPy ({found.origin}) is installed but cannot be imported ({_line(error)}): install "
            'it with the CUDA Toolkit, as in pip install "cupy-cuda13x[ctk]", or set '
            "engine='cpu'."
        )
    try:
        n_devices = int(cupy.cuda.runtime.getDeviceCount())
        if n_devices:
            # A small computation needs the driver, the compiler and the libraries.
            int((cupy.arange(3) + 1).sum())
    except Exception as error:  # CUDA errors have several classes
        version = getattr(cupy, "__version__", f"in {found.origin}")
        return (
            f"CuPy {version} cannot use a GPU ({_line(error)}): this machine needs an NVIDIA GPU, "
            "its driver, and the release of CuPy for that driver (cupy-cuda12x or cupy-cuda13x, "
            "13.6 or newer); or set engine='cpu'."
        )
    if n_devices == 0:
        return "engine='gpu' needs an NVIDIA GPU, but this machine has none: set engine='cpu'."
    return ""


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def gpu_fits(X: Any) -> bool:
    """Whether the device has room for a matrix and its factors; the engine "auto" asks."""
    if not hasattr(X, "nnz"):
        return bool(_BYTES_PER_VALUE * X.size <= free_bytes())
    return bool(_BYTES_PER_ENTRY * X.nnz <= free_bytes())


def free_bytes() -> int:
    """Return the bytes of device memory that can still be used."""
    import cupy

    free, _ = cupy.cuda.runtime.memGetInfo()
    return int(free) + int(cupy.get_default_memory_pool().free_bytes())
