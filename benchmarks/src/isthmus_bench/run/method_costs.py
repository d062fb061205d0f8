"""Seconds and memory of every method by number of documents, and the file that stores them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isthmus.estimators.registry import METHODS
from isthmus_bench.run.results import Record, ResultFile
from isthmus_bench.run.worker import NOT_TRIED

__all__ = ["COST_FILE", "Cost", "CostEntry", "Costs", "Outcome", "collect_costs", "cost_entries",
           "read_costs"]  # fmt: skip

COST_FILE = "method_cost.jsonl"
"""Its name in the folder of results. Names of suites have no underscore."""
WEIGHTING = "log-tfidf"
Outcome = Literal["measured", "exceeded", "not tried", "failed"]

_EFFORTS = ("fast", "normal")
_LARGEST_FILE = 16_000_000
# Larger numbers are not results, and a plot could not show them.
_MOST_DOCUMENTS = 10**10
_MOST_SECONDS = 1e8
_MOST_BYTES = 1e15


@dataclass(frozen=True)
class CostEntry:
    """A line of the plot: a method with its default parameters, or the efforts of auto."""

    id: str
    label: str
    method: str
    family: str
    revision: int
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def setup(self) -> dict[str, Any]:
        """What identifies the entry in a record."""
        names = {"method": self.method, "params": dict(self.parameters)}
        return {**names, "revision": self.revision, "weighting": WEIGHTING}


def cost_entries(methods: Sequence[str] = ()) -> list[CostEntry]:
    """All classifiers in the order of the registry, or those of some methods."""
    entries = []
    for method in METHODS.values():
        if method.kind != "classifier" or (methods and method.name not in methods):
            continue
        common = (method.name, method.family.replace("_", "-"), method.revision)
        if method.name == "auto":
            entries += [
                CostEntry(f"auto-{effort}", f"Auto ({effort})", *common, (("effort", effort),))
                for effort in _EFFORTS
            ]
        else:
            entries.append(CostEntry(method.name, method.short, *common))
    return entries


@dataclass(frozen=True)
class Cost:
    """The cost of one fit.

    ``seconds`` is None unless the fit was measured; ``growth`` of the memory, in bytes, also where
    the system does not tell it. ``time_limit`` is the one that was exceeded, or that a fit was
    expected to exceed.
    """

    entry: CostEntry
    documents: int
    outcome: Outcome
    seconds: float | None = None
    growth: float | None = None
    time_limit: float | None = None


@dataclass(frozen=True)
class Costs:
    """Costs that were measured on one machine on documents of one kind."""

    machine: str
    terms: int
    words: int
    versions: tuple[str, ...]
    costs: tuple[Cost, ...]

    @property
    def sizes(self) -> list[int]:
        """The numbers of documents, ascending."""
        return sorted({cost.documents for cost in self.costs})

    def by_entry(self) -> dict[CostEntry, dict[int, Cost]]:
        """The costs of every entry by the number of documents, in the order of the registry."""
        found: dict[CostEntry, dict[int, Cost]] = {}
        order = {entry: place for place, entry in enumerate(cost_entries())}
        for cost in sorted(self.costs, key=lambda c: (order[c.entry], c.documents)):
            found.setdefault(cost.entry, {})[cost.documents] = cost
        return found


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Documents(_Checked):
    """The field ``problem`` of a record; those of one plot differ in ``documents`` only."""

    documents: Annotated[int, Field(ge=1, le=_MOST_DOCUMENTS)]
    terms: Annotated[int, Field(ge=1, le=_MOST_DOCUMENTS)]
    words: Annotated[int, Field(ge=1, le=_MOST_DOCUMENTS)]
    machine: Annotated[str, Field(pattern=r"^[A-Za-z0-9_ ,.()-]{1,200}$")]


class _Version(_Checked):
    text: Annotated[str, Field(pattern=r"^[A-Za-z0-9_ ,.+!-]{1,300}$")]


class _CostFields(_Checked):
    problem: _Documents
    error: str | None = None
    seconds: Annotated[float, Field(gt=0, le=_MOST_SECONDS)] | None = None
    memory: Annotated[float, Field(le=_MOST_BYTES, allow_inf_nan=False)] | None = None
    time_limit: Annotated[float, Field(gt=0, le=_MOST_SECONDS)] | None = None


def read_costs(path: Path) -> Costs | None:
    """The costs that a file holds for the current revisions of the methods; None without any.

    Results of several machines or kinds of documents do not mix: those of the machine with the most
    results are returned.
    """
    if not path.exists():
        return None
    if path.stat().st_size > _LARGEST_FILE:
        raise ValueError(
            f"'{path}' is larger than {_LARGEST_FILE // 10**6} MB, so it does not hold results: "
            "name another folder with --results."
        )
    try:
        return collect_costs(ResultFile(path).read())
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(
            f"'{path}' has a result whose field '{place}' is not valid: delete the file and repeat "
            "'isthmus-bench speed --only methods'."
        ) from error


def collect_costs(records: Mapping[str, Record]) -> Costs | None:
    """The same, of records by key."""
    entries = {entry.id: entry for entry in cost_entries()}
    groups: dict[tuple[str, int, int], list[Cost]] = {}
    versions: dict[tuple[str, int, int], Counter[str]] = {}
    for record in records.values():
        entry = entries.get(record["entry"])
        if entry is None or record["setup"] != entry.setup:
            continue
        fields = _CostFields.model_validate(record)
        of = fields.problem
        group = (of.machine, of.terms, of.words)
        groups.setdefault(group, []).append(_cost(entry, fields))
        versions.setdefault(group, Counter())[_version_text(record["versions"])] += 1
    if not groups:
        return None
    best = max(groups, key=lambda group: len(groups[group]))
    texts = tuple(text for text, _ in versions[best].most_common())
    return Costs(*best, texts, tuple(groups[best]))


def _cost(entry: CostEntry, fields: _CostFields) -> Cost:
    count = fields.problem.documents
    if fields.error is None and fields.seconds is not None:
        return Cost(entry, count, "measured", fields.seconds, fields.memory)
    error = fields.error or ""
    if error.startswith(NOT_TRIED):
        return Cost(entry, count, "not tried", time_limit=fields.time_limit)
    outcome: Outcome = "failed" if fields.time_limit is None else "exceeded"
    return Cost(entry, count, outcome, time_limit=fields.time_limit)


def _version_text(versions: Mapping[str, str]) -> str:
    text = ", ".join(f"{name} {number}" for name, number in sorted(versions.items()))
    return _Version.model_validate({"text": text}).text
