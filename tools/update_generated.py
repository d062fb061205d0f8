"""Write what follows from the list of methods: imports for type checkers, and tables in the docs.

Run it after a change to ``src/isthmus/estimators/registry.py``::

    python tools/update_generated.py          # write
    python tools/update_generated.py --check  # exit code 1 if a file is out of date

A page marks the place of a table with ``<!-- generated: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import isthmus
from isthmus.estimators.registry import METHODS, Method

ROOT = Path(__file__).resolve().parents[1]
_LINE_LENGTH = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    arguments = parser.parse_args()
    outdated = {path: text for path, text in generated_files() if text != path.read_text("utf-8")}
    for path, text in outdated.items():
        print(f"{'out of date' if arguments.check else 'written'}: {path.relative_to(ROOT)}")
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
    return 1 if outdated and arguments.check else 0


def generated_files() -> Iterator[tuple[Path, str]]:
    """Every file with a generated part, and the content that it should have."""
    init = ROOT / "src" / "isthmus" / "__init__.py"
    yield init, _with_imports(init.read_text("utf-8"))
    yield from (
        (page, _with_table(page.read_text("utf-8"), name, rows))
        for page, name, rows in (
            (ROOT / "docs" / "guides" / "gpu.md", "gpu-methods", gpu_table()),
            (ROOT / "docs" / "reference" / "api.md", "api-methods", api_tables()),
            (ROOT / "ARCHITECTURE.md", "families", family_table()),
        )
    )


def _with_imports(source: str) -> str:
    """The package's ``__init__`` with one import per public name, for type checkers."""
    modules: dict[str, list[str]] = {}
    for name, module in isthmus._MODULES.items():
        modules.setdefault(module, []).append(name)
    lines = [
        line
        for module in sorted(modules)
        for name in sorted(modules[module])
        for line in _import(module, name)
    ]
    block = "".join(f"    {line}\n" for line in lines)
    pattern = r"(if TYPE_CHECKING:[^\n]*\n)(?:    [^\n]*\n)+"
    return _replace_once(pattern, lambda match: match[1] + block, source)


def _import(module: str, name: str) -> list[str]:
    """An import that type checkers take as a public name of the package."""
    line = f"from {module} import {name} as {name}"
    if len(line) + 4 <= _LINE_LENGTH:
        return [line]
    return [f"from {module} import (", f"    {name} as {name},", ")"]


def api_tables() -> str:
    """One table of classes per family; Sphinx makes a page for every class."""
    parts = []
    for family, methods in families().items():
        parts += [
            f"### {family_title(family)}",
            "",
            "```{eval-rst}",
            ".. currentmodule:: isthmus",
            "",
            ".. autosummary::",
            "   :toctree: api/",
            "   :nosignatures:",
            "",
            *(f"   {method.class_name}" for method in methods),
            "```",
            "",
        ]
    return "\n".join(parts)


def gpu_table() -> str:
    """One row per family: its methods that run on the GPU, and those that do not."""
    rows = ["| family | on the GPU | on the CPU only |", "| --- | --- | --- |"]
    for family, methods in families().items():
        on_gpu = [method for method in methods if "gpu" in method.engines]
        others = [method for method in methods if "gpu" not in method.engines]
        rows.append(f"| {family_title(family)} | {_names(on_gpu)} | {_names(others)} |")
    return "\n".join([*rows, ""])


def family_table() -> str:
    """One row per family: its folder, its subject and its methods."""
    rows = ["| folder | subject | methods |", "| --- | --- | --- |"]
    for family, methods in families().items():
        rows.append(f"| `{family}` | {family_title(family)} | {_names(methods)} |")
    return "\n".join([*rows, ""])


def _names(methods: list[Method]) -> str:
    return ", ".join(f"`{method.name}`" for method in methods)


def families() -> dict[str, list[Method]]:
    """Methods by family, in the order of the registry; the baselines come last."""
    members: dict[str, list[Method]] = {}
    for method in METHODS.values():
        members.setdefault(method.family, []).append(method)
    return dict(sorted(members.items(), key=lambda item: item[0] == "baselines"))


def family_title(family: str) -> str:
    """What the docstring of a family's package says."""
    path = ROOT / "src" / "isthmus" / "estimators" / family / "__init__.py"
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or family
    return docstring.splitlines()[0].removesuffix(".")


def _with_table(page: str, name: str, table: str) -> str:
    pattern = rf"(<!-- generated: {name} -->\n)(?:.*?\n)??(<!-- end -->)"
    return _replace_once(pattern, lambda match: f"{match[1]}\n{table}\n{match[2]}", page)


def _replace_once(pattern: str, replacement: Callable[[re.Match[str]], str], text: str) -> str:
    changed, count = re.subn(pattern, replacement, text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"Expected one place for the generated part, found {count}: {pattern}")
    return changed


if __name__ == "__main__":
    sys.exit(main())
