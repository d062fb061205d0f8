"""What is said where a package of the extra ``peers`` is not installed."""

from __future__ import annotations

__all__ = ["missing_extra"]


def missing_extra(package: str, needed_by: str) -> ImportError:
    """The error for ``needed_by`` (a method, or what it does) without ``package``."""
    return ImportError(
        f"{package} is not installed, and {needed_by} needs the extra 'peers': "
        "pip install 'isthmus[peers]'."
    )
