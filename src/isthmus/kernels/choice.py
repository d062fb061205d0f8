"""Which form a loop takes: compiled, or plain until compiling has become worth the wait.

Compiling a loop takes about half a second, once, and the machine code is kept on disk. A small
problem is solved before that, so a loop that is not on disk runs in its plain form until that form
has cost about as much: nobody ever waits much more than twice as long as the better choice would
have taken.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Function = Callable[..., Any]
Key = tuple[int, np.dtype[Any], np.dtype[Any]]

#: ``auto``; ``always`` for the same last digits from the first fit on; ``never`` for no numba.
COMPILE_SETTING = "ISTHMUS_COMPILE"
SETTINGS = ("auto", "always", "never")

# Seconds that a plain loop may cost before it is compiled: what compiling costs.
_PATIENCE = 0.7
# A multiplication and addition in the plain form, all that belongs to it included.
_PLAIN_SECONDS = 3e-9
# Solvers iterate: a call is expected to be followed by so many like it.
_EXPECTED_CALLS = 20


def compile_setting() -> str:
    """The user's wish, from the environment."""
    wish = os.environ.get(COMPILE_SETTING, "").strip().lower() or "auto"
    if wish not in SETTINGS:
        raise ValueError(
            f"The environment variable {COMPILE_SETTING} is {wish!r}: it must be one of "
            f"{', '.join(SETTINGS)}."
        )
    return wish


class Kernel:
    """A loop with its two forms.

    Parameters
    ----------
    plain : function
    room : str
        Module of the compiled form, which has the same name. It is imported when it is wanted:
        numba takes half a second that nobody should wait for who only reads a signature.
    """

    def __init__(self, plain: Function, room: str) -> None:
        self.plain, self._room = plain, room
        self._lock = threading.Lock()
        self._codes: dict[Key, Any] = {}
        self._ready: dict[Key, Function] = {}
        self._spent: dict[Key, float] = {}

    def choose(self, width: int, work: int, real: Any, index: Any = np.int32) -> Function:
        """The form to run now, for all ranges of rows of one operation.

        Parameters
        ----------
        width : int
            Number of columns, a constant in the compiled form.
        work : int
            Multiplications of the whole operation.
        real, index : dtype
            Types of the numbers and of the column indices.
        """
        key = (width, np.dtype(real), np.dtype(index))
        wish = compile_setting()
        if wish == "never":
            return self.plain
        with self._lock:
            if key in self._ready:
                return self._ready[key]
            if wish == "auto" and not self._worth_it(key, work):
                return self.plain
            code = self._code(key)
            code.compile()
            self._ready[key] = code
            return code

    def _worth_it(self, key: Key, work: int) -> bool:
        if key not in self._spent and self._code(key).is_on_disk():
            return True
        cost = work * _PLAIN_SECONDS
        self._spent[key] = self._spent.get(key, 0.0) + cost
        return self._spent[key] + _EXPECTED_CALLS * cost > _PATIENCE

    def _code(self, key: Key) -> Any:
        if key not in self._codes:
            declared = getattr(import_module(self._room), self.plain.__name__)
            self._codes[key] = declared.for_types(*key)
        return self._codes[key]
