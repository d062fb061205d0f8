"""Select the compiled or the plain version of a loop, as the environment variable says.

Compiling a loop takes 0.5 to 1 s once; the machine code is cached on disk. Small problems take less
time than that, so the plain version is used until it has taken about as long as compiling would. If
the machine code is on disk, it is used until it has taken as long as importing numba.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isthmus._warnings import warn_user

Function = Callable[..., Any]
Size = Callable[[int, int], int]
Key = tuple[int, np.dtype[Any], np.dtype[Any]]

# Seconds that a plain loop may take before it is compiled, about the time of compiling.
_COMPILE_SECONDS = 0.7
# Seconds that all plain loops may take before numba is imported, about the time of the import.
_IMPORT_SECONDS = 0.4
# Time of a multiplication and addition in a plain version of several NumPy calls, with overhead;
# and in a product of SciPy with a sparse matrix: 0.3 to 0.5 ns for 8 columns or more, 0.5 to 2 ns
# for fewer columns or many terms.
_PLAIN_SECONDS, PRODUCT_SECONDS = 4e-9, 1e-9
# An operation of an iterative solver is repeated at least this often.
_ITERATIONS = 20

#: ``auto``; ``always`` for bit-identical results from the first fit on; ``never`` to avoid numba.
COMPILE_SETTING = "ISTHMUS_COMPILE"
SETTINGS = ("auto", "always", "never")

_fixed_setting: ContextVar[str | None] = ContextVar("_fixed_setting", default=None)


@contextmanager
def use_compile_setting(setting: str) -> Iterator[None]:
    """Use a setting inside a ``with`` statement, in this thread only."""
    token = _fixed_setting.set(setting)
    try:
        yield
    finally:
        _fixed_setting.reset(token)


def compile_setting() -> str:
    """Return the setting from the environment, or the one that is in use."""
    if (fixed := _fixed_setting.get()) is not None:
        return fixed
    return _checked(os.environ.get(COMPILE_SETTING), os.environ.get("NUMBA_DISABLE_JIT"))


@lru_cache(maxsize=8)
def _checked(value: str | None, disabled: str | None) -> str:
    """Return the setting for the values of two environment variables."""
    setting = (value or "").strip().lower() or "auto"
    if setting not in SETTINGS:
        raise ValueError(
            f"The environment variable {COMPILE_SETTING} is {setting!r}: use one of "
            f"{', '.join(SETTINGS)}."
        )
    # NUMBA_DISABLE_JIT applies to these loops too.
    return "never" if (disabled or "0") != "0" else setting


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view.

    Input arrays may be read-only memory of the caller. With read-only views for all input arrays,
    one compiled loop is sufficient.
    """
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


class _ProcessState:
    """Estimated time of all plain loops in this process, and whether compiling failed."""

    def __init__(self) -> None:
        self.plain_seconds = 0.0
        self.compiling_failed = False

    def numba_is_worth_it(self, cost: float, expected: float) -> bool:
        self.plain_seconds += cost
        return "numba" in sys.modules or self.plain_seconds + expected > _IMPORT_SECONDS


_state = _ProcessState()


class CompiledLoop:
    """A loop that is compiled with numba, when that is worth its time.

    Parameters
    ----------
    name : str
    module : str
        Module of the loop. It is imported on demand.
    size : function, default=None
        Returns the size of the tables of a variant for a number of columns and the bytes of a
        number, see :mod:`isthmus.kernels.conventions`. By default there is one variant for all.
    """

    def __init__(self, name: str, module: str, size: Size | None = None) -> None:
        self._name, self._module, self._size = name, module, size
        self._seconds = _PLAIN_SECONDS
        self._lock = threading.Lock()
        self._codes: dict[Key, Any] = {}
        self._ready: dict[Key, Function] = {}
        self._found: dict[tuple[int, Any, Any], Function] = {}
        self._plain_seconds: dict[Key, float] = {}

    def find(
        self, width: int, work: int, real: Any, index: Any = np.int32, *, repeated: bool
    ) -> Function | None:
        """Return the compiled loop; None if it is not worth compiling.

        Parameters
        ----------
        width : int
            Number of columns.
        work : int
            Number of multiplications of the whole operation.
        real, index : dtype
            Types of the values and of the column indices.
        repeated : bool
            Whether the operation is part of an iteration.
        """
        setting = compile_setting()
        if setting == "never":
            return None
        # A fit calls this thousands of times.
        if (found := self._found.get((width, real, index))) is not None:
            return found
        key = self._key(width, real, index)
        with self._lock:
            if key in self._ready:
                self._found[width, real, index] = self._ready[key]
                return self._ready[key]
            if setting == "always":
                return self._compiled(key)
            cost = work * self._seconds
            if _state.compiling_failed or not self._is_worth_compiling(
                key, cost, _ITERATIONS * cost * repeated
            ):
                return None
            try:
                return self._compiled(key)
            except Exception as error:
                _state.compiling_failed = True
                warn_user(
                    "Compiling loops with numba failed, so the slower versions without it are "
                    f"used ({type(error).__name__}: {error}): repair numba, or set the environment "
                    f"variable {COMPILE_SETTING} to 'never'."
                )
                return None

    def get(self, width: int, real: Any, index: Any = np.int32) -> Function:
        """Return the compiled loop, whatever compiling costs."""
        key = self._key(width, real, index)
        with self._lock:
            return self._ready.get(key) or self._compiled(key)

    def _key(self, width: int, real: Any, index: Any) -> Key:
        real = np.dtype(real)
        size = 0 if self._size is None else self._size(width, real.itemsize)
        return size, real, np.dtype(index)

    def _is_worth_compiling(self, key: Key, cost: float, expected: float) -> bool:
        if not _state.numba_is_worth_it(cost, expected):
            return False
        if key not in self._plain_seconds:
            self._plain_seconds[key] = 0.0
            try:
                if self._code(key).is_on_disk():
                    return True
            except ImportError:  # reported when the loop is compiled
                pass
        self._plain_seconds[key] += cost
        return self._plain_seconds[key] + expected > _COMPILE_SECONDS

    def _compiled(self, key: Key) -> Function:
        code = self._code(key)
        code.compile()
        self._ready[key] = code
        return self._ready[key]

    def _code(self, key: Key) -> Any:
        if key not in self._codes:
            declared = getattr(import_module(self._module), self._name)
            self._codes[key] = declared.for_types(*key)
        return self._codes[key]


class Kernel(CompiledLoop):
    """A loop with its compiled and its plain version.

    Parameters
    ----------
    plain : function
    compiled_module : str
        Module of the compiled version, which has the same name. It is imported on demand.
    size : function, default=None
        As for :class:`CompiledLoop`.
    seconds : float
        Time of a multiplication and addition in the plain version.
    """

    def __init__(
        self,
        plain: Function,
        compiled_module: str,
        size: Size | None = None,
        seconds: float = _PLAIN_SECONDS,
    ) -> None:
        super().__init__(plain.__name__, compiled_module, size)
        self.plain, self._seconds = plain, seconds

    def choose(
        self, width: int, work: int, real: Any, index: Any = np.int32, *, repeated: bool
    ) -> Function:
        """Return the version to use, for all ranges of rows of one operation.

        The parameters are those of :meth:`find`.
        """
        return self.find(width, work, real, index, repeated=repeated) or self.plain
