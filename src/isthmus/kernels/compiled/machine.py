"""How a loop is declared and turned into machine code."""

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

# A product and a sum may become one instruction. Sums keep their order: re-ordered, they become
# gather instructions, which are slower than plain loads (measured: 4.2 against 2.1 ns a non-zero).
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "fastmath": {"contract", "nsz"},
    "error_model": "numpy",  # division by zero gives infinity, so no loop needs a check
}


def _kinds(real: Any, index: Any) -> dict[str, Any]:
    """Types of arguments by the word that a loop uses for them."""

    def array(item: Any, dimensions: int, *, written: bool = False) -> Any:
        return types.Array(item, dimensions, "C", readonly=not written)

    return {
        "row": array(real, 1),
        "table": array(real, 2),
        "indices": array(index, 1),
        "pointers": array(types.int64, 1),
        "marks": array(types.boolean, 1),
        "new row": array(real, 1, written=True),
        "new table": array(real, 2, written=True),
        "new places": array(types.int64, 2, written=True),
        "sums": array(types.float64, 1, written=True),
        "table of sums": array(types.float64, 2, written=True),
        "flag": types.boolean,
        "number": types.int64,
    }


@functools.cache
def _sources() -> str:
    """A mark of the files that loops are made with.

    numba notices a change in the file of a loop, not in others that it is compiled from, but keeps
    loops apart by their names.
    """
    folder = Path(__file__).parent
    files = [(folder / name).read_bytes() for name in ("lanes.py", "machine.py")]
    return hashlib.sha256(b"".join(files)).hexdigest()[:12]


class Loop:
    """A loop that is written for a width, with the kinds of its arguments."""

    def __init__(self, build: Build, kinds: tuple[str, ...]) -> None:
        self._build, self._kinds = build, kinds

    def for_types(self, width: int, real: np.dtype[Any], index: np.dtype[Any]) -> MachineCode:
        known = _kinds(numba.from_dtype(real), numba.from_dtype(index))
        function = self._build(width)
        function.__qualname__ += f".{_sources()}"
        return MachineCode(function, tuple(known[kind] for kind in self._kinds))


class MachineCode:
    """A loop for one width and one pair of types: on disk, in memory, or not yet compiled."""

    def __init__(self, function: Callable[..., Any], signature: tuple[Any, ...]) -> None:
        self._function, self._signature = function, signature
        self._lock = threading.Lock()
        try:
            self._dispatcher = numba.njit(cache=True, **_OPTIONS)(function)
        except RuntimeError:  # no folder to write the machine code to: compile anew every time
            self._dispatcher = numba.njit(**_OPTIONS)(function)

    def is_on_disk(self) -> bool:
        """Whether the machine code is on disk, and can be read."""
        with self._lock:
            # numba has no public word for this. Should a later version not know this one, loops
            # run plain until they are worth compiling: slower at first, and right.
            disk, target = (getattr(self._dispatcher, n, None) for n in ("_cache", "targetctx"))
            look = getattr(disk, "load_overload", None)
            try:
                return look is not None and look(self._signature, target) is not None
            except Exception:  # damaged: pickles may fail in any way
                return False

    def compile(self) -> None:
        """Have the machine code ready, from disk or from the compiler."""
        with self._lock:
            try:
                self._dispatcher.compile(self._signature)
            except (OSError, EOFError, pickle.UnpicklingError):
                # A full disk or a damaged file is no reason to go without.
                self._dispatcher = numba.njit(**_OPTIONS)(self._function)
                self._dispatcher.compile(self._signature)
            # What is called with arguments of other types is an error, not another compilation.
            self._dispatcher.disable_compile()

    def __call__(self, *arguments: Any) -> Any:
        return self._dispatcher(*arguments)


def loop(*kinds: str) -> Callable[[Build], Loop]:
    """Declare a loop: the decorated function returns it for a width."""

    def declare(build: Build) -> Loop:
        return Loop(build, kinds)

    return declare
