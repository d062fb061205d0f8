"""Docstrings of public classes: a class inherits what its base classes document.

A parameter or fitted attribute that several methods share is described once, in the docstring of
the base class that defines it. A parameter of several functions of a class is described in the
first of them. ``help``, the documentation and the tests read complete docstrings, because a class
is completed when it is created.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_Class = TypeVar("_Class")
_TITLE = re.compile(r"^(.+)\n-{3,}\n", re.MULTILINE)


def inherit_entries(cls: type, bases: Sequence[type]) -> None:
    """Add the parameters and attributes that only base classes document to the docstring.

    The description of a class wins over those of its bases, which are given with the nearest first.
    Parameters that the constructor does not have are left out.
    """
    if not vars(cls).get("__doc__"):  # python -OO
        return
    share_entries(cls, bases)
    summary, sections = _split(cls.__doc__)
    parts = [summary]
    for title in ("Parameters", "Attributes"):
        own = _entries(sections.pop(title, ""))
        entries: dict[str, str] = {}
        for base in reversed(bases):
            entries |= _entries(_split(base.__doc__)[1].get(title, ""))
        described = {name for names in own for name in names.split(", ")}
        # An inherited entry keeps its place if the class describes it in other words.
        entries = {n: own.get(n, e) for n, e in entries.items() if n in own or n not in described}
        if title == "Parameters":
            entries = _in_signature(cls, entries | own)
        entries |= own
        if entries:
            parts.append(_section(title, "\n".join(entries.values())))
    parts += [_section(title, body) for title, body in sections.items()]
    cls.__doc__ = "\n\n".join(parts)


def share_entries(cls: type[_Class], bases: Sequence[type] = ()) -> type[_Class]:
    """Add to the docstrings of public functions of a class what they do not describe.

    Parameters and results are those of the function of the same name in the nearest base class;
    other parameters those of the last function above it in the class that describes them.
    """
    above: dict[str, str] = {}
    for name, function in vars(cls).items():
        docstring = getattr(function, "__doc__", None)
        if name.startswith("_") or not inspect.isfunction(function) or not docstring:
            continue
        if ":meta private:" in docstring:
            continue
        base = next((vars(base)[name].__doc__ for base in bases if name in vars(base)), None)
        summary, sections = _split(docstring)
        inherited = _split(base)[1]
        entries = {
            **above,
            **_entries(inherited.pop("Parameters", "")),
            **_entries(sections.pop("Parameters", "")),
        }
        own = _in_signature(function, entries)
        above |= own
        parts = [summary]
        if own:
            parts.append(_section("Parameters", "\n".join(own.values())))
        sections = {title: inherited[title] for title in inherited if title == "Returns"} | sections
        function.__doc__ = "\n\n".join([*parts, *(_section(*part) for part in sections.items())])
    return cls


def _in_signature(function: Callable[..., Any], entries: dict[str, str]) -> dict[str, str]:
    """The entries of the parameters of a function or constructor, in their order."""
    by_first_name = {names.partition(",")[0].lstrip("*"): names for names in entries}
    order = [by_first_name.get(name) for name in inspect.signature(function).parameters]
    return {names: entries[names] for names in order if names is not None}


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"


def _split(docstring: str | None) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the sections by title."""
    text, *rest = _TITLE.split(inspect.cleandoc(docstring or ""))
    bodies = (body.strip("\n") for body in rest[1::2])
    return text.strip("\n"), dict(zip(rest[::2], bodies, strict=True))


def _entries(section: str) -> dict[str, str]:
    """The entries of a section by name, or by names that are separated by commas."""
    entries = re.split(r"\n(?=\S)", section) if section else []
    return {entry.partition(" : ")[0]: entry for entry in entries}
