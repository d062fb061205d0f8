"""Read suites from TOML files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from isthmus.bench.documents.own import OwnCorpus, as_documents
from isthmus.bench.documents.tasks import Task
from isthmus.bench.plan.checks import check_suite
from isthmus.bench.plan.entries import Entry
from isthmus.bench.plan.fields import number, only, optional, require, seeds, table, tables
from isthmus.bench.plan.figure_fields import Figure, read_figure
from isthmus.bench.plan.goals import Goal, read_goal
from isthmus.bench.plan.metrics import read_metrics
from isthmus.bench.plan.own_fields import read_own_corpora
from isthmus.bench.plan.paper import read_problem_papers, read_set_paper
from isthmus.bench.plan.rest import read_rest
from isthmus.bench.plan.rules import TASK_RULES
from isthmus.bench.plan.scope import runs_on
from isthmus.bench.plan.suite import LAYOUTS, Suite, TaskSet
from isthmus.bench.plan.sweeps import read_entries
from isthmus.bench.plan.text_settings import read_text_settings

__all__ = ["find_suite", "parse_suite", "suites"]

_MOST_BYTES = 2**20


def suites() -> dict[str, Suite]:
    """Return the suites that come with the package, by name."""
    folder = resources.files("isthmus.bench") / "suites"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    # Without the ending: "amazon" comes before "amazon-priors".
    files.sort(key=lambda file: file.name.removesuffix(".toml"))
    found = [parse_suite(f.read_text(encoding="utf-8"), f.name) for f in files]
    return {suite.name: suite for suite in found}


def find_suite(name: str) -> Suite:
    """Return a suite by its name, or read it from the path of a TOML file.

    Parameters
    ----------
    name : str
        A name that :func:`suites` knows, or a path that ends in ``.toml``.

    Returns
    -------
    Suite
        The suite.
    """
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise FileNotFoundError(f"There is no suite file '{name}': check the path.")
        suite = parse_suite(_read(path), name, path.parent)
        if suite.name in suites():
            raise ValueError(
                f"The suite '{name}' is called '{suite.name}' like one of the package, and their "
                "results would mix: give it another name."
            )
        return replace(suite, origin=name)
    known = suites()
    if name not in known and Path(f"{name}.toml").is_file():
        raise ValueError(f"There is no suite '{name}': is the file '{name}.toml' meant?")
    if name not in known:
        raise ValueError(
            f"There is no suite '{name}': choose among {', '.join(known)}, "
            "or give the path of a .toml file."
        )
    return known[name]


def _read(path: Path) -> str:
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"The suite file '{path}' is larger than 1 MiB: split the suite.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"The suite file '{path}' is not UTF-8 text: save it so.") from error


def parse_suite(content: str, origin: str, folder: Path = Path()) -> Suite:
    """Read a suite from the text of a TOML file.

    Parameters
    ----------
    content : str
        The text.
    origin : str
        What errors call the suite.
    folder : Path
        Where the paths of its own corpora begin.

    Returns
    -------
    Suite
        The suite, checked as far as that goes without reading documents.
    """
    where = f"suite '{origin}'"
    try:
        data = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"The {where} is not valid TOML: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"The {where} has lists in lists too deep to read.") from error
    only(
        data,
        ("name", "title", "citation", "notes", "seeds", "dtype", "text", "tasks", "sets",
         "entries", "rest", "goals", "difficulty", "metrics", "table", "paired_with",
         "figures", "ranked", "corpora"),
        f"the {where}",
    )  # fmt: skip
    name = require(data, "name", str, where)
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise ValueError(
            f"The name {name!r} of {where} may hold only small letters, digits and '-'."
        )
    dtype = require(data, "dtype", str, where)
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={dtype!r} in {where} must be float32 or float64.")
    own = read_own_corpora(data, folder, where)
    as_documents(tuple(own.values()))
    sets = _sets(data, own, where)
    suite = Suite(
        name=name,
        title=require(data, "title", str, where),
        citation=require(data, "citation", str, where),
        notes=" ".join((optional(data, "notes", str, where) or "").split()),
        seeds=seeds(data, where),
        dtype=dtype,
        text=read_text_settings(optional(data, "text", dict, where) or {}, where),
        sets=sets,
        entries=_entries(data, [task for group in sets for task in group.tasks], where),
        goals=_goals(data, where),
        difficulty=_difficulty(data, where),
        metrics=read_metrics(data, where),
        layout=_layout(data, where),
        paired_with=optional(data, "paired_with", str, where),
        ranked=optional(data, "ranked", bool, where) is not False,
        figures=_figures(data, where),
        own=tuple(own.values()),
    )
    check_suite(suite, where)
    return suite


def _sets(data: Mapping[str, Any], own: Mapping[str, OwnCorpus], where: str) -> tuple[TaskSet, ...]:
    options = table(data, "tasks", where)
    kind = require(options, "kind", str, f"the table 'tasks' of {where}")
    if kind not in TASK_RULES:
        raise ValueError(
            f"There is no task rule {kind!r} ({where}): choose among {', '.join(TASK_RULES)}."
        )
    found = []
    for values in tables(data, "sets", where):
        name = require(values, "name", str, f"a set of {where}")
        place = f"set '{name}' of {where}"
        tasks = tuple(
            replace(task, corpus=own[task.corpus].name) if task.corpus in own else task
            for task in TASK_RULES[kind](name, options, values, place)
        )
        papers = read_problem_papers(tasks, values.get("problems", []), place)
        found.append(TaskSet(name, tasks, read_set_paper(values, place), papers))
    return tuple(found)


def _entries(data: Mapping[str, Any], tasks: Sequence[Task], where: str) -> tuple[Entry, ...]:
    """Those that are spelled out, and if the suite asks for it what else has anything to run on."""
    spelled_out = tables(data, "entries", where)
    found = tuple(entry for values in spelled_out for entry in read_entries(values, where))
    if "rest" not in data:
        return found
    rest = read_rest(table(data, "rest", where), found, where)
    # A suite without a named problem is refused, not left without its rest.
    return found + tuple(e for e in rest if e.named or any(runs_on(e, t) for t in tasks))


def _goals(data: Mapping[str, Any], where: str) -> tuple[Goal, ...]:
    if "goals" not in data:
        return ()
    found = enumerate(tables(data, "goals", where))
    return tuple(read_goal(values, f"goal {index} of {where}") for index, values in found)


def _figures(data: Mapping[str, Any], where: str) -> tuple[Figure, ...]:
    if "figures" not in data:
        return ()
    found = enumerate(tables(data, "figures", where))
    return tuple(read_figure(values, f"figure {index} of {where}") for index, values in found)


def _difficulty(data: Mapping[str, Any], where: str) -> tuple[str, float] | None:
    if "difficulty" not in data:
        return None
    values = table(data, "difficulty", where)
    place = f"the table 'difficulty' of {where}"
    only(values, ("entry", "threshold"), place)
    return require(values, "entry", str, place), number(values, "threshold", place)


def _layout(data: Mapping[str, Any], where: str) -> str:
    layout = optional(data, "table", str, where) or "sets"
    if layout not in LAYOUTS:
        raise ValueError(f"table={layout!r} in {where} must be one of {', '.join(LAYOUTS)}.")
    return layout
