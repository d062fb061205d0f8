"""Write result files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, overload

__all__ = ["check_writable", "whole_file"]

# Where standard output is sent to a file, these lead to a regular file that the shell holds
# open: putting another in its place would lose what else is written there.
OPEN_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out before the work whether a file can be written; leaves nothing behind.

    Parameters
    ----------
    path : path
        The output.

    Raises
    ------
    ValueError
        If it is a folder, its folder does not exist, or writing there is not allowed.
    """
    path = Path(path)
    if os.path.isdir(path):
        raise ValueError(f"The output '{path}' is a folder: name a file.")
    target = _destination(path)
    if not os.path.isdir(target.parent):
        raise ValueError(f"The folder '{target.parent}' of the output does not exist: create it.")
    try:
        _check_existing(path, target)
        if not _is_stream(path):
            beside = _beside(target)
            open(beside, "xb").close()
            beside.unlink()
    except OSError as error:
        raise ValueError(
            f"The output '{path}' cannot be written ({error.strerror}): name another place."
        ) from error


@overload
def whole_file(
    path: str | os.PathLike[str], binary: Literal[False] = False
) -> AbstractContextManager[TextIO]: ...
@overload
def whole_file(
    path: str | os.PathLike[str], binary: Literal[True]
) -> AbstractContextManager[BinaryIO]: ...
def whole_file(
    path: str | os.PathLike[str], binary: bool = False
) -> AbstractContextManager[IO[Any]]:
    """Open a file for writing; it takes its name only when all was written.

    Until then an old file of the name stays as it is, and it stays so if anything goes wrong.
    A link is kept, and the file it points to replaced. Pipes and devices such as
    ``/dev/stdout`` are written to directly.

    Parameters
    ----------
    path : path
        The output.
    binary : bool
        Whether to write bytes; else text in UTF-8, whose line ends are left as they are.

    Returns
    -------
    context manager
        Gives the open stream.

    Raises
    ------
    OSError
        If writing fails; it names the output.
    """
    return _whole_file(Path(path), binary)


@contextlib.contextmanager
def _whole_file(path: Path, binary: bool) -> Iterator[IO[Any]]:
    target = _destination(path)
    beside: Path | None = None
    stream: IO[Any] | None = None
    try:
        _check_existing(path, target)
        if _is_stream(path):
            # Appending leaves alone what is there if this is a file after all.
            stream = open(path, "ab")  # noqa: SIM115 -- closed below, where errors are named
        else:
            beside = _beside(target)
            stream = open(beside, "xb")  # noqa: SIM115
        if not binary:
            stream = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield stream
        if beside is not None:
            if not stream.closed:
                stream.flush()
                os.fsync(stream.fileno())
            stream.close()
            _keep_mode(target, beside)
            os.replace(beside, target)
        else:
            stream.close()
    except BaseException as error:
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        if beside is not None:
            with contextlib.suppress(OSError):
                beside.unlink()
        if isinstance(error, OSError) and _is_ours(error, beside):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _destination(path: Path) -> Path:
    """Return the file to replace: where a link leads, not the link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) and not _is_stream(path) else path


def _is_stream(path: Path) -> bool:
    """Tell pipes and devices, which cannot be replaced, from files."""
    if os.path.abspath(path).startswith(OPEN_STREAMS):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _check_existing(path: Path, target: Path) -> None:
    # Replacing needs leave to write to the folder only; a write-protected file is meant to stay.
    effective = os.access in os.supports_effective_ids
    if os.path.exists(target) and not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _beside(target: Path) -> Path:
    # A name may have 255 bytes, and the whole of a long one would leave no room.
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")


def _keep_mode(target: Path, beside: Path) -> None:
    with contextlib.suppress(OSError):
        os.chmod(beside, stat.S_IMODE(target.stat().st_mode))


def _is_ours(error: OSError, beside: Path | None) -> bool:
    """Tell an error of the output from one of another file that the caller uses."""
    return error.errno is not None and error.filename in (None, str(beside))
