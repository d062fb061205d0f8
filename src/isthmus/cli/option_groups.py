"""Commands that take their options in groups.

A group is a dataclass whose fields are options. Typer wants one parameter per option, so the
signature that it sees has the fields in place of the groups.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import OptionInfo

__all__ = ["build_groups", "expand_groups"]


def expand_groups(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a command with the fields of every group in its place."""
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if dataclasses.is_dataclass(hint):
            parameters.extend(_option_parameters(hint))
        else:
            parameters.append(
                parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
            )
    return inspect.Signature(parameters, return_annotation=None)


def build_groups(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command, with its groups built from the values of the options."""
    hints = get_type_hints(function, include_extras=True)
    return {
        name: _build(hints[name], values) if dataclasses.is_dataclass(hints[name]) else values[name]
        for name in inspect.signature(function).parameters
    }


def _option_parameters(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        hint = hints[field.name]
        if dataclasses.is_dataclass(hint):
            yield from _option_parameters(hint)
            continue
        default = inspect.Parameter.empty
        if field.default is not dataclasses.MISSING:
            default = field.default
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=_in_panel(hint, getattr(group, "PANEL", None)),
        )


def _in_panel(hint: Any, panel: str | None) -> Any:
    """Return the type of an option that the help shows in the panel of its group."""
    if get_origin(hint) is not Annotated or panel is None:
        return hint
    kind, *notes = get_args(hint)
    for place, note in enumerate(notes):
        if isinstance(note, OptionInfo) and note.rich_help_panel is None:
            notes[place] = copy.copy(note)
            notes[place].rich_help_panel = panel
    return Annotated[kind, *notes]


def _build(group: Any, values: Mapping[str, Any]) -> Any:
    hints = get_type_hints(group, include_extras=True)
    return group(
        **{
            field.name: _build(hints[field.name], values)
            if dataclasses.is_dataclass(hints[field.name])
            else values[field.name]
            for field in dataclasses.fields(group)
        }
    )
