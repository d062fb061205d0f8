"""Write result files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

__all__ = ["check_writable", "whole_file"]


def check_writable(path: Path) -> None:
    """Find out before the work whether a file can be written; leaves nothing behind."""
    if path.is_dir():
        raise ValueError(f"The output '{path}' is a folder: name a file.")
    if not path.parent.is_dir():
        raise ValueError(f"The folder '{path.parent}' of the output does not exist: create it.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent)
    except OSError as error:
        raise ValueError(
            f"The output '{path}' cannot be written ({error.strerror}): name another place."
        ) from error
    os.close(handle)
    os.unlink(name)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a text file for writing; it takes its name only when all was written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            yield stream
        # mkstemp makes files for the owner only; a result is as readable as any new file.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
