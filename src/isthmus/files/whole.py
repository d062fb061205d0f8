"""Write result files completely or not at all."""

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

__all__ = ["check_writable", "is_existing_file", "whole_file"]

# If standard output is redirected to a file, these lead to a regular file that the shell has open:
# replacing it would lose what else is written there.
OPEN_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
_BUFFER_BYTES = 256 * 1024


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise ValueError if a file cannot be written; for use before long work.

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
            temporary = _temporary_path(target)
            open(temporary, "xb").close()
            temporary.unlink()
    except OSError as error:
        raise ValueError(
            f"The output '{path}' cannot be written ({error.strerror}): name another place."
        ) from error


def is_existing_file(path: str | os.PathLike[str]) -> bool:
    """Return whether writing to a path would replace an existing file."""
    path = Path(path)
    return path.is_file() and not _is_stream(path)


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
    """Open a file for writing; it gets its name only after everything was written.

    Until then an existing file of the name is unchanged, even if an error occurs. A link is kept,
    and the file that it points to is replaced. Pipes and devices such as ``/dev/stdout`` are
    written to directly.

    Parameters
    ----------
    path : path
        The output.
    binary : bool
        Whether to write bytes; otherwise text in UTF-8, whose line ends are not changed.

    Returns
    -------
    context manager
        The open stream.

    Raises
    ------
    OSError
        If writing fails; it names the output.
    """
    return _whole_file(Path(path), binary)


@contextlib.contextmanager
def _whole_file(path: Path, binary: bool) -> Iterator[IO[Any]]:
    target = _destination(path)
    temporary: Path | None = None
    stream: IO[Any] | None = None
    try:
        _check_existing(path, target)
        if _is_stream(path):
            # Appending keeps the content if this is a file after all.
            stream = open(path, "ab")  # noqa: SIM115 -- closed below, where errors are named
        else:
            temporary = _temporary_path(target)
            stream = open(temporary, "xb", _BUFFER_BYTES)  # noqa: SIM115
        if not binary:
            stream = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield stream
        if temporary is not None:
            if not stream.closed:
                stream.flush()
                os.fsync(stream.fileno())
            stream.close()
            _keep_mode(target, temporary)
            os.replace(temporary, target)
        else:
            stream.close()
    except BaseException as error:
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        if isinstance(error, OSError) and _is_about_output(error, temporary):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _destination(path: Path) -> Path:
    """Return the file to replace: the file that a link points to, not the link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) and not _is_stream(path) else path


def _is_stream(path: Path) -> bool:
    """Return whether a path is a pipe or a device, which cannot be replaced."""
    if os.path.abspath(path).startswith(OPEN_STREAMS):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _check_existing(path: Path, target: Path) -> None:
    # Replacing a file needs permission for the folder only, but a write-protected file is kept.
    effective = os.access in os.supports_effective_ids
    if os.path.exists(target) and not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _temporary_path(target: Path) -> Path:
    # A file name may have 255 bytes at most.
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")


def _keep_mode(target: Path, temporary: Path) -> None:
    with contextlib.suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))


def _is_about_output(error: OSError, temporary: Path | None) -> bool:
    """Return whether an error is about the output, not about another file of the caller."""
    return error.errno is not None and error.filename in (None, str(temporary))
