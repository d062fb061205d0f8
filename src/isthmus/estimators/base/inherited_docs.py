"""Docstrings of estimators: a class inherits what its base classes document.

A parameter or fitted attribute that several methods share is described once, in the docstring of
the base class that defines it. ``help``, the documentation and the tests read complete docstrings,
because a class is completed when it is created.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence

__all__ = ["inherit_entries"]

_TITLE = re.compile(r"^(.+)\n-{3,}\n", re.MULTILINE)
_COMPLETED = ("Parameters", "Attributes")


def inherit_entries(cls: type, bases: Sequence[type]) -> None:
    """Add the parameters and attributes that only base classes document to the docstring.

    The description of a class wins over those of its bases, which are given with the nearest first.
    Parameters that the constructor does not have are left out.
    """
    if not vars(cls).get("__doc__"):  # python -OO
        return
    summary, sections = _split(cls.__doc__)
    parts = [summary]
    inherited = [_split(base.__doc__)[1] for base in reversed(bases)]
    for title in _COMPLETED:
        own = _entries(sections.pop(title, ""))
        described = {name for names in own for name in names.split(", ")}
        entries: dict[str, str] = {}
        for known in inherited:
            entries |= _entries(known.get(title, ""))
        # An inherited entry keeps its place if the class describes it in other words.
        entries = {n: own.get(n, e) for n, e in entries.items() if n in own or n not in described}
        entries |= own
        if title == "Parameters":
            first = {names: names.partition(",")[0] for names in entries}
            places = {name: i for i, name in enumerate(inspect.signature(cls).parameters)}
            known = sorted(
                (n for n in entries if first[n] in places), key=lambda n: places[first[n]]
            )
            entries = {names: entries[names] for names in known} | own
        if entries:
            parts.append(_section(title, "\n".join(entries.values())))
    parts += [_section(title, body) for title, body in sections.items()]
    cls.__doc__ = "\n\n".join(parts)


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
