"""Turn exceptions into one sentence and an exit code."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from isthmus.evaluation.visible import visible
from isthmus.kernels.setting import compile_setting

__all__ = ["FAILURE", "INTERRUPTED", "TERMINATED", "WRONG_INPUT", "command"]

FAILURE, WRONG_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143

P = ParamSpec("P")
R = TypeVar("R")


def command(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a command so that it ends without a traceback.

    What the user can mend (a wrong value, a missing file or extra) exits with 2, any other
    failure with 1, Ctrl-C with 130.
    """

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            compile_setting()  # a wrong one should not be found after minutes of reading
            result = function(*args, **kwargs)
            sys.stdout.flush()
            return result
        except typer.Exit:
            raise
        except BrokenPipeError:
            # The reader at the other end has seen enough; Python would complain at its exit.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except KeyboardInterrupt:
            _say("Interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, FileNotFoundError, ImportError) as error:
            _say(f"Error: {_sentence(error)}")
            raise typer.Exit(WRONG_INPUT) from None
        except Exception as error:
            _say(f"Error: {_sentence(error)}")
            raise typer.Exit(FAILURE) from None

    return wrapped


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"'{error.filename}': {error.strerror}."
    text = " ".join(str(error).split())
    return text or f"{type(error).__name__} without a message."


def _say(text: str) -> None:
    print(visible(text), file=sys.stderr)
