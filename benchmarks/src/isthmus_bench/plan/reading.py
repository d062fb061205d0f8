"""Read suites from TOML files."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from isthmus_bench.documents.user_corpora import read_user_corpora, register_user_corpora
from isthmus_bench.fields import explain
from isthmus_bench.plan.checks import check_suite
from isthmus_bench.plan.suite import Suite, SuiteFile, TaskSet

__all__ = ["find_suite", "parse_suite", "suites"]

_MOST_BYTES = 2**20


@cache
def _read_suites() -> dict[str, Suite]:
    folder = resources.files("isthmus_bench") / "suites"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    # Without the suffix: "amazon" comes before "amazon-priors".
    files.sort(key=lambda file: file.name.removesuffix(".toml"))
    read = [parse_suite(file.read_text(encoding="utf-8"), file.name) for file in files]
    return {suite.name: suite for suite in read}


def suites() -> dict[str, Suite]:
    """Return the suites of the package by name."""
    return dict(_read_suites())


def find_suite(name: str) -> Suite:
    """Return a suite of the package by its name, or read it from the path of a TOML file."""
    if name.endswith(".toml"):
        path = Path(name)
        if path.is_dir():
            raise ValueError(f"The suite '{name}' is a folder: name a .toml file.")
        if not path.is_file():
            raise FileNotFoundError(f"There is no suite file '{name}': check the path.")
        suite = parse_suite(_read(path), name, path.parent)
        if suite.name in suites():
            raise ValueError(
                f"The suite '{name}' has the name '{suite.name}' of a suite of the package, and "
                "their results would mix: use another name."
            )
        return replace(suite, origin=name)
    known = suites()
    if name not in known:
        hint = f"choose from {', '.join(known)}, or give the path of a .toml file."
        if Path(f"{name}.toml").is_file():
            hint = f"did you mean the file '{name}.toml'?"
        raise ValueError(f"There is no suite '{name}': {hint}")
    return known[name]


def _read(path: Path) -> str:
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"The suite file '{path}' is larger than 1 MiB: split the suite.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"The suite file '{path}' is not UTF-8: save it as UTF-8.") from error


def parse_suite(content: str, origin: str, folder: Path = Path()) -> Suite:
    """Read a suite from the text of a TOML file, and check it as far as possible without documents.

    ``origin`` is the name of the file in errors, ``folder`` where the paths of its corpora begin.
    """
    where = f"Suite '{origin}'"
    try:
        data = tomllib.loads(content)
        file = SuiteFile.model_validate(data)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where} is not valid TOML: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"{where} is nested too deeply to be read.") from error
    except ValidationError as error:
        raise ValueError(explain(error, data, where)) from None
    corpora = read_user_corpora(file.corpora, folder, where)
    register_user_corpora(tuple(corpora.values()))
    sets: list[TaskSet] = []
    for group in file.sets:
        try:
            sets.append(group.with_problems(file.tasks, corpora))
        except ValueError as error:
            reason = str(error).removesuffix(".")
            raise ValueError(f"{where}, sets '{group.name}': {reason}.") from None
    entries = tuple(entry for fields in file.entries for entry in fields.expand())
    try:
        if file.rest is not None:
            tasks = [task for group in sets for task in group.tasks]
            entries += file.rest.expand(entries, tasks)
        shared = {"name", "title", "citation", "notes", "seeds", "dtype", "text", "goals"}
        shared |= {"difficulty", "metrics", "spread", "paired_with", "paired_tests"}
        shared |= {"source_only", "ranked", "figures"}
        suite = Suite(
            sets=tuple(sets),
            entries=entries,
            layout=file.table,
            user_corpora=tuple(corpora.values()),
            **{name: getattr(file, name) for name in shared},
        )
        check_suite(suite)
    except ValueError as error:
        raise ValueError(f"{where}: {str(error).removesuffix('.')}.") from None
    return suite
