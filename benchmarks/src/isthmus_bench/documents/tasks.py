"""Tasks: which documents of a corpus make up one transfer problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from isthmus_bench.fields import (
    Count,
    Fields,
    Flag,
    Names,
    PaperRow,
    Seeds,
    Share,
    repeated,
    require,
)

__all__ = [
    "SPLITS", "VOCABULARIES", "BenchmarkTask", "Selection", "Split", "group_uses", "split_parts",
]  # fmt: skip

Split = Literal["development", "evidence"]
SPLITS: tuple[Split, ...] = ("development", "evidence")
VOCABULARIES = ("dictionary", "identical")
"""What maps the words of two languages: a dictionary, or only identical strings."""

Selection = Annotated[dict[str, Names], Field(min_length=1)]
"""The groups of documents of each class."""
_CLUSTERING = ("name", "split", "corpus", "sample", "seeds", "paper", "named", "tasks", "scored")


class BenchmarkTask(Fields):
    """One problem of a suite: which groups of a corpus are the classes of which domain.

    ``docs/benchmarks/suites.md`` describes the fields. ``sources`` and ``targets`` have the groups
    of each class, one dict per domain; a problem for clusterers has no sources.
    ``labeled_source`` and ``labeled_target`` are the fractions of documents whose label a method
    sees. The documents of ``source_pools`` and ``target_pools`` have no class: they take part in a
    fit and are never scored. ``paper`` has the paper's numbers by metric and column.
    """

    name: str
    split: Split
    corpus: str = ""
    set_name: str = ""
    sources: tuple[Selection, ...] = ()
    targets: Annotated[tuple[Selection, ...], Field(min_length=1)]
    labeled_source: Share = 1.0
    labeled_target: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.0
    vocabulary: Literal["dictionary", "identical"] | None = None
    keep_target: dict[str, Share] = Field(default_factory=dict)
    sample: Count | None = None
    sample_source: Count | None = None
    seeds: Seeds = ()
    scored: Count | None = None
    source_pools: tuple[tuple[str, ...], ...] = ()
    target_pools: tuple[tuple[str, ...], ...] = ()
    folds: Annotated[int, Field(strict=True, ge=2)] | None = None
    new_documents: Flag = False
    named: Flag = False
    paper: dict[str, PaperRow] = Field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.corpus, self.set_name, self.name))

    @model_validator(mode="before")
    @classmethod
    def _read_domains(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = dict(data)
        if "tasks" in fields:
            others = [name for name in fields if name not in _CLUSTERING]
            require(not others, f"'{[*others, ''][0]}' has no meaning beside 'tasks': remove it")
            fields["targets"] = fields.pop("tasks")
            return fields
        for one in ("source", "target", "source_pool", "target_pool"):
            if one in fields:
                require(f"{one}s" not in fields, f"give either '{one}' or '{one}s', not both")
                fields[f"{one}s"] = [fields.pop(one)]
        for side in ("source", "target"):
            require(fields.get(f"{side}s"), f"give '{side}', a table, or '{side}s', several")
        return fields

    @field_validator("keep_target")
    @classmethod
    def _drop_whole_classes(cls, shares: dict[str, float]) -> dict[str, float]:
        # A class that stays whole needs no draw: written or not, it is the same problem.
        return {name: share for name, share in shares.items() if share < 1}

    @field_validator("source_pools", "target_pools")
    @classmethod
    def _drop_empty_pools(cls, pools: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return pools if any(pools) else ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        require(len(self.classes) > 1, "name two or more classes")
        present = {name for part in self.targets for name in part}
        for name in sorted(present - {*self.classes}):
            raise ValueError(f"a target has the class '{name}' that no source has")
        for name in sorted(self.keep_target.keys() - present):
            raise ValueError(f"'keep_target' has the class '{name}' that no target has")
        require(
            self.scored is None or (self.is_clustering and self.scored <= len(self.targets)),
            f"'scored' must be the number of one of the {len(self.targets)} 'tasks', from 1 on",
        )
        for pools, domains in ((self.source_pools, "sources"), (self.target_pools, "targets")):
            count = len(getattr(self, domains))
            require(
                len(pools) in (0, count),
                f"give one pool for each of the {count} {domains}, [] for one without a pool",
            )
        # A document in two domains would show a method the labels that it is scored on.
        pooled = [group for groups in self.pools.values() for group in groups]
        twice = repeated([*group_uses(self.sources + self.targets), *pooled])
        require(not twice, f"the group '{[*twice, ''][0]}' is named more than once")
        self._exclude({"sample": self.sample, "keep_target": self.keep_target})
        drawn = {"sample_source": self.sample_source, "sample": self.sample}
        for name, value in {**drawn, "keep_target": self.keep_target}.items():
            self._exclude({"folds": self.folds, name: value})
        self._exclude({"new_documents": self.new_documents, "labeled_target": self.labeled_target})
        for name in ("folds", "new_documents", "source_pools", "target_pools"):
            self._exclude({"vocabulary": self.vocabulary, name: getattr(self, name)})
        require(
            not self.new_documents or (self.target_pools and all(self.target_pools)),
            "'new_documents' leaves the target out of the fit: every target needs a 'target_pool'",
        )
        return self

    @staticmethod
    def _exclude(fields: dict[str, Any]) -> None:
        one, other = fields
        require(not all(fields.values()), f"'{one}' and '{other}' cannot be combined: remove one")

    @property
    def domains(self) -> dict[int, dict[str, tuple[str, ...]]]:
        """Selections by the number of their domain: sources 0, 1, ..., targets -1, -2, ..."""
        return dict(enumerate(self.sources)) | {-1 - i: part for i, part in enumerate(self.targets)}

    @property
    def pools(self) -> dict[int, tuple[str, ...]]:
        """Groups of the pools by the number of their domain."""
        sources = dict(enumerate(self.source_pools))
        return sources | {-1 - i: groups for i, groups in enumerate(self.target_pools)}

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names in the order of the sources, or of the targets if there are none."""
        return tuple(dict.fromkeys(n for part in self.sources or self.targets for n in part))

    @property
    def is_clustering(self) -> bool:
        """Whether no document shows its label, so that only a clusterer can solve it."""
        return not self.sources

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups that the task uses, sorted."""
        pooled = [group for groups in self.pools.values() for group in groups]
        return tuple(sorted({*group_uses(self.sources + self.targets), *pooled}))

    @property
    def is_random(self) -> bool:
        """Whether documents or labels are drawn, so that every method runs once per seed."""
        return self.draws_labels or self.draws_rows

    @property
    def draws_labels(self) -> bool:
        """Whether the documents that show their label are drawn."""
        return self.labeled_source < 1 or self.labeled_target > 0

    @property
    def draws_scored(self) -> bool:
        """Whether every seed scores other documents (folds are parts of one whole)."""
        return self.sample is not None or bool(self.keep_target) or self.labeled_target > 0

    @property
    def draws_rows(self) -> bool:
        """Whether the documents of the problem are drawn."""
        sizes = (self.sample, self.sample_source, self.folds)
        return bool(self.keep_target) or any(size is not None for size in sizes)

    def sample_of(self, number: int) -> int | None:
        """Number of documents of every class of a domain; None for all."""
        if number < 0 or self.sample_source is None:
            return self.sample
        return self.sample_source


def group_uses(selections: tuple[Selection, ...]) -> list[str]:
    """The groups of selections, each as often as it occurs."""
    return [group for part in selections for groups in part.values() for group in groups]


def split_parts(tasks: Sequence[BenchmarkTask]) -> dict[str, list[BenchmarkTask]]:
    """The problems of each split by its name and size, and all if there are several splits."""
    parts = {split: [task for task in tasks if task.split == split] for split in SPLITS}
    named = {f"{split} ({len(part)})": part for split, part in parts.items() if part}
    if len(named) > 1:
        named[f"all ({len(tasks)})"] = list(tasks)
    return named
