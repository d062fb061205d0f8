"""Declaration and compilation of loops."""

from __future__ import annotations

import functools
import hashlib
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

Build = Callable[[int], Callable[..., Any]]

# A product and a sum may be fused. Sums are not reordered: the compiler would use gather
# instructions, which are slower than plain loads (4.2 against 2.1 ns per non-zero).
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "fastmath": {"contract", "nsz"},
    "error_model": "numpy",  # division by zero gives infinity, so no loop needs a check
}


def _kinds(real: Any, index: Any) -> dict[str, Any]:
    """Return the argument types by the names that ``loop`` accepts."""

    def array(item: Any, dimensions: int, *, written: bool = False) -> Any:
        return types.Array(item, dimensions, "C", readonly=not written)

    return {
        "row": array(real, 1),
        "table": array(real, 2),
        "indices": array(index, 1),
        "pointers": array(types.int64, 1),
        "codes": array(types.uint32, 1),
        "bytes": array(types.uint8, 1),
        "marks": array(types.boolean, 1),
        "new row": array(real, 1, written=True),
        "new table": array(real, 2, written=True),
        "new indices": array(index, 1, written=True),
        "new pointers": array(types.int64, 1, written=True),
        "new bytes": array(types.uint8, 1, written=True),
        "new places": array(types.int64, 2, written=True),
        "sums": array(types.float64, 1, written=True),
        "table of sums": array(types.float64, 2, written=True),
        "flag": types.boolean,
        "number": types.int64,
    }


_DEPENDENCIES = (
    *("jit_loop.py", "row_operations.py", "vector_builder.py"),
    *("bit_sets.py", "hash_tables.py", "../conventions.py"),
)


@functools.cache
def _dependency_hash() -> str:
    """Return a hash of the files that compiled loops depend on, to be part of their names.

    numba recompiles a loop if its own file changes, but not if other files change. Its version is
    part of the hash, so that environments with different versions do not share cache files.
    """
    folder = Path(__file__).parent
    files = [(folder / name).read_bytes() for name in _DEPENDENCIES]
    return hashlib.sha256(b"".join([numba.__version__.encode(), *files])).hexdigest()[:12]


class Loop:
    """A loop for tables of any size, with the types of its arguments."""

    def __init__(self, build: Build, kinds: tuple[str, ...], *, fused: bool) -> None:
        self._build, self._kinds = build, kinds
        self._options = _OPTIONS if fused else {**_OPTIONS, "fastmath": False}

    def for_types(self, size: int, real: np.dtype[Any], index: np.dtype[Any]) -> MachineCode:
        known = _kinds(numba.from_dtype(real), numba.from_dtype(index))
        function = self._build(size)
        # One cache file per variant: numba numbers the variants of a function, and two processes
        # that compile at the same time could give two variants the same number.
        function.__qualname__ += f".{_dependency_hash()}.{size}.{real.name}.{index.name}"
        return MachineCode(function, tuple(known[kind] for kind in self._kinds), self._options)


class MachineCode:
    """A loop for one size and one pair of types: on disk, in memory, or not yet compiled."""

    def __init__(
        self, function: Callable[..., Any], signature: tuple[Any, ...], options: dict[str, Any]
    ) -> None:
        self._function, self._signature, self._options = function, signature, options
        self._lock = threading.Lock()
        try:
            self._dispatcher = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no writable cache folder: compile in every process
            self._dispatcher = numba.njit(**options)(function)

    def is_on_disk(self) -> bool:
        """Whether readable machine code is on disk."""
        with self._lock:
            # numba has no public function for this. If a later version lacks this one, loops run
            # in the plain version until they are worth compiling, which is slower but correct.
            cache, target = (getattr(self._dispatcher, n, None) for n in ("_cache", "targetctx"))
            load = getattr(cache, "load_overload", None)
            try:
                return load is not None and load(self._signature, target) is not None
            except Exception:  # a damaged file may raise any exception
                return False

    def compile(self) -> None:
        """Load the machine code from disk, or compile it."""
        with self._lock:
            try:
                self._dispatcher.compile(self._signature)
            except (OSError, EOFError, pickle.UnpicklingError):
                # With a full disk or a damaged file, compile without the cache.
                self._dispatcher = numba.njit(**self._options)(self._function)
                self._dispatcher.compile(self._signature)
            # Arguments of other types raise an error instead of a compilation.
            self._dispatcher.disable_compile()

    def __call__(self, *arguments: Any) -> Any:
        return self._dispatcher(*arguments)


def loop(*kinds: str, fused: bool = True) -> Callable[[Build], Loop]:
    """Declare a loop: the decorated function returns the loop for tables of a given size.

    See :mod:`isthmus.kernels.conventions`; it is 0 for loops with one variant for all.

    Without ``fused``, products and sums are rounded one by one, as in NumPy.
    """

    def declare(build: Build) -> Loop:
        return Loop(build, kinds, fused=fused)

    return declare
