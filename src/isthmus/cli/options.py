"""Options that several commands share."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "STANDARD_STREAM",
    "Columns",
    "Encoding",
    "JsonOutput",
    "NoQuotes",
    "Probabilities",
    "Quiet",
    "TextColumn",
    "copied_columns",
    "with_parameters",
]

#: Standard input or output in the place of a file.
STANDARD_STREAM = "-"

Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Print nothing but errors.")]
JsonOutput = Annotated[
    bool,
    typer.Option("--json", metavar="", help="Print the summary as one JSON object."),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text-col", metavar="NAME", help="Column with the text; guessed from its name by default."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Encoding of the input, such as latin-1; UTF-8 by default."),
]
NoQuotes = Annotated[
    bool,
    typer.Option(
        "--no-quotes", metavar="", help="Take quote characters as text (some tab-separated files)."
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Input columns to copy to the output, separated by commas, or 'none'; all by default.",
    ),
]
Probabilities = Annotated[
    bool,
    typer.Option(
        "--probabilities", metavar="", help="Add a column with the membership in every class."
    ),
]


_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


def copied_columns(wanted: str | None, columns: tuple[str, ...], path: Path) -> list[str]:
    """The columns of a file that go to the output."""
    if wanted is None:
        return list(columns)
    if wanted.strip().lower() == "none":
        return []
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"--columns names '{name}' twice: once is enough.")
        if name not in columns:
            raise ValueError(
                f"There is no column '{name}' in '{path}' to copy: it has {', '.join(columns)}."
            )
    return names


def read_class_prior(given: list[str] | None) -> Any:
    """One word, or a dict of shares given as LABEL=SHARE."""
    if not given:
        return None
    words = [text.strip() for text in given if "=" not in text]
    if len(given) == 1 and words:
        return words[0]
    if words:
        raise ValueError(
            f"--class-prior {words[0]!r} stands alone or not at all: shares are given as in "
            "positive=0.8, once for every class."
        )
    shares: dict[str, float] = {}
    for text in given:
        label, equals, share = (part.strip() for part in text.rpartition("="))
        try:
            value = float(share)
        except ValueError:
            value = math.nan
        if not equals or not math.isfinite(value):
            raise ValueError(
                f"--class-prior {text!r} must be none, source, estimate, or a label and its share "
                "from 0 to 1, as in positive=0.8, once for every class."
            )
        if label in shares:
            raise ValueError(f"--class-prior names the class {label!r} twice: once is enough.")
        shares[label] = value
    return shares


def with_parameters(estimator: Any, parameters: list[str]) -> Any:
    """The estimator with parameters given as NAME=VALUE; a value is JSON, or else text.

    True, False and None may be spelt as in Python too.
    """
    values: dict[str, Any] = {}
    for parameter in parameters:
        name, equals, text = (part.strip() for part in parameter.partition("="))
        if not equals or not name:
            raise ValueError(f"--set {parameter!r} must be a name and a value, as in beta=2.")
        try:
            values[name] = json.loads(_PYTHON_WORDS.get(text, text))
        except ValueError:
            values[name] = text
    known = estimator.get_params(deep=False)
    for name in values:
        if name not in known:
            raise ValueError(
                f"--set {name}: {type(estimator).__name__} has no such parameter, it has "
                f"{', '.join(known)}."
            )
    return estimator.set_params(**values)
