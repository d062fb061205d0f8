"""Which form a loop takes: compiled, or plain until compiling has become worth the wait.

Compiling a loop takes half a second to a second, once, and the machine code is kept on disk. A
small problem is solved before that, so a loop runs in its plain form until that form has cost about
as much; where the machine code is on disk, until it has cost what importing numba does.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from isthmus._warnings import warn_user
from isthmus.kernels.setting import COMPILE_SETTING, compile_setting

Function = Callable[..., Any]
Key = tuple[int, np.dtype[Any], np.dtype[Any]]

# Seconds that a plain loop may cost before it is compiled: what compiling costs.
_PATIENCE = 0.7
# Seconds that all plain loops together may cost before numba is imported: what that costs.
_IMPORT_PATIENCE = 0.4
# A multiplication and addition in the plain form, all that belongs to it included.
_PLAIN_SECONDS = 4e-9
# An operation of an iterative solver is followed by so many like it, or more.
_ITERATIONS = 20


class _Account:
    """What all plain loops of this process have cost together, and whether compiling failed."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.gave_up = False

    def numba_is_worth_it(self, cost: float, expected: float) -> bool:
        self.spent += cost
        return "numba" in sys.modules or self.spent + expected > _IMPORT_PATIENCE


_account = _Account()


class Kernel:
    """A loop with its two forms.

    Parameters
    ----------
    plain : function
    room : str
        Module of the compiled form, which has the same name. It is imported when it is wanted.
    """

    def __init__(self, plain: Function, room: str) -> None:
        self.plain, self._room = plain, room
        self._lock = threading.Lock()
        self._codes: dict[Key, Any] = {}
        self._ready: dict[Key, Function] = {}
        self._spent: dict[Key, float] = {}

    def choose(
        self, width: int, work: int, real: Any, index: Any = np.int32, *, repeated: bool
    ) -> Function:
        """The form to run now, for all ranges of rows of one operation.

        Parameters
        ----------
        width : int
            Number of columns, a constant in the compiled form.
        work : int
            Multiplications of the whole operation.
        real, index : dtype
            Types of the numbers and of the column indices.
        repeated : bool
            Whether the operation is a step of an iteration.
        """
        key = (width, np.dtype(real), np.dtype(index))
        wish = compile_setting()
        if wish == "never":
            return self.plain
        with self._lock:
            if key in self._ready:
                return self._ready[key]
            if wish == "always":
                return self._compiled(key)
            cost = work * _PLAIN_SECONDS
            if _account.gave_up or not self._worth_it(key, cost, _ITERATIONS * cost * repeated):
                return self.plain
            try:
                return self._compiled(key)
            except Exception as error:
                _account.gave_up = True
                warn_user(
                    "Compiling loops with numba failed, so plain NumPy and SciPy do the work, more "
                    f"slowly ({type(error).__name__}: {error}): mend numba, or set the environment "
                    f"variable {COMPILE_SETTING} to 'never'."
                )
                return self.plain

    def _worth_it(self, key: Key, cost: float, expected: float) -> bool:
        if not _account.numba_is_worth_it(cost, expected):
            return False
        if key not in self._spent:
            self._spent[key] = 0.0
            try:
                if self._code(key).is_on_disk():
                    return True
            except ImportError:  # told when it would be compiled
                pass
        self._spent[key] += cost
        return self._spent[key] + expected > _PATIENCE

    def _compiled(self, key: Key) -> Function:
        code = self._code(key)
        code.compile()
        self._ready[key] = code
        return self._ready[key]

    def _code(self, key: Key) -> Any:
        if key not in self._codes:
            declared = getattr(import_module(self._room), self.plain.__name__)
            self._codes[key] = declared.for_types(*key)
        return self._codes[key]
