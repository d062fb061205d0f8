"""The machine that is measured: device, processor, versions and date."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from isthmus._version import __version__
from isthmus.matrices.threads import thread_limit

__all__ = ["describe_machine", "require_gpu"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
_CPU_INFO = Path("/proc/cpuinfo")


def require_gpu() -> None:
    """Raise EngineError with the reason if there is no GPU."""
    from isthmus.matrices.gpu.device import gpu_engine

    gpu_engine()


def describe_machine() -> dict[str, Any]:
    """The line of the machine; needs the GPU."""
    return {
        "part": "machine",
        "device": _device(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": thread_limit(),
        "versions": {
            "isthmus": __version__,
            "python": platform.python_version(),
            **_package_versions(),
        },
        "date": datetime.now(UTC).date().isoformat(),
    }


def _device() -> dict[str, Any]:
    """The name, the memory and the versions of the device."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return {
        "name": properties["name"].decode(),
        "memory_bytes": int(properties["totalGlobalMem"]),
        "cuda": int(cupy.cuda.runtime.runtimeGetVersion()),
        "driver": int(cupy.cuda.runtime.driverGetVersion()),
        "cupy": cupy.__version__,
    }


def _package_versions() -> dict[str, str]:
    versions = {}
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _processor() -> str:
    with suppress(OSError):
        for line in _CPU_INFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
