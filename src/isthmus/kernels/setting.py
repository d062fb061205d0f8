"""What the user wants to have compiled."""

from __future__ import annotations

import os

#: ``auto``; ``always`` for the same last digits from the first fit on; ``never`` for no numba.
COMPILE_SETTING = "ISTHMUS_COMPILE"
SETTINGS = ("auto", "always", "never")


def compile_setting() -> str:
    """The user's wish, from the environment."""
    wish = os.environ.get(COMPILE_SETTING, "").strip().lower() or "auto"
    if wish not in SETTINGS:
        raise ValueError(
            f"The environment variable {COMPILE_SETTING} is {wish!r}: it must be one of "
            f"{', '.join(SETTINGS)}."
        )
    # numba's own word for "do not compile" goes for these loops too.
    return "never" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else wish
