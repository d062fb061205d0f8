"""A stand-in for CuPy: NumPy arrays, and the kernels of this package in NumPy.

It runs the code around the kernels on machines without a GPU: copies, layouts, panels, slices,
blocks of rows, arguments. The kernels are NumPy code, or the CUDA sources compiled for the CPU.
"""

from __future__ import annotations

import contextlib
import os
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from cupy.emulated import EmulatedFunction
from cupy.kernels import KERNELS

__version__ = "0 (stand-in)"
# Set to run the CUDA sources on the CPU instead of NumPy.
_EMULATE = "ISTHMUS_EMULATE_KERNELS"

newaxis, bool_, float32, float64, int32, int64 = (
    np.newaxis, np.bool_, np.float32, np.float64, np.int32, np.int64,
)  # fmt: skip


class ndarray(np.ndarray):  # noqa: N801 - the name in CuPy
    """An array "on the device"."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    def set(self, values: np.ndarray) -> None:
        self[...] = values

    def get(self) -> np.ndarray:
        return np.array(self)


def _on_device(values: Any) -> Any:
    return values.view(ndarray) if isinstance(values, np.ndarray) else values


def __getattr__(name: str) -> Any:
    function = getattr(np, name)
    if not callable(function):
        return function

    def call(*arguments: Any, **options: Any) -> Any:
        for value in (*arguments, *options.values()):
            if isinstance(value, np.ndarray) and value.ndim and not isinstance(value, ndarray):
                raise TypeError(f"cupy.{name} got a NumPy array")
        return _on_device(function(*arguments, **options))

    return call


def asarray(values: Any, dtype: Any = None) -> ndarray:
    if isinstance(values, ndarray):
        return values.astype(dtype or values.dtype, copy=False)
    return np.array(values, dtype).view(ndarray)


def array(values: Any, dtype: Any = None, order: str = "K") -> ndarray:
    return np.array(values, dtype, order=order).view(ndarray)


def asnumpy(values: Any) -> np.ndarray:
    return np.array(values)


class RawModule:
    """The functions of a source file, with its macros."""

    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        self._code = code
        lines = [line.split(" ", 2) for line in code.splitlines() if line.startswith("#define ")]
        self._macros = {line[1]: line[2] for line in lines if len(line) == 3}

    def get_function(self, name: str) -> Any:
        plain, macros = KERNELS[name], self._macros
        emulated = EmulatedFunction(self._code, name) if os.environ.get(_EMULATE) else None

        class Function:
            max_dynamic_shared_size_bytes = 0
            kernel = SimpleNamespace(ptr=0)

            def __call__(self, grid: Any, block: Any, arguments: Any, shared_mem: int = 0) -> None:
                assert shared_mem <= self.max_dynamic_shared_size_bytes
                for value in arguments:
                    if isinstance(value, np.ndarray):
                        assert isinstance(value, ndarray), "an array of the host"
                        assert value.flags.c_contiguous, "kernels read contiguous arrays"
                    else:
                        assert isinstance(value, np.generic) or value == 0, "a Python number"
                checked = [np.asarray(v) if isinstance(v, ndarray) else v for v in arguments]
                if emulated is None:
                    plain(macros, *checked)
                else:
                    emulated(grid, block, checked, shared_mem)

        return Function()


class _Pool:
    def free_bytes(self) -> int:
        return 0

    def free_all_blocks(self) -> None:
        pass


def get_default_memory_pool() -> _Pool:
    return _Pool()


class _RuntimeError(RuntimeError):
    pass


_locked: set[int] = set()


def _lock(address: int, size: int, flags: int) -> None:
    """Lock memory, unless it is locked already or belongs to a file."""
    if address in _locked or _is_file(address):
        raise _RuntimeError("cudaErrorInvalidValue")
    _locked.add(address)


def _is_file(address: int) -> bool:
    with open("/proc/self/maps") as maps:
        for line in maps:
            first, last = (int(x, 16) for x in line.split(" ", 1)[0].split("-"))
            if first <= address < last:
                return line.rstrip().endswith(".npy")
    return False


class _Device:
    id = 0
    # Little shared memory, so that small matrices have several panels.
    attributes: ClassVar = {"MaxSharedMemoryPerBlockOptin": 20_000, "MultiProcessorCount": 1}

    def synchronize(self) -> None:
        pass


cuda = SimpleNamespace(
    Device=_Device,
    get_current_stream=_Device,
    driver=SimpleNamespace(occupancyMaxActiveBlocksPerMultiprocessor=lambda *_: 1),
    runtime=SimpleNamespace(
        getDeviceCount=lambda: 1,
        memGetInfo=lambda: (2**34, 2**34),
        hostRegister=_lock,
        hostUnregister=_locked.remove,
        CUDARuntimeError=_RuntimeError,
    ),
    memory=SimpleNamespace(OutOfMemoryError=MemoryError),
)
errstate = contextlib.nullcontext
