"""Turn exceptions into one sentence and an exit code."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Container
from typing import Any

import typer

from isthmus.cli.interrupts import was_interrupted
from isthmus.cli.option_groups import build_groups, expand_groups
from isthmus.cli.parsing import with_option_names
from isthmus.files.printable import escape_control_characters
from isthmus.kernels.dispatch import compile_setting

__all__ = ["FAILURE", "INTERRUPTED", "TERMINATED", "WRONG_INPUT", "command", "sentence"]

FAILURE, WRONG_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143


def command(
    function: Callable[..., None], *, only_own_options: bool = False
) -> Callable[..., None]:
    """Make a function a command: options from its groups, and no traceback at its end.

    Errors that the user can correct (a wrong value, a missing file, extra or GPU) exit with 2,
    any other failure with 1, Ctrl-C with 130. Parameters that are dataclasses are groups of
    options. Messages name options instead of parameters, with ``only_own_options`` only those of
    this command: for programs that have others.
    """
    signature = expand_groups(function)
    named = signature.parameters if only_own_options else None

    @functools.wraps(function)
    def wrapped(**options: Any) -> None:
        try:
            compile_setting()  # a wrong setting is reported before minutes of reading
            function(**build_groups(function, options))
            sys.stdout.flush()
        except typer.Exit:
            raise
        except BrokenPipeError:
            # The reader of the pipe has read enough; Python would report it when it exits.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except KeyboardInterrupt:
            raise _exit("Interrupted.", INTERRUPTED) from None
        except Exception as error:
            # Some libraries turn an interrupt into an error of their own.
            if was_interrupted():
                raise _exit("Interrupted.", INTERRUPTED) from None
            code = WRONG_INPUT if _is_correctable(error) else FAILURE
            raise _exit(f"Error: {sentence(error, named)}", code) from None

    wrapped.__signature__ = signature  # type: ignore[attr-defined]
    wrapped.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    return wrapped


def _is_correctable(error: Exception) -> bool:
    """Whether the user can correct an error, for example by another option."""
    if isinstance(error, RuntimeError):
        from isthmus.matrices.engines import EngineError

        return isinstance(error, EngineError)
    return isinstance(error, ValueError | FileNotFoundError | ImportError)


def sentence(error: Exception, options: Container[str] | None = None) -> str:
    """Return the message of an error on one line, with the names of these options."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"'{error.filename}': {error.strerror}."
    text = with_option_names(" ".join(str(error).split()), options)
    return text or f"{type(error).__name__} without a message."


def _exit(text: str, code: int) -> typer.Exit:
    print(escape_control_characters(text), file=sys.stderr)
    return typer.Exit(code)
