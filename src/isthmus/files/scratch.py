"""A folder for temporary files that disappears with the process that made it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TextIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Scratch", "ScratchSpaceError", "check_scratch_parent", "remove_abandoned"]

_PREFIX = "isthmus-scratch-"
_LOCK, _NEW_LOCK = "lock", "new"
# A folder without a lock is being made, or its process was killed at that moment.
_ABANDONED_SECONDS = 3600
# So much of the disk is left to others.
_RESERVE_BYTES = 64 * 2**20


class ScratchSpaceError(OSError):
    """The disk of the scratch folder is too small."""


class Scratch:
    """A temporary folder.

    It is removed by :meth:`close`, when the object is no longer used, or at the end of the process,
    also after an error or Ctrl-C. If the process is killed, the next one that uses the same parent
    folder removes it: a lock tells which folders are in use.

    Parameters
    ----------
    parent : path, optional
        The folder in which it is made; by default the folder of the system for temporary files.
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self.parent = Path(tempfile.gettempdir() if parent is None else parent)
        check_scratch_parent(self.parent)
        with _named(self.parent):
            remove_abandoned(self.parent)
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.parent))
            lock = _make_lock(self.path)
        owner = os.getpid()
        self._remove: Callable[[], Any] = weakref.finalize(self, _remove, self.path, lock, owner)

    def close(self) -> None:
        """Remove the folder with its files."""
        self._remove()

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy in another process writes to the folder and leaves its end to the owner.
        return _borrowed, (self.parent, self.path)

    def check_space(self, n_bytes: int, what: str) -> None:
        """Raise ScratchSpaceError unless the disk has room for more bytes of something."""
        free = shutil.disk_usage(self.path).free
        if n_bytes + _RESERVE_BYTES > free:
            raise ScratchSpaceError(
                f"The scratch folder '{self.parent}' has {_size(free)} left, but {what} need about "
                f"{_size(n_bytes)}: free some space, or name a folder on another disk "
                "with scratch_folder (--scratch-folder)."
            )

    def new_file(self, n_bytes: int, what: str) -> Path:
        """Return a new file of the given number of bytes, whose place on the disk is reserved."""
        self.check_space(n_bytes, what)
        with self.writing():
            descriptor, name = tempfile.mkstemp(dir=self.path)
            try:
                # Without the place, writing to a mapped file on a full disk would kill the process.
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(descriptor, 0, n_bytes)
                else:
                    os.ftruncate(descriptor, n_bytes)
            finally:
                os.close(descriptor)
        return Path(name)

    def writing(self) -> AbstractContextManager[None]:
        """Name the folder in errors of a ``with`` statement: others may have filled the disk."""
        return _named(self.parent)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


def _borrowed(parent: Path, path: Path) -> Scratch:
    scratch = Scratch.__new__(Scratch)
    scratch.parent, scratch.path, scratch._remove = parent, path, lambda: None
    return scratch


def check_scratch_parent(parent: Path) -> None:
    """Raise ValueError unless scratch folders can be made there; for use before long work."""
    if not parent.is_dir():
        reason = "is a file" if parent.exists() else "does not exist"
    elif not os.access(parent, os.W_OK | os.X_OK):
        reason = "cannot be written"
    else:
        return
    raise ValueError(
        f"The scratch folder '{parent}' {reason}: make it, or name another with scratch_folder "
        "(--scratch-folder)."
    )


def remove_abandoned(parent: Path) -> None:
    """Remove the scratch folders of processes that were killed."""
    for path in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_abandoned(path):
                shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path) -> bool:
    if fcntl is None or path.is_symlink() or path.stat().st_uid != os.getuid():
        return False
    try:
        with open(path / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except FileNotFoundError:
        is_old = time.time() - path.stat().st_mtime > _ABANDONED_SECONDS
        # Other files are not of this package.
        return is_old and set(os.listdir(path)) <= {_NEW_LOCK}
    except BlockingIOError:
        return False


def _make_lock(path: Path) -> TextIO | None:
    """Return a locked file; it has its name only after it was locked."""
    if fcntl is None:
        return None
    lock = open(path / _NEW_LOCK, "w")  # noqa: SIM115 -- closed when the folder is removed
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(path / _NEW_LOCK, path / _LOCK)
    except BaseException:
        lock.close()
        shutil.rmtree(path, ignore_errors=True)
        raise
    return lock


def _remove(path: Path, lock: TextIO | None, owner: int) -> None:
    if os.getpid() != owner:  # a fork, which has a copy of the object
        return
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        lock.close()


@contextlib.contextmanager
def _named(parent: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(
            f"The scratch folder '{parent}' cannot be used ({error.strerror or error}): name "
            "another with scratch_folder (--scratch-folder)."
        ) from error
