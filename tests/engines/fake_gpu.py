"""A GPU for tests on machines without one: the strict engine under the name of the GPU."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from engines.strict import StrictEngine

NO_DEVICE = "No CUDA device was found: set engine='cpu'."


class FakeGPU(StrictEngine):
    """The strict engine, which the setting "gpu" finds."""

    name = "gpu"


class FakeDevice(ModuleType):
    """Takes the place of ``isthmus.matrices.gpu.device``; counts how often it is asked."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__("isthmus.matrices.gpu.device")
        self.error = error
        self.engine = FakeGPU()
        self.n_requests = 0
        self.has_room = True

    def gpu_engine(self) -> FakeGPU:
        self.n_requests += 1
        if self.error is not None:
            raise self.error
        return self.engine

    def gpu_is_usable(self) -> bool:
        return self.error is None

    def gpu_fits(self, X: Any) -> bool:
        return self.has_room


def install(monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> FakeDevice:
    """Replace the GPU of this machine; with an error, by one that cannot be used."""
    device = FakeDevice(error)
    monkeypatch.setitem(sys.modules, device.__name__, device)
    return device


def device_matrix(X: Any) -> Any:
    """A matrix whose class looks like one of CuPy; it can only be copied to the CPU."""
    namespace = {
        "__module__": "cupyx.scipy.sparse._csr",
        "nnz": X.nnz,
        "shape": X.shape,
        "get": lambda self: X,
    }
    return type("csr_matrix", (), namespace)()
