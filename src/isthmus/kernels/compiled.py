"""How every kernel is compiled."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

# Sums may be re-ordered and fused so that loops become vector instructions; infinities and NaN
# keep their meaning. The result is the same on every run of the same machine.
_ARITHMETIC = {"reassoc", "contract", "nsz"}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop without the interpreter lock and keep the machine code on disk.

    This happens on the first call, and so does the import of numba, which takes half a second that
    nobody should wait for who only reads a signature.
    """

    lock = threading.Lock()

    @functools.cache
    def machine_code() -> Callable[..., Any]:
        import numba

        options: dict[str, Any] = {
            "nogil": True,
            "fastmath": _ARITHMETIC,
            "error_model": "numpy",  # division by zero gives infinity, so no loop needs a check
        }
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no folder to write the machine code to: compile anew every time
            return numba.njit(**options)(function)

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with lock:  # several threads may meet a new kernel at once
            loop = machine_code()
        return loop(*arguments)

    return run
