"""The settings ``max_memory`` and ``scratch_folder``: how many counts are in memory, and where the
others are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path

from isthmus.files.scratch import check_scratch_parent

__all__ = [
    "AUTO",
    "MemorySettings",
    "max_memory",
    "memory_settings",
    "parse_bytes",
    "set_memory",
    "use_memory",
]

AUTO = "auto"

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
# "auto" is this part of the memory: a fit needs a few arrays of one row per document besides.
_AUTO_FRACTION = 8
_SMALLEST = 10**7
# Limits of a container, by versions of the Linux kernel's control groups.
_CONTAINER_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


@dataclass(frozen=True)
class MemorySettings:
    """The two settings, as :func:`isthmus.get_config` returns them."""

    max_memory: int | str = AUTO
    scratch_folder: str | None = None


_process_settings = MemorySettings()
_settings: ContextVar[MemorySettings | None] = ContextVar("_settings", default=None)


def memory_settings() -> MemorySettings:
    """Return the settings that apply now."""
    return _settings.get() or _process_settings


def max_memory() -> int:
    """Return how many bytes of counts may be in memory."""
    limit = memory_settings().max_memory
    if isinstance(limit, int):
        return limit
    return max(_SMALLEST, _memory_of_machine() // _AUTO_FRACTION)


def set_memory(max_memory: int | str | None, scratch_folder: str | os.PathLike[str] | None) -> None:
    """Change the settings of this process; None changes nothing."""
    global _process_settings
    _process_settings = _changed(_process_settings, max_memory, scratch_folder)


@contextmanager
def use_memory(
    max_memory: int | str | None, scratch_folder: str | os.PathLike[str] | None
) -> Iterator[None]:
    """Change the settings inside a ``with`` statement; None changes nothing."""
    token = _settings.set(_changed(memory_settings(), max_memory, scratch_folder))
    try:
        yield
    finally:
        _settings.reset(token)


def parse_bytes(size: int | str) -> int | str:
    """Return a size such as "2 GB" as a number of bytes, or "auto"."""
    if size == AUTO:
        return AUTO
    number = int(size) if isinstance(size, Integral) and not isinstance(size, bool) else None
    if isinstance(size, str) and (match := _SIZE.fullmatch(size)):
        value, unit, is_binary = match.groups()
        factor = _UNITS[unit.lower()]
        if is_binary:
            factor = 1024 ** list(_UNITS).index(unit.lower())
        number = int(float(value) * factor)
    if number is None:
        raise ValueError(
            f"max_memory={size!r} is not a size: use 'auto', a number of bytes, or a text such as "
            "'2 GB'."
        )
    if number < _SMALLEST:
        raise ValueError(
            f"max_memory={size!r} is too small: at least {_SMALLEST // 10**6} MB are needed."
        )
    return number


def _changed(
    settings: MemorySettings,
    max_memory: int | str | None,
    scratch_folder: str | os.PathLike[str] | None,
) -> MemorySettings:
    if max_memory is not None:
        settings = replace(settings, max_memory=parse_bytes(max_memory))
    if scratch_folder is not None:
        check_scratch_parent(Path(scratch_folder))
        settings = replace(settings, scratch_folder=os.fspath(scratch_folder))
    return settings


def _memory_of_machine() -> int:
    """Return the memory of this machine or container, in bytes; 8 GB if it is unknown."""
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in _CONTAINER_LIMITS:
        try:
            limits.append(int(Path(name).read_text()))
        except (OSError, ValueError):  # no such version, or "max"
            continue
    return min(limits, default=8 * 10**9)
