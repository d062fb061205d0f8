"""The optional packages of the benchmark."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["require_extra"]


def require_extra() -> None:
    """Raise ImportError if the extra ``bench`` is not installed."""
    if find_spec("pydantic") is None:
        raise ImportError("The benchmark needs the extra 'bench': pip install 'isthmus[bench]'.")
