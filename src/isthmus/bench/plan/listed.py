"""The rule of problems that a suite spells out one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isthmus.bench.documents.bilingual import VOCABULARIES
from isthmus.bench.documents.tasks import SPLITS, Selection, Task
from isthmus.bench.plan.fields import (
    names,
    number,
    only,
    optional,
    positive,
    require,
    seeds,
    share,
    table,
    tables,
)
from isthmus.bench.plan.pool_fields import POOL_FIELDS, read_pools
from isthmus.bench.plan.task_checks import check_task

__all__ = ["listed"]

_FIELDS = ("name", "split", "corpus", "sample", "seeds", "paper", "named")
_TRANSFER_FIELDS = (
    "source", "sources", "target", "targets", "vocabulary", "labelled_source", "labelled_target",
    "keep_target", "sample_source", "folds", "new_documents", *POOL_FIELDS,
)  # fmt: skip
_CLUSTERING_FIELDS = ("tasks", "scored")


def listed(
    set_name: str, options: Mapping[str, Any], chosen: Mapping[str, Any], where: str
) -> tuple[Task, ...]:
    """The problems that the suite spells out, each with the groups of every class.

    One domain of a side is a table (``source``, ``target``), several are a list of tables
    (``sources``, ``targets``). A problem for clusterers has ``tasks`` instead, a list of tables.
    """
    only(options, ("kind", "corpus"), f"the table 'tasks' for {where}")
    only(chosen, ("name", "paper", "problems"), where)
    found = tables(chosen, "problems", where)
    return tuple(
        _problem(set_name, options, entry, f"problem {index} of {where}")
        for index, entry in enumerate(found)
    )


def _problem(
    set_name: str, options: Mapping[str, Any], entry: Mapping[str, Any], where: str
) -> Task:
    only(entry, (*_FIELDS, *_TRANSFER_FIELDS, *_CLUSTERING_FIELDS), where)
    split = require(entry, "split", str, where)
    if split not in SPLITS:
        raise ValueError(f"split={split!r} in {where} must be one of {', '.join(SPLITS)}.")
    clustering = _is_clustering(entry, where)
    task = Task(
        name=require(entry, "name", str, where),
        set_name=set_name,
        split=split,
        corpus=optional(entry, "corpus", str, where) or require(options, "corpus", str, where),
        sources=() if clustering else _side(entry, "source", where),
        targets=_domains(entry, "tasks", where) if clustering else _side(entry, "target", where),
        labelled_source=share(entry, "labelled_source", where) if "labelled_source" in entry else 1,
        labelled_target=_labelled_target(entry, where),
        vocabulary=_vocabulary(entry, where),
        keep_target=_keep_target(entry, where),
        sample=positive(entry, "sample", where),
        sample_source=positive(entry, "sample_source", where),
        seeds=seeds(entry, where) if "seeds" in entry else (),
        scored=positive(entry, "scored", where),
        source_pools=read_pools(entry, "source", where),
        target_pools=read_pools(entry, "target", where),
        folds=_folds(entry, where),
        new_documents=optional(entry, "new_documents", bool, where) or False,
        named=optional(entry, "named", bool, where) or False,
    )
    check_task(task, where)
    return task


def _is_clustering(entry: Mapping[str, Any], where: str) -> bool:
    wrong = _TRANSFER_FIELDS if "tasks" in entry else ("scored",)
    for name in wrong:
        if name in entry:
            beside = (
                "beside 'tasks', which show no label" if "tasks" in entry else "without 'tasks'"
            )
            raise ValueError(
                f"The field '{name}' in {where} has no meaning {beside}: leave it out."
            )
    return "tasks" in entry


def _labelled_target(entry: Mapping[str, Any], where: str) -> float:
    # Zero is the usual case, written out in a series of shares.
    if "labelled_target" not in entry or number(entry, "labelled_target", where) == 0:
        return 0.0
    return share(entry, "labelled_target", where)


def _folds(entry: Mapping[str, Any], where: str) -> int | None:
    folds = positive(entry, "folds", where)
    if folds == 1:
        raise ValueError(f"folds=1 in {where} leaves no source row: give 2 or more.")
    return folds


def _vocabulary(entry: Mapping[str, Any], where: str) -> str | None:
    vocabulary = optional(entry, "vocabulary", str, where)
    if vocabulary not in (None, *VOCABULARIES):
        raise ValueError(
            f"vocabulary={vocabulary!r} in {where} must be one of {', '.join(VOCABULARIES)}, or be "
            "left out where all texts are of one language."
        )
    return vocabulary


def _keep_target(entry: Mapping[str, Any], where: str) -> tuple[tuple[str, float], ...]:
    shares = optional(entry, "keep_target", dict, where) or {}
    found = {name: share(shares, name, f"'keep_target' of {where}") for name in shares}
    # A class that stays whole needs no draw: written or not, it is the same problem.
    return tuple((name, value) for name, value in found.items() if value < 1)


def _side(entry: Mapping[str, Any], side: str, where: str) -> tuple[Selection, ...]:
    several = f"{side}s"
    if (side in entry) == (several in entry):
        raise ValueError(
            f"Exactly one of '{side}' (a table) and '{several}' (a list of tables) must stand in "
            f"{where}."
        )
    if side in entry:
        return (_selection(table(entry, side, where), f"'{side}' of {where}"),)
    return _domains(entry, several, where)


def _domains(entry: Mapping[str, Any], key: str, where: str) -> tuple[Selection, ...]:
    return tuple(
        _selection(values, f"domain {index} of '{key}' of {where}")
        for index, values in enumerate(tables(entry, key, where))
    )


def _selection(classes: Mapping[str, Any], where: str) -> Selection:
    if not classes:
        raise ValueError(f"The table {where} must name one or more classes with their groups.")
    return tuple((name, tuple(names(classes, name, where))) for name in classes)
