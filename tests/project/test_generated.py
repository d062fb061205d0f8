"""Generated parts of files follow the registry."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from isthmus import METHODS

ROOT = Path(__file__).parents[2]


def test_generated_parts_are_up_to_date():
    command = [sys.executable, str(ROOT / "tools" / "update_generated.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}Run tools/update_generated.py."


def test_the_method_tables_name_every_method():
    page = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8")
    for method in METHODS.values():
        assert f"| `{method.name}` | [`{method.class_name}`]" in page


def test_the_picture_of_the_architecture_names_every_folder():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    picture = page.split("```")[1]
    folders = [
        path.parent.name
        for layer in ("*", "estimators/*", "solvers/*")
        for path in (ROOT / "src" / "isthmus").glob(f"{layer}/__init__.py")
    ]
    assert folders
    assert not [name for name in folders if not re.search(rf"\b{name}\b", picture)]
