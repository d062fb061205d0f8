"""Remove what an earlier build made of names and examples that no longer exist.

They would be pages without a place in the menus, and their examples would not import.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def stale_stubs() -> list[Path]:
    """Pages of public names that the API page does not list."""
    page = (DOCS / "reference" / "api.md").read_text("utf-8")
    listed = {f"isthmus.{name}" for name in re.findall(r"^   ([\w.]+)$", page, flags=re.MULTILINE)}
    return [path for path in (DOCS / "reference" / "api").glob("*.rst") if path.stem not in listed]


def stale_examples() -> list[Path]:
    """What belongs to examples whose script is gone."""
    names = {path.stem for path in (ROOT / "examples").glob("plot_*.py")}
    made = (DOCS / "gallery").glob("plot_*")
    return [path for path in made if path.name.split(".")[0].removesuffix("_codeobj") not in names]


def remove_stale_files(app: Sphinx) -> None:
    for path in (*stale_stubs(), *stale_examples()):
        path.unlink()


def setup(app: Sphinx) -> ExtensionMetadata:
    # Before autosummary and sphinx-gallery write theirs.
    app.connect("builder-inited", remove_stale_files, priority=50)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
