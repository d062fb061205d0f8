"""The environment variable that controls compilation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

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
