"""The environment variable that controls compilation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
    setting = os.environ.get(COMPILE_SETTING, "").strip().lower() or "auto"
    if setting not in SETTINGS:
        raise ValueError(
            f"The environment variable {COMPILE_SETTING} is {setting!r}: use one of "
            f"{', '.join(SETTINGS)}."
        )
    # NUMBA_DISABLE_JIT applies to these loops too.
    return "never" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else setting
