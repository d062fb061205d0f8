"""The environment variable that controls compilation."""

from __future__ import annotations

import os

#: ``auto``; ``always`` for bit-identical results from the first fit on; ``never`` to avoid numba.
COMPILE_SETTING = "ISTHMUS_COMPILE"
SETTINGS = ("auto", "always", "never")


def compile_setting() -> str:
    """Return the setting from the environment."""
    setting = os.environ.get(COMPILE_SETTING, "").strip().lower() or "auto"
    if setting not in SETTINGS:
        raise ValueError(
            f"The environment variable {COMPILE_SETTING} is {setting!r}: use one of "
            f"{', '.join(SETTINGS)}."
        )
    # NUMBA_DISABLE_JIT applies to these loops too.
    return "never" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else setting
