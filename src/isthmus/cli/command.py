"""What all commands share: options in groups, interrupts, messages and exit codes.

A group is a dataclass whose fields are options. Typer wants one parameter per option, so the
signature that it sees has the fields in place of the groups.

Python raises KeyboardInterrupt wherever it is. In a finalizer or in a callback of compiled code the
exception is dropped. So the handler of Ctrl-C also sets a flag, which long work checks.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
import io
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

from isthmus.files.printable import escape_control_characters

__all__ = [
    "WRONG_INPUT",
    "comma_separated",
    "command",
    "command_line",
    "flag",
    "launched",
    "option",
    "raise_if_interrupted",
    "sentence",
    "was_interrupted",
    "with_option_names",
]

WRONG_INPUT = 2
_FAILURE, _CTRL_C, _TERMINATED = 1, 130, 143

_interrupted = False


@contextlib.contextmanager
def launched() -> Iterator[None]:
    """Run a command line in this block: no interrupt leaves a traceback or an unfinished file."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed, as by >&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character must not end the work.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGINT, _interrupt)
    # As with Ctrl-C, unfinished files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(_CTRL_C)


def _interrupt(*_: Any) -> None:
    global _interrupted
    _interrupted = True
    raise KeyboardInterrupt


def was_interrupted() -> bool:
    """Return whether Ctrl-C was pressed and no KeyboardInterrupt was raised for it since."""
    return _interrupted


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and the exception was dropped."""
    global _interrupted
    if _interrupted:
        _interrupted = False
        raise KeyboardInterrupt


def command(
    function: Callable[..., None], *, only_own_options: bool = False
) -> Callable[..., None]:
    """Make a function a command: options from its groups, and no traceback at its end.

    Errors that the user can correct (a wrong value, a missing file, extra or GPU) exit with 2,
    any other failure with 1, Ctrl-C with 130. Parameters that are dataclasses are groups of
    options. Messages name options instead of parameters, with ``only_own_options`` only those of
    this command: for programs that have others.
    """
    signature = inspect.Signature(list(_expanded(function)), return_annotation=None)
    named = signature.parameters if only_own_options else None

    @functools.wraps(function)
    def wrapped(**options: Any) -> None:
        from isthmus.kernels.dispatch import compile_setting

        try:
            compile_setting()  # a wrong setting is reported before minutes of reading
            function(**_arguments(function, inspect.signature(function).parameters, options))
            sys.stdout.flush()
        except typer.Exit:
            raise
        except BrokenPipeError:
            # The reader of the pipe has read enough; Python would report it when it exits.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except KeyboardInterrupt:
            raise _exit("Interrupted.", _CTRL_C) from None
        except Exception as error:
            # Some libraries turn an interrupt into an error of their own.
            if was_interrupted():
                raise _exit("Interrupted.", _CTRL_C) from None
            code = WRONG_INPUT if _is_correctable(error) else _FAILURE
            raise _exit(f"Error: {sentence(error, named)}", code) from None

    wrapped.__signature__ = signature  # type: ignore[attr-defined]
    wrapped.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    return wrapped


def option(
    metavar: str,
    help: str,
    *names: str,
    default: Any = None,
    panel: str | None = None,
    min: float | None = None,
    max: float | None = None,
) -> Any:
    """Declare a parameter of a command or a field of a group as an option.

    Without ``names``, the option is called like the parameter or field. With the default ``...`` it
    is required. ``panel`` is the heading in the help, by default the ``PANEL`` of the group.
    """
    settings = {"metavar": metavar, "help": help, "rich_help_panel": panel, "min": min, "max": max}
    value = dataclasses.MISSING if default is ... else default
    return dataclasses.field(default=value, metadata={"names": names, "settings": settings})


def flag(help: str, *names: str) -> Any:
    """Declare a parameter or field as an option without a value, which is False by default."""
    return option("", help, *names, default=False)


def _expanded(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command, with the fields of every group in its place."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            yield from _parameters_of(hints[name])
        elif isinstance(parameter.default, dataclasses.Field):
            yield _parameter(name, hints[name], parameter.default, None)
        else:
            yield parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)


def _parameters_of(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        if dataclasses.is_dataclass(hints[field.name]):
            yield from _parameters_of(hints[field.name])
        else:
            panel = getattr(group, "PANEL", None)
            yield _parameter(field.name, hints[field.name], field, panel)


def _parameter(
    name: str, hint: Any, field: dataclasses.Field[Any], panel: str | None
) -> inspect.Parameter:
    """Return the parameter of an option, which the help shows in this panel."""
    if "settings" in field.metadata:
        names = field.metadata["names"] or (f"--{name.replace('_', '-')}",)
        hint = Annotated[hint, typer.Option(*names, **field.metadata["settings"])]
    if get_origin(hint) is Annotated and panel is not None:
        kind, *notes = get_args(hint)
        for place, note in enumerate(notes):
            if isinstance(note, OptionInfo) and note.rich_help_panel is None:
                notes[place] = copy.copy(note)
                notes[place].rich_help_panel = panel
        hint = Annotated[kind, *notes]
    is_required = field.default is dataclasses.MISSING
    default = inspect.Parameter.empty if is_required else field.default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _arguments(target: Any, names: Iterable[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command or group, with groups built from the options' values."""
    hints = get_type_hints(target, include_extras=True)
    arguments = {}
    for name in names:
        if dataclasses.is_dataclass(hints[name]):
            group: Any = hints[name]
            fields = (field.name for field in dataclasses.fields(group))
            arguments[name] = group(**_arguments(group, fields, values))
        else:
            arguments[name] = values[name]
    return arguments


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


def with_option_names(text: str, options: Container[str] | None = None) -> str:
    """Return a message of the library with the names of options instead of parameters.

    Only these options of a command, if they are given. Messages about ``--set`` name parameters.
    """
    if text.startswith("--set "):
        return text
    return re.sub(
        r"(?<!--)\b(class_prior|max_memory|min_confidence|time_limit"
        r"|n_clusters(?==\d+ is larger)|(?:effort|engine|weighting)(?==| must))\b",
        lambda name: (
            f"--{name[0].removeprefix('n_').replace('_', '-')}"
            if options is None or name[0] in options
            else name[0]
        ),
        text,
    )


def _exit(text: str, code: int) -> typer.Exit:
    print(escape_control_characters(text), file=sys.stderr)
    return typer.Exit(code)


def command_line() -> str:
    """Return the running command as a line for a shell."""
    return shlex.join(["isthmus", *sys.argv[1:]])


def comma_separated(text: str) -> tuple[str, ...]:
    """Return the words between the commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())
