"""``isthmus methods``: the methods and their presets."""

from __future__ import annotations

from isthmus.cli.errors import command
from isthmus.cli.output_options import JsonOutput

__all__ = ["methods"]

_INDENT = "    "


@command
def methods(as_json: JsonOutput = False) -> None:
    """List the methods: name, kind, presets, title, reference and engines.

    Example: isthmus methods
    """
    from isthmus.cli.output import Console
    from isthmus.estimators.registry import METHODS

    console = Console(as_json=as_json)
    for method in METHODS.values():
        presets = f", presets: {', '.join(method.presets)}" if method.presets else ""
        console.print(f"{method.name} ({method.kind}{presets})")
        console.print(method.title, indent=_INDENT)
        console.print(method.reference, indent=_INDENT)
        console.print(f"Engines: {', '.join(method.engines)}", indent=_INDENT)
    console.print_json(
        [
            {
                "name": method.name,
                "kind": method.kind,
                "presets": list(method.presets),
                "title": method.title,
                "reference": method.reference,
                "engines": list(method.engines),
            }
            for method in METHODS.values()
        ]
    )
