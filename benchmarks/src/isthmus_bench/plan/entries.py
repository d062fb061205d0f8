"""Entries: the methods of a suite with their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

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
TrainedOn = Literal["all", "target", "source folds", "target folds"]

_ORACLE = " (oracle)"
_SET_BY_THE_RUNNER = ("random_state", "missing_label")


def value_text(value: float | str) -> str:
    """A number with all its digits, without ``.0``; a text as it is."""
    return value if isinstance(value, str) else repr(value).removesuffix(".0")


def _check_values(values: tuple[Any, ...]) -> tuple[Any, ...]:
    # Integers stay integers: many parameters are counts.
    numbers = [value for value in values if not isinstance(value, str)]
    finite = all(type(v) in (int, float) and abs(v) < float("inf") for v in numbers)
    require(finite, "the values must be finite numbers or texts")
    require(len(set(values)) == len(values), "a value is listed twice: remove one")
    return values


Values = Annotated[tuple[Any, ...], Field(min_length=1), AfterValidator(_check_values)]


class Sweep(Fields):
    """The values of a parameter, each of which becomes an entry."""

    parameter: str
    values: Values

    @field_validator("values")
    @classmethod
    def _check(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        texts = any(isinstance(value, str) for value in values)
        require(not texts, "the values must be finite numbers: they are places on an axis")
        return values


class Entry(Fields):
    """A row of the report: a method with its parameters and the weighting of its input.

    ``docs/benchmarks/suites.md`` describes the fields. With ``known_class_prior`` the method gets
    the true class proportions of the scored documents as its ``class_prior``: an oracle. With
    ``second_view`` it gets a second matrix for the same rows if the corpus has texts.

    In a suite file, an entry with a ``sweep`` stands for one entry per value; see :meth:`expand`.
    An entry with a ``grid`` is run with every combination of its values, and the report has one row
    with the best of them by the true labels; see :meth:`settings`. ``trained_on`` says which
    documents take part instead of all: those of the target, or the folds of one side.
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
    ranked: Flag | None = None
    sets: Names = ()
    measures: Names = ()
    sweep: Sweep | None = None
    grid: dict[str, Values] = Field(default_factory=dict)
    trained_on: TrainedOn = "all"

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
        require(
            self.sweep is None or not self.grid,
            "'sweep' and 'grid' cannot be combined: remove one",
        )
        for name in (*self.params, *self._tried):
            require(name not in _SET_BY_THE_RUNNER, f"the runner sets '{name}': remove it")
            require(
                name in known, f"'{self.method}' has no parameter '{name}': use {', '.join(known)}"
            )
        for name in self._tried:
            place = f"'{name}' is in 'params' and in '{'grid' if self.grid else 'sweep'}'"
            require(name not in self.params, f"{place}: remove one")
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
        self._check_training(method.kind)
        needed = getattr(method, "input", None)
        require(needed in (None, self.weighting), f"'{self.method}' needs the weighting '{needed}'")
        for entry in self._variants() if self._tried else [self]:
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

    def _check_training(self, kind: str) -> None:
        """Raise ValueError if 'grid' or 'trained_on' does not go with other fields."""
        require(
            self.trained_on == "all" or kind == "classifier",
            "'trained_on' is for classifiers: remove it",
        )
        for field in ("ranked", "measures", "known_class_prior"):
            require(
                self.competes or not getattr(self, field),
                f"'{field}' is not for an entry with 'grid' or 'trained_on': remove it",
            )

    def expand(self) -> tuple[Entry, ...]:
        """The rows of the report that it stands for: itself, or one per value of its sweep.

        Those of a sweep have ids such as ``cdsc@lam=0.05``.
        """
        label = self.label
        if self.grid:
            label += f", best of {prod(map(len, self.grid.values()))} settings"
        if self.known_class_prior or self.grid or self.trained_on == "target folds":
            label = f"{label.removesuffix(_ORACLE)}{_ORACLE}"
        entry = self.model_copy(update={"label": label})
        return (entry,) if self.sweep is None else entry._variants()

    def settings(self) -> tuple[Entry, ...]:
        """The entries that are run for it: itself, or one per combination of its grid.

        Those of a grid have ids such as ``lssmtc@lam=0.5,n_subspace=4``.
        """
        return self._variants() if self.grid else (self,)

    @property
    def _tried(self) -> dict[str, Values]:
        """The values of its sweep or of its grid by parameter."""
        return self.grid if self.sweep is None else {self.sweep.parameter: self.sweep.values}

    def _variants(self) -> tuple[Entry, ...]:
        """A copy for each combination of these values, in the order of the parameters' names."""
        named = [[(name, value) for value in self._tried[name]] for name in sorted(self._tried)]
        variants = []
        for combination in product(*named):
            texts = [(name, value_text(value)) for name, value in combination]
            changes = {
                "id": f"{self.id}@{','.join(f'{name}={text}' for name, text in texts)}",
                "label": ", ".join([self.label, *(f"{name} {text}" for name, text in texts)]),
                "params": {**self.params, **dict(combination)},
                "grid": {},
            }
            variants.append(self.model_copy(update=changes))
        return tuple(variants)

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
        plain = self.preset is None and not self.params
        return plain and self.competes and not self.known_class_prior

    @property
    def competes(self) -> bool:
        """Whether it is trained and scored as all others, with parameters chosen before."""
        return not self.grid and self.trained_on == "all"

    @property
    def represents_method(self) -> bool:
        """Whether it counts in the ranks of methods; by default if it has default parameters."""
        is_counted = self.is_default and self.method not in LABORATORY
        return is_counted if self.ranked is None else self.ranked

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
        if self.trained_on == "target" and not task.labeled_target:
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
