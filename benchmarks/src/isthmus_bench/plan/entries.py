"""Entries: the methods of a suite with their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from isthmus.text.weighting import WEIGHTINGS
from isthmus_bench.documents.corpora import find_corpus
from isthmus_bench.documents.tasks import BenchmarkTask
from isthmus_bench.fields import Fields, Flag, Names, Seeds, require
from isthmus_bench.peers.registry import COMPETITORS, LABORATORY, PEERS, is_peer
from isthmus_bench.plan.measures import MEASURES, missing_for_measure
from isthmus_bench.plan.metrics import SCORERS

__all__ = ["EMBEDDINGS", "Entry", "OtherMethods", "Sweep", "value_text"]

EMBEDDINGS = "sentence-embeddings"
"""The weighting of entries whose input is one vector per text."""
PEER_TIME_LIMIT = 300.0

TimeLimit = Annotated[float, Field(strict=True, gt=0, le=86400)]
Problems = Literal["all", "named"]
SecondView = Literal["characters"]

_SET_BY_THE_RUNNER = ("random_state", "missing_label")


def value_text(value: float) -> str:
    """A number with all its digits, without ``.0``."""
    return repr(value).removesuffix(".0")


class Sweep(Fields):
    """The values of a parameter, each of which becomes an entry."""

    parameter: str
    values: Annotated[tuple[Any, ...], Field(min_length=1)]

    @field_validator("values")
    @classmethod
    def _check(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        # Integers stay integers: many parameters are counts.
        finite = all(type(v) in (int, float) and abs(v) < float("inf") for v in values)
        require(finite, "the values must be finite numbers")
        require(len(set(values)) == len(values), "a value is listed twice: remove one")
        return values


class Entry(Fields):
    """A row of the report: a method with its parameters and the weighting of its input.

    ``docs/benchmarks/suites.md`` describes the fields. With ``known_class_prior`` the method gets
    the true class proportions of the scored documents as its ``class_prior``: an oracle. With
    ``second_view`` it gets a second matrix for the same rows if the corpus has texts. In a suite
    file, an entry with a ``sweep`` stands for one entry per value; see :meth:`expand`.
    """

    id: str
    label: str
    method: str
    weighting: str
    preset: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    second_view: SecondView | None = None
    paper: str | None = None
    known_class_prior: Flag = False
    problems: Problems = "all"
    time_limit: TimeLimit | None = None
    seeds: Seeds = ()
    ranked: Flag = False
    sets: Names = ()
    measures: Names = ()
    sweep: Sweep | None = None

    def __hash__(self) -> int:
        return hash((self.id, self.method))

    @field_validator("method")
    @classmethod
    def _check_method(cls, name: str) -> str:
        known = [n for n, method in COMPETITORS.items() if method.kind in SCORERS]
        require(name in known, f"'{name}' cannot be scored: choose from {', '.join(known)}")
        return name

    @field_validator("weighting")
    @classmethod
    def _check_weighting(cls, name: str) -> str:
        known = (*WEIGHTINGS, EMBEDDINGS)
        require(name in known, f"'{name}' is unknown: choose from {', '.join(known)}")
        return name

    @field_validator("measures")
    @classmethod
    def _check_measures(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            require(name in MEASURES, f"'{name}' is unknown: choose from {', '.join(MEASURES)}")
        return names

    @model_validator(mode="after")
    def _check(self) -> Self:
        method = COMPETITORS[self.method]
        require(
            self.preset in (None, *method.presets),
            f"'{self.method}' has no preset '{self.preset}': "
            f"it has {', '.join(method.presets) or 'none'}",
        )
        known = [
            name
            for name in method.estimator_class().get_params(deep=False)
            if name not in _SET_BY_THE_RUNNER
        ]
        swept = [self.sweep.parameter] if self.sweep is not None else []
        for name in (*self.params, *swept):
            require(name not in _SET_BY_THE_RUNNER, f"the runner sets '{name}': remove it")
            require(
                name in known, f"'{self.method}' has no parameter '{name}': use {', '.join(known)}"
            )
        for name in swept:
            require(name not in self.params, f"'{name}' is in 'params' and in 'sweep': remove one")
        if self.known_class_prior:
            require("class_prior" in known, f"'{self.method}' has no parameter 'class_prior'")
            require(
                "class_prior" not in self.params,
                "'known_class_prior' and the parameter 'class_prior' cannot be combined",
            )
        require(
            self.second_view is None or _accepts_second_view(method.estimator_class),
            f"'{self.method}' does not use a second matrix: remove 'second_view'",
        )
        needed = getattr(method, "input", None)
        require(needed in (None, self.weighting), f"'{self.method}' needs the weighting '{needed}'")
        for entry in self.expand():
            built = method.build(entry.preset, **entry.params)
            # Peers check their parameters in a fit only.
            if hasattr(built, "_check_parameters"):
                built._check_parameters()
        if self.measures:
            built = method.build(self.preset, **self.params)
            for measure in self.measures:
                reason = missing_for_measure(measure, self.method, built)
                require(
                    reason is None,
                    f"the measure '{measure}' is not for '{self.method}', because {reason}: "
                    "remove it",
                )
        return self

    def expand(self) -> tuple[Entry, ...]:
        """The entries that it stands for: itself, or one per value of its sweep.

        Those of a sweep have ids such as ``cdsc@lam=0.05``.
        """
        entry = self
        if self.known_class_prior:
            entry = self.model_copy(update={"label": f"{self.label} (oracle)"})
        if self.sweep is None:
            return (entry,)
        name = self.sweep.parameter
        return tuple(
            entry.model_copy(
                update={
                    "id": f"{entry.id}@{name}={value_text(value)}",
                    "label": f"{entry.label}, {name} {value_text(value)}",
                    "params": {**entry.params, name: value},
                }
            )
            for value in self.sweep.values
        )

    @property
    def sweep_value(self) -> Any:
        """The value of the swept parameter; None without a sweep."""
        return None if self.sweep is None else self.params[self.sweep.parameter]

    @property
    def family_id(self) -> str:
        """The id that is common to all values of a sweep, or the id."""
        return self.id if self.sweep is None else self.id.rpartition("@")[0]

    @property
    def family_label(self) -> str:
        """The label that is common to all values of a sweep, or the label."""
        if self.sweep is None:
            return self.label
        return self.label.removesuffix(f", {self.sweep.parameter} {value_text(self.sweep_value)}")

    @property
    def names(self) -> tuple[str, ...]:
        """What selects it on the command line: its id, that of its sweep, or its method."""
        return (self.id, self.family_id, self.method)

    @property
    def is_default(self) -> bool:
        """Whether it is its method with the default parameters."""
        return self.preset is None and not self.params and not self.known_class_prior

    @property
    def represents_method(self) -> bool:
        """Whether it counts in the ranks of methods."""
        return self.ranked or (self.is_default and self.method not in LABORATORY)

    @property
    def is_named_only(self) -> bool:
        """Whether it runs on the named problems only."""
        return self.problems == "named"

    @property
    def is_peer(self) -> bool:
        """Whether it comes from another library."""
        return is_peer(self.method)

    @property
    def seconds_allowed(self) -> float | None:
        """The time limit of a fit; peers always have one."""
        return PEER_TIME_LIMIT if self.time_limit is None and self.is_peer else self.time_limit

    def runs_on(self, task: BenchmarkTask) -> bool:
        """Whether it runs on a problem."""
        if self.weighting == EMBEDDINGS and (
            task.vocabulary is not None or task.pools or not find_corpus(task.corpus).has_texts
        ):
            return False
        if self.sets and task.set_name not in self.sets:
            return False
        return task.named or not self.is_named_only


class OtherMethods(Fields):
    """The table ``rest``: an entry for every classifier that has none with its defaults yet."""

    weighting: str
    problems: Problems = "all"
    time_limit: TimeLimit | None = None
    without: Names = ()

    @field_validator("weighting")
    @classmethod
    def _check_weighting(cls, name: str) -> str:
        require(name in WEIGHTINGS, f"'{name}' is unknown: choose from {', '.join(WEIGHTINGS)}")
        return name

    @field_validator("without")
    @classmethod
    def _check_without(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            known = ", ".join(_classifiers())
            require(name in _classifiers(), f"'{name}' is not a classifier: choose from {known}")
        return names

    def expand(self, entries: Sequence[Entry], tasks: Sequence[BenchmarkTask]) -> tuple[Entry, ...]:
        """Entries for the methods in the order of the registry, then for peers."""
        present = {entry.method for entry in entries if entry.is_default} | {*self.without}
        taken = {entry.id for entry in entries}
        others = [
            Entry(
                id=f"{name}-default" if name in taken else name,
                label=COMPETITORS[name].short,
                method=name,
                weighting=(PEERS[name].input if name in PEERS else None) or self.weighting,
                problems=self.problems,
                time_limit=self.time_limit,
                second_view=_default_second_view(name),
            )
            for name in _classifiers()
            if name not in present
        ]
        # A suite without a named problem is refused, not left without these entries.
        return tuple(e for e in others if e.is_named_only or any(map(e.runs_on, tasks)))


def _classifiers() -> list[str]:
    return [
        name
        for name, method in COMPETITORS.items()
        if method.kind == "classifier" and name not in LABORATORY
    ]


def _accepts_second_view(estimator_class: Any) -> bool:
    """Whether ``fit`` has the argument ``second_view``."""
    return "second_view" in inspect.signature(estimator_class.fit).parameters


def _default_second_view(name: str) -> SecondView | None:
    """The second matrix that a method uses with its default parameters."""
    return "characters" if getattr(COMPETITORS[name].build(), "uses_characters", False) else None
