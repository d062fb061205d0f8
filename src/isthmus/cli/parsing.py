"""Parse the values of options."""

from __future__ import annotations

import json
import math
import re
import shlex
import sys
from collections.abc import Container
from typing import Any

__all__ = [
    "comma_separated",
    "command_line",
    "parse_class_prior",
    "parse_parameters",
    "with_option_names",
]

_PYTHON_CONSTANTS = {"True": "true", "False": "false", "None": "null"}


def comma_separated(text: str) -> tuple[str, ...]:
    """Return the words between the commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def command_line() -> str:
    """The running command, for a shell."""
    return shlex.join(["isthmus", *sys.argv[1:]])


def parse_class_prior(values: list[str] | None) -> Any:
    """Return the name of a class prior, or a dict of label to proportion from LABEL=NUMBER."""
    if not values:
        return None
    names = [text.strip() for text in values if "=" not in text]
    if len(values) == 1 and names:
        return names[0]
    if names:
        raise ValueError(
            f"--class-prior {names[0]!r} cannot be combined with other values: give it alone, or "
            "one proportion per class, as in positive=0.8."
        )
    prior: dict[str, float] = {}
    for text in values:
        label, _, number = (part.strip() for part in text.rpartition("="))
        try:
            proportion = float(number)
        except ValueError:
            proportion = math.nan
        if re.search(r"=\s*[\d.]+%?\s*[,;]", text):
            raise ValueError(
                f"--class-prior {text!r} names several classes: give one --class-prior per class, "
                "as in --class-prior positive=0.8 --class-prior negative=0.2."
            )
        if 1 < proportion <= 100:
            raise ValueError(
                f"--class-prior {text!r} is more than 1: give the proportions as fractions, as in "
                f"{label}={proportion / 100:g}."
            )
        if not math.isfinite(proportion):
            raise ValueError(
                f"--class-prior {text!r} must be none, source, estimate, or a label and its "
                "proportion from 0 to 1, as in positive=0.8, once for every class."
            )
        if label in prior:
            raise ValueError(f"--class-prior names the class {label!r} twice: name it once.")
        prior[label] = proportion
    return prior


def parse_parameters(settings: list[str]) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE; a value is JSON, or otherwise text.

    True, False and None may also be spelled as in Python.
    """
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not name:
            raise ValueError(f"--set {setting!r} must be a name and a value, as in beta=2.")
        try:
            parameters[name] = json.loads(_PYTHON_CONSTANTS.get(text, text))
        except ValueError:
            parameters[name] = text
    return parameters


def with_option_names(text: str, options: Container[str] | None = None) -> str:
    """Return a message of the library with the names of options instead of parameters.

    Only these options of a command, if they are given. Messages about ``--set`` name parameters.
    """
    if text.startswith("--set "):
        return text
    return re.sub(
        r"(?<!--)\b(class_prior|max_memory|min_confidence|time_limit"
        r"|(?:effort|engine)(?==| must))\b",
        lambda name: (
            f"--{name[0].replace('_', '-')}" if options is None or name[0] in options else name[0]
        ),
        text,
    )
