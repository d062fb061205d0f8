"""Types of the fields of a suite file, and validation errors as one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WrapValidator,
)  # fmt: skip

__all__ = [
    "Count", "Fields", "Flag", "Mean", "NameOrNames", "Names", "Number", "PaperRow", "Seeds",
    "Share", "Text", "explain", "repeated", "require",
]  # fmt: skip


class Fields(BaseModel):
    """A table of a suite file; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def require(condition: object, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def repeated(names: Iterable[Any]) -> list[Any]:
    """The values that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = repeated(names)
    require(not twice, f"'{twice[0] if twice else ''}' is listed twice: remove one of them")
    return names


class Mean(float):
    """A mean with its standard deviation; calculations use the mean alone."""

    deviation: float

    def __new__(cls, value: float, deviation: float) -> Mean:
        """Make one of two numbers."""
        mean = super().__new__(cls, value)
        mean.deviation = deviation
        return mean

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        """The arguments that a copy in another process is made of."""
        return float(self), self.deviation


def _read_mean(value: Any, check: Callable[[Any], float]) -> float:
    if not isinstance(value, list):
        return check(value)
    require(len(value) == 2, "give a number, or a list of the mean and the standard deviation")
    mean, deviation = map(check, value)
    require(deviation >= 0, f"the standard deviation {deviation:g} is negative")
    return Mean(mean, deviation)


Count = Annotated[int, Field(strict=True, ge=1)]
Flag = Annotated[bool, Field(strict=True)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, gt=0, le=1)]
Names = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_unique)]
NameOrNames = Annotated[Names, BeforeValidator(lambda v: [v] if isinstance(v, str) else v)]
Seeds = Annotated[
    tuple[Annotated[int, Field(strict=True, ge=0)], ...],
    Field(min_length=1),
    AfterValidator(lambda seeds: tuple(dict.fromkeys(seeds))),
]
Text = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
"""A paragraph, whose line breaks do not count."""
PaperRow = dict[str, Annotated[Number, WrapValidator(_read_mean)]]
"""The number of each of a paper's columns, in the unit of the metric; some are a :class:`Mean`."""


def explain(error: ValidationError, data: Any, where: str) -> str:
    """The first problem of a suite as one sentence: the file, the place, what to do."""
    problem, *others = error.errors(include_url=False)
    place: list[str] = []
    value = data
    for part in problem["loc"]:
        value = _item(value, part)
        if isinstance(part, int) and place:
            place[-1] += f" {_name(value, part)}"
        else:
            place.append(str(part))
    # A misspelled name is often the reason why another field is missing.
    parent = problem["loc"][:-1]
    unknown = [
        f"'{other['loc'][-1]}'"
        for other in others
        if other["type"] == "extra_forbidden" != problem["type"] and other["loc"][:-1] == parent
    ]
    remark = f" (unknown fields: {', '.join(unknown)})" if unknown else ""
    return f"{', '.join([where, *place])}: {_message(problem)}{remark}."


def _item(value: Any, part: str | int) -> Any:
    try:
        return value[part]
    except (KeyError, IndexError, TypeError):
        return None


def _name(value: Any, number: int) -> str:
    """A table by its id, name or title, anything else by its number, from 1 on."""
    for key in ("id", "name", "title"):
        if isinstance(value, dict) and isinstance(value.get(key), str):
            return f"'{value[key]}'"
    return str(number + 1)


# What TOML calls the types of Python.
_KINDS = {"tuple_type": "a list", "dict_type": "a table", "model_type": "a table"}


def _message(problem: Any) -> str:
    match problem["type"]:
        case "value_error":
            return str(problem["ctx"]["error"]).removesuffix(".")
        case "missing":
            return "this field is missing: add it"
        case "extra_forbidden":
            return "there is no such field: correct its name or remove it"
        case "string_pattern_mismatch":
            return f"{problem['input']!r} does not match the pattern {problem['ctx']['pattern']}"
        case "too_short":
            return f"this must have {problem['ctx']['min_length']} or more values"
    text = problem["msg"].removeprefix("Input should ").removesuffix(".")
    text = f"be {_KINDS[problem['type']]}" if problem["type"] in _KINDS else text
    given = problem["input"]
    shown = "" if isinstance(given, dict | list | tuple) else f", not {given!r}"
    return f"this must {text[0].lower()}{text[1:]}{shown}"
