"""The packages that only the page needs."""

from __future__ import annotations

from importlib import import_module

__all__ = ["check_extra", "missing_extra"]


def check_extra() -> None:
    """Raise an ImportError that says what to install, unless everything is there."""
    try:
        for name in ("jinja2", "matplotlib"):
            import_module(name)
    except ImportError as error:
        raise ImportError(
            "The page needs the extra 'report': pip install 'isthmus[report]'."
        ) from error


def missing_extra() -> str | None:
    """What :func:`check_extra` would say, None if everything is there."""
    try:
        check_extra()
    except ImportError as error:
        return str(error)
    return None
